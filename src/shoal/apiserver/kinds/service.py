"""Services: kept as records. No address of theirs leads anywhere on this machine.

Source: https://kubernetes.io/docs/concepts/services-networking/service/
"""

import ipaddress
from collections.abc import Iterator
from typing import Any, Final

from shoal.apiserver.ids import IDS
from shoal.apiserver.kinds.cells import age_of, name_of
from shoal.apiserver.kinds.refuse import not_supported, refuse
from shoal.apiserver.registry import World
from shoal.dialect.document import Document
from shoal.dialect.names import wrong_label
from shoal.dialect.selectors import selector_text
from shoal.dialect.status import DUPLICATE, INVALID, REQUIRED, Cause
from shoal.dialect.table import NONE

_RANGE: Final = ipaddress.IPv4Network("10.96.0.0/12")
_HEADLESS: Final = "None"
_EXTERNAL: Final = "ExternalName"
_TYPES: Final = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_PROTOCOLS: Final = ("SCTP", "TCP", "UDP")
_AFFINITIES: Final = ("ClientIP", "None")
_ADDRESSES: Final = ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy")
_NO_EFFECT: Final = "no address of a service leads to its pods on this machine; it is a record"


def admit_service(document: Document, world: World) -> list[str]:
    """Complete a new service, give it an address of its own, and check it."""
    spec = document["spec"]
    _complete(spec)
    refuse("", "Service", document, _causes(spec))
    if spec["type"] != _EXTERNAL:
        _give_address(spec, world)
    return [_NO_EFFECT]


def change_service(new: Document, old: Document) -> None:
    """The address stays."""
    spec, before = new["spec"], old["spec"]
    _complete(spec)
    if spec["type"] != _EXTERNAL:
        for field in _ADDRESSES:
            if field in before:
                spec.setdefault(field, before[field])
    causes = [*_causes(spec)]
    address = before.get("clusterIP")
    if address and spec["type"] != _EXTERNAL and spec.get("clusterIP") != address:
        causes.append(Cause(INVALID, "field is immutable", "spec.clusterIPs[0]"))
    refuse("", "Service", new, causes)


def service(document: Document, now: int) -> list[Any]:
    """Name, Type, Cluster-IP, External-IP, Port(s), Age, Selector."""
    spec = document["spec"]
    external = spec.get("externalName") or ",".join(spec.get("externalIPs") or ()) or NONE
    if spec["type"] == "LoadBalancer" and external == NONE:
        external = "<pending>"
    return [
        name_of(document),
        spec["type"],
        spec.get("clusterIP") or NONE,
        external,
        ",".join(map(_port_text, spec.get("ports") or ())) or NONE,
        age_of(document, now),
        selector_text({"matchLabels": spec.get("selector") or {}}),
    ]


def _port_text(port: Document) -> str:
    node = f":{port['nodePort']}" if port.get("nodePort") else ""
    return f"{port['port']}{node}/{port['protocol']}"


def _complete(spec: Document) -> None:
    if spec["type"] != _EXTERNAL:
        spec.setdefault("internalTrafficPolicy", "Cluster")
    if spec["sessionAffinity"] == "ClientIP":
        spec.setdefault("sessionAffinityConfig", {"clientIP": {"timeoutSeconds": 10800}})
    for port in spec.get("ports") or ():
        if not port.get("targetPort"):
            port["targetPort"] = port.get("port", 0)


def _give_address(spec: Document, world: World) -> None:
    if not spec.get("clusterIP"):
        taken = {service["spec"].get("clusterIP") for service in world.all("services")}
        spec["clusterIP"] = next(ip for ip in _addresses() if ip not in taken)
    spec.setdefault("clusterIPs", [spec["clusterIP"]])
    spec.setdefault("ipFamilies", ["IPv4"])
    spec.setdefault("ipFamilyPolicy", "SingleStack")


def _addresses() -> Iterator[str]:
    """Addresses of the range by chance, for ever."""
    while True:
        offset = int(IDS.uid()[:8], 16) % (_RANGE.num_addresses - 2)
        yield str(_RANGE.network_address + 1 + offset)


def _causes(spec: Document) -> Iterator[Cause]:
    yield from not_supported(spec["type"], _TYPES, "spec.type")
    yield from not_supported(spec["sessionAffinity"], _AFFINITIES, "spec.sessionAffinity")
    ports, address = spec.get("ports") or [], spec.get("clusterIP") or ""
    if spec["type"] == _EXTERNAL and not spec.get("externalName"):
        yield Cause(REQUIRED, "example: db.example.com", "spec.externalName")
    if not ports and address != _HEADLESS and spec["type"] != _EXTERNAL:
        yield Cause(REQUIRED, "at least one port", "spec.ports")
    if address not in ("", _HEADLESS) and not _is_address(address):
        told = f"{address[:40]!r} is neither None nor an address"
        yield Cause(INVALID, told, "spec.clusterIPs[0]")
    yield from _port_causes(ports)


def _port_causes(ports: list[Document]) -> Iterator[Cause]:
    names: set[str] = set()
    served: set[tuple[Any, Any]] = set()
    for index, port in enumerate(ports):
        at, name = f"spec.ports[{index}]", port.get("name") or ""
        if not name and len(ports) > 1:
            yield Cause(REQUIRED, "several ports are told apart by name", f"{at}.name")
        elif name and (wrong := wrong_label(name)):
            yield Cause(INVALID, wrong, f"{at}.name")
        elif name in names:
            yield Cause(DUPLICATE, f"{name} is there already", f"{at}.name")
        names.add(name)
        if not 1 <= port.get("port", 0) <= 65535:
            yield Cause(INVALID, "1 to 65535", f"{at}.port")
        yield from not_supported(port["protocol"], _PROTOCOLS, f"{at}.protocol")
        target = port["targetPort"]
        if isinstance(target, int) and not 1 <= target <= 65535:
            yield Cause(INVALID, "1 to 65535", f"{at}.targetPort")
        if (both := (port["protocol"], port.get("port"))) in served:
            yield Cause(DUPLICATE, f"{both[1]}/{both[0]} is there already", at)
        served.add(both)


def _is_address(text: str) -> bool:
    try:
        return bool(ipaddress.ip_address(text))
    except ValueError:
        return False
