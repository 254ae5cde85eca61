"""The sentences that people read, as they read them."""

import pytest
from core_world import (
    A100,
    GIB,
    NOW,
    T4,
    box,
    group,
    held,
    reason,
    running,
    state_of,
    submit,
)

from shoal.core.board import board
from shoal.core.event import Group, Refused
from shoal.core.explain import explain
from shoal.core.plan import plan
from shoal.core.reason import Code, Holder, Reason, Resource
from shoal.core.state import State
from shoal.core.step import step
from shoal.core.taints import Taint
from shoal.core.words import (
    say_card_holder,
    say_explanation,
    say_free,
    say_plan,
    say_reason,
    say_share,
    say_wait,
)
from shoal.units.gpu import parse_share

BOX = box(cards=[A100, A100, T4])
LATER = NOW + 60_000


def clock(ms: int) -> str:
    assert ms == LATER
    return "14:40"


def waits(state: State, asked: Group, *, cluster: bool = False) -> str:
    """What ``ps`` would show in its last column."""
    (decision,) = submit(state, asked)
    return say_wait(reason(decision), clock, cluster=cluster)


def busy_box() -> State:
    """Two A100 with work on them, and a T4 that is free."""
    return state_of(
        BOX,
        held("digits", "box1", (0, 40 * GIB, 500)),
        held("ring-0", "box1", (0, 20 * GIB, 250), owner="ring"),
        held("ring-1", "box1", (0, 20 * GIB, 250), owner="ring"),
        held("ring-2", "box1", (1, 20 * GIB, 250), owner="ring", ends_at=LATER),
    )


def test_whole_cards() -> None:
    said = waits(busy_box(), group("big", "2"))
    assert said == "2 whole cards; 1 free · ring holds 1/4 of card 1, ends by 14:40"


def test_whole_cards_of_a_model() -> None:
    said = waits(busy_box(), group("big", "A100:1"))
    assert said == "1 whole A100 card; 0 free · ring holds 1/4 of card 1, ends by 14:40"


def test_memory_of_one_card() -> None:
    state = state_of(box(cards=[A100]), held("digits-3", "box1", (0, 42 * GIB, 500), ends_at=LATER))
    assert waits(state, group("half", "1/2")) == (
        "needs 40 GiB on one card; the largest hole is 38 GiB; digits-3 holds 42 GiB, ends by 14:40"
    )


def test_sizes_that_would_read_alike_are_told_exactly() -> None:
    state = state_of(box(cards=[A100]), held("a", "box1", (0, 40 * GIB + 1, 500)))
    assert waits(state, group("half", "1/2")) == (
        "needs 40960 MiB on one card; the largest hole is 40959 MiB; a holds 40 GiB"
    )


def test_compute_of_one_card() -> None:
    state = state_of(box(cards=[A100]), held("a", "box1", (0, GIB, 750)))
    assert waits(state, group("half", "1/2")) == (
        "needs 1/2 of the compute of one card; the most that is free is 1/4 · a holds 3/4 of card 0"
    )


def test_different_cards_for_a_gang() -> None:
    said = waits(busy_box(), group("gang", "1/2", members=3))
    assert said == "1/2 of each of 3 cards; 2 have it free · digits holds 1/2 of card 0"


def test_room_for_some_of_a_packed_gang() -> None:
    said = waits(busy_box(), group("gang", "A100:1/4", members=5, pack=True))
    assert said == (
        "5 replicas with 1/4 of an A100 each; there is room for 3 at once "
        "· digits holds 1/2 of card 0"
    )


def test_who_holds_memory_without_compute_is_told_by_memory() -> None:
    state = state_of(box(cards=[A100]), held("notebook", "box1", (0, 10 * GIB, 0)))
    said = waits(state, group("one", "1"))
    assert said == "1 whole card; 0 free · notebook holds 10 GiB of card 0"


def test_cpu_and_memory_of_the_node() -> None:
    state = state_of(box(cpu=4000, memory=8 * GIB), running("a", "box1", 3000, 5 * GIB))
    assert waits(state, group("cpu", cpu=2000)) == (
        "needs 2 CPU on one node; the most that is free is 1 · a holds 3 CPU"
    )
    assert waits(state, group("memory", memory=4 * GIB)) == (
        "needs 4 GiB memory on one node; the most that is free is 3 GiB; a holds 5 GiB of memory"
    )


