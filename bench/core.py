"""What a decision costs: ``core.step`` on clusters of hundreds and thousands of nodes.

CPU time of one thread, set-up excluded: ``python bench/core.py``.
"""

import gc
import time
from collections.abc import Callable, Iterable, Iterator
from random import Random

from harness import tell

from shoal.core.decision import Bind, Wait
from shoal.core.event import (
    AnyEvent,
    Card,
    ClaimAsk,
    Confirmed,
    Group,
    GroupChanged,
    GroupGone,
    Hold,
    HoldChanged,
    HoldGone,
    Member,
    NodeChanged,
    Part,
    Placed,
    PodGone,
    PodPlaced,
)
from shoal.core.state import State
from shoal.core.step import step, wake_at
from shoal.units.gpu import WHOLE, Share, parse_share

GIB = 1024
CARD_MIB = 80 * GIB
CARDS = 8
SIZES = ("1/4", "1/2", "1", "2", "4", "8", "10Gi", "20Gi@30%")
CPUS = (1000, 2000, 4000, 6000, 8000, 12_000, 16_000, 24_000)


def node(at: int) -> NodeChanged:
    cards = tuple(Card(f"gpu-{card}", "A100-80GB", CARD_MIB) for card in range(CARDS))
    return NodeChanged(f"node{at:05}", 128_000, 1024 * GIB, cards, (("zone", f"z{at % 4}"),))


def group(name: str, share: str, *, members: int = 1, cpu: int = 4000, created: int = 0) -> Group:
    made = tuple(
        Member(
            f"pod-{name}-{rank}",
            f"{name}-{rank}",
            cpu,
            16 * GIB,
            (ClaimAsk(f"claim-{name}-{rank}", f"{name}-{rank}", parse_share(share)),),
        )
        for rank in range(members)
    )
    return Group(f"default/{name}", name, "default", made, members, created=created)


def running(
    name: str, node: str, cards: Iterable[int], milli: int, cpu: int = 2000
) -> list[AnyEvent]:
    parts = tuple(Part(f"gpu-{card}", CARD_MIB * milli // WHOLE, milli) for card in cards)
    return [
        HoldChanged(Hold(f"claim-{name}", name, node, parts, Share(len(parts), milli))),
        PodPlaced(Placed(f"pod-{name}", name, node, cpu, 8 * GIB)),
    ]


def cpu_seconds(work: Callable[[], object]) -> float:
    gc.collect()
    start = time.process_time()
    work()
    return time.process_time() - start


def arrivals() -> None:
    """500 one-card jobs come at once to 100 nodes."""
    state = State()
    step(state, [node(at) for at in range(100)], 1)
    events = [GroupChanged(group(f"job{at}", "1", created=at)) for at in range(500)]
    decided: list[Bind | Wait] = []
    seconds = cpu_seconds(lambda: decided.extend(step(state, events, 2)))
    assert sum(isinstance(one, Bind) for one in decided) == 500
    aim = 0.010
    tell("500 jobs on 100 × 8", f"{seconds * 1000:.1f} ms", "≤ 10 ms", reached=seconds <= aim)


def refusal() -> None:
    """A gang of 80 cards comes to 500 nodes that are full."""
    state = State()
    step(state, [node(at) for at in range(500)], 1)
    for at in range(500):
        for card in range(CARDS):
            step(state, running(f"r{at}-{card}", f"node{at:05}", (card,), WHOLE), 1)
    decided: list[Bind | Wait] = []
    event = GroupChanged(group("big", "8", members=10))
    seconds = cpu_seconds(lambda: decided.extend(step(state, [event], 2)))
    assert isinstance(decided[0], Wait)
    print(decided[0].reason.code, decided[0].reason.best, decided[0].reason.total)
    aim = 0.005
    tell("80 cards, 500 full", f"{seconds * 1000:.2f} ms", "≤ 5 ms", reached=seconds <= aim)


def load(pods: int) -> Iterator[AnyEvent]:
    """Pods on 5,000 nodes, card after card."""
    for at in range(pods):
        where = at % (5000 * CARDS)
        yield from running(f"r{at}", f"node{where // CARDS:05}", (where % CARDS,), 250, cpu=500)


def events_one_by_one() -> None:
    """Pods end and groups come on a full cluster of 5,000 nodes while 2,000 groups wait."""
    random, state = Random(5), State()
    full = (
        running(f"r{at}", f"node{at // 4:05}", (at % 4 * 2, at % 4 * 2 + 1), WHOLE)
        for at in range(20_000)
    )
    step(state, [node(at) for at in range(5000)], 1)
    for event in full:
        step(state, event, 1)
    classes = [(size, cpu, members) for size in SIZES for cpu in CPUS for members in (1, 2, 16)]
    waiting = [
        group(f"w{at}", size, cpu=cpu, members=members, created=at)
        for at in range(2000)
        for size, cpu, members in [random.choice(classes)]
    ]
    step(state, [GroupChanged(one) for one in waiting], 2)
    now = 3
    assert len(state.line) == 2000
    assert not state.flights
    while step(state, [], now):
        now += 1
    taken: list[float] = []
    live = [f"r{at}" for at in range(20_000)]
    random.shuffle(live)
    for at in range(1000):
        now += 100
        if at % 2:
            new = random.choice(classes)
            event = [GroupChanged(group(f"n{at}", new[0], cpu=new[1], members=new[2], created=now))]
        else:
            gone = live.pop()
            event = [HoldGone(f"claim-{gone}"), PodGone(f"pod-{gone}")]
        decided: list[Bind | Wait] = []
        gc.disable()
        start = time.process_time()
        decided = step(state, event, now)
        wake_at(state)
        taken.append(time.process_time() - start)
        gc.enable()
        for bind in decided:
            if isinstance(bind, Bind):
                step(state, [Confirmed(bind.id), GroupGone(bind.group)], now)
    taken.sort()
    middle, most = taken[len(taken) // 2], taken[len(taken) * 99 // 100]
    print(f"median {middle * 1000:.2f} ms, most {taken[-1] * 1000:.2f} ms")
    aim = 0.002
    tell("one event, p99", f"{most * 1000:.2f} ms", "≤ 2 ms", reached=most <= aim)


def rebuild() -> None:
    """Everything of 5,000 nodes and 140,000 pods is told in one step."""
    state = State()
    events: list[AnyEvent] = [node(at) for at in range(5000)]
    events += load(140_000)
    seconds = cpu_seconds(lambda: step(state, events, 1))
    aim = 3
    tell("rebuild", f"{seconds:.2f} s", "≤ 3 s", reached=seconds <= aim)


if __name__ == "__main__":
    arrivals()
    refusal()
    events_one_by_one()
    rebuild()
