"""What is wrong with a pod spec, field by field."""

import re
from collections.abc import Iterator
from typing import Any, Final

from shoal.apiserver.kinds.refuse import not_supported
from shoal.dialect.document import Document, Json
from shoal.dialect.names import wrong_label, wrong_label_value, wrong_qualified
from shoal.dialect.status import (
    DUPLICATE,
    INVALID,
    REQUIRED,
    Cause,
    bad_request,
)
from shoal.units.errors import UnitError
from shoal.units.quantity import parse_quantity

_NOT_FOUND: Final = "FieldValueNotFound"
_RESTART: Final = ("Always", "OnFailure", "Never")
_DNS: Final = ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None")
_PULL: Final = ("Always", "IfNotPresent", "Never")
_VARIABLE: Final = re.compile(r"[^=\x00]+\Z")


def pod_causes(spec: Document, path: str) -> Iterator[Cause]:
    """Every cause to refuse a completed spec that lies at ``path``.

    Raises StatusError 400 for a wrong quantity.
    """
    containers = spec.get("containers") or []
    if not containers:
        yield Cause(REQUIRED, "at least one container", f"{path}.containers")
    yield from _scalar_causes(spec, path)
    volumes = {volume.get("name") for volume in spec.get("volumes") or ()}
    claims = {claim.get("name") for claim in spec.get("resourceClaims") or ()}
    seen: set[Any] = set()
    for part in ("initContainers", "containers"):
        for index, container in enumerate(spec.get(part) or ()):
            at = f"{path}.{part}[{index}]"
            yield from _name_causes(container.get("name") or "", seen, at)
            yield from _container_causes(container, volumes, claims, at)
    for part in ("volumes", "resourceClaims"):
        unique: set[Any] = set()
        for index, item in enumerate(spec.get(part) or ()):
            yield from _name_causes(item.get("name") or "", unique, f"{path}.{part}[{index}]")


def _scalar_causes(spec: Document, path: str) -> Iterator[Cause]:
    for field, allowed in (("restartPolicy", _RESTART), ("dnsPolicy", _DNS)):
        yield from not_supported(spec[field], allowed, f"{path}.{field}")
    deadline = spec.get("activeDeadlineSeconds")
    if deadline is not None and deadline < 1:
        yield Cause(INVALID, "must be 1 second or more", f"{path}.activeDeadlineSeconds")
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


def _container_causes(
    container: Document, volumes: set[Any], claims: set[Any], at: str
) -> Iterator[Cause]:
    if not container.get("image"):
        yield Cause(REQUIRED, "example: host", f"{at}.image")
    yield from not_supported(container["imagePullPolicy"], _PULL, f"{at}.imagePullPolicy")
    for index, port in enumerate(container.get("ports") or ()):
        if not port.get("containerPort"):
            yield Cause(REQUIRED, "1 to 65535", f"{at}.ports[{index}].containerPort")
    for index, variable in enumerate(container.get("env") or ()):
        yield from _variable_causes(variable.get("name") or "", f"{at}.env[{index}].name")
    for index, mount in enumerate(container.get("volumeMounts") or ()):
        yield from _mount_causes(mount, volumes, f"{at}.volumeMounts[{index}]")
    yield from _resource_causes(container["resources"], claims, f"{at}.resources")


def _variable_causes(name: str, at: str) -> Iterator[Cause]:
    if not name:
        yield Cause(REQUIRED, "must not be empty", at)
    elif not _VARIABLE.match(name):
        yield Cause(INVALID, f"{name[:40]!r} is no name of a variable; example: HOME", at)


def _mount_causes(mount: Document, volumes: set[Any], at: str) -> Iterator[Cause]:
    if mount.get("name") not in volumes:
        yield Cause(_NOT_FOUND, "is no volume of this pod", f"{at}.name")
    if not mount.get("mountPath"):
        yield Cause(REQUIRED, "must not be empty", f"{at}.mountPath")


def _resource_causes(resources: Document, claims: set[Any], at: str) -> Iterator[Cause]:
    limits = {name: _amount(value, at) for name, value in (resources.get("limits") or {}).items()}
    for name, value in (resources.get("requests") or {}).items():
        if _amount(value, at) > limits.get(name, _amount(value, at)):
            told = f"{name}: more is requested than its limit"
            yield Cause(INVALID, told, f"{at}.requests")
    for index, claim in enumerate(resources.get("claims") or ()):
        if claim.get("name") not in claims:
            told = "is not in spec.resourceClaims"
            yield Cause(_NOT_FOUND, told, f"{at}.claims[{index}]")


def _amount(value: Json, at: str) -> Json:
    try:
        amount = parse_quantity(value)
    except UnitError as error:
        raise bad_request(f"{at}: {error}") from error
    if amount < 0:
        raise bad_request(f"{at}: {value} is negative")
    return amount
