"""Run files: YAML in, a checked ``RunSpec`` out, and errors that name the line.

Every scalar is taken as it is written (``gpu: 1/2``, ``run: true``), and only then read as
what its field takes; so YAML's own ideas of types do not come in between.
"""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import yaml

from shoal.api.meta import API_VERSION
from shoal.api.run import Limits, Retry, RunSpec
from shoal.cli.amounts import wrong_amounts
from shoal.cli.errors import BadInput

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
}
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
    "on": "retry: {max: 3, on: [error, oom, node-lost]}",
    "name": "metadata: {name: resnet}",
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


class RunFile(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """A run file. ``code`` is as written; a folder of it is relative to the file's own."""

    spec: RunSpec
    api_version: str = API_VERSION
    kind: str = "Run"
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)


_PARTS: Final[dict[str, type[msgspec.Struct]]] = {
    "": RunFile,
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
    if len(data) > _LARGEST_BYTES:
        raise BadInput(f"{name} is larger than 1 MiB; that is no run file")
    return text


def parse_run_file(text: str, name: str) -> RunFile:
    """Check the text of a run file. Raises BadInput with the line."""
    try:
        return check_run_node(yaml.compose(text, Loader=yaml.CSafeLoader), name)
    except yaml.YAMLError as error:
        raise BadInput(syntax_error(error, name)) from None
    except RecursionError:
        raise BadInput(f"{name} is nested too deep; that is no run file") from None


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
        file = msgspec.convert(data, RunFile, strict=False)
    except msgspec.ValidationError as error:
        raise BadInput(reading.sentence(error)) from None
    if (file.api_version, file.kind) != (API_VERSION, "Run"):
        raise BadInput(
            f"{name}: {file.api_version} {file.kind} is no run; "
            f"it takes apiVersion: {API_VERSION}, kind: Run"
        )
    reading.check_amounts(file.spec)
    return file


def _drop_what_servers_set(data: dict[str, Any]) -> None:
    data.pop("status", None)
    metadata = data.get("metadata")
    if isinstance(metadata, dict):
        data["metadata"] = {key: metadata[key] for key in metadata if key not in SET_BY_SERVERS}


class _Reading:
    """One file being read: its values, and on which line each of them stands."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lines: dict[str, int] = {"": 1}
        self._texts: dict[str, str] = {}
        self._nodes = 0

    def value(self, node: yaml.Node, path: str) -> Any:  # noqa: ANN401 - as YAML has it
        """The node as plain data, every scalar a text. Raises BadInput."""
        self._nodes += 1
        if self._nodes > _MOST_NODES:
            raise BadInput(f"{self._name} has more than {_MOST_NODES} values; that is no run file")
        self._lines.setdefault(path, node.start_mark.line + 1)
        if isinstance(node, yaml.MappingNode):
            return dict(self._items(node, path))
        if isinstance(node, yaml.SequenceNode):
            return [self.value(part, f"{path}[{i}]") for i, part in enumerate(node.value)]
        self._texts[path] = node.value
        return node.value

    def _items(self, node: yaml.MappingNode, path: str) -> Iterator[tuple[str, Any]]:
        seen: set[str] = set()
        for key_node, value_node in node.value:
            key = str(key_node.value)
            line = key_node.start_mark.line + 1
            inner = f"{path}.{key}".lstrip(".")
            if key in seen:
                raise BadInput(f"{self._name} line {line}: {inner} is written twice; keep one")
            seen.add(key)
            self._lines[inner] = line
            if value_node.tag != "tag:yaml.org,2002:null":
                yield key, self.value(value_node, inner)
            elif path == "spec.env":
                yield key, self._from_caller(key, line)

    def _from_caller(self, key: str, line: int) -> str:
        if key in os.environ:
            return os.environ[key]
        raise BadInput(
            f"{self._name} line {line}: spec.env.{key} takes your own {key}, which is not set. "
            f"Set it: export {key}=..."
        )

    def check_amounts(self, spec: RunSpec) -> None:
        """Raises BadInput for a text that is no amount, with its line."""
        for field, wrong in wrong_amounts(spec):
            path = "spec.limits.time" if field == "time" else f"spec.{field}"
            raise BadInput(f"{self._name} line {self._line(path)}: {path}: {wrong}")

    def sentence(self, error: msgspec.ValidationError) -> str:
        """What msgspec found, in our words, at its line."""
        match = _ERROR.match(str(error))
        assert match is not None, "the pattern takes any text"
        what, where = match["what"], match["where"] or ""
        unknown = _UNKNOWN.match(what)
        if unknown is None:
            return self._wrong(what, where)
        field = unknown[1]
        path = f"{where}.{field}".lstrip(".")
        return f"{self._name} line {self._line(path)}: {_no_field(path, field, where)}"

    def _wrong(self, what: str, where: str) -> str:
        field = where.rpartition(".")[2].partition("[")[0]
        told = what[:1].lower() + what[1:].replace("`", "")
        if types := _TYPES.match(what):
            got = repr(self._texts[where][:40]) if where in self._texts else "something else"
            told = f"takes {_TAKES.get(types['takes'], types['takes'])}, got {got}"
        at = f"{self._name} line {self._line(where)}"
        example = _EXAMPLES.get(field)
        return f"{at}: {where or 'the file'}: {told}" + (f". Example: {example}" if example else "")

    def _line(self, path: str) -> int:
        while path and path not in self._lines:
            path = path.rpartition(".")[0]
        return self._lines[path]


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
