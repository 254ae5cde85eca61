"""The defaults of a pod spec: those that templates get too, and those of a pod alone."""

from collections.abc import Iterator
from typing import Any, Final

from shoal.dialect.document import Document

_DEFAULTS: Final[dict[str, Any]] = {
    "restartPolicy": "Always",
    "terminationGracePeriodSeconds": 30,
    "dnsPolicy": "ClusterFirst",
    "schedulerName": "default-scheduler",
}
_CONTAINER_DEFAULTS: Final = {
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
}
_PROBE_DEFAULTS: Final = {
    "timeoutSeconds": 1,
    "periodSeconds": 10,
    "successThreshold": 1,
    "failureThreshold": 3,
}
_PROBES: Final = ("livenessProbe", "readinessProbe", "startupProbe")
_FILE_MODE: Final = 0o644
_TOKEN_SECONDS: Final = 3600
CONTAINER_PARTS: Final = ("initContainers", "containers")


def complete_template(template: Document) -> None:
    """Fill the defaults of a pod template in place."""
    template.setdefault("metadata", {})
    complete_spec(template.setdefault("spec", {}))


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
    for field, value in _DEFAULTS.items():
        if spec.get(field) is None:
            spec[field] = value
    if spec["terminationGracePeriodSeconds"] < 0:
        spec["terminationGracePeriodSeconds"] = 1
    spec.setdefault("securityContext", {})
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
    for field, value in _CONTAINER_DEFAULTS.items():
        container.setdefault(field, value)
    container.setdefault("imagePullPolicy", _pull_policy(container.get("image") or ""))
    container.setdefault("resources", {})
    for port in container.get("ports", ()):
        port.setdefault("protocol", "TCP")
        if host_network and "containerPort" in port:
            port.setdefault("hostPort", port["containerPort"])
    for variable in container.get("env", ()):
        if reference := (variable.get("valueFrom") or {}).get("fieldRef"):
            reference.setdefault("apiVersion", "v1")
    for name in _PROBES:
        if probe := container.get(name):
            _complete_probe(probe)
    for action in (container.get("lifecycle") or {}).values():
        if isinstance(action, dict):
            _complete_request(action.get("httpGet"))


def _complete_probe(probe: Document) -> None:
    for field, value in _PROBE_DEFAULTS.items():
        if not probe.get(field):
            probe[field] = value
    _complete_request(probe.get("httpGet"))
    if grpc := probe.get("grpc"):
        grpc.setdefault("service", "")


def _complete_request(request: Document | None) -> None:
    if request:
        request.setdefault("path", "/")
        request.setdefault("scheme", "HTTP")


def _pull_policy(image: str) -> str:
    tag = image.rpartition("/")[2].partition(":")[2]
    return "IfNotPresent" if "@" in image or tag not in ("", "latest") else "Always"


def _complete_volume(volume: Document) -> None:
    if not any(key != "name" for key in volume):
        volume["emptyDir"] = {}
    for source in ("configMap", "secret", "downwardAPI", "projected"):
        if source in volume:
            volume[source].setdefault("defaultMode", _FILE_MODE)
    for source in (volume.get("projected") or {}).get("sources") or ():
        if token := source.get("serviceAccountToken"):
            token.setdefault("expirationSeconds", _TOKEN_SECONDS)
        _complete_items(source.get("downwardAPI"))
    _complete_items(volume.get("downwardAPI"))
    if "hostPath" in volume:
        volume["hostPath"].setdefault("type", "")
    if template := (volume.get("ephemeral") or {}).get("volumeClaimTemplate"):
        template.setdefault("spec", {}).setdefault("volumeMode", "Filesystem")


def _complete_items(source: Document | None) -> None:
    for item in (source or {}).get("items") or ():
        if reference := item.get("fieldRef"):
            reference.setdefault("apiVersion", "v1")
