"""The table row of a job."""

from collections.abc import Sequence
from typing import Any

from shoal.apiserver.kinds.cells import age_of, name_of
from shoal.dialect.document import Document
from shoal.dialect.selectors import selector_text
from shoal.dialect.table import say_age
from shoal.units.instant import parse_instant


def job(document: Document, now: int) -> list[Any]:
    """Name, Status, Completions, Duration, Age, Containers, Images, Selector."""
    spec, status = document.get("spec") or {}, document.get("status") or {}
    containers = spec["template"]["spec"].get("containers") or []
    return [
        name_of(document),
        _status(document, spec, status),
        _completions(spec, status),
        _duration(status, now),
        age_of(document, now),
        ",".join(container.get("name", "") for container in containers),
        ",".join(container.get("image", "") for container in containers),
        selector_text(spec.get("selector") or {}),
    ]


def _status(document: Document, spec: Document, status: Document) -> str:
    conditions = status.get("conditions") or []
    for word in ("Complete", "Failed"):
        if _holds(conditions, word):
            return word
    if document["metadata"].get("deletionTimestamp"):
        return "Terminating"
    if _holds(conditions, "Suspended") or spec.get("suspend"):
        return "Suspended"
    for word in ("FailureTarget", "SuccessCriteriaMet"):
        if _holds(conditions, word):
            return word
    return "Running"


def _holds(conditions: Sequence[Document], word: str) -> bool:
    return any(c.get("type") == word and c.get("status") == "True" for c in conditions)


def _completions(spec: Document, status: Document) -> str:
    done, wanted = status.get("succeeded") or 0, spec.get("completions")
    if wanted is not None:
        return f"{done}/{wanted}"
    parallelism = spec.get("parallelism") or 0
    return f"{done}/1 of {parallelism}" if parallelism > 1 else f"{done}/1"


def _duration(status: Document, now: int) -> str:
    if not (start := status.get("startTime")):
        return ""
    end = status.get("completionTime")
    ended = parse_instant(end) // 1000 if end else now
    return say_age(ended - parse_instant(start) // 1000)
