"""What is wrong with a container of a pod, field by field."""

import functools
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from shoal.apiserver.kinds.refuse import negative, not_supported
from shoal.dialect.document import Document, Json
from shoal.dialect.names import wrong_label, wrong_qualified
from shoal.dialect.status import DUPLICATE, INVALID, REQUIRED, Cause, bad_request
from shoal.units.errors import UnitError
from shoal.units.quantity import parse_quantity

_NOT_FOUND: Final = "FieldValueNotFound"
_PULL: Final = ("Always", "IfNotPresent", "Never")
_PROTOCOLS: Final = ("SCTP", "TCP", "UDP")
_STANDARD: Final = frozenset({"cpu", "ephemeral-storage", "memory"})
_VARIABLE: Final = re.compile(r"[^=\x00]+\Z")
_HIGHEST_PORT: Final = 65535
_REMEMBERED: Final = 4096
"""Names whose check is kept: containers carry the same few again and again."""


def container_causes(
    container: Document, volumes: set[Any], claims: set[Any], at: str
) -> Iterator[Cause]:
    """Every cause but those of its name; ``volumes`` and ``claims`` are names of the pod's.

    Raises StatusError 400 for a wrong quantity.
    """
    if not container.get("image"):
        yield Cause(REQUIRED, "example: host", f"{at}.image")
    if (policy := container["imagePullPolicy"]) not in _PULL:
        yield from not_supported(policy, _PULL, f"{at}.imagePullPolicy")
    if ports := container.get("ports"):
        yield from _port_causes(ports, f"{at}.ports")
    for index, variable in enumerate(container.get("env") or ()):
        if not _is_plain(variable):
            yield from _variable_causes(variable, f"{at}.env[{index}]")
    places: set[Any] = set()
    for index, mount in enumerate(container.get("volumeMounts") or ()):
        yield from _mount_causes(mount, volumes, places, f"{at}.volumeMounts[{index}]")
    yield from _resource_causes(container["resources"], claims, f"{at}.resources")


def _port_causes(ports: Sequence[Document], at: str) -> Iterator[Cause]:
    names: set[str] = set()
    for index, port in enumerate(ports):
        number, name = port.get("containerPort"), port.get("name") or ""
        if not number:
            yield Cause(REQUIRED, "1 to 65535", f"{at}[{index}].containerPort")
        elif not 1 <= number <= _HIGHEST_PORT:
            yield Cause(INVALID, "1 to 65535", f"{at}[{index}].containerPort")
        if not 0 <= port.get("hostPort", 0) <= _HIGHEST_PORT:
            yield Cause(INVALID, "1 to 65535", f"{at}[{index}].hostPort")
        yield from not_supported(port["protocol"], _PROTOCOLS, f"{at}[{index}].protocol")
        if name and (wrong := wrong_label(name)):
            yield Cause(INVALID, wrong, f"{at}[{index}].name")
        elif name in names:
            yield Cause(DUPLICATE, f"{name} is there already", f"{at}[{index}].name")
        names.update([name] if name else ())


def _is_plain(variable: Document) -> bool:
    """Whether a variable is a name and a text, as most are."""
    return "valueFrom" not in variable and _is_name(variable.get("name") or "")


@functools.lru_cache(maxsize=_REMEMBERED)
def _is_name(name: str) -> bool:
    return bool(_VARIABLE.match(name))


def _variable_causes(variable: Document, at: str) -> Iterator[Cause]:
    name, source = variable.get("name") or "", variable.get("valueFrom")
    if not name:
        yield Cause(REQUIRED, "must not be empty", f"{at}.name")
    elif not _is_name(name):
        told = f"{name[:40]!r} is no name of a variable; example: HOME"
        yield Cause(INVALID, told, f"{at}.name")
    if source is None:
        return
    if variable.get("value"):
        yield Cause(INVALID, "takes a value or valueFrom, not both", f"{at}.valueFrom")
    elif len(source) != 1:
        yield Cause(INVALID, "takes one source; example: fieldRef", f"{at}.valueFrom")


def _mount_causes(mount: Document, volumes: set[Any], places: set[Any], at: str) -> Iterator[Cause]:
    place = mount.get("mountPath")
    if mount.get("name") not in volumes:
        yield Cause(_NOT_FOUND, "is no volume of this pod", f"{at}.name")
    if not place:
        yield Cause(REQUIRED, "must not be empty", f"{at}.mountPath")
    elif place in places:
        yield Cause(INVALID, f"{place} is mounted already", f"{at}.mountPath")
    places.add(place)


def _resource_causes(resources: Document, claims: set[Any], at: str) -> Iterator[Cause]:
    for part in ("limits", "requests"):
        if amounts := resources.get(part):
            yield from negative(amounts, f"{at}.{part}")
            yield from _unknown(amounts, f"{at}.{part}")
    limits = {name: _amount(value, at) for name, value in (resources.get("limits") or {}).items()}
    for name, value in (resources.get("requests") or {}).items():
        amount, limit = _amount(value, at), limits.get(name)
        if limit is not None and amount is not limit and amount > limit:
            told = f"{name}: more is requested than its limit"
            yield Cause(INVALID, told, f"{at}.requests")
    if any(map(_is_extended, (*limits, *(resources.get("requests") or ())))):
        yield from _whole_causes(resources, at)
    for index, claim in enumerate(resources.get("claims") or ()):
        if claim.get("name") not in claims:
            told = "is not in spec.resourceClaims"
            yield Cause(_NOT_FOUND, told, f"{at}.claims[{index}]")


def _whole_causes(resources: Document, at: str) -> Iterator[Cause]:
    """Cards and the like are counted: whole numbers, and no less asked for than allowed."""
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    for name in sorted({name for name in (*limits, *requests) if _is_extended(name)}):
        amounts = [_amount(of[name], at) for of in (limits, requests) if name in of]
        if any(amount % 1 for amount in amounts):
            told = f"is a whole number; example: {name}: 1; parts of cards take a ResourceClaim"
            yield Cause(INVALID, told, f"{at}.limits[{name}]")
        elif name not in limits or len(set(amounts)) > 1:
            told = f"is the same in limits and requests; example: limits: {{{name}: 1}}"
            yield Cause(INVALID, told, f"{at}.limits[{name}]")


def _unknown(amounts: Document, at: str) -> Iterator[Cause]:
    for name in amounts:
        if wrong := _wrong_resource(name):
            yield Cause(INVALID, wrong, f"{at}[{name}]")


@functools.lru_cache(maxsize=_REMEMBERED)
def _wrong_resource(name: str) -> str:
    """Why a container cannot ask for a resource of that name; empty where it can."""
    if "/" not in name and name not in _STANDARD and not name.startswith("hugepages-"):
        return "must be a standard resource for containers, or one with a domain; example: cpu"
    return wrong_qualified(name)


@functools.lru_cache(maxsize=_REMEMBERED)
def _is_extended(name: str) -> bool:
    """Whether a resource is one that somebody other than Kubernetes offers."""
    domain, slash, _ = name.partition("/")
    return bool(slash) and not domain.endswith("kubernetes.io")


def _amount(value: Json, at: str) -> Json:
    try:
        amount = parse_quantity(value)
    except UnitError as error:
        raise bad_request(f"{at}: {error}") from error
    return amount
