"""``shoal describe``: all facts of an object."""

from typing import TYPE_CHECKING, Any

import click

from shoal.cli.options import namespace_option

if TYPE_CHECKING:
    from shoal.api.run import Run
    from shoal.cli.context import Here


@click.command()
@click.argument("what", nargs=-1, required=True, metavar="RUN | KIND NAME | KIND/NAME")
@namespace_option
def command(what: tuple[str, ...], namespace: str) -> None:
    """Show all facts of an object.

    \b
    shoal describe digits
    shoal describe node box1
    """
    from shoal.api.kinds import RUNS
    from shoal.cli.context import Here
    from shoal.cli.errors import BadInput
    from shoal.cli.objects import read_object, split_references

    here = Here(namespace)
    alone = len(what) == 1 and "/" not in what[0]
    references = [(RUNS, what[0])] if alone else split_references(what)
    for kind, name in references:
        if not name:
            raise BadInput(f"which {kind.name.lower()}? example: shoal describe {kind.plural} NAME")
        if kind is RUNS:
            _write_run(here, here.run(name))
        else:
            print("\n".join(_tree(read_object(here, kind, name))))


def _write_run(here: "Here", run: "Run") -> None:
    from shoal.cli.facts import facts_of

    facts = facts_of(here, run)
    width = max(len(name) for name, _ in facts) + 2
    for name, value in facts:
        print(f"{name + ':':<{width}}{value}")


def _tree(value: Any, depth: int = 0) -> list[str]:  # noqa: ANN401 - any JSON
    """Any object as indented lines, the way it is nested."""
    pad = "  " * depth
    if isinstance(value, dict):
        pairs = [(f"{key}:", inner) for key, inner in value.items() if key != "managedFields"]
    elif isinstance(value, list):
        pairs = [("-", inner) for inner in value]
    else:
        return [f"{pad}{value}"]
    lines = []
    for label, inner in pairs:
        if isinstance(inner, dict | list) and inner:
            lines += [f"{pad}{label}", *_tree(inner, depth + 1)]
        else:
            lines.append(f"{pad}{label} {_scalar(inner)}")
    return lines


def _scalar(value: Any) -> str:  # noqa: ANN401 - any JSON
    return "" if value in (None, [], {}) else str(value)
