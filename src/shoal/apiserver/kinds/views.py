"""Views of kinds that nobody but the server reads: their fields' types are checked by them."""

import msgspec

from shoal.api.meta import Object, View


class Named(View):
    """A reference by kind and name."""

    kind: str = ""
    name: str = ""
    namespace: str = ""
    uid: str = ""


class EventSource(View):
    """Who reported it."""

    component: str = ""


class Event(Object):
    """Something that happened."""

    involved_object: Named = msgspec.field(default_factory=Named)
    reason: str = ""
    message: str = ""
    type: str = ""
    count: int = 0
    source: EventSource = msgspec.field(default_factory=EventSource)
    first_timestamp: str | None = None
    last_timestamp: str | None = None
    event_time: str | None = None


class ConfigMap(Object):
    """Texts and bytes by key."""

    data: dict[str, str] = {}
    binary_data: dict[str, str] = {}
    immutable: bool = False


class Secret(Object):
    """The same, kept from curious eyes: values are base64."""

    data: dict[str, str] = {}
    string_data: dict[str, str] = {}
    type: str = ""
    immutable: bool = False


class LeaseSpec(View):
    """Who holds it, and until when."""

    holder_identity: str = ""
    lease_duration_seconds: int = 1
    lease_transitions: int = 0
    acquire_time: str | None = None
    renew_time: str | None = None


class Lease(Object):
    """A right that expires unless it is renewed."""

    spec: LeaseSpec = msgspec.field(default_factory=LeaseSpec)


class PriorityClass(Object):
    """A name for a priority."""

    value: int = 0
    global_default: bool = False
    preemption_policy: str = ""


class NamespaceSpec(View):
    """What holds a namespace that is being deleted."""

    finalizers: list[str] = []


class Namespace(Object):
    """A project."""

    spec: NamespaceSpec = msgspec.field(default_factory=NamespaceSpec)
