"""Events into the state: what was told becomes what is known. No decision is made here."""

from shoal.core.event import (
    AnyEvent,
    Confirmed,
    GroupChanged,
    GroupGone,
    Hold,
    HoldChanged,
    HoldGone,
    NodeChanged,
    NodeGone,
    Placed,
    PodGone,
    PodPlaced,
    Refused,
)
from shoal.core.state import Oddity, State


def apply(state: State, event: AnyEvent) -> None:
    """Take an event in. Events may repeat, come late, or name what is unknown: never an error."""
    match event:
        case NodeChanged():
            _node_changed(state, event)
        case NodeGone():
            _node_gone(state, event.name)
        case HoldChanged():
            _hold_changed(state, event.hold)
        case HoldGone():
            _hold_gone(state, event.claim)
        case PodPlaced():
            _pod_placed(state, event.placed)
        case PodGone():
            _pod_gone(state, event.pod)
        case GroupChanged():
            state.put_group(event.group)
        case GroupGone():
            _group_gone(state, event.key)
        case Confirmed():
            _confirmed(state, event.decision)
        case Refused():
            _refused(state, event)


def _node_changed(state: State, event: NodeChanged) -> None:
    known = state.cluster.nodes.get(event.name)
    if known is None or known.facts != event:
        state.put_node(event)


def _node_gone(state: State, name: str) -> None:
    if name in state.cluster.nodes:
        state.drop_node(name)
    else:
        state.oddities[Oddity.UNKNOWN_NODE] += 1


def _hold_changed(state: State, hold: Hold) -> None:
    room = state.cluster.nodes.get(hold.node)
    if room is None:
        state.oddities[Oddity.UNKNOWN_NODE] += 1
    elif any(part.card not in room.index for part in hold.parts):
        state.oddities[Oddity.UNKNOWN_CARD] += 1
    state.claims.seen[hold.claim] = hold
    _told_of(state, hold.claim)
    state.count_claim(hold.claim)


def _hold_gone(state: State, claim: str) -> None:
    known = state.claims.seen.pop(claim, None)
    if known is None and claim not in state.claims.assumed:
        state.oddities[Oddity.UNKNOWN_CLAIM] += 1
    _told_of(state, claim)
    state.count_claim(claim)


def _pod_placed(state: State, placed: Placed) -> None:
    if placed.node not in state.cluster.nodes:
        state.oddities[Oddity.UNKNOWN_NODE] += 1
    state.pods.seen[placed.pod] = placed
    _told_of(state, placed.pod)
    state.count_pod(placed.pod)


def _pod_gone(state: State, pod: str) -> None:
    known = state.pods.seen.pop(pod, None)
    if known is None and pod not in state.pods.assumed:
        state.oddities[Oddity.UNKNOWN_POD] += 1
    _told_of(state, pod)
    state.count_pod(pod)


def _group_gone(state: State, key: str) -> None:
    if key in state.line:
        state.drop_group(key)
    else:
        state.oddities[Oddity.UNKNOWN_GROUP] += 1


def _confirmed(state: State, decision: int) -> None:
    flight = state.flights.get(decision)
    if flight is None:
        state.oddities[Oddity.UNKNOWN_DECISION] += 1
        return
    flight.confirmed = True
    for uid in [*flight.claims, *flight.pods]:
        state.undone.pop(uid, None)
        if uid in flight.spoken or uid in state.claims.seen:
            _drop(state, decision, uid)


def _refused(state: State, event: Refused) -> None:
    flight = state.flights.get(event.decision)
    if flight is None or flight.confirmed:
        state.oddities[Oddity.UNKNOWN_DECISION] += 1
        return
    state.undone.update(flight.claims)
    for uid in [*flight.claims, *flight.pods]:
        _drop(state, event.decision, uid)
    waiting = state.line.get(flight.group)
    if waiting is not None:
        waiting.retry_at, waiting.refusal = event.retry_at, event.detail
        state.again(flight.group)


def _told_of(state: State, uid: str) -> None:
    """The cluster spoke of a claim or pod: a confirmed assumption about it has served."""
    decision = state.flight_of.get(uid)
    if decision is None:
        return
    flight = state.flights[decision]
    if flight.confirmed:
        _drop(state, decision, uid)
    elif uid not in state.undone:
        flight.spoken[uid] = None


def _drop(state: State, decision: int, uid: str) -> None:
    """Assume no longer that the claim or pod has what the decision gave it."""
    flight = state.flights[decision]
    del state.flight_of[uid]
    if uid in flight.claims:
        del flight.claims[uid]
        del state.claims.assumed[uid]
        state.count_claim(uid)
    else:
        del flight.pods[uid]
        del state.pods.assumed[uid]
        state.count_pod(uid)
    if not flight.claims and not flight.pods:
        del state.flights[decision]
