"""What an engine does, compiled or plain."""

from collections.abc import Sequence
from typing import Protocol

from shoal.core.engine.policy import Policy
from shoal.core.engine.spec import Ask, Busy, Lack, NodeLeft, NodeSpec, Place, Survey, Work


class Engine(Protocol):
    """Nodes and classes by number. Every change of what is left is on a journal.

    Classes are put before they are asked for, with the nodes that suit them; nodes that are put
    later suit nobody until ``suit`` says so. Equal places go to the node of the lowest rank.
    """

    def put_node(self, node: int, spec: NodeSpec, rank: int) -> None:
        """The node is there, all of it left, in place of what was under its number."""

    def set_rank(self, node: int, rank: int) -> None:
        """How a node ranks from now on; the order of the nodes that are there stays the same."""

    def set_models(self, models: int) -> None:
        """There are so many numbers of card models from now on; no class allows the new ones."""

    def drop_node(self, node: int) -> None:
        """The node is gone; its number may be put again."""

    def put_class(self, number: int, ask: Ask, suits: Sequence[int]) -> None:
        """A class, and whether each node suits it."""

    def drop_class(self, number: int) -> None:
        """Nobody asks for the class any more."""

    def suit(self, number: int, node: int, suits: bool) -> None:
        """Whether a node suits a class from now on."""

    def set_policy(self, policy: Policy) -> None:
        """Rank by this policy from now on."""

    def set_work(self, works: Sequence[Work]) -> None:
        """The work that is expected, for the policies that keep room for it."""

    def set_worth(self, worth: Sequence[int]) -> None:
        """For ``idle-value`` a table that was learnt, row after row, in 1/64 milli-card.

        ``set_work`` and ``set_policy`` put the one in closed form in its place.
        """

    def set_seed(self, seed: int) -> None:
        """Where ``random`` starts."""

    def checkpoint(self) -> int:
        """A place on the journal to roll back to."""

    def rollback(self, checkpoint: int) -> None:
        """Undo every change of what is left since the checkpoint, exactly."""

    def commit(self) -> None:
        """Make the changes final."""

    def take_card(
        self, node: int, card: int, milli: int, mib: int, *, users: int = 1, barred: int = 0
    ) -> None:
        """Take a part of a card, or give it back with negative numbers."""

    def take_node(self, node: int, cpu: int, memory: int) -> None:
        """Take CPU and memory of a node, or give them back with negative numbers."""

    def best(self, number: int) -> Place | None:
        """The best place for a class; None if it fits nowhere."""

    def best_of(self, numbers: Sequence[int]) -> tuple[int, Place] | None:
        """Of several classes the one with the best place: its index, and the place.

        The first of those that are equal; None if none fits anywhere. Means little for
        ``random``.
        """

    def best_on(self, number: int, node: int) -> Place | None:
        """The best cards for a class on one node; None if it does not fit there."""

    def take(self, number: int, place: Place, *, bar: bool = False) -> None:
        """Take what the class takes at the place, and perhaps bar its cards to all others."""

    def place(self, numbers: Sequence[int], *, apart: bool) -> list[Place]:
        """Take the best place for one class after the other, until one has none.

        ``apart`` gives each different cards. All stays taken, on the journal.
        """

    def place_one(self, number: int) -> Place | None:
        """Take the best place for a class, on the journal; None if there is none."""

    def fill(self, number: int, deal: Sequence[tuple[int, int]], *, apart: bool) -> list[Place]:
        """Take places for (node, members) after (node, members) of a class, on the journal.

        Ends where a node has no room for the next member: then fewer places than members.
        """

    def members(self, number: int, *, apart: bool) -> list[int]:
        """By node, how many of the class it holds at the same time."""

    def total(self, number: int, *, apart: bool) -> int:
        """How many of the class all nodes hold at the same time."""

    def best_nodes(self, number: int, most: int) -> list[int]:
        """The nodes where the class fits, the best first, no more than so many."""

    def survey(self, number: int) -> Survey:
        """What there is of what the class asks for."""

    def easiest(self, number: int, most: int, *, node: int = -1) -> list[Busy]:
        """The cards that would do if nobody used them, on one node or on all (-1).

        Those with least on them first, no more than so many.
        """

    def position(self) -> int:
        """Where the log of changes is now."""

    def touched_since(self, position: int) -> list[int] | None:
        """The nodes of which anything changed since; None if that is forgotten."""

    def tally(self, number: int) -> dict[Lack, int]:
        """How many nodes lack what; those that lack nothing have room."""

    def left(self, node: int) -> NodeLeft | None:
        """What is left of a node; None if it is not there."""
