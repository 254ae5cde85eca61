"""Pods that wait for a node, as groups: a gang's members together, any other pod alone."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from shoal.api.gang import PLACED, Gang
from shoal.api.meta import LABEL_GANG, LABEL_QUEUE, LABEL_RANK, LABEL_RUN
from shoal.api.pod import Pod
from shoal.core.event import Group, Member
from shoal.mirror.members import member_of, waits
from shoal.mirror.objects import Objects
from shoal.units.errors import UnitError
from shoal.units.instant import parse_instant


def group_of(objects: Objects, key: str, releasing: dict[str, str]) -> Group | None:
    """The group of that key; None when none of its pods waits for a node.

    A pod that carries no gang's label but a gang's name waits until that gang is placed.
    """
    pods = objects.group(key)
    waiting = sorted((pod for pod in pods if waits(pod)), key=_by_rank)
    gang_name = next((pod.metadata.labels[LABEL_GANG] for pod in waiting if in_gang(pod)), "")
    if gang_name:
        pods = [pod for pod in pods if in_gang(pod)]
        waiting = [pod for pod in waiting if in_gang(pod)]
    if not waiting:
        return None
    first = waiting[0]
    gang = objects.gangs.get((first.metadata.namespace, gang_name))
    rolling = gang is not None and rolls_forward(gang, pods)
    pins = _pins(gang, objects) if gang is not None and rolling else {}
    members = tuple(_member(objects, pod, pins, releasing) for pod in waiting)
    return Group(
        key=key,
        owner=first.metadata.labels.get(LABEL_RUN) or gang_name or first.metadata.name,
        namespace=first.metadata.namespace,
        members=_blocked(members, gang_name) if gang_name and gang is None else members,
        size=_size(gang, pods, len(members), rolling=rolling),
        queue=first.metadata.labels.get(LABEL_QUEUE) or "default",
        priority=max(pod.spec.priority for pod in waiting),
        created=_created(gang if gang is not None else first),
        pack=gang is not None and gang.spec.pack,
    )


def in_gang(pod: Pod) -> bool:
    """Whether a pod is a member of a gang."""
    return bool(pod.metadata.labels.get(LABEL_GANG))


def rolls_forward(gang: Gang, pods: Iterable[Pod]) -> bool:
    """Whether the gang is placed, so that what is missing of it is placed alone.

    A plan of which no pod is left binds nobody: the gang was made anew.
    """
    known = {pod.metadata.uid for pod in pods}
    return gang.status.phase == PLACED and any(m.pod_uid in known for m in gang.status.plan)


def owner_of(pod: Pod) -> str:
    """The name that people know a pod by: its run's, else its own."""
    return pod.metadata.labels.get(LABEL_RUN) or pod.metadata.name


def _by_rank(pod: Pod) -> tuple[int, str]:
    rank = pod.metadata.labels.get(LABEL_RANK, "")
    return int(rank) if rank.isascii() and rank.isdigit() else 0, pod.metadata.name


def _pins(gang: Gang, objects: Objects) -> dict[str, str]:
    """The node of each pod of a plan, as long as the node is there."""
    return {each.pod_uid: each.node for each in gang.status.plan if each.node in objects.nodes}


def _member(objects: Objects, pod: Pod, pins: dict[str, str], releasing: dict[str, str]) -> Member:
    claims = list(objects.claims_of(pod))
    pinned = pins.get(pod.metadata.uid, "")
    return member_of(pod, claims, pinned=pinned, releasing=releasing)


def _blocked(members: tuple[Member, ...], gang: str) -> tuple[Member, ...]:
    return tuple(replace(member, blocked=f"gang {gang} does not exist yet") for member in members)


def _size(gang: Gang | None, pods: Sequence[Pod], waiting: int, *, rolling: bool) -> int:
    """How many waiting members make the group whole: those that are placed already count."""
    if gang is None or rolling:
        return waiting
    placed = sum(1 for pod in pods if pod.spec.node_name and not pod.finished)
    return max(gang.spec.members - placed, 1)


def _created(obj: Pod | Gang) -> int:
    try:
        return parse_instant(obj.metadata.creation_timestamp or "")
    except UnitError:
        return 0
