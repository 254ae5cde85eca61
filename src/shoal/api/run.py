"""Run: a program, how many copies of it, and the share of cards that each copy gets."""

from enum import StrEnum
from typing import Final

import msgspec

from shoal.api.meta import Condition, Object, View

HOST_IMAGE: Final = "host"
MOST_REPLICAS: Final = 1000
MOST_RETRIES: Final = 100


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
    EVICTED = "evicted"
    """Somebody deleted the pod of a replica: by name, by a drain, or by a taint."""


class Limits(View, forbid_unknown_fields=True):
    """When a run is ended whatever it does. ``time`` is a duration, counted per attempt."""

    time: str = ""
    """Longest time of one attempt, such as 30m or 12h; empty for no limit."""


class Retry(View, forbid_unknown_fields=True):
    """How often, and after what, a failed attempt is tried again."""

    max: int = 0
    """How many times a failed attempt is tried again, 0 to 100."""
    on: list[RetryCause] = msgspec.field(default_factory=lambda: list(RetryCause))
    """After which causes it is tried again; all of them where none is named."""


class RunSpec(View, forbid_unknown_fields=True):
    """What is asked for. Amounts are texts in the grammars of ``shoal.units``.

    ``run`` is a shell line or a list of arguments. ``code`` is ``sha256:<hex>`` (a snapshot
    in the home's store) or the absolute path of a folder used in place. ``gpu``, ``cpu``,
    ``memory`` and ``shm`` are per replica. ``stop`` asks a run to end.
    """

    run: str | list[str]
    """The program: a shell line, or a list of arguments."""
    queue: str = "default"
    """The queue that the run is handed in to."""
    replicas: int = 1
    """How many copies run side by side, 1 to 1000."""
    gpu: str = ""
    """Share of cards for each replica, such as 2, 1/2, 24Gi or A100:1/2; empty for none."""
    pack: bool = False
    """Whether replicas may share a card."""
    cpu: str | int = ""
    """Cores for each replica, such as 8 or 500m; empty for no limit."""
    memory: str | int = ""
    """Memory for each replica, such as 32Gi; empty for no limit."""
    shm: str | int = ""
    """Shared memory for each replica, such as 8Gi; without effect on the host."""
    image: str = HOST_IMAGE
    """Container image, or host to run on the machine itself."""
    code: str = ""
    """The code to run in: sha256: and the hash of a snapshot, or a folder's absolute path."""
    env: dict[str, str] = {}
    """Environment variables."""
    priority: str = "normal"
    """Name of the priority class."""
    limits: Limits = msgspec.field(default_factory=Limits)
    """When the run is ended whatever it does."""
    retry: Retry = msgspec.field(default_factory=Retry)
    """What happens after a failed attempt."""
    stop: bool = False
    """Ask the run to end; once true it stays so."""


class Failure(View):
    """The first thing that went wrong. ``signal`` is 0 unless a signal killed the replica.

    ``finished_at`` (RFC 3339) is when it happened: a fact that arrives later but happened
    earlier takes its place.
    """

    rank: int = 0
    """Rank of the replica."""
    pod: str = ""
    """Name of its pod."""
    exit_code: int = 0
    """Exit code of its program."""
    signal: int = 0
    """Signal that killed it; 0 for none."""
    reason: str = ""
    """One word for what happened."""
    message: str = ""
    """One sentence for what happened."""
    finished_at: str = ""
    """When it happened."""


class ReplicaStatus(View):
    """Where a replica is or was: its node and the names of its cards (``gpu-0``)."""

    rank: int = 0
    """Rank of the replica."""
    pod: str = ""
    """Name of its pod."""
    node: str = ""
    """Node that it runs on."""
    cards: list[str] = []
    """Names of its cards."""


class RunStatus(View):
    """What became of it. Written by the run controller alone. Times are RFC 3339.

    ``message`` is one sentence for people: what it waits for, or what it ended with.
    ``attempt`` counts from 0; ``restarts`` is how many attempts were given up before.
    """

    phase: RunPhase = RunPhase.QUEUED
    """Where the run is in its life."""
    message: str = ""
    """One sentence: what it waits for, or what it ended with."""
    reason: str = ""
    """One word for the message."""
    attempt: int = 0
    """Number of the present attempt, from 0."""
    restarts: int = 0
    """How many attempts were given up before."""
    started_at: str | None = None
    """When the first replica started."""
    finished_at: str | None = None
    """When the run ended."""
    failure: Failure | None = None
    """The first thing that went wrong."""
    replicas: list[ReplicaStatus] = []
    """Where the replicas are or were."""
    conditions: list[Condition] = []
    """What is known of the run, one entry a kind of knowledge."""
    observed_generation: int = 0
    """Generation of the run that this status tells of."""


class Run(Object, kw_only=True):
    """A program, how many copies of it, and what each copy gets."""

    spec: RunSpec
    """What is asked for."""
    status: RunStatus = msgspec.field(default_factory=RunStatus)
    """What became of it."""
