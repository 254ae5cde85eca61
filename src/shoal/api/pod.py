"""A typed view of Pod: the fields that shoal reads."""

from collections.abc import Iterator
from typing import Final

import msgspec

from shoal.api.meta import Condition, Object, View

DISRUPTED: Final = "DisruptionTarget"
"""The condition of a pod that is deleted for reasons that are not its own."""
EVICTION: Final = "EvictionByEvictionAPI"
"""The reason of that condition where somebody asked for an eviction, as ``kubectl drain`` does."""
LONGEST_GRACE_S: Final = 2**31 - 1
"""Seconds of grace that a keeper counts; whoever asks for more gets these 68 years."""
CARDS: Final = "nvidia.com/gpu"
"""The extended resource that stands for whole cards. It names the pod's claim for them, too."""


class ObjectFieldSelector(View):
    """``fieldRef``: a field of the pod itself."""

    field_path: str = ""


class KeySelector(View):
    """``configMapKeyRef`` or ``secretKeyRef``."""

    name: str = ""
    key: str = ""
    optional: bool = False


class EnvVarSource(View):
    """Where a variable's value comes from."""

    field_ref: ObjectFieldSelector | None = None
    config_map_key_ref: KeySelector | None = None
    secret_key_ref: KeySelector | None = None


class EnvVar(View):
    """One variable of a container's environment."""

    name: str = ""
    value: str = ""
    value_from: EnvVarSource | None = None


class EnvFromRef(View):
    """``configMapRef`` or ``secretRef`` of ``envFrom``."""

    name: str = ""
    optional: bool = False


class EnvFrom(View):
    """A whole config map or secret as environment."""

    prefix: str = ""
    config_map_ref: EnvFromRef | None = None
    secret_ref: EnvFromRef | None = None


class ContainerClaim(View):
    """Which of the pod's claims this container uses."""

    name: str = ""
    request: str = ""


class Resources(View):
    """Quantities by resource name, as written."""

    requests: dict[str, str | int] = {}
    limits: dict[str, str | int] = {}
    claims: list[ContainerClaim] = []


class VolumeMount(View):
    """Where a volume appears. For a process pod ``mount_path`` is linked, not mounted."""

    name: str = ""
    mount_path: str = ""
    sub_path: str = ""
    read_only: bool = False


class Container(View):
    """One program of a pod."""

    name: str = ""
    image: str = ""
    command: list[str] = []
    args: list[str] = []
    working_dir: str = ""
    env: list[EnvVar] = []
    env_from: list[EnvFrom] = []
    resources: Resources = msgspec.field(default_factory=Resources)
    volume_mounts: list[VolumeMount] = []
    restart_policy: str = ""

    @property
    def beside(self) -> bool:
        """Whether it is a sidecar, where it is an init container: it goes on beside the others."""
        return self.restart_policy == "Always"


class KeyToPath(View):
    """One file of a config map or secret volume."""

    key: str = ""
    path: str = ""
    mode: int | None = None


class ConfigMapVolume(View):
    """A config map as a folder of files."""

    name: str = ""
    items: list[KeyToPath] = []
    default_mode: int = 0o644
    optional: bool = False


class SecretVolume(View):
    """A secret as a folder of files."""

    secret_name: str = ""
    items: list[KeyToPath] = []
    default_mode: int = 0o644
    optional: bool = False


class HostPathVolume(View):
    """A folder or file of the machine."""

    path: str = ""
    type: str = ""


class EmptyDirVolume(View):
    """A folder that lives as long as the pod."""

    medium: str = ""
    size_limit: str | int | None = None


class ProjectedVolume(View):
    """Several sources in one folder: only that it is one counts here."""


class Volume(View):
    """One volume; exactly one of the sources is set."""

    name: str = ""
    empty_dir: EmptyDirVolume | None = None
    config_map: ConfigMapVolume | None = None
    secret: SecretVolume | None = None
    host_path: HostPathVolume | None = None
    projected: ProjectedVolume | None = None


class PodClaim(View):
    """An entry of ``spec.resourceClaims``."""

    name: str = ""
    resource_claim_name: str = ""
    resource_claim_template_name: str = ""


