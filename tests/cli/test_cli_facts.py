"""What is told of a box that has no cards, or no node."""

from types import SimpleNamespace

import pytest

from shoal.api.kinds import NODES
from shoal.api.node import Node
from shoal.cli.board import board_lines
from shoal.cli.box.facts import say_cards
from shoal.core.report import Board


@pytest.mark.parametrize(
    ("nodes", "told"), [([], "none, since no node is there"), ([Node()], "no cards found")]
)
def test_a_box_without_its_node_is_told_from_one_without_cards(nodes, told):
    client = SimpleNamespace(list=lambda kind: SimpleNamespace(items=nodes * (kind is NODES)))
    assert say_cards(client).startswith(told)


def test_a_board_without_nodes_says_who_brings_one():
    (line,) = board_lines(Board(nodes=()), colours=False)
    assert line == "no node is there; its agent joins again as soon as it runs: shoal status"
