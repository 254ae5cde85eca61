"""Rules of runs: every amount is read here once, so that nothing wrong is ever stored."""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec

from shoal.api.meta import GROUP
from shoal.api.run import HOST_IMAGE, MOST_REPLICAS, MOST_RETRIES, Run, RunSpec
from shoal.apiserver.history import Key
from shoal.apiserver.kinds.fields import tree_of_kind, type_cause, unknown_causes
from shoal.apiserver.kinds.refuse import refuse
from shoal.apiserver.registry import World
from shoal.dialect.document import Document, Json
from shoal.dialect.names import wrong_label
from shoal.dialect.status import FORBIDDEN, INVALID, REQUIRED, Cause, invalid
from shoal.units.duration import parse_duration
from shoal.units.errors import UnitError
from shoal.units.gpu import parse_share
from shoal.units.quantity import parse_cpu, parse_mib

_FIELDS: Final = tree_of_kind(Run)
_DEFAULTS: Final[dict[str, Any]] = {
    "queue": "default",
    "replicas": 1,
    "image": HOST_IMAGE,
    "priority": "normal",
}
_AMOUNTS: Final[dict[str, Callable[[str], object]]] = {
    "gpu": parse_share,
    "cpu": parse_cpu,
    "memory": parse_mib,
    "shm": parse_mib,
}
_EXAMPLES: Final = {
    "code": "code: /home/me/project",
    "cpu": "cpu: 8",
    "env": "env: {HF_HOME: /data/hf}",
    "gpu": "gpu: A100:1/2",
    "image": "image: host",
    "limits": "limits: {time: 12h}",
    "memory": "memory: 32Gi",
    "priority": "priority: high",
    "queue": "queue: default",
    "replicas": "replicas: 4",
    "retry": "retry: {max: 3, on: [node-lost]}",
    "run": "run: python train.py",
    "shm": "shm: 8Gi",
}
_TEXTS: Final = ("code", "image", "priority", "queue")
_LONGEST_NAME: Final = 52
"""Names of its pods and gangs, which labels repeat, add up to 11 letters to a run's."""
_SNAPSHOT: Final = re.compile(r"sha256:[0-9a-f]{64}\Z")
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*\Z")


def admit_run(document: Document, world: World) -> list[str]:
    """Complete and check a new run."""
    _refuse(document, unknown_causes(document, _FIELDS, ""))
    name = document["metadata"].get("name", "")
    if len(name) > _LONGEST_NAME:
        told = f"{name!r} has {len(name)} letters, a run's name at most {_LONGEST_NAME}"
        _refuse(document, [Cause(INVALID, told, "metadata.name")])
    spec = _spec_of(document)
    _plain_numbers(spec)
    if spec.get("run") in (None, "", []):
        _refuse(document, [Cause(REQUIRED, "example: run: python train.py", "spec.run")])
    _refuse(document, _empty_causes(spec))
    for field, value in _DEFAULTS.items():
        if spec.get(field) is None:
            spec[field] = value
    _refuse(document, _spec_causes(spec))
    return list(_warnings(document["metadata"]["namespace"], spec, world))


def change_run(new: Document, old: Document) -> None:
    """Only ``stop`` may change, from false to true: what was asked for stays on record."""
    _refuse(new, unknown_causes(new, _FIELDS, ""))
    spec, before = _spec_of(new), old["spec"]
    _plain_numbers(spec)
    for field, value in _DEFAULTS.items():
        spec.setdefault(field, value)
    causes = [
        Cause(FORBIDDEN, "cannot change once the run exists; start another run", f"spec.{field}")
        for field in sorted(spec.keys() | before.keys())
        if field != "stop" and spec.get(field) != before.get(field)
    ]
    if before.get("stop") and not spec.get("stop"):
        causes.append(Cause(FORBIDDEN, "a stopped run stays stopped", "spec.stop"))
    elif not isinstance(spec.get("stop", False), bool):
        causes.append(Cause(INVALID, "takes true or false", "spec.stop"))
    _refuse(new, causes)


