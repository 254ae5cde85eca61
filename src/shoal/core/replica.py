"""The objects that a run's replicas are made of: Pods, ResourceClaims and the Gang.

Everything is named after the run and owned by it, so that it goes when the run goes. Each
attempt gets fresh objects: ``digits-0`` first, ``digits-0-r1`` after the first restart.
"""

from collections.abc import Callable
from typing import Any, Final

from shoal.api.claim import REQUEST, claim_object
from shoal.api.meta import (
    ANNOTATION_CODE,
    ANNOTATION_TIME_LIMIT,
    API_VERSION,
    LABEL_ATTEMPT,
    LABEL_GANG,
    LABEL_QUEUE,
    LABEL_RANK,
    LABEL_REPLICAS,
    LABEL_RUN,
    SCHEDULER,
)
from shoal.api.run import HOST_IMAGE, Run, RunSpec
from shoal.units.duration import parse_duration
from shoal.units.errors import UnitError
from shoal.units.gpu import parse_share
from shoal.units.quantity import format_mib, parse_bytes, parse_cpu, parse_mib

MAIN: Final = "main"
"""Name of the one container of a replica's pod."""
_SHM: Final = "shm"


def replica_name(run: str, rank: int, attempt: int) -> str:
    """The name of a replica's pod and of its claim."""
    return f"{run}-{rank}{_suffix(attempt)}"


def gang_name(run: str, attempt: int) -> str:
    """The name of an attempt's gang."""
    return f"{run}{_suffix(attempt)}"


def problem(spec: RunSpec) -> str:
    """Why no replica can be made of this, in one sentence that names the field; empty if one can.

    The API server refuses such runs, so this speaks only of one that slipped in.
    """
    if spec.replicas < 1:
        return f"spec.replicas: {spec.replicas} is not a count of replicas; example: 4"
    if not spec.run:
        return "spec.run: there is nothing to run; example: python train.py"
    checks: tuple[tuple[str, Callable[[str], object], str | int], ...] = (
        ("spec.gpu", parse_share, spec.gpu),
        ("spec.cpu", parse_cpu, spec.cpu),
        ("spec.memory", parse_bytes, spec.memory),
        ("spec.shm", parse_bytes, spec.shm),
        ("spec.limits.time", parse_duration, spec.limits.time),
    )
    for field, parse, text in checks:
        try:
            if text != "":
                parse(str(text))
        except UnitError as error:
            return f"{field}: {error}"
    return ""


def time_limit_seconds(spec: RunSpec) -> int:
    """The time limit of an attempt; 0 where there is none, or none that can be read."""
    try:
        return parse_duration(spec.limits.time) if spec.limits.time else 0
    except UnitError:
        return 0


def pod_object(run: Run, rank: int) -> dict[str, Any]:
    """The pod of a replica in the run's current attempt. Raises UnitError."""
    spec = run.spec
    pod: dict[str, Any] = {
        "schedulerName": SCHEDULER,
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "priorityClassName": spec.priority,
        "containers": [_container(spec)],
    }
    if spec.gpu:
        claim = {"name": REQUEST, "resourceClaimName": _name(run, rank)}
        pod["resourceClaims"] = [claim]
    annotations = {ANNOTATION_CODE: spec.code} if spec.code else {}
    if limit := time_limit_seconds(spec):
        pod["activeDeadlineSeconds"] = limit
        annotations[ANNOTATION_TIME_LIMIT] = str(limit)
    if shm := _shm_mib(spec):
        empty = {"medium": "Memory", "sizeLimit": format_mib(shm)}
        pod["volumes"] = [{"name": _SHM, "emptyDir": empty}]
    metadata = _metadata(run, _name(run, rank)) | {
        "labels": _labels(run, rank) | _pod_labels(run),
        "annotations": annotations,
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod}


def claim_of(run: Run, rank: int) -> dict[str, Any]:
    """The claim of a replica that asks for cards. Raises UnitError."""
    name = _name(run, rank)
    share = parse_share(run.spec.gpu)
    claim = claim_object(name, run.metadata.namespace, share, pack=run.spec.pack)
    claim["metadata"] = _metadata(run, name) | {"labels": _labels(run, rank)}
    return claim


def gang_object(run: Run) -> dict[str, Any]:
    """The gang of a run with more than one replica."""
    name = gang_name(run.metadata.name, run.status.attempt)
    return {
        "apiVersion": API_VERSION,
        "kind": "Gang",
        "metadata": _metadata(run, name) | {"labels": _labels(run)},
        "spec": {"members": run.spec.replicas, "pack": run.spec.pack},
    }


def _suffix(attempt: int) -> str:
    return f"-r{attempt}" if attempt else ""


def _name(run: Run, rank: int) -> str:
    return replica_name(run.metadata.name, rank, run.status.attempt)


def _metadata(run: Run, name: str) -> dict[str, Any]:
    owner = {
        "apiVersion": API_VERSION,
        "kind": "Run",
        "name": run.metadata.name,
        "uid": run.metadata.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }
    return {"name": name, "namespace": run.metadata.namespace, "ownerReferences": [owner]}


def _labels(run: Run, rank: int | None = None) -> dict[str, str]:
    labels = {LABEL_RUN: run.metadata.name, LABEL_ATTEMPT: str(run.status.attempt)}
    return labels if rank is None else labels | {LABEL_RANK: str(rank)}


def _pod_labels(run: Run) -> dict[str, str]:
    labels = {LABEL_REPLICAS: str(run.spec.replicas), LABEL_QUEUE: run.spec.queue}
    if run.spec.replicas > 1:
        labels[LABEL_GANG] = gang_name(run.metadata.name, run.status.attempt)
    return labels


def _container(spec: RunSpec) -> dict[str, Any]:
    amounts = {"cpu": spec.cpu, "memory": spec.memory}
    asked = {name: str(amount) for name, amount in amounts.items() if amount != ""}
    resources: dict[str, Any] = {"requests": asked, "limits": asked} if asked else {}
    if spec.gpu:
        resources["claims"] = [{"name": REQUEST}]
    container = {
        "name": MAIN,
        "image": spec.image,
        "command": [_verbatim(word) for word in _words(spec.run)],
        "env": [{"name": name, "value": value} for name, value in spec.env.items()],
        "resources": resources,
    }
    if _shm_mib(spec):
        container["volumeMounts"] = [{"name": _SHM, "mountPath": "/dev/shm"}]  # noqa: S108
    return container


def _words(run: str | list[str]) -> list[str]:
    return ["/bin/sh", "-c", run] if isinstance(run, str) else run


def _verbatim(word: str) -> str:
    """A word that a pod's command expands to itself: there ``$$`` stands for ``$``."""
    return word.replace("$", "$$")


def _shm_mib(spec: RunSpec) -> int:
    """MiB of shared memory of its own; 0 on the host, where programs share the machine's."""
    if spec.image == HOST_IMAGE:
        return 0
    if spec.shm != "":
        return parse_mib(spec.shm)
    return parse_mib(spec.memory) // 2 if spec.memory != "" else 0