def test_cpu_of_a_gang_is_summed() -> None:
    state = state_of(box(cpu=4000), running("a", "box1", 1500, 0))
    assert waits(state, group("gang", cpu=1000, members=3)) == (
        "needs 3 CPU (1 on one node for each of 3 replicas); 2.5 is free: room for 2 of 3 replicas "
        "· a holds 1.5 CPU"
    )


def test_on_a_cluster_nodes_are_named() -> None:
    state = state_of(box("box1", [A100]), held("a", "box1", (0, GIB, 500)))
    said = waits(state, group("one", "1"), cluster=True)
    assert said == "1 whole card; 0 free · a holds 1/2 of box1 card 0"


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (group("g", "4"), "4 whole cards asked, this box has 3 (2 × A100-80GB, 1 × T4)"),
        (
            group("g", "1/4", members=4),
            "1/4 of each of 4 cards asked, this box has 3 (2 × A100-80GB, 1 × T4)",
        ),
        (group("g", "100Gi"), "100 GiB on one card asked, the largest card has 80 GiB"),
        (group("g", cpu=128_000), "128 CPU asked, this box has 64"),
        (
            group("g", memory=200 * GIB, members=3),
            "600 GiB of memory asked (200 GiB on one node for each of 3 replicas), "
            "this box has 512 GiB: room for 2 of 3 replicas",
        ),
        (
            group("g", "A100:1/4", members=9, pack=True),
            "9 replicas with 1/4 of an A100 each asked, this box has room for 8",
        ),
        (
            group("g", "2", members=2),
            "4 whole cards asked (2 on one node for each of 2 replicas), "
            "this box has 3 (2 × A100-80GB, 1 × T4): room for 1 of 2 replicas",
        ),
        (group("g", "A100:3"), "3 whole A100 cards asked, this box has 2 (2 × A100-80GB)"),
        (
            group("g", "A100:2", members=3),
            "6 whole A100 cards asked (2 on one node for each of 3 replicas), "
            "this box has 2 (2 × A100-80GB): room for 1 of 3 replicas",
        ),
        (
            group("g", "40Gi", members=3),
            "40 GiB of each of 3 cards asked, this box has 3 (2 × A100-80GB, 1 × T4); "
            "2 can give it",
        ),
        (
            group("g", "3x40Gi"),
            "40 GiB of each of 3 cards on one node asked, "
            "this box has 3 (2 × A100-80GB, 1 × T4); at most 2 of one node can give it",
        ),
        (group("g", "T4:20Gi"), "20 GiB on one card asked (T4), the largest T4 has 15 GiB"),
        (
            group("g", "1/2", members=7, pack=True),
            "7 replicas with 1/2 of one card each asked, this box has room for 6",
        ),
        (group("g", "H100:1"), "H100 asked; this box has 2 × A100-80GB, 1 × T4"),
        (
            group("g", "1", host_image=False),
            "this machine has no container runtime; use image: host",
        ),
        (group("g", node_selector=(("zone", "a"),)), "no node is labelled zone=a"),
        (group("g", blocked="claim data does not exist yet"), "claim data does not exist yet"),
    ],
)
def test_what_cannot_be_on_this_box(asked: Group, sentence: str) -> None:
    assert waits(state_of(BOX), asked) == sentence


def test_what_cannot_be_on_a_cluster() -> None:
    state = state_of(box("box1", [A100, A100]), box("box2", [A100]))
    assert waits(state, group("g", "3"), cluster=True) == (
        "3 whole cards on one node asked, the cluster has 3 (3 × A100-80GB); "
        "at most 2 of one node can give it"
    )
    assert waits(state, group("h", cpu=128_000), cluster=True) == (
        "128 CPU asked, the largest node has 64"
    )


def test_no_node_takes_work() -> None:
    assert waits(State(), group("g")) == (
        "no node is there to take it; an agent joins again as soon as it runs"
    )
    closed = state_of(box(closed="cordoned"))
    assert waits(closed, group("g")) == "no node takes work (box1: cordoned)"


def test_no_node_takes_it_for_its_taints() -> None:
    tainted = state_of(box(taints=(Taint("team", "NoSchedule", "a"),)))
    assert waits(tainted, group("g")) == (
        "no node takes it without a toleration (box1: tainted team=a:NoSchedule)"
    )


def test_programs_that_are_just_ending() -> None:
    state = state_of(box(cards=[A100]), held("ring", "box1", (0, 80 * GIB, 1000), releasing=True))
    assert waits(state, group("g", "1")) == (
        "starts as soon as the programs of ring have ended; they are just ending"
    )


