"""What of a pod this machine does not do: stored, and told to whoever sends it.

Most such fields have no effect; some decide what becomes of the pod, and the warning says what.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from shoal.api.meta import DRIVER
from shoal.api.pod import CARDS
from shoal.apiserver.kinds.mount_support import unsupported_mounts, unsupported_volumes
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
        "schedulingGates",
        "terminationGracePeriodSeconds",
        "tolerations",
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
        "restartPolicy",
        "volumeMounts",
        "workingDir",
    }
)
_HONOURED: Final = {"initContainers": (None, "", "Always"), "containers": (None, "")}
"""The restart policies that containers of their own may have: only that of sidecars counts."""
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
_RESOURCES: Final = frozenset({"cpu", "memory", CARDS})
_IGNORED_RESOURCES: Final = frozenset({"ephemeral-storage"})
_ENV_SOURCES: Final = frozenset({"fieldRef", "configMapKeyRef", "secretKeyRef"})
_NO_EFFECT: Final = "has no effect on this machine"
_FAILS: Final = "is not supported on this machine; the pod will fail"


def unsupported(spec: Document, at: str) -> Iterator[str]:
    """A sentence for each field of a new pod's spec, at this path, that will not be honoured."""
    yield from _others(spec, _POD, at)
    for part in ("initContainers", "containers"):
        for index, container in enumerate(spec.get(part) or ()):
            yield from _container(container, f"{at}.{part}[{index}]")
            yield from unsupported_mounts(spec, container, f"{at}.{part}[{index}]")
            if container.get("restartPolicy") not in _HONOURED[part]:
                yield f"{at}.{part}[{index}].restartPolicy {_NO_EFFECT}"
    yield from unsupported_volumes(spec, at)


def _container(container: Document, path: str) -> Iterator[str]:
    yield from _others(container, _CONTAINER, path)
    yield from _resources(container.get("resources") or {}, f"{path}.resources")
    for index, variable in enumerate(container.get("env") or ()):
        if source := variable.get("valueFrom"):
            yield from _others(source, _ENV_SOURCES, f"{path}.env[{index}].valueFrom", _FAILS)


def _resources(resources: Document, path: str) -> Iterator[str]:
    for kind in ("limits", "requests"):
        for resource in sorted((resources.get(kind) or {}).keys() - _RESOURCES):
            at = f"{path}.{kind}[{resource}]"
            if resource in _IGNORED_RESOURCES:
                yield f"{at} {_NO_EFFECT}"
            else:
                claim = f"ask for cards by a ResourceClaim of class {DRIVER}"
                yield f"{at} is offered by no node; {claim}; the pod will wait"


def _others(
    document: Mapping[str, Any], known: frozenset[str], path: str, told: str = _NO_EFFECT
) -> Iterator[str]:
    """The fields that are set, not known, and not harmless. Empty values ask for nothing."""
    for field in sorted(document.keys() - known):
        if field not in _HARMLESS and document[field] not in (None, {}, [], False, ""):
            yield f"{path}.{field} {told}"
