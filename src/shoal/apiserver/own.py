"""Our kinds: Run, Gang, NodeUse and Queue in ``shoal.dev/v1alpha1``."""

from typing import Any, Final

from shoal.api.meta import GROUP, VERSION
from shoal.apiserver.registry import Document, Resource
from shoal.dialect.paths import dig
from shoal.dialect.table import AGE, NAME, Column, age, wide


def _age(document: Document, now: int) -> str:
    return age(dig(document, "metadata", "creationTimestamp"), now)


def _run_cells(document: Document, now: int) -> list[Any]:
    spec, status = document.get("spec", {}), document.get("status", {})
    replicas = int(spec.get("replicas", 1))
    gpu = spec.get("gpu") or "-"
    places = ",".join(
        f"{r.get('node', '')}:{','.join(c.removeprefix('gpu-') for c in r.get('cards', ()))}"
        for r in status.get("replicas", ())
        if r.get("node")
    )
    return [
        document["metadata"]["name"],
        status.get("phase", "Queued"),
        f"{replicas} × {gpu}" if replicas > 1 else gpu,
        replicas,
        _age(document, now),
        places or "-",
        status.get("message", ""),
    ]


def _gang_cells(document: Document, now: int) -> list[Any]:
    spec, status = document.get("spec", {}), document.get("status", {})
    return [
        document["metadata"]["name"],
        status.get("phase", "Waiting"),
        spec.get("members", 1),
        _age(document, now),
    ]


def _node_use_cells(document: Document, now: int) -> list[Any]:
    status = document.get("status", {})
    return [document["metadata"]["name"], len(status.get("held", ())), _age(document, now)]


def _queue_cells(document: Document, now: int) -> list[Any]:
    return [document["metadata"]["name"], _age(document, now)]


RUN: Final = Resource(
    group=GROUP,
    version=VERSION,
    kind="Run",
    plural="runs",
    categories=("all",),
    status=True,
    generation=True,
    needs_version=True,
    fields=("status.phase", "spec.queue"),
    columns=(
        NAME,
        Column("Phase"),
        Column("GPU"),
        Column("Replicas", type="integer"),
        AGE,
        wide("Where"),
        wide("Message"),
    ),
    cells=_run_cells,
)
GANG: Final = Resource(
    group=GROUP,
    version=VERSION,
    kind="Gang",
    plural="gangs",
    status=True,
    generation=True,
    needs_version=True,
    columns=(NAME, Column("Phase"), Column("Members", type="integer"), AGE),
    cells=_gang_cells,
)
NODE_USE: Final = Resource(
    group=GROUP,
    version=VERSION,
    kind="NodeUse",
    plural="nodeuses",
    namespaced=False,
    status=True,
    generation=True,
    needs_version=True,
    columns=(NAME, Column("Held", type="integer"), AGE),
    cells=_node_use_cells,
)
QUEUE: Final = Resource(
    group=GROUP,
    version=VERSION,
    kind="Queue",
    plural="queues",
    status=True,
    generation=True,
    needs_version=True,
    columns=(NAME, AGE),
    cells=_queue_cells,
)
OWN: Final = (RUN, GANG, NODE_USE, QUEUE)
