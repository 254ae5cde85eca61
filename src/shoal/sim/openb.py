"""The openb format: a list of nodes and a list of pods, as Alibaba published its GPU cluster.

Nodes: ``sn,cpu_milli,memory_mib,gpu,model``. Pods: ``name,cpu_milli,memory_mib,num_gpu,gpu_milli``,
and where known ``gpu_spec`` (allowed models, ``|`` between them), ``qos``, ``creation_time``,
``scheduled_time`` and ``deletion_time`` in seconds. ``gpu_milli`` below 1000 is a part of one card.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from shoal.core.engine.spec import MOST_CARDS
from shoal.sim.csvfile import Row, read_rows
from shoal.sim.errors import TraceError
from shoal.sim.trace import Trace, TraceNode, TracePod
from shoal.units.gpu import WHOLE

_NODE_COLUMNS: Final = ("sn", "cpu_milli", "memory_mib", "gpu", "model")
_POD_COLUMNS: Final = ("name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli")


def read_openb(name: str, nodes: Path, pods: Path) -> Trace:
    """The trace in two files. Raises TraceError with file, line and column."""
    models: dict[str, int] = {}
    seen: dict[str, int] = {}
    there = tuple(_node(row, seen, models) for row in read_rows(nodes, _NODE_COLUMNS))
    if not models:
        raise TraceError(f"{nodes}: no node has a card, so there is nothing to place on")
    seen = {}
    come = tuple(_pod(row, seen, models) for row in read_rows(pods, _POD_COLUMNS))
    if not any(pod.asked for pod in come):
        raise TraceError(f"{pods}: no pod asks for a card, so no load ever arrives")
    return Trace(name, tuple(models), there, come)


def _node(row: Row, seen: dict[str, int], models: dict[str, int]) -> TraceNode:
    name = row.name("sn", seen)
    cards = row.whole("gpu", "cards")
    if cards > MOST_CARDS:
        raise row.wrong("gpu", f"{cards} cards; a node has at most {MOST_CARDS}")
    model = row.text("model")
    if cards and not model:
        raise row.wrong("model", f"is empty, and the node has cards: {cards}")
    return TraceNode(
        name,
        row.whole("cpu_milli", "mCPU"),
        row.whole("memory_mib", "MiB"),
        cards,
        models.setdefault(model, len(models)) if cards else -1,
    )


def _pod(row: Row, seen: dict[str, int], models: Mapping[str, int]) -> TracePod:
    name = row.name("name", seen)
    cards, milli = _share(row)
    arrives, lives = _times(row)
    return TracePod(
        name,
        row.whole("cpu_milli", "mCPU"),
        row.whole("memory_mib", "MiB"),
        cards,
        milli,
        _allowed(row, models) if cards else (),
        row.text("qos"),
        arrives,
        lives,
    )


def _share(row: Row) -> tuple[int, int]:
    cards, milli = row.whole("num_gpu", "cards"), row.whole("gpu_milli", "milli-card")
    if milli > WHOLE:
        raise row.wrong("gpu_milli", f"{milli} is more than one card, which has {WHOLE}")
    if cards > 1 and milli != WHOLE:
        told = f"{milli} of each of {cards} cards; only one card can be shared, of several {WHOLE}"
        raise row.wrong("gpu_milli", told)
    if (cards == 0) != (milli == 0):
        raise row.wrong("gpu_milli", f"{milli} of a card, and num_gpu is {cards}")
    return cards, milli


def _allowed(row: Row, models: Mapping[str, int]) -> tuple[int, ...]:
    named = [model for model in row.text("gpu_spec").split("|") if model]
    for model in named:
        if model not in models:
            told = f"no node has the model {model[:40]}; there are {', '.join(sorted(models))}"
            raise row.wrong("gpu_spec", told)
    return tuple(models[model] for model in named)


def _times(row: Row) -> tuple[int | None, int | None]:
    """When it came, and how long it lived once it had its place."""
    created, scheduled, deleted = (
        row.whole(column, "seconds") if row.has(column) else None
        for column in ("creation_time", "scheduled_time", "deletion_time")
    )
    if created is not None and scheduled is not None and scheduled < created:
        raise row.wrong("scheduled_time", f"{scheduled} s is before the pod came, {created} s")
    started = created if scheduled is None else scheduled
    if started is None or deleted is None:
        return created, None
    if deleted < started:
        raise row.wrong("deletion_time", f"{deleted} s is before the pod started, {started} s")
    return created, deleted - started