def test_an_incomplete_gang() -> None:
    said = say_wait(Reason(Code.GANG_INCOMPLETE, Resource.MEMBERS, 4, 3), clock)
    assert said == "waits for its replicas: 3 of 4 exist"


def test_a_decision_that_could_not_be_written() -> None:
    state = state_of(BOX)
    submit(state, group("g", "1"))
    (wait,) = step(state, [Refused(1, "the claim changed", LATER)], NOW)
    assert say_wait(reason(wait), clock) == (
        "could not be placed just now, tried again shortly (the claim changed)"
    )


def test_every_code_has_a_sentence() -> None:
    who = Holder("ring", 1, ends_at=LATER)
    for code in Code:
        for resource in [*Resource, None]:
            said = say_reason(Reason(code, resource, 2, 1, 3, holders=(who,), detail="x"), clock)
            assert said
            assert "None" not in said


def test_why_big_waits() -> None:
    state = busy_box()
    submit(state, group("big", "2"))
    answer = explain(state, "default/big", NOW)
    assert answer is not None
    assert say_explanation(answer, clock) == [
        "big waits: 2 whole cards; 1 free · ring holds 1/4 of card 1, ends by 14:40.",
        "It has place 1 in the line.",
        "It starts when ring ends, 14:40 at the latest.",
        "Sooner: 2x1/2 would start now on cards 1 and 2 · 2x1/4 would start now on cards 1 and 2 "
        "· 1 would start now on card 2 "
        "· a higher priority would not help (nothing here may be stopped)",
    ]


def explained(state: State, asked: Group) -> list[str]:
    """What ``why`` says."""
    submit(state, asked)
    answer = explain(state, asked.key, NOW)
    assert answer is not None
    return say_explanation(answer, clock)


def test_who_holds_it_without_a_time_limit_is_named() -> None:
    state = state_of(box(cards=[A100]), held("ring", "box1", (0, 80 * GIB, 1000)))
    assert explained(state, group("g", "1"))[1:3] == [
        "It has place 1 in the line.",
        "No end is known: ring has no time limit.",
    ]


def test_a_time_limit_that_has_not_begun_is_not_denied() -> None:
    state = state_of(box(cards=[A100]), held("ring", "box1", (0, 80 * GIB, 1000), limited=True))
    assert explained(state, group("g", "1"))[2] == "No end is known of what it waits for."


def test_what_can_never_start_here_has_no_place_in_the_line() -> None:
    state = state_of(BOX, held("a", "box1", (0, 80 * GIB, 1000)))
    waits, sooner = explained(state, group("huge", "4", created=1))
    assert waits == "huge waits: 4 whole cards asked, this box has 3 (2 × A100-80GB, 1 × T4)."
    assert sooner.startswith("Sooner: ")
    assert explained(state, group("big", "3", created=2))[1] == "It has place 1 in the line."


def test_busy_cards_of_a_gang_are_those_that_are_free_and_the_replicas_those_that_fit() -> None:
    state = state_of(
        box(cards=[A100, A100, A100, A100]), held("a", "box1", (0, GIB, 250), ends_at=LATER)
    )
    assert waits(state, group("g", "2", members=2)) == (
        "4 whole cards (2 on one node for each of 2 replicas); 3 free: room for 1 of 2 replicas "
        "· a holds 1/4 of card 0, ends by 14:40"
    )


def test_a_model_that_is_asked_for_is_named() -> None:
    full = held("gang", "box1", (2, 15 * GIB, 1000))
    a100_too = held("big", "box1", (0, 80 * GIB, 1000)), held("two", "box1", (1, 79 * GIB, 900))
    assert waits(state_of(BOX, full, *a100_too), group("g", "T4:10Gi")) == (
        "needs 10 GiB on one T4; the largest hole there is 0 MiB; gang holds 15 GiB"
    )
    half = held("half", "box1", (2, GIB, 750))
    assert waits(state_of(BOX, half, *a100_too), group("g", "T4:1/2")) == (
        "needs 1/2 of the compute of one T4; the most that is free there is 1/4 "
        "· half holds 3/4 of card 2"
    )


def test_only_holders_of_cards_that_would_do_are_told_to_be_ending() -> None:
    ending = (
        held("old", "box1", (2, 15 * GIB, 1000), releasing=True),
        held("other", "box1", (0, 80 * GIB, 1000), releasing=True),
    )
    assert waits(state_of(BOX, *ending), group("g", "T4:1")) == (
        "starts as soon as the programs of old have ended; they are just ending"
    )