def _empty_causes(spec: Document) -> Iterator[Cause]:
    """An empty text says nothing, and what was meant is not to be guessed."""
    for fields, takes in ((_AMOUNTS, "an amount"), (_TEXTS, "a value")):
        for field in fields:
            if spec.get(field) == "":
                yield _empty(field, takes, f"spec.{field}")
    limits = spec.get("limits")
    if isinstance(limits, dict) and limits.get("time") == "":
        yield _empty("limits", "a duration", "spec.limits.time")


def _empty(field: str, takes: str, at: str) -> Cause:
    told = f"is empty; leave it out or give {takes}; example: {_EXAMPLES[field]}"
    return Cause(INVALID, told, at)


def _warnings(namespace: str, spec: Document, world: World) -> Iterator[str]:
    """What is stored and has no effect."""
    queue = spec["queue"]
    key = Key(f"queues.{GROUP}", namespace, queue)
    if queue != _DEFAULTS["queue"] and world.find(key) is None:
        yield f"queue {queue} does not exist; it is only a name for now"
    if spec.get("shm") and spec["image"] == HOST_IMAGE:
        yield "spec.shm has no effect with image: host; programs share the machine's /dev/shm"


def _spec_of(document: Document) -> Document:
    spec: Json = document.get("spec")
    if isinstance(spec, dict):
        return spec
    cause = Cause(REQUIRED, "example: spec: {run: python train.py}", "spec")
    raise invalid(GROUP, "Run", document["metadata"].get("name", ""), [cause])


def _refuse(document: Document, causes: Iterator[Cause] | list[Cause]) -> None:
    refuse(GROUP, "Run", document, causes)


def _plain_numbers(spec: Document) -> None:
    """Amounts are texts; ``gpu: 2`` and ``cpu: 0.5`` say the same without quotes."""
    for field in _AMOUNTS:
        if _is_number(spec.get(field)):
            spec[field] = str(spec[field])
    limits = spec.get("limits")
    if isinstance(limits, dict) and _is_number(limits.get("time")):
        limits["time"] = str(limits["time"])


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _spec_causes(document: Document) -> Iterator[Cause]:
    try:
        spec = msgspec.convert(document, RunSpec)
    except msgspec.ValidationError as error:
        cause = type_cause(error)
        field = cause.field.partition(".")[0].partition("[")[0]
        example = _EXAMPLES.get(field, _EXAMPLES["run"])
        yield Cause(INVALID, f"{cause.message}; example: {example}", f"spec.{cause.field}")
        return
    for field, parse in _AMOUNTS.items():
        if text := getattr(spec, field):
            yield from _parsed(parse, text, f"spec.{field}")
    if spec.limits.time:
        yield from _parsed(parse_duration, spec.limits.time, "spec.limits.time")
    yield from _bounds_causes(spec)
    yield from _text_causes(spec)


def _parsed(parse: Callable[[str], object], text: str | int, at: str) -> Iterator[Cause]:
    try:
        parse(str(text))
    except UnitError as error:
        yield Cause(INVALID, str(error), at)


def _bounds_causes(spec: RunSpec) -> Iterator[Cause]:
    if not 1 <= spec.replicas <= MOST_REPLICAS:
        told = f"got {spec.replicas}, takes 1 to {MOST_REPLICAS}; example: replicas: 4"
        yield Cause(INVALID, told, "spec.replicas")
    if not 0 <= spec.retry.max <= MOST_RETRIES:
        told = f"got {spec.retry.max}, takes 0 to {MOST_RETRIES}; example: retry: {{max: 3}}"
        yield Cause(INVALID, told, "spec.retry.max")


def _text_causes(spec: RunSpec) -> Iterator[Cause]:
    for field, name in (("queue", spec.queue), ("priority", spec.priority)):
        if wrong := wrong_label(name):
            yield Cause(INVALID, wrong, f"spec.{field}")
    if spec.code and not (_SNAPSHOT.match(spec.code) or spec.code.startswith("/")):
        told = "takes sha256:<hex> of a snapshot, or the absolute path of a folder"
        yield Cause(INVALID, told, "spec.code")
    for name, value in spec.env.items():
        if not _VARIABLE.match(name) or "\0" in value:
            told = "is no variable; example: env: {HF_HOME: /data/hf}"
            yield Cause(INVALID, told, f"spec.env.{name[:40]}")
