"""Our kinds: Run, Gang, NodeUse and Queue in ``shoal.dev/v1alpha1``."""

from typing import Any, Final

from shoal.api.crds import schemas
from shoal.api.gang import Gang
from shoal.api.meta import GROUP, VERSION
from shoal.api.nodeuse import NodeUse
from shoal.api.queue import Queue
from shoal.api.run import Run
from shoal.apiserver.kinds.cells import age_of, name_and_age, name_of
from shoal.apiserver.kinds.run import admit_run, change_run
from shoal.apiserver.kinds.strict import Strict
from shoal.apiserver.registry import Resource
from shoal.dialect.document import Document
from shoal.dialect.names import wrong_label
from shoal.dialect.table import AGE, NAME, Column, wide


def _run_cells(document: Document, now: int) -> list[Any]:
    spec, status = document.get("spec") or {}, document.get("status") or {}
    replicas, gpu = spec.get("replicas", 1), spec.get("gpu") or "-"
    return [
        name_of(document),
        status.get("phase") or "Queued",
        f"{replicas} × {gpu}" if replicas > 1 and gpu != "-" else gpu,
        replicas,
        age_of(document, now),
        _where(status) or "-",
        status.get("message") or "",
    ]


def _where(status: Document) -> str:
    """Nodes with their cards: ``box1:0,1 box2:0``."""
    cards: dict[str, set[str]] = {}
    for replica in status.get("replicas") or ():
        if node := replica.get("node"):
            names = (card.removeprefix("gpu-") for card in replica.get("cards") or ())
            cards.setdefault(node, set()).update(names)
    return " ".join(
        f"{node}:{','.join(sorted(held, key=_card_order))}" if held else node
        for node, held in cards.items()
    )


def _card_order(name: str) -> tuple[int, str]:
    return len(name), name


def _gang_cells(document: Document, now: int) -> list[Any]:
    spec, status = document.get("spec") or {}, document.get("status") or {}
    phase, members = status.get("phase") or "Waiting", spec.get("members", 1)
    return [name_of(document), phase, members, bool(spec.get("pack")), age_of(document, now)]


def _node_use_cells(document: Document, now: int) -> list[Any]:
    held = (document.get("status") or {}).get("held") or ()
    pods = ",".join(sorted(claim.get("pod") or claim.get("name", "") for claim in held))
    return [name_of(document), len(held), age_of(document, now), pods]


_RUN, _GANG, _NODE_USE, _QUEUE = Strict(Run), Strict(Gang), Strict(NodeUse), Strict(Queue)

RUN: Final = Resource(
    group=GROUP,
    version=VERSION,
    kind="Run",
    schema=schemas()["Run"],
    plural="runs",
    name_rule=wrong_label,
    categories=("all",),
    status=True,
    generation=True,
    needs_version=True,
    fields={"status.phase": "status.phase", "spec.queue": "spec.queue"},
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
    admit=admit_run,
    change=change_run,
    change_status=_RUN.change,
)
GANG: Final = Resource(
    group=GROUP,
    version=VERSION,
    kind="Gang",
    schema=schemas()["Gang"],
    plural="gangs",
    status=True,
    generation=True,
    needs_version=True,
    admit=_GANG.admit,
    change=_GANG.change,
    change_status=_GANG.change,
    columns=(
        NAME,
        Column("Phase"),
        Column("Members", type="integer"),
        Column("Pack", type="boolean"),
        AGE,
    ),
    cells=_gang_cells,
)
NODE_USE: Final = Resource(
    group=GROUP,
    version=VERSION,
    kind="NodeUse",
    schema=schemas()["NodeUse"],
    plural="nodeuses",
    namespaced=False,
    status=True,
    generation=True,
    needs_version=True,
    admit=_NODE_USE.admit,
    change=_NODE_USE.change,
    change_status=_NODE_USE.change,
    columns=(NAME, Column("Held", type="integer"), AGE, wide("Pods")),
    cells=_node_use_cells,
)
QUEUE: Final = Resource(
    group=GROUP,
    version=VERSION,
    kind="Queue",
    schema=schemas()["Queue"],
    plural="queues",
    status=True,
    generation=True,
    needs_version=True,
    admit=_QUEUE.admit,
    change=_QUEUE.change,
    change_status=_QUEUE.change,
    columns=(NAME, AGE),
    cells=name_and_age,
)
OWN: Final = (RUN, GANG, NODE_USE, QUEUE)
