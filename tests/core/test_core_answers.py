"""What people ask: what would happen, why it waits, when it starts, what would be sooner."""

import msgspec
from core_oracle import Oracle
from core_world import (
    A100,
    GIB,
    NOW,
    T4,
    box,
    clusters,
    group,
    groups,
    held,
    numbers,
    running,
    state_of,
    submit,
)
from hypothesis import given, settings

from shoal.core.board import board
from shoal.core.decision import Bind
from shoal.core.event import AnyEvent, Confirmed, Group, GroupGone, HoldChanged, PodPlaced
from shoal.core.explain import NOT_FOR_ROOM, explain
from shoal.core.plan import plan
from shoal.core.report import Explanation, Forecast, Plan, Verdict
from shoal.core.state import State

BOX = box(cards=[A100, A100, T4])


@settings(max_examples=200, deadline=None)
@given(clusters(), groups())
def test_a_plan_is_what_would_happen_and_changes_nothing(told, asked) -> None:
    state = state_of(*told)
    before = numbers(state)
    planned = plan(state, asked, NOW)
    assert numbers(state) == before
    assert not state.line
    assert msgspec.json.decode(msgspec.json.encode(planned), type=Plan) == planned
    (decision,) = submit(state, asked)
    assert (planned.verdict is Verdict.NOW) == isinstance(decision, Bind)
    if isinstance(decision, Bind):
        assert [one.node for one in planned.members] == [one.node for one in decision.placements]
        free_as_planned(state, planned.members)
    else:
        assert planned.reason == decision.reason
        assert (planned.verdict is Verdict.NEVER) <= (not Oracle(told, empty=True).can_place(asked))


def free_as_planned(state: State, members) -> None:
    """What the plan said would be left is what is left."""
    lines = {(c.node, c.card): c for node in board(state).nodes for c in node.cards}
    for member in members:
        for card in member.cards:
            line = lines[member.node, card.card]
            assert (card.memory_left_mib, card.milli_left) == (
                line.memory_free_mib,
                line.milli_free,
            )


@settings(max_examples=200, deadline=None)
@given(clusters(), groups())
def test_what_is_said_to_be_sooner_would_start_now(told, asked) -> None:
    state = state_of(*told)
    submit(state, asked)
    before = numbers(state)
    answer = explain(state, asked.key, NOW)
    assert numbers(state) == before
    assert answer is not None
    assert msgspec.json.decode(msgspec.json.encode(answer), type=Explanation) == answer
    for other in answer.sooner:
        shape = [
            msgspec.structs.replace(
                member,
                claims=tuple(msgspec.structs.replace(c, share=other.share) for c in member.claims),
            )
            for member in asked.members
        ]
        changed = msgspec.structs.replace(asked, members=tuple(shape), pack=other.pack)
        assert Oracle(told).can_place(changed)


@settings(max_examples=200, deadline=None)
@given(clusters(), groups())
def test_it_could_start_when_said_and_not_before(told, asked) -> None:
    state = state_of(*told)
    submit(state, asked)
    answer = explain(state, asked.key, NOW)
    if answer is None or answer.reason is None or answer.reason.code in NOT_FOR_ROOM:
        return
    ends = sorted({at for event in told if (at := end_of(event))})
    could = [at for at in ends if Oracle(without(told, at)).can_place(asked)]
    assert answer.forecast.start_by == (could[0] if could else 0)


def end_of(event: AnyEvent) -> int:
    if isinstance(event, HoldChanged):
        return NOW if event.hold.releasing else event.hold.ends_at
    return event.placed.ends_at if isinstance(event, PodPlaced) else 0


def without(told: list[AnyEvent], at: int) -> list[AnyEvent]:
    """What is left of the cluster once all that ends by then has ended."""
    return [event for event in told if not 0 < end_of(event) <= at]


def explained(state: State, asked: Group) -> Explanation:
    submit(state, asked)
    answer = explain(state, asked.key, NOW)
    assert answer is not None
    return answer


