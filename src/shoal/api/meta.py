"""What every object carries, and the names that belong to shoal."""

from typing import Final

import msgspec

GROUP: Final = "shoal.dev"
VERSION: Final = "v1alpha1"
API_VERSION: Final = f"{GROUP}/{VERSION}"

DRIVER: Final = "gpu.shoal.dev"
"""Driver name and DeviceClass of shared cards."""

SCHEDULER: Final = "shoal"
"""``schedulerName`` of the pods that shoal makes."""
SCHEDULERS: Final = frozenset({SCHEDULER, "default-scheduler"})
"""The names whose pods are given nodes: also that of pods which name no scheduler."""

LABEL_RUN: Final = "shoal.dev/run"
LABEL_RANK: Final = "shoal.dev/rank"
LABEL_REPLICAS: Final = "shoal.dev/replicas"
LABEL_ATTEMPT: Final = "shoal.dev/attempt"
LABEL_GANG: Final = "shoal.dev/gang"
LABEL_QUEUE: Final = "shoal.dev/queue"
ANNOTATION_CODE: Final = "shoal.dev/code"
ANNOTATION_ENDED_BY: Final = "shoal.dev/ended-by"
"""On a pod whose deadline was shortened so that it ends: what ended it."""
ANNOTATION_CLOSED_BY_DOWN: Final = "shoal.dev/closed-by-down"
"""On a node: ``shoal down`` closed it, and the next ``shoal up`` opens it again."""
ANNOTATION_AGENT: Final = "shoal.dev/agent"
"""On a node's lease: the machine and the home of the agent that renews it."""
ANNOTATION_RANK_PORT: Final = "shoal.dev/rank-port"
"""On rank 0's pod: the port its agent chose for the others to meet at."""

ANNOTATION_TIME_LIMIT: Final = "shoal.dev/time-limit"
"""On a run's pod: a deadline of so many seconds counts from the program's start on."""
ANNOTATION_STARTED: Final = "shoal.dev/started-at"
"""On a pod: when its first container started, to the millisecond; a status has whole seconds."""
ANNOTATION_FINISHED: Final = "shoal.dev/finished-at"
"""On a pod that is over: when the container ended that it is judged by, to the millisecond."""


class View(msgspec.Struct, rename="camel", omit_defaults=True, gc=False):
    """Base of the typed views: camelCase on the wire, unknown fields skipped."""


class OwnerReference(View):
    """Who made this object; when that one goes, this one goes."""

    api_version: str = ""
    kind: str = ""
    name: str = ""
    uid: str = ""
    controller: bool = False
    block_owner_deletion: bool = False


class ObjectMeta(View):
    """``metadata`` as every kind has it. Times are RFC 3339 texts."""

    name: str = ""
    generate_name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    deletion_grace_period_seconds: int | None = None
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    finalizers: list[str] = []
    owner_references: list[OwnerReference] = []


class Object(View):
    """Any object, by its metadata alone."""

    api_version: str = ""
    kind: str = ""
    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)


class Condition(View):
    """One entry of ``status.conditions``."""

    type: str = ""
    """What the condition is about."""
    status: str = "Unknown"
    """True, False or Unknown."""
    reason: str = ""
    """One word for why."""
    message: str = ""
    """One sentence for why."""
    last_transition_time: str | None = None
    """When the status last changed."""
    observed_generation: int = 0
    """Generation of the object that this tells of."""


def find_condition(conditions: list[Condition], kind: str) -> Condition | None:
    """The condition of that type, if there is one."""
    return next((c for c in conditions if c.type == kind), None)
