"""The agent's process: what it needs, in the order in which one thing may rely on another.

Locks before anything is offered; the word on what is held before the node takes work; logs
before the first pod.
"""

import asyncio
import contextlib
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from shoal.agent.cardlocks import CardLocks
from shoal.agent.cgroups import find_cgroups
from shoal.agent.claims import load_claims
from shoal.agent.discovery import discover_cards
from shoal.agent.home import Home
from shoal.agent.machine import Machine, read_machine
from shoal.agent.namesake import AGENT, agent_name, sure_of_node
from shoal.agent.native import keeper_path
from shoal.agent.nodeuse import NodeUses
from shoal.agent.pods import Pods
from shoal.agent.presence import Presence
from shoal.agent.server import log_server
from shoal.agent.threads import in_thread
from shoal.agent.tools import Tools
from shoal.api.kinds import PODS
from shoal.api.nodeuse import HeldClaim
from shoal.core.event import Card
from shoal.kube.client import Client
from shoal.kube.config import load_config
from shoal.kube.events import Events
from shoal.kube.reflector import Reflector
from shoal.kube.sockets import serve_unix
from shoal.units.onlyone import only_one

COMPONENT: Final = "shoal-agent"
"""What its events name as their source."""
_CARDS_PAUSE_S: Final = 30
_log = logging.getLogger(__name__)


async def run_agent(
    home: Path, node_name: str, gpus: str, *, ready: Callable[[str], None] = lambda _: None
) -> None:
    """Runs the pods of this machine until cancelled; their programs outlive the agent.

    ``gpus`` is empty for real cards, or a text of simulated ones; ``ready`` is called, with
    nothing to say, once the node takes work. Raises AgentError, UnitError or NotAloneError.
    """
    async with only_one(home, AGENT):
        await _run_alone(home, node_name, gpus, ready)


async def _run_alone(home: Path, node_name: str, gpus: str, ready: Callable[[str], None]) -> None:
    machine = read_machine(node_name)
    cards = discover_cards(gpus, home)
    locks = CardLocks(home)
    locks.take(cards)
    try:
        async with Client(load_config(home / "kubeconfig")) as client:
            await sure_of_node(client, machine.name, agent_name(home))
            uses = NodeUses(client, machine.name, machine.boot_id)
            tools = Tools(
                home=Home(home),
                node=machine.name,
                boot_id=machine.boot_id,
                client=client,
                uses=uses,
                events=Events(client, COMPONENT),
                cards={card.name: card for card in cards},
                locks=locks,
                cgroups=find_cgroups(),
                keeper=keeper_path(),
            )
            await serve(tools, machine, follow_cards=not gpus, ready=ready)
    finally:
        locks.close()


async def serve(
    tools: Tools, machine: Machine, *, follow_cards: bool, ready: Callable[[str], None]
) -> None:
    """The agent with its parts in place. Real cards are looked at again now and then."""
    await tools.uses.load(_held_before(tools.home))
    pods = Pods(tools)
    sock = tools.home.socket(tools.node)
    runner = await serve_unix(sock, log_server(tools.home, pods))
    bound = sock.stat()
    try:
        async with Client(tools.client.config) as own:
            cards = list(tools.cards.values())
            presence = Presence(own, machine, tools.uses, cards, tools.cgroups.why)
            await presence.appear()
            await _follow(tools, pods, presence, follow_cards=follow_cards, ready=ready)
    finally:
        await pods.close()
        await runner.cleanup()
        _unlink_own(sock, bound)


async def _follow(
    tools: Tools,
    pods: Pods,
    presence: Presence,
    *,
    follow_cards: bool,
    ready: Callable[[str], None],
) -> None:
    here = f"spec.nodeName={tools.node}"
    reflector = Reflector(tools.client, PODS, fields=here, on_delta=pods.on_delta)
    async with asyncio.TaskGroup() as group:
        group.create_task(reflector.run())
        group.create_task(tools.events.run())
        group.create_task(presence.keep(agent_name(tools.home.root)))
        if follow_cards:
            group.create_task(_follow_cards(tools, presence))
        await reflector.synced.wait()
        ready("")
        await pods.sweep()


def _unlink_own(sock: Path, bound: os.stat_result) -> None:
    """Removes a socket, unless another agent has put its own in that place."""
    with contextlib.suppress(FileNotFoundError):
        if os.path.samestat(sock.stat(), bound):
            sock.unlink()


def _held_before(home: Home) -> dict[str, list[HeldClaim]]:
    return {pod.uid: [c.held for c in load_claims(pod.claims)] for pod in home.pods}


async def _follow_cards(tools: Tools, presence: Presence) -> None:
    """What other programs take of a real card shrinks what is offered of it."""
    while True:
        await asyncio.sleep(_CARDS_PAUSE_S)
        seen = await in_thread(lambda: discover_cards("", tools.home.root))
        known = {card.uuid for card in tools.cards.values()}
        offered: list[Card] = [card for card in seen if card.uuid in known]
        await presence.offer(offered)
