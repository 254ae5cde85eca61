"""Run: a program, how many copies of it, and the share of cards that each copy gets."""

from enum import StrEnum
from typing import Final

import msgspec

from shoal.api.meta import Condition, Object, View

HOST_IMAGE: Final = "host"
MOST_REPLICAS: Final = 1000


class RunPhase(StrEnum):
    """The states of a run, in the order in which they are entered; UNKNOWN may be left again."""

    QUEUED = "Queued"
    STARTING = "Starting"
    RUNNING = "Running"
    UNKNOWN = "Unknown"
    """Nothing is heard of a node that it is on; it may go on there, and keeps its cards."""
    SUCCEEDED = "Succeeded"
    FAILED = "Failed"
    STOPPED = "Stopped"
    TIMED_OUT = "TimedOut"

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen."""
        return self in _ENDED


_ENDED: Final = frozenset(
    {RunPhase.SUCCEEDED, RunPhase.FAILED, RunPhase.STOPPED, RunPhase.TIMED_OUT}
)


class RetryCause(StrEnum):
    """Why an attempt ended that may be tried again."""

    ERROR = "error"
    """A replica exited with another code than 0, or was killed by a signal."""
    OUT_OF_MEMORY = "oom"
    """A replica passed its memory limit."""
    NODE_LOST = "node-lost"
    """The node was rebooted or went away."""


class Limits(View, forbid_unknown_fields=True):
    """When a run is ended whatever it does. ``time`` is a duration, counted per attempt."""

    time: str = ""


class Retry(View, forbid_unknown_fields=True):
    """How often, and after what, a failed attempt is tried again."""

    max: int = 0
    on: list[RetryCause] = msgspec.field(default_factory=lambda: list(RetryCause))


class RunSpec(View, forbid_unknown_fields=True):
    """What is asked for. Amounts are texts in the grammars of ``shoal.units``.

    ``run`` is a shell line or a list of arguments. ``code`` is ``sha256:<hex>`` (a snapshot
    in the home's store) or the absolute path of a folder used in place. ``gpu``, ``cpu``,
    ``memory`` and ``shm`` are per replica. ``stop`` asks a run to end.
    """

    run: str | list[str]
    queue: str = "default"
    replicas: int = 1
    gpu: str = ""
    pack: bool = False
    cpu: str | int = ""
    memory: str | int = ""
    shm: str | int = ""
    image: str = HOST_IMAGE
    code: str = ""
    env: dict[str, str] = {}
    priority: str = "normal"
    limits: Limits = msgspec.field(default_factory=Limits)
    retry: Retry = msgspec.field(default_factory=Retry)
    stop: bool = False


class Failure(View):
    """The first thing that went wrong. ``signal`` is 0 unless a signal killed the replica.

    ``finished_at`` (RFC 3339) is when it happened: a fact that arrives later but happened
    earlier takes its place.
    """

    rank: int = 0
    pod: str = ""
    exit_code: int = 0
    signal: int = 0
    reason: str = ""
    message: str = ""
    finished_at: str = ""


class ReplicaStatus(View):
    """Where a replica is or was: its node and the names of its cards (``gpu-0``)."""

    rank: int = 0
    pod: str = ""
    node: str = ""
    cards: list[str] = []


class RunStatus(View):
    """What became of it. Written by the run controller alone. Times are RFC 3339.

    ``message`` is one sentence for people: what it waits for, or what it ended with.
    ``attempt`` counts from 0; ``restarts`` is how many attempts were given up before.
    """

    phase: RunPhase = RunPhase.QUEUED
    message: str = ""
    reason: str = ""
    attempt: int = 0
    restarts: int = 0
    started_at: str | None = None
    finished_at: str | None = None
    failure: Failure | None = None
    replicas: list[ReplicaStatus] = []
    conditions: list[Condition] = []
    observed_generation: int = 0


class Run(Object, kw_only=True):
    """A program, how many copies of it, and what each copy gets."""

    spec: RunSpec
    status: RunStatus = msgspec.field(default_factory=RunStatus)
