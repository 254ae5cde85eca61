"""Handing in a run: ask whether it can ever start, keep its code, create it."""

from typing import Final

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
from shoal.core.report import Plan, Verdict
from shoal.core.words import say_reason
from shoal.dialect.names import wrong_label
from shoal.kube.config import home_path
from shoal.kube.errors import ApiError

_TRIES: Final = 20
_INVALID: Final = 422
_PRIORITIES: Final = ("low", "normal", "high")


class Submitted(msgspec.Struct):
    """A run that was created, and its code where a snapshot was taken."""

    run: Run
    snapshot: Snapshot | None


def destination(prepared: Prepared, namespace: str) -> Here:
    """Where the run goes: the namespace asked for, else that of its file. Raises BadInput."""
    try:
        return Here(namespace or prepared.namespace)
    except BadInput as error:
        if namespace:
            raise
        raise BadInput(prepared.said("metadata.namespace", str(error))) from None


def submit(here: Here, prepared: Prepared, *, wait_for_nodes: bool) -> Submitted:
    """Create the run. Raises BadInput, with nothing changed, where it could never start."""
    check(here, prepared, wait_for_nodes=wait_for_nodes)
    snapshot = take(prepared.folder, home_path()) if prepared.folder is not None else None
    return Submitted(_create(here, prepared, snapshot), snapshot)


def check(here: Here, prepared: Prepared, *, wait_for_nodes: bool) -> Plan | None:
    """What would become of the run; None where no scheduler answers.

    Raises BadInput for what is wrong, and with the arithmetic for what this box could never
    give.
    """
    _check_priority(here, prepared)
    _check_fields(here, prepared)
    plan = ask_plan(here, prepared.document(prepared.name or name_of(prepared.spec.run)))
    if plan is None or plan.verdict is not Verdict.NEVER or wait_for_nodes:
        return plan
    assert plan.reason is not None, "what never starts has a reason"
    reason = say_reason(plan.reason, say_clock)
    raise BadInput(f"{reason}. With --wait-for-nodes it would wait for more.")


def refused(error: ApiError, prepared: Prepared) -> Exception:
    """The server's refusal, each fault of it led by the option or the line that it is about."""
    if error.code != _INVALID or not error.causes:
        return error
    return BadInput(". ".join(prepared.said(cause.field, cause.message) for cause in error.causes))


def headline(submitted: Submitted) -> str:
    """``digits · 1/2 card · queue default · code 12 files, 48 kB``."""
    run, snapshot = submitted.run, submitted.snapshot
    facts = [run.metadata.name, say_cards(run.spec), f"queue {run.spec.queue}"]
    if snapshot is not None:
        facts.append(f"code {count_of(snapshot.files, 'file')}, {say_bytes(snapshot.size)}")
    elif run.spec.code.startswith("/"):
        facts.append(f"code in place: {run.spec.code}")
    return " · ".join(fact for fact in facts if fact)


def _check_fields(here: Here, prepared: Prepared) -> None:
    """Have the server look at the run before anything is kept or made."""
    document = prepared.document(prepared.name or name_of(prepared.spec.run))
    try:
        here.client.create(RUNS, document, here.namespace, dry_run=True)
    except ApiError as error:
        if not error.already_exists:
            raise refused(error, prepared) from None
        if prepared.name:
            raise _taken(here, prepared.name) from None


def _create(here: Here, prepared: Prepared, snapshot: Snapshot | None) -> Run:
    code = snapshot.code if snapshot is not None else None
    name = base = prepared.name or name_of(prepared.spec.run)
    for _ in range(_TRIES):
        try:
            return here.client.create(RUNS, prepared.document(name, code), here.namespace)
        except ApiError as error:
            if not error.already_exists:
                raise refused(error, prepared) from None
        if prepared.name:
            raise _taken(here, name)
        name = suffixed(base)
    raise BadInput(f"{_TRIES} names such as {name} are taken; give one: --name NAME")


def _taken(here: Here, name: str) -> BadInput:
    phase = say_phase(here.run(name).status.phase)
    return BadInput(
        f"a run {name} exists ({phase}). Take another name, or remove it: shoal delete run {name}"
    )


def _check_priority(here: Here, prepared: Prepared) -> None:
    """The three that every box has need no question."""
    name = prepared.spec.priority
    if name in _PRIORITIES or wrong_label(name):
        return  # the server tells what is no name at all
    try:
        here.client.get(PRIORITY_CLASSES, name)
    except ApiError as error:
        if not error.not_found:
            raise
        told = f"there is no priority {name}; there are {', '.join(_PRIORITIES)}"
        raise BadInput(prepared.said("spec.priority", told)) from None
