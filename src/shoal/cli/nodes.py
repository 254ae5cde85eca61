"""What there is to tell of a node: whether it works, what is held of it, and its cards."""

import re
from typing import Final

from shoal.api.meta import Condition
from shoal.api.node import Node
from shoal.cli.context import Here
from shoal.cli.facts import Facts, clock_of
from shoal.cli.limits import CARD_MEMORY_SHORT
from shoal.cli.scheduler import ask_board
from shoal.core.report import NodeLine
from shoal.units.quantity import say_cpu, say_mib

_YES: Final = {"True": "yes", "False": "no"}
_WORD: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


def node_line(here: Here, name: str) -> NodeLine | None:
    """A node as the scheduler sees it; None where it does not, or does not answer."""
    board = ask_board(here)
    nodes = board.nodes if board is not None else ()
    return next((node for node in nodes if node.name == name), None)


def node_facts(node: Node, line: NodeLine | None) -> Facts:
    """What it is and how it stands; nothing empty. Its cards are a table of their own."""
    facts = [
        ("Name", node.metadata.name),
        ("Address", " ".join(dict.fromkeys(one.address for one in node.status.addresses))),
        ("New work", _new_work(node, line)),
        *(_condition(condition) for condition in node.status.conditions),
        *(_amounts(line) if line is not None else ()),
        ("Joined", clock_of(node.metadata.creation_timestamp)),
    ]
    return [fact for fact in facts if fact[1]]


def _new_work(node: Node, line: NodeLine | None) -> str:
    if line is not None and line.closed:
        return f"none: {line.closed}"
    return "none: the node is closed" if node.spec.unschedulable else "taken"


def _condition(condition: Condition) -> tuple[str, str]:
    """``Container runtime``: ``no · this machine has no container runtime``."""
    words = _WORD.sub(" ", condition.type).capitalize()
    told = [_YES.get(condition.status, "not known"), condition.message]
    return words, " · ".join(filter(None, told))


def _amounts(line: NodeLine) -> Facts:
    cpu = line.cpu_milli - line.cpu_free_milli
    memory = line.memory_mib - line.memory_free_mib
    cards = f"{len(line.cards)} · {CARD_MEMORY_SHORT}" if line.cards else "none"
    return [
        ("CPU", f"{say_cpu(line.cpu_milli)} · {say_cpu(cpu)} held"),
        ("Memory", f"{say_mib(line.memory_mib)} · {say_mib(memory)} held"),
        ("Cards", cards),
    ]
