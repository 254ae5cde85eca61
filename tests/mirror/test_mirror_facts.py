"""One fact at a time: what an object, or a few together, tell the core."""

import pytest

from shoal.api.meta import LABEL_RUN
from shoal.core.event import (
    Card,
    ClaimAsk,
    GroupChanged,
    GroupGone,
    Hold,
    HoldChanged,
    NodeChanged,
    NodeGone,
    Part,
    Placed,
    PodGone,
    PodPlaced,
)
from shoal.core.taints import Taint, untolerated
from shoal.mirror.amounts import pod_amounts
from shoal.mirror.shares import UnclearError, asked_share
from shoal.units.gpu import Share

CONTAINER = {"name": "main", "image": "host"}


def only(events):
    assert len(events) == 1, events
    return events[0]


def test_a_node_is_told_with_its_cards_its_room_and_its_labels(make, new_mirror):
    mirror = new_mirror()
    node = make.node(labels={"zone": "a"})
    told = only(mirror.see(node, make.slice(cards=1)))
    card = Card(name="gpu-0", model="A100-80GB", memory_mib=80 * 1024)
    assert told == NodeChanged("box1", 8000, 64 * 1024, (card,), (("zone", "a"),))


@pytest.mark.parametrize(
    ("changes", "closed"),
    [
        ({"unschedulable": True}, "cordoned"),
        (
            {"unschedulable": True, "annotations": {"shoal.dev/closed-by-down": "true"}},
            "the box is going down; it starts after the next shoal up",
        ),
        ({"conditions": []}, "its agent has not reported yet"),
        (
            {"conditions": [{"type": "Ready", "status": "False", "message": "no heartbeat"}]},
            "not ready: no heartbeat",
        ),
        (
            {"conditions": [{"type": "Ready", "status": "Unknown"}]},
            "its agent is silent; what runs there may go on, and keeps its cards",
        ),
    ],
)
def test_a_node_that_takes_no_work_says_why(make, new_mirror, changes, closed):
    assert only(new_mirror().see(make.node(**changes))).closed == closed


