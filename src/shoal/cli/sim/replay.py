"""What both commands below ``sim`` do: replay a trace, draw it, tell it."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

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


def replay_with(policies: "Sequence[Policy]", replay: Replay) -> Found:
    """Replay a trace with each policy; draw it where that is asked."""
    from shoal.cli.sim.warn import warn_of_never

    load, seeds, picture = load_of(replay), seeds_of(replay.seeds), picture_of(replay)
    trace = trace_of(replay)
    warn_of_never(trace)
    told = _departing if replay.departures else _lasting
    return told(trace, policies, load, seeds, picture)


def _lasting(
    trace: "Trace",
    policies: "Sequence[Policy]",
    load: int | None,
    seeds: list[int],
    picture: Path | None,
) -> Found:
    from shoal.sim.document import document_of
    from shoal.sim.many import run_seeds
    from shoal.sim.pictures import draw_loads
    from shoal.sim.table import policy_table, seed_table

    assert load is not None, "pods that never end have no times of their own"
    found = {policy: list(run_seeds(trace, policy, load, seeds)) for policy in policies}
    if picture is not None:
        draw_loads(picture, trace.name, found)
    documents = [document_of(trace, policy, load, records) for policy, records in found.items()]
    return Found(seed_table(found[policies[0]]), policy_table(found), documents)


def _departing(
    trace: "Trace",
    policies: "Sequence[Policy]",
    load: int | None,
    seeds: list[int],
    picture: Path | None,
) -> Found:
    from shoal.sim.document import stay_document_of
    from shoal.sim.many import run_seeds_with_departures
    from shoal.sim.pictures import draw_use
    from shoal.sim.stay_table import stay_policy_table, stay_seed_table

    found = {
        policy: list(run_seeds_with_departures(trace, policy, load, seeds)) for policy in policies
    }
    if picture is not None:
        draw_use(picture, trace.name, found)
    documents = [stay_document_of(trace, one, load, records) for one, records in found.items()]
    return Found(stay_seed_table(found[policies[0]]), stay_policy_table(found), documents)
