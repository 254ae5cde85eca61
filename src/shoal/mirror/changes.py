"""What must be looked at again after an object changed, one function a kind."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from shoal.api.claim import ResourceClaim, ResourceSlice
from shoal.api.gang import Gang
from shoal.api.node import Node
from shoal.api.nodeuse import NodeUse
from shoal.api.pod import Pod
from shoal.api.run import Run
from shoal.mirror.objects import Key, Objects, group_key


@dataclass(slots=True)
class Dirty:
    """Facts to be worked out anew: nodes by name, claims and pods by uid, groups by key.

    Dictionaries stand for sets that keep their order.
    """

    nodes: dict[str, None] = field(default_factory=dict)
    claims: dict[str, None] = field(default_factory=dict)
    pods: dict[str, None] = field(default_factory=dict)
    groups: dict[str, None] = field(default_factory=dict)


def mark(marks: dict[str, None], keys: Iterable[str]) -> None:
    """Add keys to one of the sets."""
    marks.update(dict.fromkeys(keys))


def change_node(objects: Objects, dirty: Dirty, name: str, new: Node | None) -> None:
    """A node changed: with it comes or goes all that is held there."""
    old = objects.nodes.pop(name, None)
    if new is not None:
        objects.nodes[name] = new
    dirty.nodes[name] = None
    if old is None or new is None:
        mark(dirty.groups, objects.group_keys())
    if old is None or new is None or _boot(old) != _boot(new):
        mark_all_on(objects, dirty, name)


def change_slice(objects: Objects, dirty: Dirty, cards: ResourceSlice, *, gone: bool) -> None:
    """The cards of a node changed, and with them what "a whole card" of it is."""
    if gone:
        objects.drop_slice(cards.metadata.name)
    else:
        objects.put_slice(cards)
    dirty.nodes[cards.spec.node_name] = None
    mark(dirty.claims, objects.claims_on(cards.spec.node_name))


def change_use(objects: Objects, dirty: Dirty, name: str, new: NodeUse | None) -> None:
    """A node's agent holds other claims than before."""
    mark(dirty.claims, held_on(objects, name))
    if new is None:
        objects.drop_use(name)
    else:
        objects.put_use(new)
    mark(dirty.claims, held_on(objects, name))
    dirty.nodes[name] = None


def change_claim(objects: Objects, dirty: Dirty, key: Key, new: ResourceClaim | None) -> None:
    """A claim changed: what it holds, and what the pods that name it can do."""
    for claim in (objects.claims.get(key), new):
        if claim is not None:
            uid = claim.metadata.uid
            dirty.claims[uid] = None
            mark(dirty.nodes, objects.holders_of(uid))
    if new is None:
        objects.drop_claim(key)
    else:
        objects.put_claim(new)
    mark_users(objects, dirty, key)


def change_pod(objects: Objects, dirty: Dirty, key: Key, new: Pod | None) -> None:
    """A pod changed: what it takes of its node, or the group that it waits in."""
    for pod in (objects.pods.get(key), new):
        if pod is not None:
            dirty.pods[pod.metadata.uid] = None
            dirty.groups[group_key(pod)] = None
    if new is None:
        objects.drop_pod(key)
    else:
        objects.put_pod(new)


def change_gang(objects: Objects, dirty: Dirty, key: Key, new: Gang | None) -> None:
    """A gang's size or plan changed."""
    objects.gangs.pop(key, None)
    if new is not None:
        objects.gangs[key] = new
    dirty.groups["/".join(key)] = None


def change_run(objects: Objects, dirty: Dirty, key: Key, new: Run | None) -> None:
    """When a run ends at the latest may be known now, or known no more."""
    objects.runs.pop(key, None)
    if new is not None:
        objects.runs[key] = new
    mark(dirty.claims, objects.claims_of_run(key))


def mark_users(objects: Objects, dirty: Dirty, claim: Key) -> None:
    """Look again at the groups of the pods that name a claim."""
    mark(dirty.groups, (group_key(objects.pods[pod]) for pod in objects.users_of(claim)))


def mark_all_on(objects: Objects, dirty: Dirty, node: str) -> None:
    """Look again at everything that is held on a node."""
    mark(dirty.claims, objects.claims_on(node))
    mark(dirty.claims, held_on(objects, node))
    mark(dirty.pods, objects.pods_on(node))


def held_on(objects: Objects, node: str) -> list[str]:
    """Uids of the claims that a node's agent holds."""
    use = objects.uses.get(node)
    return [held.uid for held in use.status.held] if use is not None else []


def _boot(node: Node) -> str:
    return node.status.node_info.boot_id