def test_the_board_shows_every_card_and_its_holders_largest_first() -> None:
    state = state_of(
        BOX,
        held("ring", "box1", (0, 20 * GIB, 250)),
        held("digits", "box1", (0, 40 * GIB, 500), ends_at=NOW + 5),
        running("digits", "box1", 2000, GIB),
    )
    (node,) = board(state).nodes
    assert (node.cpu_milli, node.cpu_free_milli) == (64_000, 62_000)
    first = node.cards[0]
    assert [one.owner for one in first.holders] == ["digits", "ring"]
    assert (first.memory_free_mib, first.milli_free, first.unused) == (20 * GIB, 250, False)
    assert node.cards[2].unused


def test_the_board_marks_what_is_decided_and_not_yet_seen() -> None:
    state = state_of(BOX)
    submit(state, group("new", "1/2"))
    (node,) = board(state).nodes
    assert node.cards[0].holders[0].assumed
    assert (board(state).waiting, board(state).placing) == (0, 1)


def test_two_halves_would_start_where_two_whole_cards_would_not() -> None:
    state = state_of(BOX, held("a", "box1", (0, GIB, 100)), held("b", "box1", (1, GIB, 100)))
    answer = explained(state, group("big", "2"))
    assert answer.sooner[0].share.count == 2
    assert answer.sooner[0].share.milli == 500
    assert [card for _, card in answer.sooner[0].cards] == ["gpu-0", "gpu-1"]
    assert answer.sooner[-1].share.count == 1


def test_a_gang_is_told_that_it_would_fit_packed() -> None:
    state = state_of(box(cards=[A100]))
    answer = plan(state, group("ring", "1/4", members=4), NOW)
    assert answer.verdict is Verdict.NEVER
    assert answer.sooner[0].pack


def test_the_start_is_the_end_that_makes_enough_room() -> None:
    state = state_of(
        box(cards=[A100]),
        held("small", "box1", (0, 10 * GIB, 100), ends_at=NOW + 1000),
        held("large", "box1", (0, 60 * GIB, 700), ends_at=NOW + 2000),
    )
    assert explained(state, group("half", "1/2")).forecast == Forecast(NOW + 2000, "large")


def test_no_start_is_promised_when_no_end_is_known() -> None:
    state = state_of(box(cards=[A100]), held("a", "box1", (0, GIB, 100)))
    assert explained(state, group("one", "1")).forecast == Forecast()


def test_those_ahead_in_the_line_go_first() -> None:
    state = state_of(box(cards=[A100]), held("a", "box1", (0, GIB, 100), ends_at=NOW + 1000))
    first, second = group("first", "1", created=1), group("second", "1", created=2)
    submit(state, first, second)
    assert explain(state, first.key, NOW).forecast == Forecast(NOW + 1000, "a")
    answer = explain(state, second.key, NOW)
    assert (answer.turn, answer.forecast) == (2, Forecast())


def test_an_end_that_is_overdue_is_expected_now() -> None:
    state = state_of(box(cards=[A100]), held("a", "box1", (0, GIB, 100), ends_at=NOW - 5))
    assert explained(state, group("one", "1")).forecast.start_by == NOW


def test_a_plan_tells_what_is_left_once_all_members_have_theirs() -> None:
    answer = plan(state_of(box(cards=[A100])), group("ring", "1/4", members=2, pack=True), NOW)
    assert [(c.memory_left_mib, c.milli_left) for m in answer.members for c in m.cards] == [
        (40 * GIB, 500)
    ] * 2


def test_nothing_is_explained_about_a_group_that_does_not_wait() -> None:
    state = state_of(BOX)
    assert explain(state, "default/none", NOW) is None
    asked = group("one", "1")
    answer = explained(state, asked)
    assert answer.placing
    assert answer.reason is None
    bind = Confirmed(1)
    state = state_of(BOX, bind, GroupGone(asked.key))
    assert explain(state, asked.key, NOW) is None


def test_only_cards_that_would_do_are_listed() -> None:
    answer = explained(state_of(BOX, held("a", "box1", (2, GIB, 100))), group("t", "T4:1"))
    assert [line.card for line in answer.cards] == ["gpu-2"]
