"""Handing in a run: ask whether it can ever start, keep its code, create it."""

from typing import Any, Final

import msgspec

from shoal.api.kinds import PRIORITY_CLASSES, RUNS
from shoal.api.run import Run
from shoal.cli.context import Here
from shoal.cli.errors import BadInput
from shoal.cli.naming import name_of, suffixed
from shoal.cli.prepare import Prepared
from shoal.cli.say import count_of, say_bytes, say_cards, say_clock, say_phase
from shoal.cli.scheduler import ask_plan
from shoal.cli.snapshot import Snapshot, take
from shoal.core.report import Verdict
from shoal.core.words import say_reason
from shoal.kube.config import home_path
from shoal.kube.errors import ApiError

_TRIES: Final = 20
_PRIORITIES: Final = ("low", "normal", "high")


class Submitted(msgspec.Struct):
    """A run that was created, and its code where a snapshot was taken."""

    run: Run
    snapshot: Snapshot | None


def submit(here: Here, prepared: Prepared, *, wait_for_nodes: bool) -> Submitted:
    """Create the run. Raises BadInput, with nothing changed, where it could never start."""
    _check_priority(here, prepared.spec.priority)
    if not wait_for_nodes:
        refuse_hopeless(here, prepared)
    snapshot = take(prepared.folder, home_path()) if prepared.folder is not None else None
    return Submitted(_create(here, prepared, snapshot), snapshot)


def refuse_hopeless(here: Here, prepared: Prepared) -> None:
    """Raises BadInput with the arithmetic for what this box could never give."""
    name = prepared.name or name_of(prepared.spec.run)
    plan = ask_plan(here, prepared.document(name))
    if plan is not None and plan.verdict is Verdict.NEVER and plan.reason is not None:
        reason = say_reason(plan.reason, say_clock)
        raise BadInput(f"{reason}. With --wait-for-nodes it would wait for more.")


def headline(submitted: Submitted) -> str:
    """``digits · 1/2 card · queue default · code 12 files, 48 kB``."""
    run, snapshot = submitted.run, submitted.snapshot
    facts = [run.metadata.name, say_cards(run.spec), f"queue {run.spec.queue}"]
    if snapshot is not None:
        facts.append(f"code {count_of(snapshot.files, 'file')}, {say_bytes(snapshot.size)}")
    elif run.spec.code.startswith("/"):
        facts.append(f"code in place: {run.spec.code}")
    return " · ".join(fact for fact in facts if fact)


def _create(here: Here, prepared: Prepared, snapshot: Snapshot | None) -> Run:
    code = snapshot.code if snapshot is not None else None
    if prepared.name:
        return _create_named(here, prepared.document(prepared.name, code))
    name = base = name_of(prepared.spec.run)
    for _ in range(_TRIES):
        try:
            return here.client.create(RUNS, prepared.document(name, code), here.namespace)
        except ApiError as error:
            if not error.already_exists:
                raise
            name = suffixed(base)
    raise BadInput(f"{_TRIES} names such as {name} are taken; give one: --name NAME")


def _create_named(here: Here, document: dict[str, Any]) -> Run:
    try:
        return here.client.create(RUNS, document, here.namespace)
    except ApiError as error:
        if not error.already_exists:
            raise
    name = document["metadata"]["name"]
    phase = say_phase(here.run(name).status.phase)
    raise BadInput(
        f"a run {name} exists ({phase}). Take another name, or remove it: shoal delete run {name}"
    )


def _check_priority(here: Here, name: str) -> None:
    """The three that every box has need no question."""
    if name in _PRIORITIES:
        return
    try:
        here.client.get(PRIORITY_CLASSES, name)
    except ApiError as error:
        if not error.not_found:
            raise
        raise BadInput(
            f"--priority {name}: there is no such priority; there are {', '.join(_PRIORITIES)}"
        ) from None
