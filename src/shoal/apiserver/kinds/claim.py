"""Rules of resource claims, their templates, and device classes.

Source: https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/
"""

import uuid
from collections.abc import Iterator, Sequence
from typing import Any, Final

from shoal.apiserver.kinds.device_selector import selector_causes
from shoal.apiserver.kinds.refuse import not_supported, refuse
from shoal.apiserver.registry import World
from shoal.dialect.document import Document
from shoal.dialect.names import wrong_label
from shoal.dialect.paths import dig
from shoal.dialect.status import DUPLICATE, FORBIDDEN, INVALID, REQUIRED, Cause

_GROUP: Final = "resource.k8s.io"
_MODES: Final = ("All", "ExactCount")
_MOST_CONSUMERS: Final = 256


def admit_claim(document: Document, world: World) -> list[str]:
    """A request is for one device unless it says otherwise."""
    spec = document["spec"]
    _complete(spec)
    refuse(_GROUP, "ResourceClaim", document, _request_causes(spec, "spec"))
    return []


def admit_template(document: Document, world: World) -> list[str]:
    """The same for the claims made from it."""
    spec = document["spec"]["spec"]
    _complete(spec)
    refuse(_GROUP, "ResourceClaimTemplate", document, _request_causes(spec, "spec.spec"))
    return []


def change_claim(new: Document, old: Document) -> None:
    """As at creation."""
    _complete(new["spec"])


def change_template(new: Document, old: Document) -> None:
    """The same for a template."""
    _complete(new["spec"]["spec"])


def change_claim_status(new: Document, old: Document) -> None:
    """An allocation stays until it is cleared; who uses it needs one."""
    status, before = new.setdefault("status", {}), old.get("status") or {}
    consumers = status.get("reservedFor") or []
    if not consumers:
        status.pop("reservedFor", None)
    causes = [
        *_allocation_causes(new, status, before),
        *_consumer_causes(consumers, status),
        *_late_causes(new, consumers, before),
    ]
    refuse(_GROUP, "ResourceClaim", new, causes)


def admit_device_class(document: Document, world: World) -> list[str]:
    """Its selectors can be read."""
    _check_class(document)
    return []


def change_device_class(new: Document, old: Document) -> None:
    """As at creation: all of it may change."""
    _check_class(new)


def _check_class(document: Document) -> None:
    causes = selector_causes(document["spec"].get("selectors") or (), "spec.selectors")
    refuse(_GROUP, "DeviceClass", document, causes)


def _complete(spec: Document) -> None:
    for request in spec["devices"].get("requests") or ():
        exact = request.get("exactly")
        for one in [exact] if exact is not None else request.get("firstAvailable") or ():
            if one["allocationMode"] == "ExactCount":
                one.setdefault("count", 1)


def _request_causes(spec: Document, path: str) -> Iterator[Cause]:
    seen: set[str] = set()
    for index, request in enumerate(dig(spec, "devices", "requests") or ()):
        at = f"{path}.devices.requests[{index}]"
        yield from _name_causes(request, seen, at)
        exact, choices = request.get("exactly"), request.get("firstAvailable")
        if exact is not None and choices:
            yield Cause(INVALID, "takes one of exactly, firstAvailable, not both", at)
        elif exact is not None:
            yield from _exact_causes(exact, f"{at}.exactly")
        elif not choices:
            yield Cause(REQUIRED, "exactly one of exactly, firstAvailable is required", at)
        names: set[str] = set()
        for number, choice in enumerate(choices or ()):
            yield from _name_causes(choice, names, f"{at}.firstAvailable[{number}]")
            yield from _exact_causes(choice, f"{at}.firstAvailable[{number}]")


def _name_causes(request: Document, seen: set[str], at: str) -> Iterator[Cause]:
    name = request.get("name") or ""
    if wrong := wrong_label(name):
        yield Cause(INVALID, wrong, f"{at}.name")
    if name in seen:
        yield Cause(DUPLICATE, f"{name} is there already", at)
    seen.add(name)


def _exact_causes(exact: Document, at: str) -> Iterator[Cause]:
    if not exact.get("deviceClassName"):
        yield Cause(REQUIRED, "example: gpu.shoal.dev", f"{at}.deviceClassName")
    mode, count = exact["allocationMode"], exact.get("count")
    yield from not_supported(mode, _MODES, f"{at}.allocationMode")
    if mode == "All" and count is not None:
        yield Cause(INVALID, "is not taken with allocationMode All", f"{at}.count")
    elif count is not None and count <= 0:
        yield Cause(INVALID, "must be above 0", f"{at}.count")
    yield from selector_causes(exact.get("selectors") or (), f"{at}.selectors")


def _allocation_causes(new: Document, status: Document, before: Document) -> Iterator[Cause]:
    allocation, held = status.get("allocation"), before.get("allocation")
    if allocation is None:
        return
    if held is not None:
        if allocation != held:
            told = "cannot change while it is held; clear it first"
            yield Cause(INVALID, told, "status.allocation")
        return
    known = {r.get("name") for r in dig(new, "spec", "devices", "requests") or ()}
    for index, result in enumerate(dig(allocation, "devices", "results") or ()):
        at = f"status.allocation.devices.results[{index}]"
        if (result.get("request") or "").partition("/")[0] not in known:
            yield Cause(INVALID, "is no request of this claim", f"{at}.request")
        if (share := result.get("shareID")) is not None and not _is_uuid(share):
            yield Cause(INVALID, "is not a UUID", f"{at}.shareID")


def _consumer_causes(consumers: Sequence[Document], status: Document) -> Iterator[Cause]:
    if consumers and status.get("allocation") is None:
        told = "needs an allocation; write both together"
        yield Cause(FORBIDDEN, told, "status.reservedFor")
    if len(consumers) > _MOST_CONSUMERS:
        yield Cause("FieldValueTooMany", f"at most {_MOST_CONSUMERS}", "status.reservedFor")
    seen: set[Any] = set()
    for index, consumer in enumerate(consumers):
        at = f"status.reservedFor[{index}]"
        for field in ("resource", "name", "uid"):
            if not consumer.get(field):
                yield Cause(REQUIRED, "must not be empty", f"{at}.{field}")
        uid = consumer.get("uid")
        if uid and uid in seen:
            yield Cause(DUPLICATE, f"{uid} is there already", at)
        seen.add(uid)


def _late_causes(new: Document, consumers: Sequence[Document], before: Document) -> Iterator[Cause]:
    if not new["metadata"].get("deletionTimestamp"):
        return
    known = {consumer.get("uid") for consumer in before.get("reservedFor") or ()}
    if any(consumer.get("uid") not in known for consumer in consumers):
        told = "nobody new may use a claim that is being deleted"
        yield Cause(FORBIDDEN, told, "status.reservedFor")


def _is_uuid(text: object) -> bool:
    try:
        return isinstance(text, str) and str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False
