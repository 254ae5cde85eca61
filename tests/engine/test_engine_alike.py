"""The compiled engine decides exactly like the plain one, whatever happens to the cluster."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.engine_world import (
    CLASSES,
    MODELS,
    NODES,
    asks,
    fill,
    histories,
    node_specs,
    works,
)

from shoal.core.engine.engine import Engine
from shoal.core.engine.native import NativeEngine
from shoal.core.engine.policy import Policy
from shoal.core.engine.reference import ReferenceEngine
from shoal.core.engine.spec import Ask, CardSpec, NodeSpec, Place, Work, cards_of


class Player:
    """Plays a history on one engine and answers what can be seen of it after every step."""

    def __init__(
        self, engine: Engine, specs: list[NodeSpec], wanted: list[Ask], *, compares: bool
    ) -> None:
        self.engine = engine
        self.asks = dict(enumerate(wanted))
        self.specs = dict(enumerate(specs))
        self.kept: list[tuple[Ask, Place]] = []
        self.compares = compares
        fill(engine, specs, wanted)

    def play(self, step: tuple) -> object:
        name, *arguments = step
        seen = getattr(self, f"_{name}")(*arguments)
        best = [self.engine.best(number) for number in sorted(self.asks)]
        several = self.engine.best_of([0, 1, 1, 0]) if self.compares else None
        order = self.engine.best_nodes(0, 3) if self.compares else None
        total = self.engine.total(1, apart=False)
        left = [self.engine.left(node) for node in range(NODES)]
        return seen, best, several, order, total, left

    def _put(self, node: int, spec: NodeSpec) -> None:
        self.engine.commit()
        self.kept = [(ask, place) for ask, place in self.kept if place.node != node]
        self.engine.put_node(node, spec, rank=NODES - node)
        self.specs[node] = spec

    def _drop(self, node: int) -> None:
        if self.specs.pop(node, None) is not None:
            self.engine.commit()
            self.kept = [(ask, place) for ask, place in self.kept if place.node != node]
            self.engine.drop_node(node)

    def _class(self, number: int, ask: Ask) -> None:
        self.engine.put_class(number, ask, [True] * NODES)
        self.asks[number] = ask

    def _suit(self, number: int, node: int, suits: bool) -> None:
        self.engine.suit(number, node, suits)

    def _place(self, numbers: list[int], apart: bool, then: str) -> object:
        start = self.engine.checkpoint()
        places = self.engine.place(numbers, apart=apart)
        if then == "undo" or apart:
            self.engine.rollback(start)
        else:
            self.kept += zip((self.asks[number] for number in numbers), places, strict=False)
        if then == "commit":
            self.engine.commit()
        return places

    def _fill(self, number: int, deal: list[tuple[int, int]]) -> object:
        one = self.engine.place_one(number)
        places = self.engine.fill(number, deal, apart=False)
        self.kept += ((self.asks[number], place) for place in [one, *places] if place)
        return one, places

    def _give(self, at: int) -> None:
        if not self.kept:
            return
        ask, place = self.kept.pop(at % len(self.kept))
        for card in cards_of(place.cards):
            mib = ask.memory_on(self.specs[place.node].cards[card].mib)
            self.engine.take_card(place.node, card, -ask.milli, -mib, users=-1)
        self.engine.take_node(place.node, -ask.cpu, -ask.memory)


@pytest.mark.parametrize("policy", Policy)
@settings(deadline=None, max_examples=20)
@given(
    specs=st.lists(node_specs(), min_size=NODES, max_size=NODES),
    wanted=st.lists(asks, min_size=CLASSES, max_size=CLASSES),
    expected=works,
    history=histories,
)
def test_both_engines_see_and_decide_the_same(policy, specs, wanted, expected, history):
    compare(policy, specs, wanted, expected, history)


@settings(deadline=None, max_examples=60)
@given(
    specs=st.lists(node_specs(), min_size=NODES, max_size=NODES),
    expected=st.lists(st.builds(Work, ask=asks, weight=st.integers(1, 50)), min_size=CLASSES),
    history=histories,
)
def test_what_is_expected_is_reserved_for_by_both_alike(specs, expected, history):
    wanted = [work.ask for work in expected[:CLASSES]]
    compare(Policy.IDLE_VALUE, specs, wanted, expected, history)


def compare(policy, specs, wanted, expected, history) -> None:
    players = []
    for engine in (NativeEngine(MODELS), ReferenceEngine(MODELS)):
        engine.set_work(expected)
        engine.set_policy(policy)
        engine.set_seed(7)
        players.append(Player(engine, specs, wanted, compares=policy is not Policy.RANDOM))
    for step in history:
        compiled, plain = (player.play(step) for player in players)
        assert compiled == plain
    for number in range(CLASSES):
        compiled, plain = (player.engine for player in players)
        assert compiled.tally(number) == plain.tally(number)
        assert compiled.survey(number) == plain.survey(number)
        assert compiled.easiest(number, 3) == plain.easiest(number, 3)
        assert compiled.easiest(number, 9, node=1) == plain.easiest(number, 9, node=1)
        for apart in (False, True):
            assert compiled.members(number, apart=apart) == plain.members(number, apart=apart)
            assert compiled.total(number, apart=apart) == plain.total(number, apart=apart)


@settings(deadline=None)
@given(
    specs=st.lists(node_specs(), min_size=NODES, max_size=NODES),
    wanted=st.lists(asks, min_size=CLASSES, max_size=CLASSES),
    numbers=st.lists(st.integers(0, CLASSES - 1), min_size=1, max_size=30),
    apart=st.booleans(),
)
def test_nothing_is_given_twice_and_a_rollback_is_exact(specs, wanted, numbers, apart):
    engine = NativeEngine(MODELS)
    fill(engine, specs, wanted)
    before = [engine.left(node) for node in range(NODES)]
    places = engine.place(numbers, apart=apart)
    for node in range(NODES):
        left = engine.left(node)
        here = [(at, place) for at, place in enumerate(places) if place.node == node]
        assert left.cpu >= 0 or not any(wanted[numbers[at]].cpu for at, _ in here)
        for number, card in enumerate(left.cards):
            users = [at for at, place in here if place.cards >> number & 1]
            assert card.milli >= 0 and card.mib >= 0 and card.users == len(users)
            assert not apart or len(users) <= 1
    engine.rollback(0)
    assert [engine.left(node) for node in range(NODES)] == before


@pytest.mark.parametrize("members", [1, 3, 7])
def test_a_log_that_was_shortened_is_not_missed(members):
    """More changes than the log holds: who has not looked since must look everywhere."""
    engine, plain = NativeEngine(MODELS), ReferenceEngine(MODELS)
    spec = NodeSpec(64_000, 0, (), ())
    for each in (engine, plain):
        fill(each, [spec] * NODES, [Ask(cpu=1000)])
        each.best(0)
    for _ in range(70_000):
        engine.take_node(1, 1, 0)
    for _ in range(members):
        engine.take_node(2, 1000, 0)
        plain.take_node(2, 1000, 0)
    plain.take_node(1, 70_000, 0)
    assert engine.best(0) == plain.best(0)


def test_work_is_weighed_when_it_is_told_after_the_policy():
    engine = NativeEngine(MODELS)
    fill(engine, [NodeSpec(8000, 0, ()), NodeSpec(8000, 0, ())], [Ask(cpu=1000)])
    engine.set_policy(Policy.FRAGMENTATION)
    engine.set_work([Work(Ask(count=1, milli=500), 1)])
    assert engine.best(0) == Place(1, 0)


def test_more_models_change_nothing_for_the_classes_that_are_there():
    engine, plain = NativeEngine(1), ReferenceEngine(1)
    for each in (engine, plain):
        fill(each, [NodeSpec(8000, 0, (CardSpec(0, 800),))], [Ask(count=1, milli=500)])
        each.set_work([Work(Ask(count=1, milli=500), 1)])
        each.set_models(3)
        each.put_node(1, NodeSpec(8000, 0, (CardSpec(2, 800),)), rank=9)
        each.put_class(1, Ask(count=1, milli=500, models=frozenset({2})), [True] * NODES)
    assert engine.best(0) == plain.best(0) == Place(0, 1)
    assert engine.best(1) == plain.best(1) == Place(1, 1)


def test_who_asks_what_was_touched_is_told_all_that_changed():
    engine = NativeEngine(MODELS)
    fill(engine, [NodeSpec(8000, 0, ())] * NODES, [Ask(cpu=1000)])
    seen = engine.position()
    engine.take_node(3, 1, 0)
    engine.take_node(1, 1, 0)
    engine.take_node(3, 1, 0)
    engine.rollback(2)
    assert engine.touched_since(seen) == [1, 3]
    assert engine.touched_since(engine.position()) == []
    for _ in range(70_000):
        engine.take_node(1, 1, 0)
    assert engine.touched_since(seen) is None
