"""What both commands below ``sim`` do: replay a trace, draw it, tell it."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from shoal.cli.errors import BadInput
from shoal.cli.sim.options import Replay, load_of, picture_of, seeds_of, trace_of

if TYPE_CHECKING:
    from shoal.core.engine.policy import Policy
    from shoal.sim.trace import Trace

Table = tuple[list[str], list[list[str]]]


class Found(NamedTuple):
    """What is told of a replay; a document a policy."""

    by_seed: Table
    by_policy: Table
    documents: list[dict[str, Any]]


class _Order(NamedTuple):
    """What is to be replayed, every part of it looked at."""

    trace: "Trace"
    policies: "Sequence[Policy]"
    load: int | None
    seeds: list[int]
    online: bool
    picture: Path | None


def replay_with(policies: "Sequence[Policy]", replay: Replay) -> Found:
    """Replay a trace with each policy; draw it where that is asked."""
    from shoal.cli.sim.warn import warn_of_never

    if replay.online and replay.departures:
        raise BadInput("--online is for runs in which no pod ends; leave --departures out")
    load, seeds, picture = load_of(replay), seeds_of(replay.seeds), picture_of(replay)
    trace = trace_of(replay)
    warn_of_never(trace)
    order = _Order(trace, policies, load, seeds, replay.online, picture)
    return _departing(order) if replay.departures else _lasting(order)


def _lasting(order: _Order) -> Found:
    from shoal.sim.document import document_of
    from shoal.sim.many import run_seeds
    from shoal.sim.pictures import draw_loads
    from shoal.sim.table import policy_table, seed_table

    trace, policies, load, seeds, online, picture = order
    assert load is not None, "pods that never end have no times of their own"
    found = {one: list(run_seeds(trace, one, load, seeds, online=online)) for one in policies}
    if picture is not None:
        draw_loads(picture, trace.name, found)
    documents = [document_of(trace, one, load, records) for one, records in found.items()]
    return Found(seed_table(found[policies[0]]), policy_table(found), documents)


def _departing(order: _Order) -> Found:
    from shoal.sim.document import stay_document_of
    from shoal.sim.many import run_seeds_with_departures
    from shoal.sim.pictures import draw_use
    from shoal.sim.stay_table import stay_policy_table, stay_seed_table

    trace, policies, load, seeds, _, picture = order
    found = {one: list(run_seeds_with_departures(trace, one, load, seeds)) for one in policies}
    if picture is not None:
        draw_use(picture, trace.name, found)
    documents = [stay_document_of(trace, one, load, records) for one, records in found.items()]
    return Found(stay_seed_table(found[policies[0]]), stay_policy_table(found), documents)
