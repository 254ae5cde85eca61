"""Rules of jobs: what a new one is completed with, and what may change later.

Source: https://kubernetes.io/docs/concepts/workloads/controllers/job/
"""

from collections.abc import Iterator
from typing import Final

from shoal.apiserver.kinds.job_check import generated_causes, generated_labels, job_causes
from shoal.apiserver.kinds.pod_defaults import complete_template
from shoal.apiserver.kinds.pod_support import unsupported
from shoal.apiserver.kinds.refuse import refuse
from shoal.apiserver.registry import World
from shoal.dialect.document import Document
from shoal.dialect.status import INVALID, Cause

_GROUP: Final = "batch"
_UID_LABEL: Final = "batch.kubernetes.io/controller-uid"
_FAILURES: Final = 6
_UNLIMITED: Final = 2**31 - 1
_FIXED: Final = (
    "selector",
    "completionMode",
    "podFailurePolicy",
    "successPolicy",
    "backoffLimitPerIndex",
    "managedBy",
)
_SUSPENDED_SPEC: Final = frozenset({"affinity", "nodeSelector", "schedulingGates", "tolerations"})
"""What of its pods' spec may change while a job waits for its first start; and resources."""
_SUSPENDED_METADATA: Final = frozenset({"annotations", "labels"})


def admit_job(document: Document, world: World) -> list[str]:
    """Complete a new job, choose its pods by its uid, and check it."""
    spec = document["spec"]
    complete_template(spec["template"])
    warnings = list(unsupported(spec["template"]["spec"], "spec.template.spec"))
    _complete(spec)
    causes: list[Cause] = []
    if not spec["manualSelector"]:
        _select_by_uid(document["metadata"], spec)
        causes += generated_causes(document)
    refuse(_GROUP, "Job", document, [*causes, *job_causes(document)])
    _label_like_its_pods(document["metadata"], spec)
    return warnings


def change_job(new: Document, old: Document) -> None:
    """How many run and for how long may change; what they are, only before the first start."""
    spec = new["spec"]
    complete_template(spec["template"])
    _complete(spec)
    causes = [*job_causes(new), *_change_causes(spec, old)]
    refuse(_GROUP, "Job", new, causes)
    _label_like_its_pods(new["metadata"], spec)


def _complete(spec: Document) -> None:
    if spec.get("backoffLimit") is None:
        by_index = spec.get("backoffLimitPerIndex") is not None
        spec["backoffLimit"] = _UNLIMITED if by_index else _FAILURES
    if spec.get("parallelism") is None:
        spec["parallelism"] = 1
        spec.setdefault("completions", 1)
    if spec.get("podReplacementPolicy") is None:
        held = "Failed" if spec.get("podFailurePolicy") else "TerminatingOrFailed"
        spec["podReplacementPolicy"] = held


def _select_by_uid(metadata: Document, spec: Document) -> None:
    labels = spec["template"]["metadata"].setdefault("labels", {})
    for key, value in generated_labels(metadata).items():
        labels.setdefault(key, value)
    selector = spec.setdefault("selector", {})
    selector.setdefault("matchLabels", {}).setdefault(_UID_LABEL, metadata["uid"])


def _label_like_its_pods(metadata: Document, spec: Document) -> None:
    if not metadata.get("labels") and (labels := spec["template"]["metadata"].get("labels")):
        metadata["labels"] = dict(labels)


def _change_causes(spec: Document, old: Document) -> Iterator[Cause]:
    before = old["spec"]
    for field in _FIXED:
        if spec.get(field) != before.get(field):
            yield Cause(INVALID, "field is immutable", f"spec.{field}")
    if spec.get("completions") != before.get("completions") and not _scales_as_one(spec):
        yield Cause(INVALID, "field is immutable", "spec.completions")
    waits = before.get("suspend") and not (old.get("status") or {}).get("startTime")
    template, earlier = spec["template"], before["template"]
    if _kept_spec(template, waits) != _kept_spec(earlier, waits):
        yield Cause(INVALID, "field is immutable", "spec.template.spec")
    if _kept_metadata(template, waits) != _kept_metadata(earlier, waits):
        yield Cause(INVALID, "field is immutable", "spec.template.metadata")


def _scales_as_one(spec: Document) -> bool:
    """Whether an indexed job grows or shrinks with all its indexes running at once."""
    indexed = spec["completionMode"] == "Indexed"
    return indexed and spec.get("completions") == spec.get("parallelism")


def _kept_metadata(template: Document, waits: bool) -> Document:
    free = _SUSPENDED_METADATA if waits else frozenset()
    return {k: v for k, v in (template.get("metadata") or {}).items() if k not in free}


def _kept_spec(template: Document, waits: bool) -> Document:
    spec: Document = template["spec"]
    if not waits:
        return spec
    kept = {field: value for field, value in spec.items() if field not in _SUSPENDED_SPEC}
    for part in ("containers", "initContainers"):
        kept[part] = [
            {field: value for field, value in container.items() if field != "resources"}
            for container in spec.get(part) or ()
        ]
    return kept
