"""``shoal describe``: all facts of an object."""

from typing import TYPE_CHECKING, Any

import click

from shoal.cli.options import namespace_option

if TYPE_CHECKING:
    from shoal.api.kinds import Kind
    from shoal.cli.context import Here
    from shoal.cli.facts import Facts


@click.command()
@click.argument("what", nargs=-1, required=True, metavar="RUN | KIND NAME | KIND/NAME")
@namespace_option
def command(what: tuple[str, ...], namespace: str) -> None:
    """Show all facts of an object.

    \b
    shoal describe digits
    shoal describe node box1
    shoal describe pod/digits-0
    """
    from shoal.api.kinds import RUNS
    from shoal.cli.context import Here
    from shoal.cli.errors import BadInput
    from shoal.cli.objects import split_references

    here = Here(namespace)
    alone = len(what) == 1 and "/" not in what[0]
    references = [(RUNS, what[0])] if alone else split_references(what)
    for kind, name in references:
        if not name and not what[1:]:
            raise BadInput(f"which {kind.name.lower()}? example: shoal describe {kind.plural} NAME")
        print("\n".join(_told(here, kind, name)))


def _told(here: "Here", kind: "Kind[Any]", name: str) -> list[str]:
    """What people ask after most in words; any other kind as it is."""
    from shoal.api.kinds import NODES, PODS, RESOURCE_CLAIMS, RUNS

    if kind is RUNS:
        from shoal.cli.facts import facts_of

        return _lines(facts_of(here, here.run(name)))
    if kind is NODES:
        return _node(here, name)
    if kind is PODS:
        from shoal.cli.pods import pod_facts

        return _lines(pod_facts(here, here.find(PODS, name)))
    if kind is RESOURCE_CLAIMS:
        from shoal.cli.claims import claim_facts
        from shoal.cli.places import read_cards

        return _lines(claim_facts(here.find(RESOURCE_CLAIMS, name), read_cards(here)))
    from shoal.cli.objects import read_object

    return _tree(read_object(here, kind, name))


def _node(here: "Here", name: str) -> list[str]:
    from shoal.api.kinds import NODES
    from shoal.cli.cards import card_table
    from shoal.cli.nodes import node_facts, node_line

    node = here.find(NODES, name)
    line = node_line(here, name)
    cards = line.cards if line is not None else ()
    return [*_lines(node_facts(node, line)), *(card_table(cards) if cards else ())]


def _lines(facts: "Facts") -> list[str]:
    width = max(len(name) for name, _ in facts) + 2
    return [f"{name + ':':<{width}}{value}" for name, value in facts]


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
