"""From what a command line asks to a run that is ready to be created; creates nothing."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from shoal.api.meta import API_VERSION
from shoal.api.run import Limits, Retry, RunSpec
from shoal.api.snapshot import PREFIX
from shoal.cli.amounts import wrong_amounts
from shoal.cli.errors import BadInput
from shoal.cli.options import Asked
from shoal.cli.source import Source
from shoal.dialect.names import wrong_label

if TYPE_CHECKING:
    from shoal.cli.runfile import RunFile

_PLAIN: Final = ("gpu", "replicas", "cpu", "memory", "shm", "queue", "image", "priority")


class Prepared(msgspec.Struct):
    """A run in the making. ``name`` is empty unless somebody gave one.

    ``folder`` is what a snapshot is to be taken of; None where the code is settled already.
    ``source`` is the run file, and ``options`` are those that overrule it, by what they set.
    """

    name: str
    namespace: str
    spec: RunSpec
    folder: Path | None
    metadata: dict[str, Any] = {}
    source: Source | None = None
    options: dict[str, str] = {}

    def document(self, name: str, code: str | None = None) -> dict[str, Any]:
        """The object to create. Fields that say nothing are left to their defaults."""
        spec = self.spec if code is None else msgspec.structs.replace(self.spec, code=code)
        return {
            "apiVersion": API_VERSION,
            "kind": "Run",
            "metadata": {"name": name} | self.metadata,
            "spec": msgspec.to_builtins(spec),
        }

    def said(self, path: str, wrong: str) -> str:
        """What is wrong with a field, led by the option or the line that set it."""
        if path in self.options:
            return f"{self.options[path]}: {wrong}"
        return self.source.said(path, wrong) if self.source is not None else f"{path}: {wrong}"


def prepare(asked: Asked, *, needs_command: bool = True) -> Prepared:
    """Read the run file, if there is one, and the options over it. Raises BadInput.

    Without ``needs_command`` a run of nothing stands for any run of these amounts.
    """
    made, base = _from_file(asked.file)
    made.options = _options(asked)
    spec = _overruled(made.spec, asked)
    for field, wrong in wrong_amounts(spec):
        raise BadInput(f"--{field} {wrong}")
    if asked.name is not None and (wrong := wrong_label(asked.name)):
        raise BadInput(f"--name: {wrong}")
    if not spec.run and not needs_command:
        spec = msgspec.structs.replace(spec, run="true")
    if not spec.run:
        raise BadInput("there is nothing to run; example: shoal run --gpu 1/2 -- python train.py")
    if asked.code is not None:
        base, spec = _here(), msgspec.structs.replace(spec, code=asked.code)
    made.spec, made.folder = _place_code(made, spec, base, in_place=asked.in_place)
    made.name = asked.name or made.name
    return made


def prepare_file(read: "RunFile", file: str) -> Prepared:
    """A run file as it stands, whose code is what it says and nothing where it says nothing."""
    made, base = _made_of(read, file)
    if made.spec.code:
        made.spec, made.folder = _place_code(made, made.spec, base, in_place=False)
    return made


def _from_file(file: str | None) -> tuple[Prepared, Path]:
    """What a run file says, and the folder that its paths are relative to."""
    if file is None:
        return Prepared("", "", RunSpec(run=""), None), _here()
    from shoal.cli.runfile import read_run_file

    return _made_of(read_run_file(file), file)


def _made_of(read: "RunFile", file: str) -> tuple[Prepared, Path]:
    told = {"labels": read.metadata.labels, "annotations": read.metadata.annotations}
    metadata = {key: value for key, value in told.items() if value}
    base = _here() if file == "-" else Path(file).absolute().parent
    name, namespace = read.metadata.name, read.metadata.namespace
    return Prepared(name, namespace, read.spec, None, metadata, read.source), base


def _options(asked: Asked) -> dict[str, str]:
    """The options that the command line has, by the paths of the fields that they set."""
    fields = {f"spec.{field}": field for field in (*_PLAIN, "code")} | {
        "metadata.name": "name",
        "spec.limits.time": "time",
        "spec.retry.max": "retry",
    }
    given = {path: f"--{name}" for path, name in fields.items() if getattr(asked, name) is not None}
    env = {f"spec.env.{(name := text.partition('=')[0])}": f"--env {name}" for text in asked.env}
    return given | env


def _overruled(spec: RunSpec, asked: Asked) -> RunSpec:
    """The spec with what the command line gives."""
    changes = {field: getattr(asked, field) for field in _PLAIN}
    given = {field: value for field, value in changes.items() if value is not None}
    if asked.command:
        given["run"] = list(asked.command)
    if asked.time is not None:
        given["limits"] = Limits(time=asked.time)
    if asked.retry is not None:
        given["retry"] = Retry(max=asked.retry, on=spec.retry.on)
    env = spec.env | dict(map(_variable, asked.env))
    return msgspec.structs.replace(spec, pack=spec.pack or asked.pack, env=env, **given)


def _variable(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key:
        raise BadInput(f"--env {text}: a variable has a name; example: --env SEED=1")
    if equals:
        return key, value
    if key not in os.environ:
        raise BadInput(
            f"--env {key} takes your own {key}, which is not set; or give one: {key}=..."
        )
    return key, os.environ[key]


def _place_code(
    made: Prepared, spec: RunSpec, base: Path, *, in_place: bool
) -> tuple[RunSpec, Path | None]:
    """The spec with its code, and the folder to take a snapshot of unless it is used in place."""
    if spec.code.startswith(PREFIX):
        return spec, None
    folder = Path(os.path.normpath(base / spec.code))
    if not os.path.isdir(folder):  # noqa: PTH112 - Path.is_dir() raises for some names
        what = "is no folder" if os.path.exists(folder) else "is not there"  # noqa: PTH110
        example = "--code ." if "spec.code" in made.options else "code: ."
        raise BadInput(made.said("spec.code", f"{folder} {what}; example: {example}"))
    if in_place:
        return msgspec.structs.replace(spec, code=str(folder)), None
    return msgspec.structs.replace(spec, code=""), folder


def _here() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise BadInput("the folder you are in is gone; go to another one: cd") from None
