"""Released means dead: what a cleared claim held is free only by the agent's word."""

from hypothesis import given
from hypothesis import strategies as st

from shoal.core.event import (
    GroupChanged,
    GroupGone,
    HoldChanged,
    HoldGone,
    NodeChanged,
    PodPlaced,
)


def test_a_cleared_claim_is_asked_about_and_free_when_the_agent_holds_it_no_more(make, mirror):
    mirror.see(make.claim("a", on="box1"))
    told = mirror.see(make.claim("a", version=2))
    assert [event.hold.releasing for event in told] == [True]
    assert mirror.questions() == {"box1": ["claim-a"]}
    mirror.answer(["claim-a"], make.use())
    assert mirror.drain() == [HoldGone("claim-a")]


def test_many_claims_of_a_node_make_one_question_that_is_asked_once(make, mirror):
    claims = [make.claim(name, on="box1") for name in "abc"]
    mirror.see(*claims)
    mirror.lose(*claims)
    assert mirror.questions() == {"box1": ["claim-a", "claim-b", "claim-c"]}
    assert mirror.questions() == {}


def test_a_claim_that_the_agent_lists_is_releasing_until_it_is_listed_no_more(make, mirror):
    claim = make.claim("a", on="box1")
    mirror.see(claim, make.use("claim-a"))
    assert [event.hold.releasing for event in mirror.lose(claim)] == [True]
    assert mirror.questions() == {}
    assert mirror.see(make.use()) == [HoldGone("claim-a")]


def test_a_fresh_look_that_finds_the_claim_listed_frees_nothing(make, mirror):
    claim = make.claim("a", on="box1")
    mirror.see(claim)
    mirror.lose(claim)
    (asked,) = mirror.questions().values()
    mirror.answer(asked, make.use("claim-a"))
    assert mirror.drain() == []
    mirror.see(make.use("claim-a"))
    assert mirror.see(make.use()) == [HoldGone("claim-a")]


def test_a_node_without_nodeuse_never_held_anything(make, mirror):
    claim = make.claim("a", on="box1")
    mirror.see(claim)
    mirror.lose(claim)
    mirror.questions()
    mirror.answer(["claim-a"], None)
    assert mirror.drain() == [HoldGone("claim-a")]


def test_an_answer_to_a_question_from_before_the_claim_was_allocated_anew_frees_nothing(
    make, mirror
):
    mirror.see(make.claim("a", on="box1"))
    mirror.see(make.claim("a", version=2))
    mirror.questions()
    mirror.see(make.claim("a", on="box1", version=3))
    mirror.answer(["claim-a"], make.use())
    assert mirror.drain() == []
    assert [event.hold.releasing for event in mirror.see(make.claim("a", version=4))] == [True]
    assert mirror.questions() == {"box1": ["claim-a"]}


def test_a_new_boot_frees_what_the_one_before_held(make, mirror):
    claim = make.claim("a", on="box1")
    mirror.see(claim, make.use("claim-a"))
    mirror.lose(claim)
    mirror.see(make.node(boot="b2"))
    assert mirror.questions() == {"box1": ["claim-a"]}
    mirror.answer(["claim-a"], make.use("claim-a", boot="b1"))
    assert mirror.drain() == [HoldGone("claim-a")]


def test_what_the_new_boot_holds_is_held_though_the_node_is_seen_late(make, mirror):
    claim = make.claim("a", on="box1")
    mirror.see(claim, make.use("claim-a", boot="b2"))
    mirror.lose(claim)
    mirror.see(make.node(boot="b2"))
    assert mirror.questions() == {}
    assert mirror.see(make.use(boot="b2")) == [HoldGone("claim-a")]


def test_a_pod_does_not_get_a_claim_that_a_program_still_uses(make, mirror):
    mirror.see(make.claim("a", on="box1"), make.use("claim-a"))
    told = mirror.see(make.claim("a", version=2), make.pod("b", claim="a"))
    blocked = told[-1].group.members[0].blocked
    assert blocked == "claim a is still in use by a program on box1"
    unblocked = mirror.see(make.use())[-1]
    assert isinstance(unblocked, GroupChanged)
    assert unblocked.group.members[0].blocked == ""