class Toleration(View):
    """Taints that the pod does not mind, for so many seconds where it says so."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""
    toleration_seconds: int | None = None


class SchedulingGate(View):
    """Something that has to happen before a pod is given a node."""

    name: str = ""


class PodSpec(View):
    """What the pod is to be."""

    node_name: str = ""
    scheduler_name: str = ""
    priority: int = 0
    priority_class_name: str = ""
    restart_policy: str = "Always"
    termination_grace_period_seconds: int | None = None
    active_deadline_seconds: int | None = None
    node_selector: dict[str, str] = {}
    tolerations: list[Toleration] = []
    scheduling_gates: list[SchedulingGate] = []
    resource_claims: list[PodClaim] = []
    init_containers: list[Container] = []
    containers: list[Container] = []
    volumes: list[Volume] = []


class TerminatedState(View):
    """How a container ended. ``signal`` is 0 unless it was killed by one."""

    exit_code: int = 0
    signal: int = 0
    reason: str = ""
    message: str = ""
    started_at: str | None = None
    finished_at: str | None = None


class RunningState(View):
    """Since when a container runs."""

    started_at: str | None = None


class WaitingState(View):
    """Why a container does not run yet."""

    reason: str = ""
    message: str = ""


class ContainerState(View):
    """Exactly one of the three."""

    waiting: WaitingState | None = None
    running: RunningState | None = None
    terminated: TerminatedState | None = None


class ContainerStatus(View):
    """What became of a container."""

    name: str = ""
    ready: bool = False
    restart_count: int = 0
    state: ContainerState = msgspec.field(default_factory=ContainerState)
    last_state: ContainerState = msgspec.field(default_factory=ContainerState)


class PodClaimStatus(View):
    """The claim made for an entry of ``spec.resourceClaims`` from its template."""

    name: str = ""
    resource_claim_name: str | None = None


class RequestMapping(View):
    """Which request of the claim for extended resources serves a container's resource."""

    container_name: str = ""
    resource_name: str = ""
    request_name: str = ""


class ExtendedClaimStatus(View):
    """The claim that was made for the extended resources of a pod."""

    resource_claim_name: str = ""
    request_mappings: list[RequestMapping] = []


class PodStatus(View):
    """What the pod is."""

    phase: str = "Pending"
    reason: str = ""
    message: str = ""
    host_ip: str = msgspec.field(default="", name="hostIP")
    pod_ip: str = msgspec.field(default="", name="podIP")
    start_time: str | None = None
    conditions: list[Condition] = []
    container_statuses: list[ContainerStatus] = []
    init_container_statuses: list[ContainerStatus] = []
    resource_claim_statuses: list[PodClaimStatus] = []
    extended_resource_claim_status: ExtendedClaimStatus | None = None


class Pod(Object):
    """Programs that run together on one node."""

    spec: PodSpec = msgspec.field(default_factory=PodSpec)
    status: PodStatus = msgspec.field(default_factory=PodStatus)

    @property
    def finished(self) -> bool:
        """Whether the pod has ended for good."""
        return self.status.phase in ("Succeeded", "Failed")

    @property
    def asks_cards(self) -> bool:
        """Whether a container asks for whole cards as an extended resource."""
        containers = (*self.spec.init_containers, *self.spec.containers)
        return any(whole_cards(container) for container in containers)

    def claim_names(self) -> Iterator[tuple[str, str]]:
        """Each claim by its name in the pod and its own, which is empty while not made yet."""
        for entry in self.spec.resource_claims:
            yield entry.name, self.claim_name(entry)
        if self.asks_cards:
            made = self.status.extended_resource_claim_status
            yield CARDS, made.resource_claim_name if made is not None else ""

    def claim_name(self, entry: PodClaim) -> str:
        """The claim behind an entry of ``spec.resourceClaims``; empty while not made yet."""
        if entry.resource_claim_name:
            return entry.resource_claim_name
        made = (s for s in self.status.resource_claim_statuses if s.name == entry.name)
        return next((s.resource_claim_name or "" for s in made), "")


def whole_cards(container: Container) -> int:
    """How many whole cards a container asks for; what is no count asks for none."""
    asked = container.resources.limits.get(CARDS, container.resources.requests.get(CARDS, 0))
    text = str(asked)
    return int(text) if text.isascii() and text.isdigit() else 0
