"""Pod templates: a pod's spec kept for later, with its defaults and checks."""

from typing import Any

from shoal.apiserver.kinds.cells import name_of
from shoal.apiserver.kinds.pod_check import pod_causes
from shoal.apiserver.kinds.pod_defaults import complete_template
from shoal.apiserver.kinds.refuse import refuse
from shoal.apiserver.registry import World
from shoal.dialect.document import Document
from shoal.dialect.names import label_causes
from shoal.dialect.selectors import selector_text


def admit_pod_template(document: Document, world: World) -> list[str]:
    """Complete and check the template."""
    _settle(document)
    return []


def change_pod_template(new: Document, old: Document) -> None:
    """As at creation: all of it may change."""
    _settle(new)


def cells(document: Document, now: int) -> list[Any]:
    """Name, Containers, Images, Pod Labels."""
    template = document["template"]
    containers = template["spec"].get("containers") or []
    return [
        name_of(document),
        ",".join(container.get("name", "") for container in containers),
        ",".join(container.get("image", "") for container in containers),
        selector_text({"matchLabels": template["metadata"].get("labels") or {}}),
    ]


def _settle(document: Document) -> None:
    template = document["template"]
    complete_template(template)
    causes = [
        *label_causes(template["metadata"], "template.metadata"),
        *pod_causes(template["spec"], "template.spec"),
    ]
    refuse("", "PodTemplate", document, causes)
