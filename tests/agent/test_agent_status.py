"""The status of a pod as a kubelet tells it."""

from tests.agent.box import Box

from shoal.agent.claims import GrantedCard, PodClaim, cards_of
from shoal.agent.containers import ContainerView, Running, Waiting
from shoal.agent.ending import Ended
from shoal.agent.status import PodView, Verdict, pod_patch, pod_status
from shoal.api.meta import ANNOTATION_FINISHED, ANNOTATION_STARTED
from shoal.api.nodeuse import HeldClaim
from shoal.api.pod import (
    CARDS,
    Container,
    ExtendedClaimStatus,
    Pod,
    PodSpec,
    PodStatus,
    RequestMapping,
    Resources,
)

SECOND = 1_000_000_000
NOW = 1_700_000_000 * SECOND
GOOD = Ended(0, 0, "Completed", "", NOW, NOW + SECOND // 4)
BAD = Ended(3, 0, "Error", "", NOW, NOW + SECOND // 2)


def view(*states, verdict="Pending") -> PodView:
    main = [ContainerView(f"c{at}", "host", state=state) for at, state in enumerate(states)]
    return PodView("uid", NOW, [], main, verdict=Verdict(verdict))


def conditions(told: PodView) -> dict[str, tuple[str, str | None]]:
    return {c["type"]: (c["status"], c["reason"]) for c in pod_status(told, NOW)["conditions"]}


def test_a_running_pod_is_ready_in_every_way():
    told = conditions(view(Running(NOW)))
    kinds = ("PodScheduled", "PodReadyToStartContainers", "Initialized", "ContainersReady", "Ready")
    assert told == dict.fromkeys(kinds, ("True", None))


def test_a_pod_that_has_not_started_says_why_it_is_not_ready():
    told = conditions(view(Waiting()))
    assert told["Ready"] == ("False", "ContainersNotReady")
    assert told["PodReadyToStartContainers"] == ("False", None)
    assert told["Initialized"] == ("True", None)


def test_a_pod_that_is_done_says_so_in_its_conditions():
    told = conditions(view(GOOD, verdict="Succeeded"))
    assert told["Ready"] == told["ContainersReady"] == ("False", "PodCompleted")
    assert told["Initialized"] == ("True", "PodCompleted")
    assert conditions(view(BAD, verdict="Failed"))["Ready"] == ("False", "PodFailed")


def test_a_condition_keeps_its_time_while_it_stays_as_it_is():
    told = view(Running(NOW))
    told.since["Ready"] = ("True", "2020-01-01T00:00:00Z")
    told.since["ContainersReady"] = ("False", "2020-01-01T00:00:00Z")
    times = {c["type"]: c["lastTransitionTime"] for c in pod_status(told, NOW)["conditions"]}
    assert times["Ready"] == "2020-01-01T00:00:00Z"
    assert times["ContainersReady"] == "2023-11-14T22:13:20Z"


def test_times_are_whole_seconds_and_exact_ones_are_annotations():
    told = pod_patch(view(GOOD, BAD), NOW)
    ended = told["status"]["containerStatuses"][1]["state"]["terminated"]
    assert ended["finishedAt"] == "2023-11-14T22:13:20Z"
    assert ended["containerID"] == "shoal://uid/c1/0"
    assert told["metadata"]["annotations"] == {
        ANNOTATION_STARTED: "2023-11-14T22:13:20.000Z",
        ANNOTATION_FINISHED: "2023-11-14T22:13:20.500Z",
    }


def test_a_pod_that_runs_on_has_no_end_yet():
    annotations = pod_patch(view(BAD, Running(NOW)), NOW)["metadata"]["annotations"]
    assert ANNOTATION_FINISHED not in annotations


def test_a_container_uses_just_the_whole_cards_that_it_asked_for():
    containers = [
        Container(name, resources=Resources(limits={CARDS: count} if count else {}))
        for name, count in (("a", 1), ("b", 2), ("c", 0))
    ]
    mappings = [RequestMapping("a", CARDS, "r0"), RequestMapping("b", CARDS, "r1")]
    status = PodStatus(extended_resource_claim_status=ExtendedClaimStatus("claim", mappings))
    pod = Pod(spec=PodSpec(containers=containers), status=status)
    granted = [GrantedCard("r0", "gpu-2"), GrantedCard("r1", "gpu-0"), GrantedCard("r1", "gpu-1")]
    claims = [PodClaim(CARDS, HeldClaim(), granted)]
    seen = [cards_of(pod, container, claims) for container in containers]
    assert seen == [["gpu-2"], ["gpu-0", "gpu-1"], []]


async def test_what_a_pod_began_and_ended_is_told_to_the_millisecond(box: Box):
    await box.create("exact", "true")
    ended = await box.ended("exact")
    annotations = ended.metadata.annotations
    assert annotations[ANNOTATION_STARTED] <= annotations[ANNOTATION_FINISHED]
    assert (
        annotations[ANNOTATION_FINISHED][:19]
        == (ended.status.container_statuses[0].state.terminated.finished_at[:19])
    )
