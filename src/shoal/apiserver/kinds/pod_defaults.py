"""The defaults of a pod spec that depend on something; the others are in the schema table."""

from collections.abc import Iterator
from typing import Final

from shoal.dialect.document import Document

_PROBE_DEFAULTS: Final = {
    "timeoutSeconds": 1,
    "periodSeconds": 10,
    "successThreshold": 1,
    "failureThreshold": 3,
}
_PROBES: Final = ("livenessProbe", "readinessProbe", "startupProbe")
CONTAINER_PARTS: Final = ("initContainers", "containers")


def complete_template(template: Document) -> None:
    """Fill the defaults of a pod template in place."""
    complete_spec(template["spec"])


def complete_pod(spec: Document) -> None:
    """Fill the defaults of a pod's spec in place."""
    complete_spec(spec)
    if spec.get("enableServiceLinks") is None:
        spec["enableServiceLinks"] = True
    for container in containers_of(spec):
        resources = container["resources"]
        if limits := resources.get("limits"):
            requests = resources.setdefault("requests", {})
            for resource, amount in limits.items():
                requests.setdefault(resource, amount)


def complete_spec(spec: Document) -> None:
    """Fill what templates have in common with pods."""
    if spec["terminationGracePeriodSeconds"] < 0:
        spec["terminationGracePeriodSeconds"] = 1
    if account := spec.get("serviceAccountName") or spec.get("serviceAccount"):
        spec["serviceAccountName"] = spec["serviceAccount"] = account
    for container in containers_of(spec):
        _complete_container(container, bool(spec.get("hostNetwork")))
    for volume in spec.get("volumes", ()):
        _complete_volume(volume)


def containers_of(spec: Document) -> Iterator[Document]:
    """Init containers, then the others."""
    for part in CONTAINER_PARTS:
        yield from spec.get(part) or ()


def _complete_container(container: Document, host_network: bool) -> None:
    if not container.get("imagePullPolicy"):
        container["imagePullPolicy"] = _pull_policy(container.get("image") or "")
    for port in container.get("ports", ()):
        if host_network and "containerPort" in port:
            port.setdefault("hostPort", port["containerPort"])
    for name in _PROBES:
        if probe := container.get(name):
            _complete_probe(probe)


def _complete_probe(probe: Document) -> None:
    for field, value in _PROBE_DEFAULTS.items():
        if not probe.get(field):
            probe[field] = value


def _pull_policy(image: str) -> str:
    tag = image.rpartition("/")[2].partition(":")[2]
    return "IfNotPresent" if "@" in image or tag not in ("", "latest") else "Always"


def _complete_volume(volume: Document) -> None:
    if not any(key != "name" for key in volume):
        volume["emptyDir"] = {}
