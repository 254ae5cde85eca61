"""What the published schemas do not say of the served kinds: our part of the schema table.

Columns, defaults and rules as the recorded answers show them. ``schema_table.py`` joins this with
the bare schemas; a kind that is to be served needs an entry in ``KINDS``.
"""

from typing import Any, Final

Columns = list[dict[str, Any]]


def _column(name: str, priority: int = 0, **more: str) -> dict[str, Any]:
    return {"name": name, **({"priority": priority} if priority else {}), **more}


def _wide(name: str) -> dict[str, Any]:
    return _column(name, 1)


def _columns(*names: str | dict[str, Any]) -> Columns:
    """Column definitions; a bare name is an ordinary text column."""
    return [_column(name) if isinstance(name, str) else name for name in names]


_INVALID: Final = "FieldValueInvalid"
_FORBIDDEN: Final = "FieldValueForbidden"
_NAME: Final = _column("Name", format="name")
_ABOUT: Final = (
    "apiVersion",
    "fieldPath",
    "kind",
    "name",
    "namespace",
    "resourceVersion",
    "uid",
)

REVIEWS: Final = (
    ("authentication.k8s.io", "selfsubjectreviews"),
    ("authentication.k8s.io", "tokenreviews"),
    ("authorization.k8s.io", "localsubjectaccessreviews"),
    ("authorization.k8s.io", "selfsubjectaccessreviews"),
    ("authorization.k8s.io", "selfsubjectrulesreviews"),
    ("authorization.k8s.io", "subjectaccessreviews"),
)
"""Questions that are answered and not stored."""

BESIDES: Final = (
    "authentication.v1.TokenRequest",
    "autoscaling.v1.Scale",
    "meta.v1.DeleteOptions",
    "meta.v1.Status",
    "policy.v1.Eviction",
)
"""Types of bodies and answers that no served resource is named after."""

KINDS: Final[dict[tuple[str, str], dict[str, Any]]] = {
    ("", "bindings"): {},
    ("", "configmaps"): {"columns": _columns(_NAME, "Data", "Age")},
    ("", "events"): {
        "columns": _columns(
            "Last Seen",
            "Type",
            "Reason",
            "Object",
            _wide("Subobject"),
            _wide("Source"),
            "Message",
            _wide("First Seen"),
            _wide("Count"),
            _column("Name", 1, format="name"),
        ),
        "selectable": {
            **{f"involvedObject.{field}": f"involvedObject.{field}" for field in _ABOUT},
            "reason": "reason",
            "reportingComponent": "reportingComponent",
            "source": "source.component",
            "type": "type",
        },
        "traits": ["put_creates"],
    },
    ("", "namespaces"): {
        "subresources": ["finalize", "status"],
        "columns": _columns(_NAME, "Status", "Age"),
        "selectable": ["status.phase"],
        "traits": ["delete_answers_object", "status_metadata"],
    },
    ("", "nodes"): {
        "subresources": ["status"],
        "columns": _columns(
            _NAME,
            "Status",
            "Roles",
            "Age",
            "Version",
            _wide("Internal-IP"),
            _wide("External-IP"),
            _wide("OS-Image"),
            _wide("Kernel-Version"),
            _wide("Container-Runtime"),
        ),
        "selectable": ["spec.unschedulable"],
        "traits": ["status_at_birth", "status_metadata"],
    },
    ("", "persistentvolumeclaims"): {
        "subresources": ["status"],
        "columns": _columns(
            _NAME,
            "Status",
            "Volume",
            "Capacity",
            "Access Modes",
            "StorageClass",
            "VolumeAttributesClass",
            "Age",
            _wide("VolumeMode"),
        ),
        "traits": ["delete_answers_object", "status_metadata"],
    },
    ("", "persistentvolumes"): {
        "subresources": ["status"],
        "columns": _columns(
            _NAME,
            "Capacity",
            "Access Modes",
            "Reclaim Policy",
            "Status",
            "Claim",
            "StorageClass",
            "VolumeAttributesClass",
            "Reason",
            "Age",
            _wide("VolumeMode"),
        ),
        "traits": ["delete_answers_object", "status_metadata"],
    },
    ("", "pods"): {
        "subresources": [
            "attach",
            "binding",
            "eviction",
            "exec",
            "log",
            "portforward",
            "status",
        ],
        "columns": _columns(
            _NAME,
            "Ready",
            "Status",
            "Restarts",
            "Age",
            _wide("IP"),
            _wide("Node"),
            _wide("Nominated Node"),
            _wide("Readiness Gates"),
        ),
        "selectable": [
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "status.nominatedNodeName",
            "status.phase",
            "status.podIP",
        ],
        "traits": ["delete_answers_object", "generation", "status_metadata"],
    },
    ("", "podtemplates"): {
        "columns": _columns(_NAME, "Containers", "Images", "Pod Labels"),
        "traits": ["delete_answers_object", "generation"],
    },
    ("", "secrets"): {
        "columns": _columns(_NAME, "Type", "Data", "Age"),
        "selectable": ["type"],
        "immutable": {"type": _INVALID},
    },
    ("", "serviceaccounts"): {
        "subresources": ["token"],
        "columns": _columns(_NAME, "Age"),
        "traits": ["delete_answers_object"],
    },
    ("", "services"): {
        "subresources": ["status"],
        "columns": _columns(
            _NAME,
            "Type",
            "Cluster-IP",
            "External-IP",
            "Port(s)",
            "Age",
            _wide("Selector"),
        ),
        "selectable": ["spec.clusterIP", "spec.type"],
        "traits": ["delete_answers_object", "status_metadata"],
    },
    ("apiextensions.k8s.io", "customresourcedefinitions"): {
        "subresources": ["status"],
        "columns": _columns(_NAME, _column("Created At", type="date")),
        "traits": ["delete_answers_object", "generation"],
    },
    ("batch", "jobs"): {
        "subresources": ["status"],
        "columns": _columns(
            _NAME,
            "Status",
            "Completions",
            "Duration",
            "Age",
            _wide("Containers"),
            _wide("Images"),
            _wide("Selector"),
        ),
        "selectable": {"status.successful": "status.succeeded"},
        "traits": ["generation"],
    },
    ("coordination.k8s.io", "leases"): {
        "columns": _columns(_NAME, "Holder", "Age"),
        "traits": ["needs_version", "put_creates"],
    },
    ("events.k8s.io", "events"): {
        "columns": _columns(
            "Last Seen",
            "Type",
            "Reason",
            "Object",
            _wide("Subobject"),
            _wide("Source"),
            "Message",
            _wide("First Seen"),
            _wide("Count"),
            _column("Name", 1, format="name"),
        ),
        "selectable": {
            **{f"regarding.{field}": f"involvedObject.{field}" for field in _ABOUT},
            "reason": "reason",
            "reportingController": "reportingComponent",
            "type": "type",
        },
        "traits": ["put_creates"],
    },
    ("resource.k8s.io", "deviceclasses"): {
        "columns": _columns(_NAME, "Age"),
        "traits": ["generation"],
    },
    ("resource.k8s.io", "resourceclaims"): {
        "subresources": ["status"],
        "columns": _columns(_NAME, "State", "Age"),
        "immutable": {"spec": _INVALID},
        "traits": ["delete_answers_object"],
    },
    ("resource.k8s.io", "resourceclaimtemplates"): {
        "columns": _columns(_NAME, "Age"),
        "immutable": {"spec": _INVALID},
    },
    ("resource.k8s.io", "resourceslices"): {
        "columns": _columns(_NAME, "Node", "Driver", "Pool", "Age"),
        "selectable": ["spec.driver", "spec.nodeName"],
        "immutable": dict.fromkeys(("spec.driver", "spec.nodeName", "spec.pool.name"), _INVALID),
        "traits": ["generation"],
    },
    ("scheduling.k8s.io", "priorityclasses"): {
        "columns": _columns(
            _NAME,
            _column("Value", type="integer"),
            _column("Global-Default", type="boolean"),
            "Age",
            "PreemptionPolicy",
        ),
        "immutable": dict.fromkeys(("preemptionPolicy", "value"), _FORBIDDEN),
        "traits": ["generation"],
    },
    **{review: {} for review in REVIEWS},
}
"""The served resources by group and plural.

``subresources``: those served, of the published ones. ``selectable``: what field selectors may
name, with its path where that is another. ``immutable``: paths that never change, with
the reason that a change is refused for. ``traits``: the
habits of the resource, see ``shoal.apiserver.registry.Resource``.
"""

