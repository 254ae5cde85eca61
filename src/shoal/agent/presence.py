"""That this node is there: its Node, its ResourceSlice, its NodeUse, and its lease.

What somebody deletes of them is put again at once, as long as the agent lives: without them
nothing could be placed here. All of it goes over connections of its own, which no other work
can delay.
"""

import asyncio
import logging
from collections.abc import Collection
from typing import Any, Final

from shoal.agent.machine import Machine
from shoal.agent.node import beat, register_node
from shoal.agent.nodeuse import NodeUses
from shoal.agent.slices import publish_cards, slice_name
from shoal.api.kinds import NODE_USES, NODES, RESOURCE_SLICES, Kind
from shoal.api.node import Node
from shoal.core.event import Card
from shoal.kube.client import Client
from shoal.kube.errors import ApiError
from shoal.kube.reflector import Delta, Reflector

_PAUSE_S: Final = 1.0
_log = logging.getLogger(__name__)


class Presence:
    """Keeps the objects of one node. ``why_unlimited`` is empty where limits hold."""

    def __init__(
        self,
        client: Client,
        machine: Machine,
        uses: NodeUses,
        cards: list[Card],
        why_unlimited: str,
    ) -> None:
        self._client = client
        self._machine = machine
        self._uses = uses
        self._cards: Collection[Card] = cards
        self._offered = cards
        self._why_unlimited = why_unlimited
        self._node = Node()
        self._lost = asyncio.Event()
        self._one = asyncio.Lock()

    async def appear(self) -> None:
        """Returns once the node takes work."""
        async with self._one:
            await self._register()
            await publish_cards(self._client, self._node, self._offered)

    async def offer(self, cards: list[Card]) -> None:
        """Offers these of the node's cards from now on, as large as they are now."""
        async with self._one:
            self._offered = cards
            await publish_cards(self._client, self._node, cards)

    async def keep(self, agent: str) -> None:
        """Keeps everything there in the name of its agent; cancel to stop."""
        name = self._machine.name
        kept: tuple[tuple[Kind[Any], str], ...] = (
            (NODES, name),
            (RESOURCE_SLICES, slice_name(name)),
            (NODE_USES, name),
        )
        async with asyncio.TaskGroup() as group:
            for kind, one in kept:
                group.create_task(self._watch(kind, one))
            group.create_task(self._restore())
            group.create_task(beat(self._client, lambda: self._node, agent, self._register))

    async def _watch(self, kind: Kind[Any], name: str) -> None:
        fields = f"metadata.name={name}"
        copy = Reflector(self._client, kind, fields=fields, on_delta=self._on_delta)
        async with asyncio.TaskGroup() as group:
            group.create_task(copy.run())
            await copy.synced.wait()
            if not len(copy):
                self._lost.set()

    def _on_delta(self, delta: Delta[Any]) -> None:
        if delta.new is None:
            self._lost.set()

    async def _restore(self) -> None:
        while True:
            await self._lost.wait()
            self._lost.clear()
            try:
                await self.appear()
                await self._uses.tell_again()
            except ApiError as error:
                _log.warning("node not put again", extra={"error": error.message})
                await asyncio.sleep(_PAUSE_S)
                self._lost.set()

    async def _register(self) -> None:
        self._node = await register_node(
            self._client, self._machine, self._cards, self._why_unlimited
        )