def test_a_node_is_closed_while_nobody_knows_what_its_programs_hold(make, new_mirror):
    mirror = new_mirror()
    closed = mirror.see(make.use("claim-a"), make.node(), make.slice())[0].closed
    assert closed == "programs of claims that are gone still run there; their cards are not known"
    opened = mirror.see(make.use())
    assert [type(event) for event in opened] == [NodeChanged]
    assert opened[0].closed == ""


def test_a_node_is_open_when_the_claims_that_its_agent_lists_are_known(make, mirror):
    claim = make.claim("a", on="box1")
    told = mirror.see(claim, make.use("claim-a"))
    assert [type(event) for event in told] == [HoldChanged]
    assert all(not isinstance(event, NodeChanged) for event in mirror.lose(claim))


def test_an_answer_to_our_own_write_is_not_undone_by_the_watch_that_lags_behind(make, mirror):
    claim, pod = make.claim("a", version=1), make.pod("a", claim="a")
    mirror.see(claim, pod)
    mirror.written(make.claim("a", on="box1", version=3))
    mirror.bound("default", "a", "pod-a", "box1")
    assert [type(told) for told in mirror.drain()] == [HoldChanged, PodPlaced, GroupGone]
    assert mirror.see(make.claim("a", version=2), pod) == []


def test_an_answer_that_comes_after_the_end_of_its_object_brings_nothing_back(make, mirror):
    claim, pod = make.claim("a", version=1), make.pod("a", claim="a")
    mirror.see(claim, pod)
    mirror.lose(claim, pod)
    mirror.written(make.claim("a", on="box1", version=2))
    mirror.bound("default", "a", "pod-a", "box1")
    assert mirror.drain() == []


LOOK = "the loop looks"


@given(st.lists(st.sampled_from(["truth", "claims", "uses", LOOK]), max_size=30), st.data())
def test_however_watches_lag_a_claim_is_free_only_when_the_agent_let_go_after_it_was_cleared(
    make, new_mirror, turns, data
):
    """The truth moves on; each watch tells it late; the loop asks when it likes."""
    mirror = new_mirror()
    held = make.claim("a", on="box1", version=1)
    mirror.see(make.node(), make.slice(), make.use(), held)
    listed = False
    cleared = False
    freed = False
    to_tell = {"claims": [], "uses": []}
    # The agent starts on a claim only while it is allocated: list, then look, then run.
    for turn in turns:
        if turn == "truth":
            if not cleared and data.draw(st.booleans(), "the claim is cleared"):
                cleared = True
                to_tell["claims"].append(make.claim("a", version=2))
            elif listed or not cleared:
                listed = not listed
                to_tell["uses"].append(make.use("claim-a") if listed else make.use())
        elif turn == LOOK:
            for uids in mirror.questions().values():
                mirror.answer(uids, make.use("claim-a") if listed else make.use())
        elif to_tell[turn]:
            mirror.see(to_tell[turn].pop(0))
            continue
        freed = freed or HoldGone("claim-a") in mirror.drain()
        assert not (freed and listed), "freed while a program may run"
        assert not (freed and not cleared), "freed while it was allocated"


def test_a_claim_that_is_gone_holds_what_its_agent_says_and_the_node_stays_open(make, mirror):
    part = {"device": "gpu-0", "memoryMib": 20480, "milli": 250}
    told = mirror.see(make.use("claim-gone", devices=(part,)))
    (hold,) = [event.hold for event in told if isinstance(event, HoldChanged)]
    assert (hold.node, hold.owner, hold.releasing) == ("box1", "p", True)
    assert [(p.card, p.memory_mib, p.milli) for p in hold.parts] == [("gpu-0", 20480, 250)]
    assert not any(isinstance(event, NodeChanged) and event.closed for event in told)
    assert mirror.see(make.use()) == [HoldGone("claim-gone")]
