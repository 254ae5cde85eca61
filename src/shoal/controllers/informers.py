"""One reflector a kind, however many controllers follow it."""

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from shoal.api.kinds import Kind
from shoal.api.meta import Object
from shoal.kube.client import Client
from shoal.kube.reflector import Delta, Reflector

T = TypeVar("T", bound=Object)
Handler = Callable[[Delta[T]], None]


class Informers:
    """The copies that the controllers of one process share. Follow first, then run."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._reflectors: dict[str, Reflector[Any]] = {}
        self._handlers: dict[str, list[Handler[Any]]] = {}

    def follow(self, kind: Kind[T], handler: Handler[T]) -> Reflector[T]:
        """The copy of a kind; ``handler`` is called for every change of it, in order."""
        self._handlers.setdefault(kind.plural, []).append(handler)
        if kind.plural not in self._reflectors:
            on_delta = self._teller(kind.plural)
            self._reflectors[kind.plural] = Reflector(self._client, kind, on_delta=on_delta)
        return self._reflectors[kind.plural]

    async def run(self) -> None:
        """Follow the server until cancelled."""
        async with asyncio.TaskGroup() as group:
            for reflector in self._reflectors.values():
                group.create_task(reflector.run())

    async def synced(self) -> None:
        """Wait until every copy is complete: what is absent then does not exist."""
        for reflector in self._reflectors.values():
            await reflector.synced.wait()

    def _teller(self, plural: str) -> Handler[Any]:
        handlers = self._handlers[plural]

        def tell(delta: Delta[Any]) -> None:
            for handler in handlers:
                handler(delta)

        return tell
