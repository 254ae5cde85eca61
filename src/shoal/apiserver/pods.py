"""Pods: what a new one is completed with, and what may change later."""

from shoal.apiserver.history import Key
from shoal.apiserver.registry import Document, World


def admit_pod(document: Document, world: World) -> list[str]:
    """Defaults of a new pod."""
    spec = document.setdefault("spec", {})
    spec.setdefault("restartPolicy", "Always")
    spec.setdefault("terminationGracePeriodSeconds", 30)
    spec.setdefault("schedulerName", "default-scheduler")
    document["status"] = {"phase": "Pending", "qosClass": "BestEffort"}
    return []
