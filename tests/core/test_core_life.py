"""A cluster that lives: decisions are written, seen late, twice or not at all, and things go.

A small cluster of truth plays against the state; whatever happens, no card is ever given twice.
"""

import msgspec
from core_world import GIB, NOW, box, group
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from shoal.core.check import check
from shoal.core.decision import AnyDecision, Bind, Wait
from shoal.core.event import (
    AnyEvent,
    Confirmed,
    Group,
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
from shoal.core.state import State
from shoal.core.step import step, wake_at
from shoal.units.gpu import Share

CARDS = [("A100-80GB", 800), ("A100-80GB", 800), ("T4", 151)]
SIZES = ["1", "2", "1/2", "1/3", "100Mi", "2x1/2", "A100:1"]

picks = st.integers(0, 10_000)


class Life(RuleBasedStateMachine):
    """``written`` is the truth: the claims and pods that the API server has."""

    def __init__(self) -> None:
        super().__init__()
        self.state = State()
        self.now = NOW
        self.log: list[tuple[bytes, int, bytes]] = []
        self.nodes: dict[str, NodeChanged] = {}
        self.written: dict[str, Hold | Placed] = {}
        self.asked: dict[str, Group] = {}
        self.open: dict[int, Bind] = {}
        self.unseen: list[AnyEvent] = []
        self.made = 0
        self.tell(self.node("box1"), self.node("box2"))

    # What the tests do to the cluster.

    @rule(gpu=st.sampled_from(SIZES), members=st.integers(1, 3), pack=st.booleans(), urgent=picks)
    def submit(self, gpu: str, members: int, pack: bool, urgent: int) -> None:
        self.made += 1
        asked = group(f"g{self.made}", gpu, members=members, cpu=500, memory=100, pack=pack)
        asked = msgspec.structs.replace(asked, priority=urgent % 2, created=self.made)
        self.asked[asked.key] = asked
        self.tell(GroupChanged(asked))

    @precondition(lambda self: self.asked)
    @rule(pick=picks)
    def withdraw(self, pick: int) -> None:
        key = sorted(self.asked)[pick % len(self.asked)]
        if key not in {bind.group for bind in self.open.values()}:
            del self.asked[key]
            self.tell(GroupGone(key))

    @precondition(lambda self: self.open)
    @rule(pick=picks, before=st.booleans())
    def write(self, pick: int, before: bool) -> None:
        self.flush()  # a claim that changed since it was seen cannot be written
        if not self.open:
            return
        bind = self.open.pop(sorted(self.open)[pick % len(self.open)])
        seen: list[AnyEvent] = []
        for entry in self.entries(bind):
            self.written[self.uid(entry)] = entry
            seen.append(HoldChanged(entry) if isinstance(entry, Hold) else PodPlaced(entry))
        if before:
            self.tell(*seen)
        else:
            self.unseen += seen
        del self.asked[bind.group]
        self.tell(Confirmed(bind.id))
        self.unseen.append(GroupGone(bind.group))

    @precondition(lambda self: self.open)
    @rule(pick=picks, halfway=st.booleans(), later=st.sampled_from([0, 0, 1000]))
    def refuse(self, pick: int, halfway: bool, later: int) -> None:
        bind = self.open.pop(sorted(self.open)[pick % len(self.open)])
        for entry in self.entries(bind) if halfway else ():
            if isinstance(entry, Hold):
                self.unseen += [HoldChanged(entry), HoldGone(entry.claim)]
        self.tell(Refused(bind.id, "somebody was faster", self.now + later))

    @rule()
    def see(self) -> None:
        self.flush()

    @precondition(lambda self: self.unseen)
    @rule(times=st.integers(1, 3))
    def see_one(self, times: int) -> None:
        self.tell(*[self.unseen.pop(0)] * times)

    @precondition(lambda self: self.written)
    @rule(pick=picks, slowly=st.booleans())
    def end(self, pick: int, slowly: bool) -> None:
        uid = sorted(self.written)[pick % len(self.written)]
        entry = self.written[uid]
        if isinstance(entry, Hold) and slowly and not entry.releasing:
            self.written[uid] = msgspec.structs.replace(entry, releasing=True)
            self.unseen.append(HoldChanged(self.written[uid]))
            return
        del self.written[uid]
        self.unseen.append(HoldGone(uid) if isinstance(entry, Hold) else PodGone(uid))

    @rule(name=st.sampled_from(["box1", "box2"]), kind=st.integers(0, 5))
    def change_node(self, name: str, kind: int) -> None:
        if kind == 0 and name in self.nodes:
            del self.nodes[name]
            self.tell(NodeGone(name))
        elif kind == 1:
            self.tell(self.node(name, closed="cordoned"))
        elif kind == 2:
            self.tell(self.node(name, cards=CARDS[:1]))
        else:
            self.tell(self.node(name))

    @rule(kind=st.integers(0, 6))
    def hear_of_the_unknown(self, kind: int) -> None:
        strange = Hold("strange", "x", "nowhere", ())
        self.tell(
            [
                HoldChanged(strange),
                HoldGone("nobody"),
                PodPlaced(Placed("strange-pod", "x", "nowhere", 1, 1)),
                PodGone("nobody"),
                GroupGone("default/nobody"),
                Confirmed(999),
                Refused(999, "late"),
            ][kind]
        )

    @rule()
    def pass_time(self) -> None:
        self.now += 1000
        self.tell()

    # What must hold whatever they do.

    @invariant()
    def numbers_add_up(self) -> None:
        check(self.state)

    @invariant()
    def nothing_is_assumed_for_ever(self) -> None:
        if not self.open and not self.unseen:
            assert not self.state.flights

    @invariant()
    def what_waits_is_known_to_wait(self) -> None:
        """A group that was tried and is not being placed has been told why."""
        if self.state.memory.stale and wake_at(self.state) is not None:
            return
        for waiting in self.state.line.values():
            if not self.state.placing(waiting.group):
                assert waiting.told is not None

    def teardown(self) -> None:
        """The log of events replays to the same decisions, to the byte."""
        state = State()
        for events, now, decided in self.log:
            told = msgspec.json.decode(events, type=list[AnyEvent])
            assert msgspec.json.encode(step(state, told, now)) == decided
        check(state)

    # How the cluster works.

    def node(
        self, name: str, cards: list[tuple[str, int]] = CARDS, closed: str = ""
    ) -> NodeChanged:
        self.nodes[name] = box(name, cards, cpu=4000, memory=2 * GIB, closed=closed)
        return self.nodes[name]

    def flush(self) -> None:
        self.tell(*self.unseen)
        self.unseen.clear()

    def tell(self, *events: AnyEvent) -> None:
        decided = step(self.state, events, self.now)
        encode = msgspec.json.encode
        self.log.append((encode(events), self.now, encode(decided)))
        self.look_at(decided)

    def look_at(self, decided: list[AnyDecision]) -> None:
        for one in decided:
            assert one.group in self.asked
            if isinstance(one, Wait):
                continue
            asked = self.asked[one.group]
            assert [m.pod for m in one.placements] == [m.pod for m in asked.members]
            self.open[one.id] = one
            self.within_capacity(one)

    def within_capacity(self, bind: Bind) -> None:
        """All that is written and all that is on its way fit the cards and nodes now given."""
        for entry in self.entries(bind):
            node = self.nodes[entry.node]
            if isinstance(entry, Placed):
                assert not node.closed
                assert self.taken(entry.node, "")[0] <= node.cpu_milli
                assert self.taken(entry.node, "")[1] <= node.memory_mib
                continue
            sizes = {card.name: card.memory_mib for card in node.cards}
            for part in entry.parts:
                milli, mib = self.taken(entry.node, part.card)
                assert milli <= 1000
                assert mib <= sizes[part.card]

    def taken(self, node: str, card: str) -> tuple[int, int]:
        on_the_way = [entry for bind in self.open.values() for entry in self.entries(bind)]
        total = [0, 0]
        for entry in [*self.written.values(), *on_the_way]:
            if entry.node == node:
                for one, other in self.amounts(entry, card):
                    total[0] += one
                    total[1] += other
        return total[0], total[1]

    def amounts(self, entry: Hold | Placed, card: str) -> list[tuple[int, int]]:
        if isinstance(entry, Placed):
            return [] if card else [(entry.cpu_milli, entry.memory_mib)]
        return [(part.milli, part.memory_mib) for part in entry.parts if part.card == card]

    def entries(self, bind: Bind) -> list[Hold | Placed]:
        made: list[Hold | Placed] = []
        for one in bind.placements:
            for claim in one.claims:
                share = Share()
                made.append(Hold(claim.claim, bind.group, one.node, claim.parts, share))
            made.append(Placed(one.pod, bind.group, one.node, 500, 100))
        return made

    def uid(self, entry: Hold | Placed) -> str:
        return entry.claim if isinstance(entry, Hold) else entry.pod


TestLife = Life.TestCase
TestLife.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
