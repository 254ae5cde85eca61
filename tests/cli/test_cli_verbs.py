"""Finding a verb, and saying what went wrong in a sentence."""

import importlib
import inspect
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from shoal.cli.main import run_command
from shoal.cli.options import EXAMPLES
from shoal.cli.verbs import VERBS, Verb

HEAVY = {"aiohttp", "rich", "yaml", "asyncio", "cryptography", "logging", "httptools"}
SRC = str(Path(__file__).parents[2] / "src")


@pytest.fixture(autouse=True)
def no_box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SHOAL_HOME", str(tmp_path / ".shoal"))


def imported_by(*arguments: str) -> set[str]:
    """The top-level packages that a command imports, by the interpreter's own account."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "shoal", *arguments],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": SRC},
        check=False,
    )
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}


@pytest.mark.parametrize("arguments", [["--help"], ["ps"], ["logs", "x"], ["run", "--help"]])
def test_what_people_wait_for_imports_little(arguments: list[str]) -> None:
    assert not imported_by(*arguments) & HEAVY


def test_help_imports_no_verb() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "shoal", "--help"],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": SRC},
        check=True,
    )
    assert not [verb.name for verb in VERBS if f"shoal.cli.{verb.name}\n" in done.stderr]


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_the_table_says_what_the_commands_say(verb: Verb) -> None:
    command = importlib.import_module(f"shoal.cli.{verb.name}").command
    first = inspect.cleandoc(command.callback.__doc__).splitlines()[0]
    assert first.startswith(verb.help.rstrip("."))


def test_help_lists_verbs_by_what_people_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["--help"]) == 0
    out = capsys.readouterr().out
    sections = [line for line in out.splitlines() if line.endswith(":")]
    assert sections == ["Options:", "The box:", "Runs:", "Understand:", "Any object:"]
    assert "\n  ps " in out
    assert "apiserver" not in out


def test_no_arguments_show_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command([]) == 0
    assert "Usage: shoal" in capsys.readouterr().out


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["--version"]) == 0
    assert capsys.readouterr().out.startswith("shoal 0.")


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["pss"], 2, "shoal: pss is not a command; did you mean ps? All commands: shoal --help"),
        (["frobnicate"], 2, "shoal: frobnicate is not a command. All commands: shoal --help"),
        (["--frob"], 2, "shoal: there is no option --frob. All options: shoal --help"),
        (["ps", "--frob"], 2, "All options: shoal ps --help"),
        (
            ["ps", "-o", "xml"],
            2,
            "--output xml: takes table, wide, json, yaml or name; example: -o yaml",
        ),
        (["logs"], 2, "shoal: logs takes NAME; example: shoal logs digits"),
        (["apply"], 2, "shoal: apply takes --file; example: shoal apply -f run.yaml"),
        (["ps", "extra"], 2, "shoal: ps does not take extra. What it takes: shoal ps --help"),
        (["run", "--gpu"], 2, "shoal: --gpu takes a value; example: --gpu 1/2"),
        (["ps", "-n"], 2, "shoal: -n takes a value; example: -n default"),
        (["run", "--pack=3"], 2, "shoal: --pack takes no value; example: --pack"),
        (["logs", "--tail", "x", "y"], 2, "--tail x: takes a whole number from 0 on; example:"),
        (["ps", "-n", ""], 2, "shoal: --namespace is given empty; leave it out, or: -n default"),
        (["ps"], 1, "shoal: no box answers at ~/.shoal (not running?). Start one: shoal up"),
    ],
)
def test_what_is_wrong_is_one_sentence(
    arguments: list[str], code: int, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(arguments) == code
    told = capsys.readouterr()
    assert sentence in told.err
    assert told.err.startswith("shoal: ")
    assert len(told.err.splitlines()) == 1
    assert told.out == ""


def params_of(command: click.Command) -> list[click.Parameter]:
    """Those of the command and of the commands below it."""
    if not isinstance(command, click.Group):
        return command.params
    context = click.Context(command)
    below = [command.get_command(context, name) for name in command.list_commands(context)]
    return [*command.params, *(param for one in below for param in one.params)]


def test_whatever_takes_a_value_has_an_example() -> None:
    commands = {
        verb.name: importlib.import_module(f"shoal.cli.{verb.name}").command for verb in VERBS
    }
    shown = [verb for verb in VERBS if not verb.hidden]
    for verb in shown:
        for param in params_of(commands[verb.name]):
            if param.required:
                assert verb.example.startswith(f"shoal {verb.name} ")
            elif isinstance(param, click.Option) and not (param.is_flag or param.hidden):
                assert set(param.opts) & {EXAMPLES[param.opts[-1]].split()[0]}


def test_a_defect_of_ours_is_a_sentence_and_leaves_its_story(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def break_down(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by nobody")

    (tmp_path / ".shoal").mkdir()
    monkeypatch.setattr("shoal.cli.context.Here.__init__", break_down)
    assert run_command(["ps"]) == 1
    err = capsys.readouterr().err
    assert "this is a bug in shoal, sorry: ZeroDivisionError: by nobody" in err
    assert "Traceback" not in err
    assert "break_down" in (tmp_path / ".shoal" / "crash.txt").read_text()


def test_ctrl_c_and_a_reader_that_leaves_are_quiet(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shoal.cli.main.os.dup2", lambda *_: None)
    for error, code in ((KeyboardInterrupt, 130), (BrokenPipeError, 141)):
        monkeypatch.setattr("shoal.cli.context.Here.__init__", _raiser(error))
        assert run_command(["ps"]) == code
    assert capfd.readouterr().err.strip() == ""


def _raiser(error: type[BaseException]) -> object:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail
