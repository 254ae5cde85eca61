"""Run files: YAML in, a checked ``RunSpec`` out, and errors that name the line.

Where a text is taken, a scalar is one as it is written (``gpu: 1/2``, ``run: true``), so that
YAML's own ideas of types do not come in between. Where a number or a truth value is taken, it
is one in YAML too, written in full (``4``, neither ``"4"`` nor ``1e3``); and a number is no
program.
"""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import yaml

from shoal.api.meta import API_VERSION
from shoal.api.run import Limits, Retry, RetryCause, RunSpec
from shoal.cli.amounts import wrong_amounts
from shoal.cli.errors import BadInput
from shoal.cli.source import Source

_LARGEST_BYTES: Final = 1024 * 1024
_MOST_NODES: Final = 10_000
_ERROR = re.compile(r"(?P<what>.*?)(?: - at `\$\.?(?P<where>.*?)`)?\Z", re.DOTALL)
_TYPES = re.compile(r"Expected `(?P<takes>.*)`, got `.*`")
_TAKES: Final = {
    "int": "a whole number",
    "bool": "true or false",
    "str": "a text",
    "array": "a list",
    "object": "named fields",
    "str | array": "a command line or a list",
    "int | str": "an amount",
}
_ENUM = re.compile(r"Invalid enum value '(.*)'")
_NO_TEXT: Final[dict[type[yaml.Node], str]] = {
    yaml.MappingNode: "named fields",
    yaml.SequenceNode: "a list",
}
_TEXTS: Final = ("gpu", "cpu", "memory", "shm", "image", "queue", "priority", "code", "run")
_NOT_EMPTY: Final = ("metadata.name", *(f"spec.{field}" for field in _TEXTS), "spec.limits.time")
_LITERALS: Final[dict[str, tuple[str, re.Pattern[str]]]] = {
    **dict.fromkeys(("spec.replicas", "spec.retry.max"), ("int", re.compile(r"-?(0|[1-9]\d*)\Z"))),
    "spec.pack": ("bool", re.compile(r"(?i:true|false)\Z")),
}
"""Of a field that takes no text: its type, in YAML and in msgspec, and how it is written."""
_PROGRAM: Final = ("spec.run", "spec.run[0]")
_NUMBERS: Final = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`")
_EXAMPLES: Final = {
    "run": "run: python train.py",
    "queue": "queue: vision",
    "replicas": "replicas: 4",
    "gpu": "gpu: A100:1/2",
    "pack": "pack: true",
    "cpu": "cpu: 8",
    "memory": "memory: 32Gi",
    "shm": "shm: 8Gi",
    "image": "image: host",
    "code": "code: .",
    "env": "env: {SEED: 1}",
    "priority": "priority: high",
    "limits": "limits: {time: 12h}",
    "time": "limits: {time: 12h}",
    "retry": "retry: {max: 3}",
    "max": "retry: {max: 3}",
    "on": "retry: {max: 3, on: [error, oom, node-lost, evicted]}",
    "name": "metadata: {name: resnet}",
    "labels": "metadata: {labels: {team: vision}}",
    "annotations": "metadata: {annotations: {paper: draft}}",
    "metadata": "metadata: {name: resnet}",
    "spec": "spec: {run: python train.py}",
    "kind": "kind: Run",
    "apiVersion": f"apiVersion: {API_VERSION}",
}
SET_BY_SERVERS: Final = frozenset(
    {"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink"}
)
"""Metadata that a server sets: a run that was written out by ``get`` reads as a run file."""
_LATER: Final = frozenset({"framework", "data", "deadline", "budget", "idle"})
"""Fields of runs that are named elsewhere and do not exist yet."""


class _Metadata(msgspec.Struct, forbid_unknown_fields=True):
    name: str = ""
    namespace: str = ""
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}


class _Written(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    spec: RunSpec
    api_version: str = API_VERSION
    kind: str = "Run"
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)


class RunFile(NamedTuple):
    """A run file. ``code`` is as written; a folder of it is relative to the file's own."""

    spec: RunSpec
    metadata: _Metadata
    source: Source


_PARTS: Final[dict[str, type[msgspec.Struct]]] = {
    "": _Written,
    "metadata": _Metadata,
    "spec": RunSpec,
    "spec.limits": Limits,
    "spec.retry": Retry,
}


def read_run_file(name: str) -> RunFile:
    """Read and check a run file; ``-`` is stdin. Raises BadInput with the line."""
    return parse_run_file(read_text(name), "stdin" if name == "-" else name)


def read_text(name: str) -> str:
    """The text of a file, or of stdin for ``-``. Raises BadInput where there is none."""
    try:
        if name == "-":
            data = sys.stdin.buffer.read(_LARGEST_BYTES + 1)
        else:
            with Path(name).open("rb") as file:
                data = file.read(_LARGEST_BYTES + 1)
        text = data.decode()
    except OSError as error:
        raise BadInput(f"{name} cannot be read ({error.strerror}); example: -f run.yaml") from None
    except UnicodeDecodeError:
        raise BadInput(f"{name} is no text; example: -f run.yaml") from None
    if "\0" in text:
        raise BadInput(f"{name} is no text; example: -f run.yaml")
    if len(data) > _LARGEST_BYTES:
        raise BadInput(f"{name} is larger than 1 MiB; that is no run file")
    return text


def parse_run_file(text: str, name: str) -> RunFile:
    """Check the text of a run file. Raises BadInput with the line."""
    loader = yaml.CSafeLoader(text)
    try:
        nodes = _documents(loader)
        first, second = next(nodes, None), next(nodes, None)
        if second is None:
            return check_run_node(first, name)
        raise BadInput(
            f"{name} line {second.start_mark.line + 1}: another document begins; a run file has "
            f"one. All of them: shoal apply -f {name}"
        )
    except yaml.YAMLError as error:
        raise BadInput(syntax_error(error, name)) from None
    except RecursionError:
        raise BadInput(f"{name} is nested too deep; that is no run file") from None


def _documents(loader: yaml.CSafeLoader) -> Iterator[yaml.Node]:
    """Each document that says something."""
    while loader.check_node():
        node = loader.get_node()
        if node is not None and node.tag != "tag:yaml.org,2002:null":
            yield node


def check_run_node(node: yaml.Node | None, name: str) -> RunFile:
    """Check a run that was parsed. Raises BadInput with the line."""
    reading = _Reading(name)
    if not isinstance(node, yaml.MappingNode):
        raise BadInput(f"{name} is no run file; example: spec: {{run: python train.py}}")
    data = reading.value(node, "")
    _drop_what_servers_set(data)
    if isinstance(data.setdefault("spec", {}), dict):
        data["spec"].setdefault("run", "")  # it may still come from the command line
    try:
        file = msgspec.convert(data, _Written, strict=False)
    except msgspec.ValidationError as error:
        raise BadInput(reading.sentence(error)) from None
    if (file.api_version, file.kind) != (API_VERSION, "Run"):
        raise BadInput(
            f"{reading.source.at('kind')}: {file.api_version} {file.kind} is no run; "
            f"it takes apiVersion: {API_VERSION}, kind: Run"
        )
    reading.check_values(file.spec)
    return RunFile(file.spec, file.metadata, reading.source)


def _drop_what_servers_set(data: dict[str, Any]) -> None:
    data.pop("status", None)
    metadata = data.get("metadata")
    if isinstance(metadata, dict):
        data["metadata"] = {key: metadata[key] for key in metadata if key not in SET_BY_SERVERS}


class _Reading:
    """One file being read: its values, and on which line each of them stands."""

    def __init__(self, name: str) -> None:
        self.source = Source(name, {"": 1})
        self._got: dict[str, str] = {}
        """What stands at a path, in words."""
        self._nodes = 0

    def value(self, node: yaml.Node, path: str) -> Any:  # noqa: ANN401 - as YAML has it
        """The node as plain data, every scalar a text. Raises BadInput."""
        self._nodes += 1
        if self._nodes > _MOST_NODES:
            name = self.source.name
            raise BadInput(f"{name} has more than {_MOST_NODES} values; that is no run file")
        self.source.lines.setdefault(path, node.start_mark.line + 1)
        self._got[path] = _NO_TEXT.get(type(node)) or repr(node.value[:40])
        if isinstance(node, yaml.MappingNode):
            return dict(self._items(node, path))
        if isinstance(node, yaml.SequenceNode):
            return [self.value(part, f"{path}[{i}]") for i, part in enumerate(node.value)]
        self._check_scalar(node, path)
        return node.value

    def _check_scalar(self, node: yaml.Node, path: str) -> None:
        if takes := _refused(node, path):
            raise BadInput(self.source.said(path, self._wrong(f"Expected `{takes}`, got ``", path)))

    def _items(self, node: yaml.MappingNode, path: str) -> Iterator[tuple[str, Any]]:
        seen: set[str] = set()
        for key_node, value_node in node.value:
            key = str(key_node.value)
            inner = f"{path}.{key}".lstrip(".")
            self.source.lines[inner] = key_node.start_mark.line + 1
            if key in seen:
                raise BadInput(self.source.said(inner, f"{inner} is written twice; keep one"))
            seen.add(key)
            if value_node.tag != "tag:yaml.org,2002:null":
                yield key, self.value(value_node, inner)
            elif path == "spec.env":
                yield key, self._from_caller(key, inner)

    def _from_caller(self, key: str, path: str) -> str:
        if key in os.environ:
            return os.environ[key]
        told = f"{path} takes your own {key}, which is not set. Set it: export {key}=..."
        raise BadInput(self.source.said(path, told))

    def check_values(self, spec: RunSpec) -> None:
        """Raises BadInput for an empty text and for one that is no amount, with its line."""
        for path in _NOT_EMPTY:
            if self._got.get(path) == "''":
                example = _EXAMPLES[path.rpartition(".")[2]]
                told = f"{path} is empty; leave it out, or: {example}"
                raise BadInput(self.source.said(path, told))
        for field, wrong in wrong_amounts(spec):
            path = "spec.limits.time" if field == "time" else f"spec.{field}"
            raise BadInput(self.source.said(path, wrong))

    def sentence(self, error: msgspec.ValidationError) -> str:
        """What msgspec found, in our words, at its line."""
        match = _ERROR.match(str(error))
        assert match is not None, "the pattern takes any text"
        what, where = match["what"], self._full(match["where"] or "")
        unknown = _UNKNOWN.match(what)
        if unknown is None:
            return self.source.said(where or "the file", self._wrong(what, where))
        field = unknown[1]
        path = f"{where}.{field}".lstrip(".")
        return self.source.said(path, _no_field(path, field, where))

    def _full(self, where: str) -> str:
        """A path with the key that msgspec leaves out: of the variable that is no text."""
        base, unnamed, _ = where.partition("[...]")
        if not unnamed:
            return where
        inner = (path for path in self._got if path.startswith(f"{base}."))
        return next((path for path in inner if self._got[path] in _NO_TEXT.values()), base)

    def _wrong(self, what: str, where: str) -> str:
        got = self._got.get(where, "nothing")
        if where == "spec.image" and got == _NO_TEXT[yaml.MappingNode]:
            return "building images is not supported yet; example: image: host"
        told = what[:1].lower() + what[1:].replace("`", "")
        if types := _TYPES.match(what):
            told = f"takes {_TAKES.get(types['takes'], types['takes'])}, got {got}"
        elif _ENUM.match(what):
            told = f"takes {', '.join(RetryCause)}, got {got}"
        example = next((_EXAMPLES[key] for key in _keys(where) if key in _EXAMPLES), "")
        return f"{told}; example: {example}" if example else told


