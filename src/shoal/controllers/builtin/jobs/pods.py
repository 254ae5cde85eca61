"""The pod of a job: its template with owner, finalizer, index and a name that follows from both."""

import copy
import hashlib
import itertools
from collections.abc import Container, Iterator
from typing import Any, Final

from shoal.api.job import COMPLETION_INDEX, INDEX_FAILURES, TRACKING, Job
from shoal.api.kinds import JOBS

_LETTERS: Final = "bcdfghjklmnpqrstvwxz2456789"
"""Of a suffix, as Kubernetes draws them: none that make words."""
_SUFFIX: Final = 5
_LONGEST_BASE: Final = 58
_FIELD: Final = f"metadata.labels['{COMPLETION_INDEX}']"


def free_names(job: Job, index: int | None, taken: Container[str]) -> Iterator[str]:
    """Names for the next pods of a job, or of one of its indexes, in the order of their use.

    Whoever looks at the same pods comes to the same names: a pod cannot be made twice.
    """
    base = base_name(job, index)
    for number in itertools.count():
        name = base + _suffix(f"{job.metadata.uid}/{index}/{number}")
        if name not in taken:
            yield name


def base_name(job: Job, index: int | None) -> str:
    """What the names of a job's pods begin with."""
    tail = "-" if index is None else f"-{index}-"
    return job.metadata.name[: _LONGEST_BASE - len(tail)] + tail


def pod_body(job: Job, name: str, index: int | None, failures: int) -> dict[str, Any]:
    """A new pod. ``failures`` is how often its index failed before, where that is counted."""
    template = copy.deepcopy(job.spec.template)
    metadata: dict[str, Any] = template.setdefault("metadata", {})
    metadata |= {
        "name": name,
        "generateName": base_name(job, index),
        "namespace": job.metadata.namespace,
        "finalizers": [*metadata.get("finalizers", ()), TRACKING],
        "ownerReferences": [_owner(job)],
    }
    if index is not None:
        _number(template, job, index)
        if job.spec.backoff_limit_per_index is not None:
            metadata["annotations"][INDEX_FAILURES] = str(failures)
    return {"apiVersion": "v1", "kind": "Pod", **template}


def _number(template: dict[str, Any], job: Job, index: int) -> None:
    """Tell a pod its index in all the ways that programs look for it."""
    metadata, spec = template["metadata"], template["spec"]
    for place in ("annotations", "labels"):
        metadata[place] = {**(metadata.get(place) or {}), COMPLETION_INDEX: str(index)}
    spec["hostname"] = f"{job.metadata.name}-{index}"
    source = {"fieldRef": {"apiVersion": "v1", "fieldPath": _FIELD}}
    for container in (*spec.get("initContainers", ()), *spec["containers"]):
        told = [each for each in container.get("env", ()) if each["name"] != _VARIABLE]
        container["env"] = [*told, {"name": _VARIABLE, "valueFrom": source}]


_VARIABLE: Final = "JOB_COMPLETION_INDEX"


def _owner(job: Job) -> dict[str, Any]:
    return {
        "apiVersion": JOBS.api_version,
        "kind": JOBS.name,
        "name": job.metadata.name,
        "uid": job.metadata.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }


def _suffix(text: str) -> str:
    drawn = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    letters = []
    for _ in range(_SUFFIX):
        drawn, letter = divmod(drawn, len(_LETTERS))
        letters.append(_LETTERS[letter])
    return "".join(letters)
