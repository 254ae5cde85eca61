"""A decision is assumed until it is answered and seen, in whatever order the words come."""

import msgspec
from core_world import A100, NOW, box, group, held, numbers, places, reason, state_of, submit

from shoal.core.check import check
from shoal.core.decision import Bind, Wait
from shoal.core.event import (
    AnyEvent,
    Confirmed,
    GroupChanged,
    GroupGone,
    Hold,
    HoldChanged,
    HoldGone,
    NodeGone,
    Placed,
    PodGone,
    PodPlaced,
    Refused,
)
from shoal.core.reason import Code
from shoal.core.state import Oddity, State
from shoal.core.step import step, wake_at

WHOLE = group("first", "1", cpu=1000)
NEXT = group("next", "1", cpu=1000)


def one_card() -> State:
    return state_of(box(cards=[A100], cpu=1000))


def written(bind: Bind) -> list[AnyEvent]:
    """What the cluster shows once a decision was written."""
    return [
        word
        for one in bind.placements
        for word in (
            *(HoldChanged(Hold(c.claim, "first", one.node, c.parts)) for c in one.claims),
            PodPlaced(Placed(one.pod, "first", one.node, 1000, 0)),
        )
    ]


def bound(state: State, now: int = NOW) -> Bind:
    (decision,) = submit(state, WHOLE, now=now)
    assert isinstance(decision, Bind)
    return decision


def takes_more(state: State, now: int = NOW) -> bool:
    """Whether the card could be given to somebody else now."""
    decided = step(state, [GroupChanged(NEXT)], now)
    step(state, [GroupGone(NEXT.key)], now)
    check(state)
    return any(isinstance(one, Bind) and one.group == NEXT.key for one in decided)


def test_room_is_taken_from_the_moment_of_the_decision() -> None:
    state = one_card()
    bound(state)
    assert not takes_more(state)


def test_a_confirmed_decision_keeps_its_room_until_it_is_seen_and_while_it_holds() -> None:
    state = one_card()
    bind = bound(state)
    step(state, [Confirmed(bind.id), GroupGone(WHOLE.key)], NOW)
    assert not takes_more(state)
    step(state, written(bind), NOW)
    assert not state.flights
    assert not takes_more(state)
    step(state, [HoldGone("claim-first-0"), PodGone("pod-first-0")], NOW)
    assert takes_more(state)


def test_what_was_seen_before_the_confirmation_is_not_counted_twice() -> None:
    state = one_card()
    bind = bound(state)
    before = numbers(state)
    step(state, written(bind), NOW)
    step(state, [Confirmed(bind.id)], NOW)
    assert numbers(state)[0] == before[0]
    assert not state.flights


def test_what_came_and_went_before_the_confirmation_is_free() -> None:
    state = one_card()
    bind = bound(state)
    gone = [HoldGone("claim-first-0"), PodGone("pod-first-0"), GroupGone(WHOLE.key)]
    step(state, [*written(bind), *gone], NOW)
    assert not takes_more(state), "it may still be written"
    step(state, [Confirmed(bind.id)], NOW)
    assert takes_more(state)


def test_a_claim_that_goes_after_the_confirmation_takes_its_assumption_along() -> None:
    state = one_card()
    bind = bound(state)
    step(state, [Confirmed(bind.id), GroupGone(WHOLE.key)], NOW)
    step(state, [HoldGone("claim-first-0"), PodGone("pod-first-0")], NOW)
    assert not state.flights
    assert takes_more(state)


def test_a_refused_decision_is_tried_again_no_sooner_than_told() -> None:
    state = one_card()
    bind = bound(state)
    (wait,) = step(state, [Refused(bind.id, "conflict", NOW + 500)], NOW)
    assert reason(wait).code is Code.RETRYING
    assert reason(wait).detail == "conflict"
    assert wake_at(state) == NOW + 500
    assert step(state, [], NOW + 499) == []
    (again,) = step(state, [], NOW + 500)
    assert isinstance(again, Bind)
    assert again.id != bind.id