_FILE_MODE: Final = 0o644
_DEVICE_REQUEST: Final = {"allocationMode": "ExactCount"}

DEFAULTS: Final[dict[str, dict[str, Any]]] = {
    "batch.v1.JobSpec": {
        "completionMode": "NonIndexed",
        "manualSelector": False,
        "suspend": False,
    },
    "batch.v1.PodFailurePolicyOnPodConditionsPattern": {"status": "True"},
    "core.v1.ConfigMapVolumeSource": {"defaultMode": _FILE_MODE},
    "core.v1.Container": {
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
    },
    "core.v1.DownwardAPIVolumeSource": {"defaultMode": _FILE_MODE},
    "core.v1.GRPCAction": {"service": ""},
    "core.v1.HTTPGetAction": {"path": "/", "scheme": "HTTP"},
    "core.v1.HostPathVolumeSource": {"type": ""},
    "core.v1.ObjectFieldSelector": {"apiVersion": "v1"},
    "core.v1.PersistentVolumeClaimSpec": {"volumeMode": "Filesystem"},
    "core.v1.PersistentVolumeSpec": {
        "persistentVolumeReclaimPolicy": "Retain",
        "volumeMode": "Filesystem",
    },
    "core.v1.PodSpec": {
        "dnsPolicy": "ClusterFirst",
        "restartPolicy": "Always",
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "terminationGracePeriodSeconds": 30,
    },
    "core.v1.ProjectedVolumeSource": {"defaultMode": _FILE_MODE},
    "core.v1.Secret": {"type": "Opaque"},
    "core.v1.SecretVolumeSource": {"defaultMode": _FILE_MODE},
    "core.v1.ServiceAccountTokenProjection": {"expirationSeconds": 3600},
    "core.v1.ServiceSpec": {"sessionAffinity": "None", "type": "ClusterIP"},
    "resource.v1.DeviceSubRequest": _DEVICE_REQUEST,
    "resource.v1.ExactDeviceRequest": _DEVICE_REQUEST,
    "scheduling.v1.PriorityClass": {"preemptionPolicy": "PreemptLowerPriority"},
}
"""What the server writes into a field that is not given, by type.

Defaults that depend on anything else are the business of the kind's own rules.
"""

NULLS: Final[dict[str, tuple[str, ...]]] = {
    "core.v1.Event": ("eventTime",),
    "core.v1.PodCondition": ("lastProbeTime", "lastTransitionTime"),
    "events.v1.Event": ("eventTime",),
    "resource.v1.DeviceClaim": ("requests",),
}
"""Fields that are written as null where they are not given."""