def test_a_cluster_tells_whole_cards_by_node() -> None:
    state = state_of(
        box("box1", [A100, A100]),
        box("box2", [A100]),
        held("a", "box1", (0, GIB, 250)),
    )
    assert waits(state, group("g", "2"), cluster=True) == (
        "2 whole cards on one node; at most 1 free on one · a holds 1/4 of box1 card 0"
    )


def test_where_only_some_nodes_will_do_the_others_are_not_counted() -> None:
    state = state_of(
        box("box1", [A100, A100]), box("box2", [A100], labels=(("zone", "a"),), cpu=2000)
    )
    zone = {"node_selector": (("zone", "a"),)}
    assert waits(state, group("g", "2", **zone), cluster=True) == (
        "2 whole cards asked, the nodes where it may go have 1 (1 × A100-80GB)"
    )
    assert waits(state, group("h", cpu=4000, **zone), cluster=True) == (
        "4 CPU asked, the largest node where it may go has 2"
    )


@pytest.mark.parametrize(
    ("share", "words"),
    [
        ("1", "1 whole card"),
        ("A100:2", "2 whole A100 cards"),
        ("1/2", "1/2 of one card"),
        ("A100:3/4", "3/4 of an A100"),
        ("T4,V100:1/2", "1/2 of a T4 or V100"),
        ("2x1/4", "1/4 of each of 2 cards"),
        ("A100:2x1/4", "1/4 of each of 2 A100 cards"),
        ("10Gi", "10 GiB of one card"),
        ("10Gi@30%", "10 GiB and 30 % of one card"),
        ("H100:2x10Gi@12.5%", "10 GiB and 12.5 % of each of 2 H100 cards"),
    ],
)
def test_shares_in_peoples_words(share: str, words: str) -> None:
    assert say_share(parse_share(share)) == words


def test_cards_as_why_and_top_list_them() -> None:
    (node,) = board(busy_box()).nodes
    assert [say_free(card) for card in node.cards] == ["0", "3/4", "whole"]
    assert [say_card_holder(one) for one in node.cards[0].holders] == [
        "digits 1/2",
        "ring 1/4",
        "ring 1/4",
    ]


def test_a_plan_that_would_start() -> None:
    answer = plan(busy_box(), group("g", "A100:1/2"), NOW)
    assert say_plan(answer, clock) == [
        "would start now on box1 card 1: 40 GiB and 500 of 1000 compute; left there: 20 GiB, 250",
        "nothing was changed",
    ]


def test_a_plan_for_a_gang_names_its_members() -> None:
    answer = plan(state_of(BOX), group("g", "A100:1/2", members=2), NOW)
    assert say_plan(answer, clock)[:2] == [
        "would start now:",
        "  g-0: box1 card 0: 40 GiB and 500 of 1000 compute; left there: 40 GiB, 500",
    ]


def test_a_plan_that_would_wait() -> None:
    assert say_plan(plan(busy_box(), group("g", "2"), NOW), clock)[:2] == [
        "would wait: 2 whole cards; 1 free · ring holds 1/4 of card 1, ends by 14:40",
        "It starts when ring ends, 14:40 at the latest.",
    ]


def test_a_plan_that_can_never_be() -> None:
    lines = say_plan(plan(state_of(BOX), group("g", "4"), NOW), clock)
    assert lines[0] == (
        "would never start: 4 whole cards asked, this box has 3 (2 × A100-80GB, 1 × T4)"
    )
    assert lines[-1] == "nothing was changed"


def test_many_nodes_are_counted_by_what_they_lack() -> None:
    state = state_of(
        box("box1", [A100], closed="cordoned"),
        box("box2", [A100]),
        box("box3", [A100]),
        box("box4", []),
        held("a", "box2", (0, GIB, 100)),
        held("b", "box3", (0, GIB, 100)),
    )
    assert explained(state, group("g", "1"))[1] == (
        "4 nodes: 1 is closed, 1 has too few cards that would do, 2 lack free cards."
    )


def test_a_gang_counts_the_nodes_that_have_room_for_a_part_of_it() -> None:
    state = state_of(
        box("box1", [A100], cpu=1000), box("box2", [A100]), running("p", "box1", 1000, 0)
    )
    assert explained(state, group("g", "1", cpu=1000, members=2))[1] == (
        "2 nodes: 1 lacks CPU, 1 has room for a part of it."
    )