def test_a_group_that_does_not_fit_any_more_when_tried_again_is_told_why() -> None:
    state = one_card()
    step(state, [Refused(bound(state).id, "conflict", NOW + 500)], NOW)
    submit(state, NEXT)
    (wait,) = step(state, [], NOW + 500)
    assert wait.group == WHOLE.key
    assert reason(wait).code is Code.CARDS_BUSY


def test_a_refused_group_does_not_keep_others_from_its_room() -> None:
    state = one_card()
    bind = bound(state)
    step(state, [Refused(bind.id, "conflict", NOW + 500)], NOW)
    assert takes_more(state)


def test_what_was_really_written_stays_taken_after_a_refusal() -> None:
    state = one_card()
    bind = bound(state)
    step(state, written(bind), NOW)
    step(state, [Refused(bind.id, "the pod is gone"), GroupGone(WHOLE.key)], NOW)
    assert not takes_more(state)


def test_a_late_word_about_an_undone_attempt_frees_nothing_of_the_next_one() -> None:
    state = one_card()
    undone = bound(state)
    again = step(state, [Refused(undone.id, "conflict", NOW)], NOW)
    assert isinstance(again[0], Bind)
    step(state, [*written(undone)[:1], HoldGone("claim-first-0")], NOW)
    assert not takes_more(state)
    step(state, [Confirmed(again[0].id), GroupGone(WHOLE.key)], NOW)
    assert not takes_more(state), "written, and not yet seen"
    step(state, written(again[0]), NOW)
    assert not state.flights
    assert not takes_more(state)


def test_a_claim_found_elsewhere_than_decided_counts_in_both_places_until_answered() -> None:
    state = state_of(box(cards=[A100, A100], cpu=4000))
    bind = bound(state)
    assert places(bind) == ["box1:0"]
    step(state, [held("claim-first-0", "box1", (1, 80 * 1024, 1000))], NOW)
    assert not takes_more(state)
    step(state, [Refused(bind.id, "allocated elsewhere", NOW + 9000)], NOW)
    assert takes_more(state)


def test_a_group_that_is_being_placed_is_not_placed_again() -> None:
    state = state_of(box(cards=[A100, A100]))
    bind = bound(state)
    assert submit(state, group("first", "1", cpu=500)) == []
    step(state, [Confirmed(bind.id)], NOW)
    assert submit(state, WHOLE) == []


def test_a_claim_that_is_still_releasing_is_waited_for() -> None:
    state = one_card()
    step(state, [held("claim-first-0", "box1", (0, 1, 1), owner="old", releasing=True)], NOW)
    (wait,) = submit(state, WHOLE)
    assert reason(wait).code is Code.RELEASING
    assert reason(wait).holders[0].name == "old"
    (decision,) = step(state, [HoldGone("claim-first-0")], NOW)
    assert isinstance(decision, Bind)


def test_what_is_held_on_a_node_that_is_not_known_yet_counts_once_it_is() -> None:
    state = state_of(held("a", "box1", (0, 80 * 1024, 1000)))
    assert state.oddities[Oddity.UNKNOWN_NODE] == 1
    step(state, [box(cards=[A100])], NOW)
    assert not takes_more(state)


def test_a_node_that_comes_back_still_has_what_was_held_there() -> None:
    node = box(cards=[A100])
    state = state_of(node, held("a", "box1", (0, 80 * 1024, 1000)))
    step(state, [NodeGone("box1")], NOW)
    step(state, [node], NOW)
    assert not takes_more(state)


def test_words_about_what_is_unknown_are_counted_and_change_nothing() -> None:
    state = one_card()
    before = numbers(state)
    words: list[AnyEvent] = [
        NodeGone("nowhere"),
        HoldGone("nothing"),
        PodGone("nobody"),
        GroupGone("default/none"),
        Confirmed(7),
        Refused(7, "late"),
    ]
    assert step(state, words, NOW) == []
    assert numbers(state) == before
    assert sum(state.oddities.values()) == len(words)


