"""The asyncio client of the Kubernetes dialect, thin on aiohttp.

Typed reads (only the fields of a view are decoded), writes as plain JSON objects. Every
request ends within ``TIMEOUT`` seconds; a watch ends when the server ends it.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any, Self, TypeVar

import aiohttp
import msgspec

from shoal.api.kinds import PODS, Kind
from shoal.api.meta import Object
from shoal.kube import wire
from shoal.kube.config import Config, tls_context
from shoal.kube.errors import Unreachable

T = TypeVar("T", bound=Object)

TIMEOUT = 30
"""Seconds after which a request that is not a watch is given up."""
_AT_ONCE = 64
"""Requests in flight. The others wait in line, and only then does their time count."""
_LONGEST_EVENT = 8 * 1024 * 1024


class Client:
    """Reads and writes objects. Use as an async context manager.

    Every method raises ApiError where the server refuses and Unreachable where none answers.
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        self._session: aiohttp.ClientSession | None = None
        self._gate = asyncio.Semaphore(_AT_ONCE)

    async def __aenter__(self) -> Self:
        context = tls_context(self.config)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(ssl=context, limit=0, keepalive_timeout=30),
            headers={"Authorization": f"Bearer {self.config.token}", "Accept": "application/json"},
            timeout=aiohttp.ClientTimeout(total=TIMEOUT),
            read_bufsize=1024 * 1024,
            auto_decompress=True,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session is not None:
            await self._session.close()

    async def request(
        self,
        method: str,
        path: str,
        *,
        body: object = None,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> bytes:
        """One request with a JSON body; the body of the answer."""
        data = None if body is None else msgspec.json.encode(body)
        merged = {"Content-Type": "application/json", **(headers or {})} if data else headers
        try:
            async with (
                self._gate,
                self._open().request(
                    method, self.config.server + path, params=query, data=data, headers=merged
                ) as answer,
            ):
                content = await answer.read()
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Unreachable(self.config.server, error) from None
        wire.refuse(answer.status, content)
        return content

    async def get(self, kind: Kind[T], name: str, namespace: str = "") -> T:
        """One object as its view."""
        return wire.decode_object(kind, await self.request("GET", kind.path(namespace, name)))

    async def get_raw(self, kind: Kind[Any], name: str, namespace: str = "") -> dict[str, Any]:
        """One object with every field, for writing it back."""
        decoded: dict[str, Any] = msgspec.json.decode(
            await self.request("GET", kind.path(namespace, name))
        )
        return decoded

    async def list(
        self, kind: Kind[T], namespace: str = "", *, labels: str = "", fields: str = ""
    ) -> wire.Listing[T]:
        """All objects, read page by page at one resource version."""
        items: list[T] = []
        token = ""
        while True:
            query = wire.list_query(labels, fields, wire.PAGE, token)
            body = await self.request("GET", kind.path(namespace), query=query)
            page = wire.decode_list(kind, body)
            items += page.items
            token = page.metadata.continue_
            if not token:
                return wire.Listing(items, page.metadata)

    async def create(self, kind: Kind[T], obj: Mapping[str, Any], namespace: str = "") -> T:
        """Create an object; what the server made of it."""
        return wire.decode_object(kind, await self.request("POST", kind.path(namespace), body=obj))

    async def replace(self, kind: Kind[T], obj: Mapping[str, Any], *, subresource: str = "") -> T:
        """PUT an object, or its status, at the resource version that it carries."""
        path = wire.object_path(kind, obj, subresource)
        return wire.decode_object(kind, await self.request("PUT", path, body=obj))

    async def patch(
        self,
        kind: Kind[T],
        name: str,
        namespace: str = "",
        *,
        patch: Mapping[str, Any],
        strategic: bool = False,
        subresource: str = "",
    ) -> T:
        """Merge patch, or strategic merge patch for Kubernetes' own kinds."""
        media = wire.STRATEGIC_PATCH if strategic else wire.MERGE_PATCH
        path = kind.path(namespace, name, subresource)
        body = await self.request("PATCH", path, body=patch, headers={"Content-Type": media})
        return wire.decode_object(kind, body)

    async def delete(
        self,
        kind: Kind[Any],
        name: str,
        namespace: str = "",
        *,
        uid: str = "",
        grace: int | None = None,
        propagation: str = "",
    ) -> None:
        """Delete an object, only if it still has ``uid`` where one is given."""
        options = wire.delete_body(uid, grace, propagation)
        await self.request("DELETE", kind.path(namespace, name), body=options)

    async def bind(self, pod_name: str, namespace: str, node: str, *, uid: str = "") -> None:
        """Place a pod on a node."""
        body = wire.binding(pod_name, namespace, node, uid)
        await self.request("POST", PODS.path(namespace, pod_name, "binding"), body=body)

    async def watch(
        self,
        kind: Kind[T],
        namespace: str = "",
        *,
        resource_version: str,
        labels: str = "",
        fields: str = "",
    ) -> AsyncIterator[wire.WatchEvent[T]]:
        """What changes after a resource version, until the server ends the stream."""
        query = wire.watch_query(resource_version, labels, fields)
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=TIMEOUT)
        try:
            async with self._open().get(
                self.config.server + kind.path(namespace), params=query, timeout=timeout
            ) as answer:
                if answer.status >= 400:
                    wire.refuse(answer.status, await answer.read())
                async for line in _lines(answer.content):
                    yield wire.decode_event(kind, line)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Unreachable(self.config.server, error) from None

    def _open(self) -> aiohttp.ClientSession:
        assert self._session is not None, "the client is used outside its context"
        return self._session


async def _lines(stream: aiohttp.StreamReader) -> AsyncIterator[bytes]:
    """Lines of any length up to a bound; aiohttp's own reader stops at its buffer's size."""
    rest = bytearray()
    async for chunk in stream.iter_any():
        rest += chunk
        if (end := rest.rfind(b"\n")) >= 0:
            for line in bytes(rest[:end]).split(b"\n"):
                yield line
            del rest[: end + 1]
        elif len(rest) > _LONGEST_EVENT:
            raise aiohttp.ClientPayloadError("an event is longer than 8 MiB")
