"""Every reason is true: what it says is missing is missing, and who it names holds it."""

from core_truths import TRUTHS, holders_hold
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
    places,
    reason,
    running,
    state_of,
    submit,
)
from hypothesis import given, settings

from shoal.core.decision import Bind
from shoal.core.event import Group
from shoal.core.reason import Code, Reason, Resource
from shoal.core.state import State
from shoal.core.step import step
from shoal.core.taints import Taint, Toleration

BOX = box(cards=[A100, A100, T4])


@settings(max_examples=200, deadline=None)
@given(clusters(), groups())
def test_every_reason_is_true(told, asked) -> None:
    (decision,) = submit(state_of(*told), asked)
    if isinstance(decision, Bind):
        return
    why = decision.reason
    holders_hold(told, why)
    TRUTHS[why.code](told, asked, why)


def why(state: State, asked: Group) -> Reason:
    (decision,) = submit(state, asked)
    return reason(decision)


def test_busy_cards_name_the_card_that_is_easiest_to_free() -> None:
    state = state_of(
        box(cards=[A100, A100]),
        held("digits", "box1", (0, 40 * GIB, 500)),
        held("ring", "box1", (1, 20 * GIB, 250), ends_at=NOW + 60_000),
    )
    said = why(state, group("big", "1"))
    assert (said.code, said.asked, said.best, said.total) == (Code.CARDS_BUSY, 1, 0, 2)
    (who,) = said.holders
    assert (who.name, who.card, who.amount, who.ends_at) == ("ring", "gpu-1", 250, NOW + 60_000)


def test_what_one_owner_holds_of_a_card_is_told_as_one() -> None:
    ring = [held(f"r{at}", "box1", (0, 20 * GIB, 250), owner="ring") for at in range(3)]
    (who,) = why(state_of(box(cards=[A100]), *ring), group("half", "1/2")).holders
    assert (who.name, who.amount) == ("ring", 60 * GIB)


def test_the_largest_hole_and_who_fills_the_rest_of_that_card() -> None:
    state = state_of(
        box(cards=[A100, A100]),
        held("digits-3", "box1", (0, 42 * GIB, 500)),
        held("other", "box1", (1, 70 * GIB, 900)),
    )
    said = why(state, group("half", "1/2"))
    assert (said.code, said.asked, said.best) == (Code.MEMORY_BUSY, 40 * GIB, 38 * GIB)
    assert [who.name for who in said.holders] == ["digits-3"]


def test_more_than_the_box_has_is_too_large_and_lists_what_there_is() -> None:
    said = why(state_of(BOX), group("huge", "4"))
    assert (said.code, said.resource) == (Code.TOO_LARGE, Resource.CARDS)
    assert (said.asked, said.best, said.total) == (4, 3, 3)
    assert said.models == ("2 × A100-80GB", "1 × T4")


def test_more_memory_than_any_card_has_is_too_large() -> None:
    said = why(state_of(BOX), group("huge", "100Gi"))
    assert (said.code, said.resource) == (Code.TOO_LARGE, Resource.CARD_MEMORY)
    assert (said.asked, said.best) == (100 * GIB, 80 * GIB)


def test_a_gang_too_large_for_the_box_counts_all_its_cards() -> None:
    said = why(state_of(BOX), group("ring", "1/4", members=4))
    assert (said.code, said.asked, said.best, said.members) == (Code.TOO_LARGE, 4, 3, 4)


def test_a_box_without_cards_cannot_give_any() -> None:
    said = why(state_of(box()), group("one", "1/2"))
    assert (said.code, said.asked, said.best) == (Code.TOO_LARGE, 1, 0)


def test_a_model_that_does_not_exist_is_told_with_those_that_do() -> None:
    said = why(state_of(BOX), group("h", "H100:1"))
    assert said.code is Code.NO_MODEL
    assert said.models == ("2 × A100-80GB", "1 × T4")


def test_no_nodes_at_all() -> None:
    assert why(State(), group("one", "1")).code is Code.NO_NODES


def test_closed_nodes_say_why_they_are() -> None:
    said = why(state_of(box(cards=[A100], closed="cordoned")), group("one", "1"))
    assert (said.code, said.detail) == (Code.NO_NODES, "box1: cordoned")


