"""One agent a node: one that comes second, from another home, finds out and says so.

The lease of a node names its agent by machine and home. On this machine that agent's lock tells
whether it lives; on another one, whether the lease is renewed while we look.
"""

import asyncio
from pathlib import Path

from shoal.agent.errors import AgentError
from shoal.agent.node import BEAT_S, LEASE_NAMESPACE
from shoal.agent.persist import persist
from shoal.api.kinds import LEASES
from shoal.api.lease import Lease
from shoal.api.meta import ANNOTATION_AGENT
from shoal.kube.client import Client
from shoal.kube.errors import ApiError
from shoal.units.onlyone import is_held

AGENT = "agent"
"""The lock of a home that its agent holds."""


def agent_name(home: Path) -> str:
    """An agent's name, which no other has: its machine, and where its home is."""
    return f"{_machine()}:{home.resolve()}"


async def sure_of_node(client: Client, node: str, me: str) -> None:
    """Returns once no other agent serves the node. Raises AgentError if one does."""
    lease = await _lease(client, node)
    other = lease.metadata.annotations.get(ANNOTATION_AGENT, "") if lease is not None else ""
    machine, _, home = other.partition(":")
    if lease is None or other in ("", me):
        return
    if machine != _machine():
        lives = await _is_renewed(client, node, lease)
    else:
        lives = is_held(Path(home), AGENT)
    if lives:
        raise AgentError(
            f"node {node} is served by the agent of {home} already; end that one, "
            "or give this one a name of its own: --node-name"
        )


async def _is_renewed(client: Client, node: str, before: Lease) -> bool:
    await asyncio.sleep(2 * BEAT_S)
    now = await _lease(client, node)
    return now is not None and now.spec.renew_time != before.spec.renew_time


async def _lease(client: Client, node: str) -> Lease | None:
    try:
        return await persist("read lease", lambda: client.get(LEASES, node, LEASE_NAMESPACE))
    except ApiError as error:
        if not error.not_found:
            raise
        return None


def _machine() -> str:
    try:
        return Path("/etc/machine-id").read_text().strip()
    except OSError:
        return ""
