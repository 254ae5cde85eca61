"""Runs as they are stored, read without trusting them.

The API server refuses malformed runs. One that slipped in all the same must end as a failed
run with a sentence, not stop the loop that reads all runs.
"""

from typing import Any, Final

import msgspec

from shoal.api.kinds import RUNS, Kind
from shoal.api.meta import API_VERSION, Object
from shoal.api.run import Run, RunSpec, RunStatus


class StoredRun(Object):
    """A run whose spec and status are not decoded yet."""

    spec: msgspec.Raw = msgspec.Raw(b"{}")
    status: msgspec.Raw = msgspec.Raw(b"{}")


STORED_RUNS: Final = Kind(RUNS.api_version, RUNS.name, RUNS.plural, RUNS.namespaced, StoredRun)


def read_run(stored: StoredRun) -> tuple[Run, str]:
    """The run, and why its spec cannot be read: empty for all but the malformed."""
    try:
        spec, malformed = msgspec.json.decode(stored.spec, type=RunSpec), ""
    except msgspec.ValidationError as error:
        spec, malformed = RunSpec(run=""), f"spec: {error}"
    return Run(metadata=stored.metadata, spec=spec, status=_read_status(stored)), malformed


def status_body(run: Run, status: RunStatus) -> dict[str, Any]:
    """The body of a PUT to ``/status`` at the version of the run that was read."""
    meta = run.metadata
    return {
        "apiVersion": API_VERSION,
        "kind": RUNS.name,
        "metadata": {
            "name": meta.name,
            "namespace": meta.namespace,
            "uid": meta.uid,
            "resourceVersion": meta.resource_version,
        },
        # The phase is written even where it is the default: people select by it.
        "status": {"phase": status.phase, **msgspec.to_builtins(status)},
    }


def _read_status(stored: StoredRun) -> RunStatus:
    try:
        return msgspec.json.decode(stored.status, type=RunStatus)
    except msgspec.ValidationError:
        # It is written by this controller alone: what is no status is written anew.
        return RunStatus()
