"""Names over an engine: ranks follow names, and whom a node suits is the same asked either way."""

from core_world import A100, NOW, box, group, members, nodes, places, state_of, submit
from hypothesis import given
from hypothesis import strategies as st

from shoal.core.check import check
from shoal.core.event import Group, NodeGone
from shoal.core.order import Order
from shoal.core.shape import group_shape
from shoal.core.step import step
from shoal.core.suits import Suits

names = st.lists(st.text("ab", max_size=8), unique=True, max_size=40)


@given(names, st.integers(0, 40))
def test_ranks_are_in_the_order_of_names_whoever_comes_and_goes(there, gone):
    order = Order()
    for name in there:
        before = dict(order.ranks)
        moved = order.add(name)
        assert moved or before.items() <= order.ranks.items()
    for name in there[:gone]:
        order.remove(name)
    ranked = sorted(order.ranks, key=lambda name: order.ranks[name])
    assert ranked == sorted(there[gone:])
    assert len(set(order.ranks.values())) == len(order.ranks)


def test_names_that_always_come_between_two_others_get_ranks_too():
    order = Order()
    order.add("a")
    order.add("b")
    moved = [order.add("a" + "a" * at + "b") for at in range(40, 0, -1)]
    assert any(moved)
    ranked = sorted(order.ranks, key=lambda name: order.ranks[name])
    assert ranked == sorted(order.ranks)


@given(
    st.lists(nodes(), min_size=1, max_size=4), members("m", st.just(0)), st.sets(st.integers(0, 3))
)
def test_a_node_suits_the_same_asked_alone_or_with_all_others(facts, member, gone):
    suits = Suits()
    for number, each in enumerate(facts):
        suits.put(number, each)
    for number in gone & set(range(len(facts))):
        suits.drop(number)
    (shape,) = group_shape(Group("g", "g", "default", (member,))).members
    one = [suits.one(number, shape) for number in range(len(facts))]
    assert list(map(bool, suits.all(shape))) == one


def test_the_number_of_a_node_that_went_is_given_again():
    state = state_of(box("box1", [A100]), box("box2", [A100]))
    submit(state, group("first", "1", node_selector=(("zone", "b"),)))
    step(state, [NodeGone("box1"), box("box3", [A100], labels=(("zone", "b"),))], NOW)
    check(state)
    assert state.cluster.nodes["box3"].number == 0
    assert state.flights, "it went to the node that came"


def test_models_beyond_those_an_engine_begins_with_are_told_apart():
    cards = [(f"model{at}", 100) for at in range(40)]
    state = state_of(*(box(f"box{at:02}", [card]) for at, card in enumerate(cards)))
    decided = [submit(state, group(f"g{at}", f"model{at}:1"))[0] for at in (0, 9, 39)]
    assert [places(one) for one in decided] == [["box00:0"], ["box09:0"], ["box39:0"]]
