"""A command line that cannot be read, as one sentence of ours with a right example."""

import re
from typing import Final

import click

from shoal.cli.options import EXAMPLES
from shoal.cli.verbs import VERBS

_EXTRA: Final = re.compile(r"Got unexpected extra arguments? \((.*)\)", re.DOTALL)


def usage_sentence(error: click.ClickException) -> str:
    """What is wrong with the command line, what is right, and where to read more."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "shoal"
    match error:
        case click.NoSuchOption():
            close = error.possibilities or ()
            hint = f"; did you mean {close[0]}?" if close else "."
            return f"there is no option {error.option_name}{hint} All options: {path} --help"
        case click.BadOptionUsage():
            return _wrong_use(error.option_name)
        case click.MissingParameter():
            return _missing(error.param, path)
        case click.BadParameter():
            return _wrong_value(error)
    told = error.format_message().replace("\n", " ").rstrip(".")
    if extra := _EXTRA.match(told):
        verb = path.removeprefix("shoal ")
        return f"{verb} does not take {extra[1][:40]}. What it takes: {path} --help"
    return f"{told[:1].lower()}{told[1:]}. All options: {path} --help"


def _wrong_use(name: str) -> str:
    """An option without its value, or a flag with one: what takes a value has an example."""
    for long, example in EXAMPLES.items():
        if name in (long, example.partition(" ")[0]):
            return f"{name} takes a value; example: {example}"
    return f"{name} takes no value; example: {name}"


def _missing(param: click.Parameter | None, path: str) -> str:
    """The example is a whole command line."""
    takes = _name(param)
    example = next((one.example for one in VERBS if path == f"shoal {one.name}"), "")
    verb = path.removeprefix("shoal ")
    return f"{verb} takes {takes}; example: {example or f'{path} --help'}"


def _wrong_value(error: click.BadParameter) -> str:
    """``--replicas 0: takes a whole number from 1 to 1000; example: --replicas 4``."""
    value, name = error.message.partition(" is not ")[0].strip("'")[:40], _name(error.param)
    return f"{name} {value}: takes {_takes(error.param)}; example: {EXAMPLES.get(name, name)}"


def _takes(param: click.Parameter | None) -> str:
    kind = param.type if param is not None else None
    match kind:
        case click.Choice():
            *most, last = map(str, kind.choices)
            return f"{', '.join(most)} or {last}" if most else last
        case click.IntRange(min=low, max=None):
            return f"a whole number from {low} on"
        case click.IntRange(min=low, max=high):
            return f"a whole number from {low} to {high}"
    return f"a value of type {kind.name}" if kind is not None else "another value"


def _name(param: click.Parameter | None) -> str:
    match param:
        case click.Option():
            return param.opts[-1]
        case click.Argument():
            return param.metavar or param.human_readable_name
    return "another value"
