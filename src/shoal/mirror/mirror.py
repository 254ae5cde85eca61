"""The mirror: deltas in, events out.

Level-triggered: a change only marks the facts that may follow from it; ``drain`` works them out
from the objects as they are and tells those that differ from what was told last. So order and
repetition of deltas do not matter, and a mirror built anew tells the same facts.
"""

from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

from shoal.api.claim import ResourceClaim, ResourceSlice
from shoal.api.gang import Gang
from shoal.api.node import Node
from shoal.api.nodeuse import NodeUse
from shoal.api.pod import Pod
from shoal.api.run import Run
from shoal.core import event
from shoal.core.event import AnyEvent, Group, Hold, NodeChanged, Placed
from shoal.kube.reflector import Delta
from shoal.mirror import changes
from shoal.mirror.amounts import pod_amounts_or_nothing
from shoal.mirror.changes import Dirty, mark
from shoal.mirror.groups import group_of, owner_of
from shoal.mirror.holds import hold_of, known_pod_end, node_of
from shoal.mirror.late import is_older, loses_its_node
from shoal.mirror.nodes import cards_of, node_fact
from shoal.mirror.objects import Key, Objects, key_of
from shoal.mirror.releases import Releases

F = TypeVar("F")


class Mirror:
    """What was seen and what was told of it. ``objects`` may be read by anyone."""

    def __init__(self) -> None:
        self.objects = Objects()
        self._releases = Releases(self.objects)
        self._dirty = Dirty()
        self._nodes: dict[str, NodeChanged] = {}
        self._holds: dict[str, Hold] = {}
        self._placed: dict[str, Placed] = {}
        self._groups: dict[str, Group] = {}
        self._releasing: dict[str, str] = {}

    def apply(self, delta: Delta[Any]) -> None:
        """An object was added, changed or deleted; kinds without a meaning here are ignored."""
        obj = delta.any
        new = delta.new
        match obj:
            case Pod():
                self._pod(key_of(obj), new)
            case ResourceClaim():
                self._claim(key_of(obj), new)
            case Node():
                if new is not None:
                    self._releases.see_boot(obj.metadata.name, new.status.node_info.boot_id)
                changes.change_node(self.objects, self._dirty, obj.metadata.name, new)
                mark(self._dirty.claims, self._releasing)
            case NodeUse():
                self._use(obj.metadata.name, new)
            case ResourceSlice():
                changes.change_slice(self.objects, self._dirty, obj, gone=new is None)
            case Gang():
                changes.change_gang(self.objects, self._dirty, key_of(obj), new)
            case Run():
                changes.change_run(self.objects, self._dirty, key_of(obj), new)

    def written(self, claim: ResourceClaim) -> None:
        """The server took our write of a claim; one that is gone by now stays gone."""
        if self.objects.claim(claim.metadata.uid) is not None:
            self._claim(key_of(claim), claim)

    def bound(self, namespace: str, name: str, uid: str, node: str) -> None:
        """The server took our binding of a pod: a fact before the watch tells it."""
        pod = self.objects.pods.get((namespace, name))
        if pod is not None and pod.metadata.uid == uid and not pod.spec.node_name:
            spec = msgspec.structs.replace(pod.spec, node_name=node)
            self._pod((namespace, name), msgspec.structs.replace(pod, spec=spec))

    def drain(self) -> list[AnyEvent]:
        """The events since the last call: nodes come first and go last, holds before groups."""
        dirty, self._dirty = self._dirty, Dirty()
        # A claim's change marks nodes and groups on the way, so claims are worked out first.
        holds = [told for uid in dirty.claims for told in self._tell_hold(uid, dirty)]
        nodes = [told for name in dirty.nodes for told in self._tell_node(name)]
        placed = [told for uid in dirty.pods for told in self._tell_placed(uid)]
        groups = [told for key in dirty.groups for told in self._tell_group(key)]
        gone = [told for told in nodes if isinstance(told, event.NodeGone)]
        there = [told for told in nodes if not isinstance(told, event.NodeGone)]
        return [*there, *holds, *placed, *groups, *gone]

    def questions(self) -> dict[str, list[str]]:
        """Nodes whose NodeUse must be read afresh, with the claims in question; each told once."""
        return self._releases.questions()

    def answer(self, uids: Iterable[str], use: NodeUse | None) -> None:
        """NodeUse of a node as read after its question was told; None if there is none."""
        mark(self._dirty.claims, self._releases.answer(uids, use))

    def waiting(self, key: str) -> Group | None:
        """The group of that key, as told last; None if it does not wait."""
        return self._groups.get(key)

    def _pod(self, key: Key, new: Pod | None) -> None:
        if new is None or not loses_its_node(new, self.objects.pods.get(key)):
            changes.change_pod(self.objects, self._dirty, key, new)

    def _claim(self, key: Key, new: ResourceClaim | None) -> None:
        if new is None or not is_older(new, self.objects.claims.get(key)):
            changes.change_claim(self.objects, self._dirty, key, new)

    def _use(self, node: str, new: NodeUse | None) -> None:
        before = self.objects.uses.get(node)
        if before is not None and new is not None:
            self._releases.see_dropped(before, new, self._holds)
        changes.change_use(self.objects, self._dirty, node, new)
        mark(self._dirty.claims, (uid for uid, on in self._releasing.items() if on == node))

    def _tell_hold(self, uid: str, dirty: Dirty) -> list[AnyEvent]:
        fact = self._hold(uid)
        before = self._holds.get(uid)
        if not _note(self._holds, uid, fact):
            return []
        self._note_releasing(uid, before, fact, dirty)
        return [event.HoldGone(uid) if fact is None else event.HoldChanged(fact)]

    def _hold(self, uid: str) -> Hold | None:
        claim = self.objects.claim(uid)
        node = node_of(claim) if claim is not None else ""
        if claim is None or not node:
            return self._releases.still_held(uid, self._holds.get(uid))
        self._releases.forget(uid)
        if node not in self.objects.nodes:
            return None
        cards = {card.name: card for card in cards_of(self.objects.slices_of(node))}
        return hold_of(claim, cards, self.objects.run_of(claim))

    def _note_releasing(
        self, uid: str, before: Hold | None, now: Hold | None, dirty: Dirty
    ) -> None:
        """Keep account of what is being let go: pods that ask for it, or a stray, depend on it."""
        if now is not None and now.releasing:
            self._releasing[uid] = now.node
        else:
            self._releasing.pop(uid, None)
        known = now or before
        assert known is not None, "a hold that neither was nor is"
        dirty.nodes[known.node] = None
        claim = self.objects.claim(uid)
        if claim is not None:
            changes.mark_users(self.objects, dirty, key_of(claim))

    def _tell_node(self, name: str) -> list[AnyEvent]:
        node = self.objects.nodes.get(name)
        if node is None:
            return [event.NodeGone(name)] if _note(self._nodes, name, None) else []
        strays = self._releases.has_strays(name, self._holds)
        fact = node_fact(node, self.objects.slices_of(name), strays=strays)
        return [fact] if _note(self._nodes, name, fact) else []

    def _tell_placed(self, uid: str) -> list[AnyEvent]:
        fact = self._placement(uid)
        if not _note(self._placed, uid, fact):
            return []
        return [event.PodGone(uid) if fact is None else event.PodPlaced(fact)]

    def _placement(self, uid: str) -> Placed | None:
        pod = self.objects.pod(uid)
        if pod is None or pod.finished or pod.spec.node_name not in self.objects.nodes:
            return None
        cpu, memory = pod_amounts_or_nothing(pod)
        limited = pod.spec.active_deadline_seconds is not None
        ends = known_pod_end(pod)
        return Placed(uid, owner_of(pod), pod.spec.node_name, cpu, memory, ends, limited)

    def _tell_group(self, key: str) -> list[AnyEvent]:
        fact = group_of(self.objects, key, self._releasing)
        if not _note(self._groups, key, fact):
            return []
        return [event.GroupGone(key) if fact is None else event.GroupChanged(fact)]


def _note(told: dict[str, F], key: str, fact: F | None) -> bool:
    """Remember what is told under a key; whether it differs from what was told before."""
    if told.get(key) == fact:
        return False
    if fact is None:
        del told[key]
    else:
        told[key] = fact
    return True
