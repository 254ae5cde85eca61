"""What of a recorded command must be found again, and what of it belongs to the recording alone.

A recorded text holds placeholders where the recording had its own times, ids and names. The
distance between two columns is kubectl's own doing (it follows the widest cell), so cells are
compared and not the space between them.
"""

import re
from collections.abc import Iterable
from typing import Any

from tests.kubectl.recorder import Seen

Request = tuple[Any, ...]
PLACEHOLDERS = {
    "uid": r"[0-9a-f-]{36}",
    "rv": r"[1-9]\d*",
    "time": r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?( ?[Z+-][\d:]*)?",
    "nanotime": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z",
    "rand": r"[a-z0-9]{5}",
    "hash": r"[A-Za-z0-9]{8,128}",
    "ip": r"[0-9a-f.:]+",
    "token": r"\S+",
    "seconds": r"\d+",
    "date": r".+",
    "tmp": r"\S+",
    "text": r".*",
    "log-prefix": r"E\d{4} [\d:.]+ +\d+",
}
PLACEHOLDER = re.compile("<(" + "|".join(PLACEHOLDERS) + ")>")
# An age, a moment of a log that the recording kept, the one pod whose restarts come in time.
AGE = re.compile(r"\b(\d+[smhd])+( ago)?\b")
MOMENT = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d*$")
RESTARTING = re.compile(r"^((pod/)?crash)\s+.*$")
PROTOBUF = "application/vnd.kubernetes.protobuf"
# Asked again or not as the copies in kubectl's cache grow old.
KEPT_COPIES = re.compile(r"^(/api|/apis|/openapi/v2|/openapi/v3(/.*)?)$")


def same_text(recorded: str, given: str) -> bool:
    """Whether a text is as recorded: line by line, cell by cell."""
    wanted, got = _lines(recorded), _lines(given)
    return len(wanted) == len(got) and all(
        re.fullmatch(_pattern(want), line) for want, line in zip(wanted, got, strict=True)
    )


def _lines(text: str) -> list[str]:
    return [_plain(line) for line in text.rstrip("\n").split("\n")]


def _plain(line: str) -> str:
    line = RESTARTING.sub(r"\1", AGE.sub("AGE", MOMENT.sub("MOMENT", line)))
    return re.sub(r" {2,}|\t+", "  ", line.rstrip())


def _pattern(text: str) -> str:
    pieces = PLACEHOLDER.split(text)  # literal, name, literal, name, ..., literal
    return "".join(
        PLACEHOLDERS[piece] if i % 2 else re.escape(piece) for i, piece in enumerate(pieces)
    )


def differing_requests(recorded: Iterable[dict[str, Any]], seen: Iterable[Seen]) -> str | None:
    """Requests that only one side has; each once, since polling and parallel order vary."""
    wanted = {_wanted(one) for one in recorded if not KEPT_COPIES.match(one["path"])}
    got = {_got(one) for one in seen if not KEPT_COPIES.match(one.path)}
    wanted, got = _without_waiting(wanted), _without_waiting(got)
    missing = [want for want in wanted if not any(_same(want, one) for one in got)]
    extra = [one for one in got if not any(_same(want, one) for want in wanted)]
    return f"missing {missing}, not recorded {extra}" if missing or extra else None


def _wanted(one: dict[str, Any]) -> Request:
    query = _query(one.get("query", {}))
    content_type = one.get("headers", {}).get("Content-Type")
    answer = one["answer"]
    kind = answer.get("content_type")
    return one["method"], one["path"], query, content_type, answer["status"], kind


def _got(one: Seen) -> Request:
    query = _query(one.query)
    return one.method, one.path, query, one.content_type, one.status, one.answer_type


def _query(pairs: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """Sorted, the parts of a selector too: kubectl writes them in any order."""
    return tuple(
        (name, ",".join(sorted(value.split(","))) if name == "fieldSelector" else value)
        for name, value in sorted(pairs.items())
    )


def _without_waiting(requests: set[Request]) -> set[Request]:
    """After a delete kubectl looks whether the object is gone, and watches it if it is not."""
    deleted = [one[1] for one in requests if one[0] == "DELETE"]

    def waits(one: Request) -> bool:
        followed = any(path.rpartition("/")[0] == one[1] for path in deleted)
        return one[0] == "GET" and (one[1] in deleted or (followed and ("watch", "true") in one[2]))

    return {one for one in requests if not waits(one)}


def _same(want: Request, got: Request) -> bool:
    return (
        want[0] == got[0]
        and re.fullmatch(_pattern(want[1]), got[1]) is not None
        and [name for name, _ in want[2]] == [name for name, _ in got[2]]
        and all(re.fullmatch(_pattern(a[1]), b[1]) for a, b in zip(want[2], got[2], strict=True))
        and want[3:5] == got[3:5]
        and _same_type(want[5], got[5])
    )


def _same_type(want: str | None, got: str | None) -> bool:
    """Where kubectl takes protobuf or JSON, JSON is as good."""
    return want is None or want == got or (want == PROTOBUF and got == "application/json")