def test_repeated_words_change_nothing() -> None:
    state = state_of(box(cards=[A100]), held("a", "box1", (0, 1024, 100)))
    before = numbers(state)
    again = [box(cards=[A100]), *[held("a", "box1", (0, 1024, 100))] * 3]
    assert step(state, again, NOW) == []
    assert numbers(state) == before


def test_a_card_that_is_unknown_takes_nothing() -> None:
    state = state_of(box(cards=[A100]), held("a", "box1", (5, 1024, 100)))
    assert state.oddities[Oddity.UNKNOWN_CARD] == 1
    assert takes_more(state)


def test_priority_goes_before_age_and_age_before_name() -> None:
    state = one_card()
    asked = [
        group("a-late", "1", created=2),
        group("b-early", "1", created=1),
        group("c-urgent", "1", priority=10, created=3),
    ]
    decisions = submit(state, *asked)
    assert [one.group for one in decisions if isinstance(one, Bind)] == ["default/c-urgent"]
    step(state, [Confirmed(1), GroupGone("default/c-urgent")], NOW)
    gone = [HoldGone("claim-c-urgent-0"), PodGone("pod-c-urgent-0")]
    decided = step(state, gone, NOW)
    assert [one.group for one in decided if isinstance(one, Bind)] == ["default/b-early"]


def test_a_large_group_that_waits_does_not_hold_up_a_small_one() -> None:
    state = state_of(box(cards=[A100, A100]), held("a", "box1", (0, 1024, 100)))
    decisions = submit(state, group("big", "2", priority=9), group("small", "1"))
    assert [type(one) for one in decisions] == [Bind, Wait]
    assert decisions[0].group == "default/small"


def test_a_reason_is_told_once_and_again_when_it_changed() -> None:
    state = state_of(box(cards=[A100, A100]), held("a", "box1", (0, 1024, 100)))
    (wait,) = submit(state, group("big", "2"))
    assert (reason(wait).asked, reason(wait).best) == (2, 1)
    assert step(state, [], NOW + 1) == []
    assert step(state, [held("b", "box1", (1, 1024, 100))], NOW + 2) == [], "not twice in a moment"
    due = wake_at(state)
    assert due is not None
    (again,) = step(state, [], due)
    assert reason(again).best == 0
    assert wake_at(state) is None


def test_a_newcomer_is_told_at_once_however_many_wait_to_be_told_again() -> None:
    state = state_of(box(cards=[A100]), held("all", "box1", (0, 80 * 1024, 1000)))
    submit(state, *(group(f"g{at}", f"{at + 1}Mi") for at in range(100)))
    while step(state, [], NOW):
        pass
    less = held("all", "box1", (0, 80 * 1024, 999), owner="other")
    told = step(state, [less, GroupChanged(group("new", "200Mi"))], NOW)
    assert [one.group for one in told] == ["default/new"]


def test_another_kind_of_reason_is_told_at_once() -> None:
    state = state_of(box(cards=[A100]), held("a", "box1", (0, 1024, 100)))
    submit(state, group("one", "1"))
    (wait,) = step(state, [box(cards=[A100], closed="cordoned")], NOW + 1)
    assert reason(wait).code is Code.NO_NODES


def test_an_incomplete_gang_waits_for_its_members() -> None:
    state = state_of(box(cards=[A100, A100]))
    whole = group("ring", "1", members=2)
    (wait,) = submit(state, msgspec.structs.replace(whole, members=whole.members[:1]))
    assert (reason(wait).code, reason(wait).best) == (Code.GANG_INCOMPLETE, 1)
    (decision,) = submit(state, whole)
    assert isinstance(decision, Bind)