def _refused(node: yaml.Node, path: str) -> str:
    """The type that a field takes, where a scalar is none of it; else nothing."""
    takes, form = _LITERALS.get(path, ("", None))
    if form is not None:
        written = node.tag == f"tag:yaml.org,2002:{takes}" and form.match(node.value)
        return "" if written else takes
    return "str" if path in _PROGRAM and node.tag in _NUMBERS else ""


def _keys(path: str) -> list[str]:
    """The names on a path, the innermost first."""
    return [part.partition("[")[0] for part in reversed(path.split("."))]


def _no_field(path: str, field: str, where: str) -> str:
    if field in _LATER:
        return f"{path} is not supported yet; leave it out"
    import difflib

    known = [name for name in _PARTS[where].__struct_encode_fields__ if name != "stop"]
    close = difflib.get_close_matches(field, known, n=1)
    if close:
        return f"{path} is not a field; did you mean {close[0]}? Example: {_EXAMPLES[close[0]]}"
    return f"{path} is not a field; there are {', '.join(known)}"


def syntax_error(error: yaml.YAMLError, name: str) -> str:
    """A file that is no YAML, in a sentence with its line."""
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or "it cannot be read"
    at = f" line {mark.line + 1}" if mark is not None else ""
    return f"{name}{at}: this is no YAML: {problem}"
