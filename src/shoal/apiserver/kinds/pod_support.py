"""Which fields of a pod have no effect on one machine: stored, and told to whoever sends them."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from shoal.dialect.document import Document

_POD: Final = frozenset(
    {
        "activeDeadlineSeconds",
        "containers",
        "initContainers",
        "nodeName",
        "nodeSelector",
        "preemptionPolicy",
        "priority",
        "priorityClassName",
        "resourceClaims",
        "restartPolicy",
        "schedulerName",
        "terminationGracePeriodSeconds",
        "volumes",
    }
)
_CONTAINER: Final = frozenset(
    {
        "args",
        "command",
        "env",
        "envFrom",
        "image",
        "name",
        "resources",
        "volumeMounts",
        "workingDir",
    }
)
_HARMLESS: Final = frozenset(
    {
        "automountServiceAccountToken",
        "dnsPolicy",
        "enableServiceLinks",
        "hostIPC",
        "hostNetwork",
        "hostPID",
        "imagePullPolicy",
        "ports",
        "serviceAccount",
        "serviceAccountName",
        "terminationMessagePath",
        "terminationMessagePolicy",
    }
)
"""Fields that a process pod satisfies as it is, or that change nothing people would miss."""
_VOLUMES: Final = frozenset({"name", "emptyDir", "configMap", "secret", "hostPath"})
_RESOURCES: Final = frozenset({"cpu", "memory"})
_ENV_SOURCES: Final = frozenset({"fieldRef", "configMapKeyRef", "secretKeyRef"})
_ADMITTED_KEYS: Final = frozenset(
    {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}
)


def unsupported(spec: Document) -> Iterator[str]:
    """A sentence for each field of a new pod that will not be honoured."""
    yield from _others(spec, _POD | {"tolerations"}, "spec")
    if any(t.get("key") not in _ADMITTED_KEYS for t in spec.get("tolerations") or ()):
        yield _told("spec.tolerations")
    for part in ("initContainers", "containers"):
        for index, container in enumerate(spec.get(part) or ()):
            yield from _container(container, f"spec.{part}[{index}]")
    for index, volume in enumerate(spec.get("volumes") or ()):
        yield from _others(volume, _VOLUMES, f"spec.volumes[{index}]")


def _container(container: Document, path: str) -> Iterator[str]:
    yield from _others(container, _CONTAINER, path)
    for kind in ("limits", "requests"):
        amounts = (container.get("resources") or {}).get(kind) or {}
        for resource in amounts.keys() - _RESOURCES:
            yield f"{_told(f'{path}.resources.{kind}[{resource}]')}; ask for cards with a claim"
    for index, variable in enumerate(container.get("env") or ()):
        yield from _others(
            variable.get("valueFrom") or {}, _ENV_SOURCES, f"{path}.env[{index}].valueFrom"
        )


def _others(document: Mapping[str, Any], known: frozenset[str], path: str) -> Iterator[str]:
    """The fields that are set, not known, and not harmless. Empty values ask for nothing."""
    for field, value in document.items():
        if field not in known and field not in _HARMLESS and value not in (None, {}, [], False, ""):
            yield _told(f"{path}.{field}")


def _told(path: str) -> str:
    return f"{path} has no effect on this machine"
