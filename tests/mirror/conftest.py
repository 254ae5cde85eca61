"""Objects as the API server would send them, small enough to read in a test."""

from typing import Any

import msgspec
import pytest

from shoal.api.claim import ResourceClaim, ResourceSlice, claim_object
from shoal.api.gang import Gang
from shoal.api.meta import DRIVER, LABEL_GANG, LABEL_RUN, SCHEDULER
from shoal.api.node import Node
from shoal.api.nodeuse import NodeUse
from shoal.api.pod import Pod
from shoal.api.run import Run
from shoal.kube.reflector import Delta
from shoal.mirror.mirror import Mirror
from shoal.units.gpu import parse_share

READY = {"type": "Ready", "status": "True"}


def view(raw: dict[str, Any], kind: type[Any]) -> Any:
    """An object as it comes off the wire."""
    return msgspec.json.decode(msgspec.json.encode(raw), type=kind)


class Make:
    """Builders; what a test does not care about has a default."""

    def node(self, name: str = "box1", *, boot: str = "b1", **changes: Any) -> Node:
        status = {
            "allocatable": {"cpu": "8", "memory": "64Gi"},
            "conditions": changes.pop("conditions", [READY]),
            "nodeInfo": {"bootID": boot},
        }
        metadata = {"name": name, "labels": changes.pop("labels", {})}
        metadata["annotations"] = changes.pop("annotations", {})
        return view({"metadata": metadata, "status": status, "spec": changes}, Node)

    def slice(self, node: str = "box1", cards: int = 2, memory: str = "80Gi") -> ResourceSlice:
        devices = [
            {
                "name": f"gpu-{at}",
                "attributes": {"model": {"string": "A100-80GB"}, "index": {"int": at}},
                "capacity": {"memory": {"value": memory}, "compute": {"value": "1000"}},
            }
            for at in range(cards)
        ]
        spec = {"driver": DRIVER, "nodeName": node, "pool": {"name": node}, "devices": devices}
        return view({"metadata": {"name": f"{node}-cards"}, "spec": spec}, ResourceSlice)

    def use(
        self,
        *uids: str,
        node: str = "box1",
        boot: str = "b1",
        devices: tuple[dict[str, Any], ...] = (),
    ) -> NodeUse:
        told = {"devices": list(devices)} if devices else {}
        status = {"bootID": boot, "held": [{"uid": uid, "pod": "p", **told} for uid in uids]}
        return view({"metadata": {"name": node}, "status": status}, NodeUse)

    def claim(
        self,
        name: str,
        gpu: str = "1/2",
        *,
        on: str = "",
        cards: tuple[int, ...] = (0,),
        version: int = 1,
        **extra: Any,
    ) -> ResourceClaim:
        raw = claim_object(name, "default", parse_share(gpu), pack=False)
        raw["metadata"] |= {"uid": f"claim-{name}", "resourceVersion": str(version)}
        raw["metadata"] |= extra.pop("metadata", {})
        raw["spec"] = extra.pop("spec", raw["spec"])
        if on:
            consumed = extra.pop("consumed", {"memory": "40Gi", "compute": "500"})
            results = [
                {
                    "request": "gpu",
                    "driver": DRIVER,
                    "pool": on,
                    "device": f"gpu-{card}",
                    "consumedCapacity": consumed,
                }
                for card in cards
            ]
            reserved = [{"resource": "pods", "name": name, "uid": f"pod-{name}"}]
            raw["status"] = {
                "allocation": {"devices": {"results": results}},
                "reservedFor": reserved,
            }
        return view(raw, ResourceClaim)

    def pod(
        self,
        name: str,
        *,
        claim: str = "",
        on: str = "",
        phase: str = "Pending",
        gang: str = "",
        run: str = "",
        uid: str = "",
        image: str = "host",
        **spec: Any,
    ) -> Pod:
        labels = {LABEL_GANG: gang} if gang else {}
        labels |= {LABEL_RUN: run} if run else {}
        spec.setdefault("containers", [{"name": "main", "image": image}])
        spec.setdefault("schedulerName", SCHEDULER)
        if claim:
            spec["resourceClaims"] = [{"name": "gpu", "resourceClaimName": claim}]
        metadata = {
            "name": name,
            "namespace": "default",
            "uid": uid or f"pod-{name}",
            "labels": labels,
            "creationTimestamp": "2026-12-24T08:00:00Z",
        }
        raw = {
            "metadata": metadata,
            "spec": spec | {"nodeName": on},
            "status": {"phase": phase},
        }
        return view(raw, Pod)

    def gang(self, name: str, members: int, **extra: Any) -> Gang:
        raw = {
            "metadata": {"name": name, "namespace": "default", "uid": f"gang-{name}"},
            "spec": {"members": members, "pack": extra.pop("pack", False)},
            "status": extra,
        }
        return view(raw, Gang)

    def run(self, name: str, *, started: str = "", limit: str = "") -> Run:
        raw = {
            "metadata": {"name": name, "namespace": "default", "uid": f"run-{name}"},
            "spec": {"run": "true", "limits": {"time": limit}},
            "status": {"startedAt": started or None},
        }
        return view(raw, Run)


class Told(Mirror):
    """A mirror that is fed objects instead of deltas."""

    def see(self, *objects: Any) -> list[Any]:
        for obj in objects:
            self.apply(Delta(None, obj))
        return self.drain()

    def lose(self, *objects: Any) -> list[Any]:
        for obj in objects:
            self.apply(Delta(obj, None))
        return self.drain()


@pytest.fixture(scope="session")
def make() -> Make:
    return Make()


@pytest.fixture(scope="session")
def new_mirror() -> type[Told]:
    return Told


@pytest.fixture
def mirror(make: Make) -> Told:
    """A mirror that knows a node with two cards of 80 GiB."""
    told = Told()
    told.see(make.node(), make.slice(), make.use())
    return told
