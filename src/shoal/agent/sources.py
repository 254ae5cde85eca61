"""Config maps and secrets, read when a container needs them: keys to bytes."""

import base64
from typing import Final

import msgspec

from shoal.agent.errors import NotYetError
from shoal.agent.persist import persist
from shoal.api.kinds import CONFIG_MAPS, SECRETS, Kind
from shoal.api.meta import Object
from shoal.kube.client import Client
from shoal.kube.errors import ApiError

CONFIG_ERROR: Final = "CreateContainerConfigError"
"""Waiting reason of a container whose config map or secret is not there."""

Data = dict[str, bytes]


class _Content(msgspec.Struct, rename="camel"):
    data: dict[str, str] = {}
    binary_data: dict[str, str] = {}


class Sources:
    """Reads what pods of one namespace refer to."""

    def __init__(self, client: Client, namespace: str) -> None:
        self._client = client
        self._namespace = namespace

    async def config_map(self, name: str, *, optional: bool = False) -> Data:
        """A config map's keys. Raises NotYetError unless it may be missing."""
        content = await self._content(CONFIG_MAPS, "config map", name, optional)
        return {k: v.encode() for k, v in content.data.items()} | _decoded(content.binary_data)

    async def secret(self, name: str, *, optional: bool = False) -> Data:
        """A secret's keys. Raises NotYetError unless it may be missing."""
        return _decoded((await self._content(SECRETS, "secret", name, optional)).data)

    async def _content(self, kind: Kind[Object], noun: str, name: str, optional: bool) -> _Content:
        path = kind.path(self._namespace, name)
        try:
            body = await persist(f"read {noun}", lambda: self._client.request("GET", path))
        except ApiError as error:
            if not error.not_found:
                raise
            if optional:
                return _Content()
            sentence = f"{noun} {name} does not exist in namespace {self._namespace}"
            raise NotYetError(CONFIG_ERROR, sentence) from None
        return msgspec.json.decode(body, type=_Content)


def _decoded(data: dict[str, str]) -> Data:
    return {key: base64.b64decode(text) for key, text in data.items()}
