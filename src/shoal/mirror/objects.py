"""The objects as they were seen last, with the indices by which facts find them.

Only remembers and looks up; what follows from a change is the business of ``mirror.changes``.
"""

from collections.abc import Iterator

from shoal.api.claim import ResourceClaim, ResourceSlice
from shoal.api.gang import Gang
from shoal.api.meta import DRIVER, LABEL_GANG, LABEL_RUN, Object
from shoal.api.node import Node
from shoal.api.nodeuse import NodeUse
from shoal.api.pod import Pod
from shoal.api.run import Run
from shoal.mirror.holds import node_of
from shoal.mirror.multimap import Multimap

Key = tuple[str, str]
"""Namespace and name."""


def key_of(obj: Object) -> Key:
    """The key of an object."""
    return obj.metadata.namespace, obj.metadata.name


class Objects:
    """Objects by key and, where facts are known by it, by uid."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self.uses: dict[str, NodeUse] = {}
        self.claims: dict[Key, ResourceClaim] = {}
        self.pods: dict[Key, Pod] = {}
        self.gangs: dict[Key, Gang] = {}
        self.runs: dict[Key, Run] = {}
        self._slices: dict[str, ResourceSlice] = {}
        self._slices_on: Multimap[str, str] = Multimap()
        self._keys: dict[str, Key] = {}
        self._groups: Multimap[str, Key] = Multimap()
        self._claims_on: Multimap[str, str] = Multimap()
        self._pods_on: Multimap[str, str] = Multimap()
        self._claims_of_run: Multimap[Key, str] = Multimap()
        self._users: Multimap[Key, Key] = Multimap()
        self._holders: Multimap[str, str] = Multimap()

    def claim(self, uid: str) -> ResourceClaim | None:
        """The claim of that uid."""
        found = self.claims.get(self._keys.get(uid, ("", "")))
        return found if found is not None and found.metadata.uid == uid else None

    def pod(self, uid: str) -> Pod | None:
        """The pod of that uid."""
        found = self.pods.get(self._keys.get(uid, ("", "")))
        return found if found is not None and found.metadata.uid == uid else None

    def run_of(self, claim: ResourceClaim) -> Run | None:
        """The run that a claim was made for."""
        run = claim.metadata.labels.get(LABEL_RUN, "")
        return self.runs.get((claim.metadata.namespace, run))

    def claims_of(self, pod: Pod) -> Iterator[tuple[str, ResourceClaim | None]]:
        """The name and the object of each claim of a pod; "" for one that is not made."""
        for _, name in pod.claim_names():
            yield name, self.claims.get((pod.metadata.namespace, name))

    def slices_of(self, node: str) -> list[ResourceSlice]:
        """The slices of our driver on a node."""
        return [self._slices[name] for name in self._slices_on.of(node)]

    def group(self, key: str) -> list[Pod]:
        """The pods of a group, ended ones too."""
        return [self.pods[pod] for pod in self._groups.of(key)]

    def group_keys(self) -> tuple[str, ...]:
        """The keys of all groups."""
        return tuple(self._groups)

    def claims_on(self, node: str) -> tuple[str, ...]:
        """Uids of the claims allocated on a node."""
        return self._claims_on.of(node)

    def pods_on(self, node: str) -> tuple[str, ...]:
        """Uids of the pods bound to a node."""
        return self._pods_on.of(node)

    def claims_of_run(self, run: Key) -> tuple[str, ...]:
        """Uids of the claims that carry a run's label."""
        return self._claims_of_run.of(run)

    def users_of(self, claim: Key) -> tuple[Key, ...]:
        """The pods that name a claim."""
        return self._users.of(claim)

    def holders_of(self, claim_uid: str) -> tuple[str, ...]:
        """The nodes whose agents list a claim as held."""
        return self._holders.of(claim_uid)

    def put_slice(self, new: ResourceSlice) -> None:
        """Remember a slice as it is now; other drivers' cards are not ours to give."""
        self.drop_slice(new.metadata.name)
        if new.spec.driver == DRIVER:
            self._slices[new.metadata.name] = new
            self._slices_on.add(new.spec.node_name, new.metadata.name)

    def drop_slice(self, name: str) -> None:
        """Forget a slice."""
        old = self._slices.pop(name, None)
        if old is not None:
            self._slices_on.discard(old.spec.node_name, name)

    def put_claim(self, claim: ResourceClaim) -> None:
        """Remember a claim as it is now."""
        self.drop_claim(key_of(claim))
        uid, key = claim.metadata.uid, key_of(claim)
        self.claims[key] = claim
        self._keys[uid] = key
        if run := claim.metadata.labels.get(LABEL_RUN):
            self._claims_of_run.add((key[0], run), uid)
        if node := node_of(claim):
            self._claims_on.add(node, uid)

    def drop_claim(self, key: Key) -> None:
        """Forget a claim."""
        claim = self.claims.pop(key, None)
        if claim is None:
            return
        uid = claim.metadata.uid
        self._keys.pop(uid, None)
        self._claims_of_run.discard((key[0], claim.metadata.labels.get(LABEL_RUN, "")), uid)
        self._claims_on.discard(node_of(claim), uid)

    def put_pod(self, pod: Pod) -> None:
        """Remember a pod as it is now."""
        self.drop_pod(key_of(pod))
        uid, key = pod.metadata.uid, key_of(pod)
        self.pods[key] = pod
        self._keys[uid] = key
        self._groups.add(group_key(pod), key)
        if pod.spec.node_name:
            self._pods_on.add(pod.spec.node_name, uid)
        for _, name in pod.claim_names():
            self._users.add((key[0], name), key)

    def drop_pod(self, key: Key) -> None:
        """Forget a pod."""
        pod = self.pods.pop(key, None)
        if pod is None:
            return
        self._keys.pop(pod.metadata.uid, None)
        self._groups.discard(group_key(pod), key)
        self._pods_on.discard(pod.spec.node_name, pod.metadata.uid)
        for _, name in pod.claim_names():
            self._users.discard((key[0], name), key)

    def put_use(self, use: NodeUse) -> None:
        """Remember what a node's agent holds now."""
        self.drop_use(use.metadata.name)
        self.uses[use.metadata.name] = use
        for held in use.status.held:
            self._holders.add(held.uid, use.metadata.name)

    def drop_use(self, node: str) -> None:
        """Forget what a node's agent holds."""
        use = self.uses.pop(node, None)
        for held in use.status.held if use is not None else ():
            self._holders.discard(held.uid, node)


def group_key(pod: Pod) -> str:
    """The key of the group that a pod belongs to: its gang's, else its own."""
    name = pod.metadata.labels.get(LABEL_GANG) or pod.metadata.name
    return f"{pod.metadata.namespace}/{name}"
