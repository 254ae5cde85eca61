"""Carrying out a run's planned actions: few calls, independent ones side by side."""

from collections.abc import Iterable
from functools import partial
from typing import Any, Final

import msgspec

from shoal.api.kinds import PODS, Kind
from shoal.controllers.loop import together
from shoal.controllers.unseen import Unseen
from shoal.core.runs import Action, Create, Delete, End
from shoal.core.runs.replicas import END_SECONDS
from shoal.kube.client import Client
from shoal.kube.errors import ApiError
from shoal.units.failpoint import failpoint

Key = tuple[str, str]
"""Namespace and name of a run."""

_END: Final = {"spec": {"activeDeadlineSeconds": END_SECONDS}}


class Refusal(msgspec.Struct, frozen=True):
    """The server would not make an object. ``taken``: the name belongs to another's object."""

    kind: Kind[Any]
    name: str
    sentence: str
    taken: bool


class Hands:
    """Writes to the server, each noted as unseen until the copies show it."""

    def __init__(self, client: Client, unseen: Unseen[Key]) -> None:
        self._client = client
        self._unseen = unseen

    async def make(self, key: Key, actions: Iterable[Action]) -> Refusal | None:
        """Create what is planned, pods last; the first refusal, after which no pods are made.

        Raises ApiError for what may go through a little later.
        """
        creates = [action for action in actions if isinstance(action, Create)]
        for pods in (False, True):
            wave = [create for create in creates if (create.kind is PODS) == pods]
            outcomes = await together(partial(self._create, key, create) for create in wave)
            if refusal := next(filter(None, outcomes), None):
                return refusal
        return None

    async def take_back(self, key: Key, actions: Iterable[Action]) -> None:
        """Delete and end what is planned; what is gone already is fine."""
        planned = [action for action in actions if not isinstance(action, Create)]
        await together(partial(self._take_back, key, action) for action in planned)

    async def _create(self, key: Key, create: Create) -> Refusal | None:
        try:
            made = await self._client.create(create.kind, create.body, key[0])
        except ApiError as error:
            if error.passing or error.conflict:
                raise
            return Refusal(create.kind, create.name, error.message, taken=error.already_exists)
        failpoint("run.made")
        self._unseen.wrote(key, create.kind, made)
        return None

    async def _take_back(self, key: Key, action: Delete | End) -> None:
        try:
            if isinstance(action, Delete):
                await self._delete(key, action)
            else:
                await self._end(key, action)
        except ApiError as error:
            if not (error.not_found or error.conflict):
                raise

    async def _delete(self, key: Key, delete: Delete) -> None:
        await self._client.delete(delete.kind, delete.name, key[0], uid=delete.uid)
        self._unseen.deleted(key, delete.kind, key[0], delete.name, delete.uid)

    async def _end(self, key: Key, end: End) -> None:
        patch = {"metadata": {"uid": end.uid}, **_END}
        changed = await self._client.patch(PODS, end.name, key[0], patch=patch)
        self._unseen.wrote(key, PODS, changed)
