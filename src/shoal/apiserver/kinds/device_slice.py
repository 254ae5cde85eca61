"""Rules of resource slices: whose devices they hold, and what each device has."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from shoal.apiserver.kinds.refuse import refuse
from shoal.apiserver.registry import World
from shoal.dialect.document import Document
from shoal.dialect.names import wrong_label, wrong_subdomain
from shoal.dialect.status import DUPLICATE, FORBIDDEN, INVALID, REQUIRED, Cause
from shoal.units.quantity import parse_quantity

_GROUP: Final = "resource.k8s.io"
_KIND: Final = "ResourceSlice"
_PLACES: Final = ("nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection")
_ATTRIBUTES: Final = ("int", "bool", "string", "version", "ints", "bools", "strings", "versions")
_MOST_DEVICES: Final = 128
_TOO_MANY: Final = "FieldValueTooMany"


def admit_slice(document: Document, world: World) -> list[str]:
    """One place, devices of different names, and amounts that can be met."""
    refuse(_GROUP, _KIND, document, _causes(document["spec"]))
    return []


def change_slice(new: Document, old: Document) -> None:
    """As at creation."""
    refuse(_GROUP, _KIND, new, _causes(new["spec"]))


def _causes(spec: Document) -> Iterator[Cause]:
    driver, pool = spec.get("driver") or "", spec.get("pool") or {}
    if not driver:
        yield Cause(REQUIRED, "example: gpu.example.com", "spec.driver")
    elif wrong := wrong_subdomain(driver):
        yield Cause(INVALID, wrong, "spec.driver")
    if not pool.get("name"):
        yield Cause(REQUIRED, "must not be empty", "spec.pool.name")
    if pool.get("resourceSliceCount", 0) <= 0:
        yield Cause(INVALID, "must be above 0", "spec.pool.resourceSliceCount")
    if pool.get("generation", 0) < 0:
        yield Cause(INVALID, "must be 0 or above", "spec.pool.generation")
    places = [place for place in _PLACES if spec.get(place)]
    if not places:
        yield Cause(REQUIRED, f"takes one of {', '.join(_PLACES)}", "spec")
    elif len(places) > 1:
        yield Cause(INVALID, f"takes one of {', '.join(places)}, not several", "spec")
    yield from _device_causes(spec.get("devices") or [])


def _device_causes(devices: list[Document]) -> Iterator[Cause]:
    if len(devices) > _MOST_DEVICES:
        yield Cause(_TOO_MANY, f"at most {_MOST_DEVICES}", "spec.devices")
    seen: set[str] = set()
    for index, device in enumerate(devices):
        at, name = f"spec.devices[{index}]", device.get("name") or ""
        if wrong := wrong_label(name):
            yield Cause(INVALID, wrong, f"{at}.name")
        if name in seen:
            yield Cause(DUPLICATE, f"{name} is there already", at)
        seen.add(name)
        for key, attribute in (device.get("attributes") or {}).items():
            if sum(1 for kind in _ATTRIBUTES if kind in attribute) != 1:
                told = f"takes one of {', '.join(_ATTRIBUTES)}"
                yield Cause(INVALID, told, f"{at}.attributes[{key}]")
        shared = bool(device.get("allowMultipleAllocations"))
        for key, capacity in (device.get("capacity") or {}).items():
            yield from _capacity_causes(capacity, f"{at}.capacity[{key}]", shared=shared)


def _capacity_causes(capacity: Document, at: str, *, shared: bool) -> Iterator[Cause]:
    if (policy := capacity.get("requestPolicy")) is None:
        return
    at = f"{at}.requestPolicy"
    if not shared:
        yield Cause(FORBIDDEN, "needs allowMultipleAllocations: true", at)
        return
    if (limits := policy.get("validRange")) is not None:
        amounts = _amounts({**limits, "value": capacity.get("value"), **_default(policy)})
        yield from _range_causes(amounts, f"{at}.validRange")
    elif values := policy.get("validValues"):
        allowed = [parse_quantity(value) for value in values]
        default = _amounts(_default(policy)).get("default")
        if default is not None and default not in allowed:
            yield Cause(INVALID, "must be one of validValues", f"{at}.default")


def _range_causes(amounts: Mapping[str, Any], at: str) -> Iterator[Cause]:
    lowest, highest = amounts.get("min"), amounts.get("max")
    whole, default = amounts.get("value"), amounts.get("default")
    if lowest is None:
        yield Cause(REQUIRED, "example: min: 1Mi", f"{at}.min")
        return
    if whole is not None and lowest > whole:
        yield Cause(INVALID, "is more than the device has", f"{at}.min")
    if highest is not None and highest < lowest:
        yield Cause(INVALID, "is less than min", f"{at}.max")
    if default is not None and default < lowest:
        yield Cause(INVALID, "is less than min", f"{at}.default")
    if default is not None and highest is not None and default > highest:
        yield Cause(INVALID, "is more than max", f"{at}.default")


def _default(policy: Document) -> Document:
    return {"default": policy["default"]} if "default" in policy else {}


def _amounts(texts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: parse_quantity(text) for name, text in texts.items() if text is not None}