def test_taints_that_keep_pods_away_are_told(make, new_mirror):
    taints = [
        {"key": "team", "value": "a", "effect": "NoSchedule"},
        {"key": "old", "effect": "NoExecute"},
        {"key": "busy", "effect": "PreferNoSchedule"},
        {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"},
    ]
    told = only(new_mirror().see(make.node(taints=taints)))
    assert told.taints == (Taint("team", "NoSchedule", "a"), Taint("old", "NoExecute"))


@pytest.mark.parametrize(
    ("written", "tolerates"),
    [
        ({"key": "team", "value": "a"}, True),
        ({"key": "team", "value": "b"}, False),
        ({"key": "team"}, False),
        ({"key": "team", "operator": "Exists"}, True),
        ({"key": "team", "operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "other", "operator": "Exists"}, False),
        ({"key": "team", "operator": "Gt", "value": "a"}, False),
        ({"operator": "Exists"}, True),
        ({"operator": "Exists", "effect": "NoSchedule"}, True),
    ],
)
def test_a_pod_tells_what_it_tolerates(make, mirror, written, tolerates):
    group = only(mirror.see(make.pod("a", tolerations=[written]))).group
    taint = Taint("team", "NoSchedule", "a")
    assert (not untolerated([taint], group.members[0].tolerations)) == tolerates


def test_tolerations_of_what_a_condition_tells_make_no_pod_different(make, mirror):
    admitted = {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}
    group = only(mirror.see(make.pod("a", tolerations=[admitted]))).group
    assert group.members[0].tolerations == ()


def test_a_node_says_whether_it_can_run_images(make, new_mirror):
    runtime = {"type": "ContainerRuntime", "status": "True"}
    ready = {"type": "Ready", "status": "True"}
    assert only(new_mirror().see(make.node(conditions=[ready, runtime]))).containers


def test_only_the_newest_generation_of_a_pool_counts(make, mirror):
    newer = make.slice(cards=1)
    newer.metadata.name = "box1-newer"
    newer.spec.pool.generation = 2
    assert [card.name for card in only(mirror.see(newer)).cards] == ["gpu-0"]


def test_the_cards_of_another_driver_are_not_ours(make, new_mirror):
    foreign = make.slice()
    foreign.spec.driver = "gpu.example.com"
    assert only(new_mirror().see(make.node(), foreign)).cards == ()


def test_an_allocation_is_a_hold_with_what_it_consumes(make, mirror):
    claim = make.claim("a", on="box1", cards=(1,))
    part = Part(card="gpu-1", memory_mib=40 * 1024, milli=500)
    hold = Hold("claim-a", "a", "box1", (part,), Share(milli=500), limited=True)
    assert mirror.see(claim) == [HoldChanged(hold)]


def test_a_hold_that_names_no_capacity_is_the_whole_card(make, mirror):
    told = only(mirror.see(make.claim("a", on="box1", consumed={})))
    assert told.hold.parts == (Part(card="gpu-0", memory_mib=80 * 1024, milli=1000),)


def test_a_hold_is_known_by_its_run_and_the_run_says_when_it_ends(make, mirror):
    labelled = make.claim("a", on="box1", metadata={"labels": {"shoal.dev/run": "digits"}})
    assert only(mirror.see(labelled)).hold.owner == "digits"
    run = make.run("digits", started="2026-12-24T08:00:00Z", limit="1h")
    ends = only(mirror.see(run)).hold.ends_at
    assert ends == 1_798_102_800_000  # 2026-12-24T09:00:00Z


def test_what_is_held_on_a_node_that_goes_comes_back_with_it(make, mirror):
    held, bound = make.claim("a", on="box1"), make.pod("a", claim="a", on="box1")
    told = mirror.see(held, bound)
    assert isinstance(mirror.lose(make.node())[-1], NodeGone)
    assert mirror.see(make.node())[1:] == told


def test_a_bound_pod_takes_its_node_until_it_has_ended(make, mirror):
    containers = [CONTAINER | {"resources": {"requests": {"cpu": "2", "memory": "3Gi"}}}]
    placed = Placed("pod-a", "a", "box1", 2000, 3 * 1024)
    bound = make.pod("a", on="box1", containers=containers)
    assert mirror.see(bound) == [PodPlaced(placed)]
    assert mirror.see(make.pod("a", on="box1", phase="Succeeded")) == [PodGone("pod-a")]


def test_init_containers_count_by_the_hungriest_and_limits_stand_in_for_requests(make):
    pod = make.pod(
        "a",
        containers=[
            CONTAINER | {"resources": {"requests": {"cpu": "500m"}, "limits": {"memory": "1Gi"}}},
            CONTAINER | {"resources": {"requests": {"cpu": "1"}}},
        ],
        initContainers=[
            CONTAINER | {"resources": {"requests": {"cpu": "1", "memory": "4Gi"}}},
            CONTAINER | {"resources": {"requests": {"cpu": "1", "memory": "2Gi"}}},
        ],
    )
    assert pod_amounts(pod) == (1500, 4096)


def test_a_sidecar_counts_with_all_that_starts_after_it(make):
    def asking(cpu, **fields):
        return CONTAINER | {"resources": {"requests": {"cpu": cpu}}} | fields

    beside = {"restartPolicy": "Always"}
    init = [asking("4"), asking("1", **beside), asking("2"), asking("1", **beside)]
    pods = {main: make.pod("a", containers=[asking(main)], initContainers=init) for main in "15"}
    assert {main: pod_amounts(pod)[0] for main, pod in pods.items()} == {"1": 4000, "5": 7000}
    hungry = [asking("1", **beside), asking("9")]
    pod = make.pod("b", containers=[asking("1")], initContainers=hungry)
    assert pod_amounts(pod)[0] == 10_000


def test_a_pod_without_a_node_is_a_group_of_one(make, mirror):
    group = only(mirror.see(make.claim("a"), make.pod("a", claim="a"))).group
    ask = ClaimAsk("claim-a", "a", Share(milli=500))
    assert (group.key, group.size, group.members[0].claims) == ("default/a", 1, (ask,))
    assert group.created == 1_798_099_200_000  # 2026-12-24T08:00:00Z
    assert mirror.see(make.pod("a", claim="a", on="box1"))[-1] == GroupGone("default/a")


@pytest.mark.parametrize("end", ["deleted", "terminating", "failed"])
def test_a_pod_that_will_not_start_waits_no_longer(make, mirror, end):
    pod = make.pod("a")
    mirror.see(pod)
    if end == "deleted":
        told = mirror.lose(pod)
    else:
        ended = make.pod("a", phase="Failed" if end == "failed" else "Pending")
        ended.metadata.deletion_timestamp = "2026-12-24T08:00:01Z" if end != "failed" else None
        told = mirror.see(ended)
    assert told == [GroupGone("default/a")]


def test_a_pod_of_another_scheduler_is_left_to_it(make, mirror):
    assert mirror.see(make.pod("a", schedulerName="somebody-elses")) == []
    (told,) = mirror.see(make.pod("b", schedulerName="default-scheduler"))
    assert told.group.key.endswith("/b")


def test_a_gated_pod_waits_for_a_node_once_its_gates_are_gone(make, mirror):
    assert mirror.see(make.pod("a", schedulingGates=[{"name": "hold"}])) == []
    assert only(mirror.see(make.pod("a"))).group.key == "default/a"


def test_a_gang_is_one_group_and_knows_when_it_is_whole(make, mirror):
    pods = [make.pod(f"ring-{rank}", gang="ring", run="ring") for rank in range(2)]
    group = only(mirror.see(make.gang("ring", 3, pack=True), *pods)).group
    assert (group.key, group.owner, group.size, group.pack) == ("default/ring", "ring", 3, True)
    assert [member.name for member in group.members] == ["ring-0", "ring-1"]


def test_members_of_a_gang_that_does_not_exist_yet_are_blocked(make, mirror):
    group = only(mirror.see(make.pod("ring-0", gang="ring"))).group
    assert group.members[0].blocked == "gang ring does not exist yet"
    group = only(mirror.see(make.gang("ring", 1))).group
    assert group.members[0].blocked == ""


def test_the_rest_of_a_placed_gang_goes_where_its_plan_says(make, mirror):
    plan = [{"pod": f"ring-{rank}", "podUid": f"pod-ring-{rank}", "node": "box1"} for rank in "01"]
    pods = [make.pod("ring-0", gang="ring", on="box1"), make.pod("ring-1", gang="ring")]
    told = mirror.see(make.gang("ring", 2, phase="Placed", plan=plan), *pods)
    group = told[-1].group
    assert (group.size, [member.pinned for member in group.members]) == (1, ["box1"])


def test_a_member_made_anew_is_placed_alone_wherever_there_is_room(make, mirror):
    plan = [{"pod": f"ring-{rank}", "podUid": f"pod-ring-{rank}", "node": "box1"} for rank in "01"]
    pods = [make.pod("ring-0", gang="ring", on="box1"), make.pod("ring-1", gang="ring", uid="new")]
    told = mirror.see(make.gang("ring", 2, phase="Placed", plan=plan), *pods)
    group = told[-1].group
    assert (group.size, [member.pinned for member in group.members]) == (1, [""])


def test_a_plan_of_which_no_pod_is_left_binds_nobody(make, mirror):
    plan = [{"pod": "ring-0", "podUid": "gone", "node": "box1"}]
    pods = [make.pod("ring-0", gang="ring")]
    group = only(mirror.see(make.gang("ring", 2, phase="Placed", plan=plan), *pods)).group
    assert (group.size, group.members[0].pinned) == (2, "")


def test_a_pod_whose_claim_is_allocated_goes_where_its_cards_are(make, mirror):
    told = mirror.see(make.claim("a", on="box1"), make.pod("a", claim="a"))
    member = told[-1].group.members[0]
    assert (member.pinned, member.claims) == ("box1", ())


def test_images_other_than_host_are_told(make, mirror):
    assert not only(mirror.see(make.pod("a", image="busybox"))).group.members[0].host_image


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ({"claim": "a"}, "claim a does not exist yet"),
        (
            {"resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "t"}]},
            "a claim of its own has not been made yet",
        ),
        (
            {"containers": [CONTAINER | {"resources": {"limits": {"amd.com/gpu": "1"}}}]},
            "no node offers amd.com/gpu; cards are asked for by a claim",
        ),
        (
            {"containers": [CONTAINER | {"resources": {"requests": {"cpu": "many"}}}]},
            "'many' is not a quantity; examples: 4, 500m, 32Gi",
        ),
    ],
)
def test_a_pod_that_cannot_be_placed_says_why(make, mirror, spec, sentence):
    assert only(mirror.see(make.pod("a", **spec))).group.members[0].blocked == sentence


def test_a_claim_that_appears_unblocks_its_pod(make, mirror):
    mirror.see(make.pod("a", claim="a"))
    member = only(mirror.see(make.claim("a"))).group.members[0]
    assert (member.blocked, len(member.claims)) == ("", 1)


def several(*counts, **more):
    """The spec of a claim with a request for each of these counts."""
    exactly = [{"deviceClassName": "gpu.shoal.dev", "count": count, **more} for count in counts]
    requests = [{"name": f"r{at}", "exactly": each} for at, each in enumerate(exactly)]
    return {"devices": {"requests": requests}}


def request(capacity=None, **exactly):
    exactly = {"deviceClassName": "gpu.shoal.dev", "count": 1, **exactly}
    exactly |= {"capacity": {"requests": capacity}} if capacity else {}
    return {"devices": {"requests": [{"name": "r", "exactly": exactly}]}}


@pytest.mark.parametrize(
    ("spec", "share"),
    [
        (request(), Share(milli=1000)),
        (request(count=3), Share(count=3, milli=1000)),
        (request({"memory": "10Gi"}), Share(memory_mib=10 * 1024)),
        (request({"memory": "10Gi", "compute": "300"}), Share(memory_mib=10 * 1024, milli=300)),
        (request({"compute": "300"}), Share(milli=1000)),
        (several(1, 2), Share(count=3, milli=1000)),
    ],
)
def test_a_claim_of_a_users_own_is_read_from_its_capacities(make, spec, share):
    assert asked_share(make.claim("a", spec=spec)) == share


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ({"devices": {"requests": []}}, "a claim takes one"),
        ({"devices": {"requests": [{"name": "r", "firstAvailable": []}]}}, "firstAvailable"),
        (request(deviceClassName="gpu.nvidia.com"), "gpu.nvidia.com"),
        (request(allocationMode="All"), "all devices"),
        (request(selectors=[{"cel": {"expression": "true"}}]), "selectors"),
        (request({"memory": "much"}), "cannot be read"),
        (several(1, 1, capacity={"requests": {"memory": "1Gi"}}), "a part takes a claim alone"),
        (request({"memory": "1Gi", "compute": "2000"}), "0 to 1000"),
        (request({"memory": "0", "compute": "0"}), "share of nothing"),
    ],
)
def test_a_claim_that_cannot_be_understood_says_what_is_wrong(make, spec, says):
    with pytest.raises(UnclearError, match=says):
        asked_share(make.claim("a", spec=spec))


def test_a_configuration_that_cannot_be_read_blocks_the_pod(make, mirror):
    claim = make.claim("a")
    claim.spec.devices.config[0].opaque.parameters = {"share": 1}
    member = mirror.see(claim, make.pod("a", claim="a"))[-1].group.members[0]
    assert member.blocked.startswith("claim a has a configuration that cannot be read")


def test_what_did_not_change_is_not_told_again(make, mirror):
    pod = make.pod("a", claim="a")
    assert [type(told) for told in mirror.see(make.claim("a"), pod)] == [GroupChanged]
    assert mirror.see(make.claim("a"), pod, make.node(), make.slice()) == []


def test_whether_a_hold_may_have_a_time_limit_is_known_before_its_run_starts(make, mirror):
    held = make.claim("a", on="box1", metadata={"labels": {LABEL_RUN: "a"}})
    (told,) = mirror.see(make.run("a", limit="1h"), held)
    assert (told.hold.limited, told.hold.ends_at) == (True, 0)
    (told,) = mirror.see(make.run("a"))
    assert not told.hold.limited