def test_a_node_of_which_nothing_is_heard_is_a_reason_of_its_own() -> None:
    silent = box(cards=[A100], closed="its agent is silent", unknown=True)
    said = why(state_of(silent), group("one", "1"))
    assert (said.code, said.detail) == (Code.NODE_UNKNOWN, "box1: its agent is silent")


def test_a_taint_that_is_not_tolerated_is_a_reason_of_its_own() -> None:
    taints = (Taint("team", "NoSchedule", "a"), Taint("old", "NoExecute"))
    state = state_of(box(cards=[A100], taints=taints))
    said = why(state, group("one", "1", tolerations=(Toleration("old"),)))
    assert (said.code, said.detail) == (Code.TAINTED, "box1: tainted team=a:NoSchedule")


def test_a_group_goes_where_it_tolerates_the_taints() -> None:
    mine = box("box1", cards=[A100], taints=(Taint("team", "NoSchedule", "a"),))
    others = box("box2", cards=[A100], taints=(Taint("team", "NoSchedule", "b"),))
    asked = group("one", "1", tolerations=(Toleration("team", value="b"),))
    assert places(submit(state_of(mine, others), asked)[0]) == ["box2:0"]


def test_a_taint_that_is_taken_away_opens_the_node() -> None:
    state = state_of(box(cards=[A100], taints=(Taint("team", "NoSchedule"),)))
    assert why(state, group("one", "1")).code is Code.TAINTED
    (decision,) = step(state, [box(cards=[A100])], NOW)
    assert places(decision) == ["box1:0"]


def test_a_claim_held_on_a_node_that_is_gone() -> None:
    said = why(state_of(BOX), group("one", pinned="box7"))
    assert said.code is Code.NO_NODES
    assert "box7" in said.detail


def test_an_image_waits_for_a_container_runtime() -> None:
    said = why(state_of(BOX), group("image", "1", host_image=False))
    assert said.code is Code.NO_RUNTIME


def test_labels_that_no_node_carries() -> None:
    said = why(state_of(BOX), group("zone", "1", node_selector=(("zone", "a"),)))
    assert (said.code, said.detail) == (Code.SELECTOR, "zone=a")


def test_a_missing_claim_is_told_in_the_words_it_came_with() -> None:
    said = why(state_of(BOX), group("one", blocked="claim data does not exist"))
    assert (said.code, said.detail) == (Code.CLAIM_MISSING, "claim data does not exist")


def test_programs_that_are_just_ending_are_what_is_waited_for() -> None:
    full = held("old", "box1", (0, 80 * GIB, 1000), releasing=True)
    said = why(state_of(box(cards=[A100]), full), group("one", "1"))
    assert said.code is Code.RELEASING
    assert said.holders[0].name == "old"


def test_cpu_that_others_hold() -> None:
    state = state_of(box(cards=[A100], cpu=4000), running("busy", "box1", 3000, 0))
    said = why(state, group("one", "1", cpu=2000))
    assert (said.code, said.asked, said.best, said.total) == (Code.CPU_BUSY, 2000, 1000, 4000)
    assert (said.holders[0].name, said.holders[0].amount) == ("busy", 3000)


def test_memory_that_others_hold() -> None:
    state = state_of(box(memory=8 * GIB), running("busy", "box1", 0, 5 * GIB))
    said = why(state, group("one", memory=4 * GIB))
    assert (said.code, said.best) == (Code.HOST_MEMORY_BUSY, 3 * GIB)


def test_a_reason_follows_what_was_bound_in_the_same_step() -> None:
    state = state_of(box(cards=[A100]))
    _, wait = submit(state, group("first", "1", created=1), group("second", "1", created=2))
    assert reason(wait).best == 0
    assert reason(wait).holders[0].name == "first"


def test_many_waiting_groups_are_told_over_a_few_steps() -> None:
    state = state_of(box(cards=[A100]), held("all", "box1", (0, 80 * GIB, 1000)))
    told = submit(state, *(group(f"g{at}", f"{at + 1}Mi") for at in range(200)))
    while more := step(state, [], NOW):
        told += more
    assert len({one.group for one in told}) == len(told) == 200
