"""Asking the scheduler, which answers through the API server's proxy from its live state.

The answers are the structs of ``shoal.core.report``; of the list of all waits only what is
read here is decoded.
"""

from typing import Any, Final, TypeVar

import msgspec

from shoal.cli.context import Here
from shoal.core.report import Board, Explanation, Plan
from shoal.kube.errors import ApiError

NO_SCHEDULER: Final = "the scheduler does not answer; look at the box: shoal status"

_PATH: Final = "/api/v1/namespaces/shoal-system/services/shoal-scheduler/proxy/"
_ABSENT: Final = frozenset({404, 502, 503, 504})

T = TypeVar("T")


class WaitLine(msgspec.Struct):
    """What waits: ``key`` is namespace and name, ``owner`` the run's name, ``message`` why."""

    key: str
    owner: str
    message: str = ""


class _WaitList(msgspec.Struct):
    items: list[WaitLine]


def ask_waits(here: Here) -> list[WaitLine]:
    """What waits in the namespace, in the order of the line; empty where no scheduler answers."""
    told = _ask(here, _WaitList, "GET", "explain")
    lines = told.items if told is not None else []
    return [line for line in lines if line.key.partition("/")[0] == here.namespace]


def ask_explanation(here: Here, name: str) -> Explanation | None:
    """Why a run, gang or pod waits; None where it does not, or no scheduler answers."""
    return _ask(here, Explanation, "GET", f"explain/{here.namespace}/{name}")


def ask_board(here: Here) -> Board | None:
    """Every node and card, and who holds what; None where no scheduler answers."""
    return _ask(here, Board, "GET", "board")


def ask_plan(here: Here, run: dict[str, Any]) -> Plan | None:
    """What would become of a run that is not created; None where no scheduler answers."""
    metadata = run["metadata"] | {"namespace": here.namespace}
    return _ask(here, Plan, "POST", "plan", run | {"metadata": metadata})


def _ask(here: Here, kind: type[T], method: str, what: str, body: object = None) -> T | None:
    """Raises ApiError where the scheduler refuses, as it does with what it cannot read."""
    try:
        answer = here.client.request(method, _PATH + what, body=body)
    except ApiError as error:
        if error.code in _ABSENT:
            return None
        raise
    return msgspec.json.decode(answer, type=kind)
