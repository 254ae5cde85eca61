"""The invariants of a state, for tests and for whoever doubts a live one."""

from shoal.core.charge import take
from shoal.core.cluster import Cluster
from shoal.core.state import State


def check(state: State) -> None:
    """Assert that the numbers are the sum of what is held and that nothing is left half done."""
    pending = state.cluster.engine.checkpoint()
    assert pending == 0, "a trial was neither rolled back nor committed"
    expected = _counted_anew(state)
    for name in state.cluster.nodes:
        assert state.cluster.left(name) == expected.left(name), f"{name} is counted wrong"
    assert state.memory.fresh.keys() <= state.line.keys()
    assert state.memory.stale.keys() <= state.line.keys()
    _check_books(state)
    _check_flights(state)


def _counted_anew(state: State) -> Cluster:
    cluster = Cluster()
    for node in state.cluster.nodes.values():
        cluster.put_node(node.facts)
    for holds in state.claims.counted.values():
        for hold in holds:
            take(cluster, hold)
    for pods in state.pods.counted.values():
        for placed in pods:
            take(cluster, placed)
    return cluster


def _check_books(state: State) -> None:
    for book in (state.claims, state.pods):
        assert book.counted.keys() == book.seen.keys() | book.assumed.keys()
    releasing = {uid for uid, hold in state.claims.seen.items() if hold.releasing}
    assert state.releasing.keys() == releasing


def _check_flights(state: State) -> None:
    claims = {uid for flight in state.flights.values() for uid in flight.claims}
    pods = {uid for flight in state.flights.values() for uid in flight.pods}
    assert claims == state.claims.assumed.keys()
    assert pods == state.pods.assumed.keys()
    assert state.flight_of.keys() == claims | pods
    assert all(flight.claims or flight.pods for flight in state.flights.values())
