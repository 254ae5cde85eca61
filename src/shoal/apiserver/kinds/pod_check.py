"""What is wrong with a pod spec, field by field."""

from collections.abc import Iterator
from typing import Any, Final

from shoal.apiserver.kinds.container_check import container_causes
from shoal.apiserver.kinds.refuse import negative, not_supported
from shoal.dialect.document import Document
from shoal.dialect.names import wrong_label, wrong_label_value, wrong_qualified
from shoal.dialect.status import DUPLICATE, FORBIDDEN, INVALID, REQUIRED, Cause

_CLAIM_SOURCES: Final = ("resourceClaimName", "resourceClaimTemplateName")
_RESTART: Final = ("Always", "OnFailure", "Never")
_DNS: Final = ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None")
_OPERATORS: Final = ("Equal", "Exists", "Gt", "Lt")
_NAME_AND_SOURCE: Final = 2
_LATEST: Final = 1 << 31
_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")


def pod_causes(spec: Document, path: str) -> Iterator[Cause]:
    """Every cause to refuse a completed spec that lies at ``path``.

    Raises StatusError 400 for a wrong quantity.
    """
    if not spec.get("containers"):
        yield Cause(REQUIRED, "at least one container", f"{path}.containers")
    yield from _scalar_causes(spec, path)
    for index, toleration in enumerate(spec.get("tolerations") or ()):
        yield from _toleration_causes(toleration, f"{path}.tolerations[{index}]")
    yield from _part_causes(spec, path)
    for index, volume in enumerate(spec.get("volumes") or ()):
        if "emptyDir" in volume:
            size = {"sizeLimit": (volume["emptyDir"] or {}).get("sizeLimit")}
            yield from negative(size, f"{path}.volumes[{index}].emptyDir")
        if len(volume) <= _NAME_AND_SOURCE:
            continue
        for extra in sorted(volume.keys() - {"name"})[1:]:
            told = "a volume has one source"
            yield Cause(FORBIDDEN, told, f"{path}.volumes[{index}].{extra}")
    gates: set[Any] = set()
    for index, gate in enumerate(spec.get("schedulingGates") or ()):
        yield from _gate_causes(gate.get("name") or "", gates, f"{path}.schedulingGates[{index}]")
    if spec.get("schedulingGates") and spec.get("nodeName"):
        told = "cannot be set while there are scheduling gates"
        yield Cause(FORBIDDEN, told, f"{path}.nodeName")


def _part_causes(spec: Document, path: str) -> Iterator[Cause]:
    """Containers, and the things that they name."""
    volumes = {volume.get("name") for volume in spec.get("volumes") or ()}
    claims = {claim.get("name") for claim in spec.get("resourceClaims") or ()}
    seen: set[Any] = set()
    for part in ("initContainers", "containers"):
        for index, container in enumerate(spec.get(part) or ()):
            at = f"{path}.{part}[{index}]"
            yield from _name_causes(container.get("name") or "", seen, at)
            yield from container_causes(container, volumes, claims, at)
            if restart := container.get("restartPolicy"):
                yield from not_supported(restart, _RESTART, f"{at}.restartPolicy")
    for index, claim in enumerate(spec.get("resourceClaims") or ()):
        if sum(1 for source in _CLAIM_SOURCES if claim.get(source) is not None) != 1:
            told = f"takes one of {', '.join(_CLAIM_SOURCES)}"
            yield Cause(INVALID, told, f"{path}.resourceClaims[{index}]")
    for part in ("volumes", "resourceClaims"):
        unique: set[Any] = set()
        for index, item in enumerate(spec.get(part) or ()):
            yield from _name_causes(item.get("name") or "", unique, f"{path}.{part}[{index}]")


def _scalar_causes(spec: Document, path: str) -> Iterator[Cause]:
    for field, allowed in (("restartPolicy", _RESTART), ("dnsPolicy", _DNS)):
        if spec[field] not in allowed:
            yield from not_supported(spec[field], allowed, f"{path}.{field}")
    deadline = spec.get("activeDeadlineSeconds")
    if deadline is not None and not 1 <= deadline < _LATEST:
        told = "must be 1 second or more, and less than 2^31"
        yield Cause(INVALID, told, f"{path}.activeDeadlineSeconds")
    yield from negative(spec.get("overhead"), f"{path}.overhead")
    if resources := spec.get("resources"):
        for part in ("limits", "requests"):
            yield from negative(resources.get(part), f"{path}.resources.{part}")
    for key, value in (spec.get("nodeSelector") or {}).items():
        if wrong := wrong_qualified(key) or wrong_label_value(value):
            yield Cause(INVALID, wrong, f"{path}.nodeSelector")


def _name_causes(name: str, seen: set[Any], at: str) -> Iterator[Cause]:
    if not name:
        yield Cause(REQUIRED, "must not be empty", f"{at}.name")
    elif wrong := wrong_label(name):
        yield Cause(INVALID, wrong, f"{at}.name")
    elif name in seen:
        yield Cause(DUPLICATE, f"{name} is there already", f"{at}.name")
    seen.add(name)


def _toleration_causes(toleration: Document, at: str) -> Iterator[Cause]:
    key, operator = toleration.get("key") or "", toleration.get("operator") or "Equal"
    effect, value = toleration.get("effect") or "", toleration.get("value") or ""
    if key and (wrong := wrong_qualified(key)):
        yield Cause(INVALID, wrong, f"{at}.key")
    elif not key and operator != "Exists":
        told = "must be Exists where no key is given: that tolerates every taint"
        yield Cause(INVALID, told, f"{at}.operator")
    yield from not_supported(operator, _OPERATORS, f"{at}.operator")
    if operator == "Exists" and value:
        yield Cause(INVALID, "must be empty with operator Exists", f"{at}.operator")
    elif operator == "Equal" and (wrong := wrong_label_value(value)):
        yield Cause(INVALID, wrong, f"{at}.operator")
    if effect:
        yield from not_supported(effect, _EFFECTS, f"{at}.effect")
    if toleration.get("tolerationSeconds") is not None and effect != "NoExecute":
        told = "must be NoExecute where tolerationSeconds is set"
        yield Cause(INVALID, told, f"{at}.effect")


def _gate_causes(name: str, seen: set[Any], at: str) -> Iterator[Cause]:
    if wrong := wrong_qualified(name):
        yield Cause(INVALID, wrong, at)
    elif name in seen:
        yield Cause(DUPLICATE, f"{name} is there already", at)
    seen.add(name)
