"""Deal: which domain holds a gang, and how many members each of its nodes gets.

The smallest domain that holds all of them, the fullest among equals; below it the fewest
children, the last of them the one that fits best. Members are dealt in the order of the tree, so
that neighbours in a ring are neighbours in the tree.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, TypeVar

from shoal.core.topology.tree import Path, Tree

K = TypeVar("K")


class Strictness(StrEnum):
    """Whether a gang may go where no single domain of the level holds it."""

    REQUIRED = "required"
    PREFERRED = "preferred"
    """In the narrowest domain that holds it, the cluster if need be."""


class Dealt(NamedTuple):
    """The domain that was chosen, and (node, members) in ring order."""

    domain: Path
    nodes: tuple[tuple[int, int], ...]


@dataclass(slots=True)
class Counts:
    """How many members fit in each domain at the same time, summed up from the nodes."""

    tree: Tree
    node: Mapping[int, int]
    _known: dict[Path, int] = field(default_factory=dict)

    def of(self, path: Path) -> int:
        """The members that fit in a domain."""
        known = self._known.get(path)
        if known is None:
            known = sum(self.of(child) for child in self.tree.children.get(path, ()))
            known += sum(self.node.get(node, 0) for node in self.tree.nodes.get(path, ()))
            self._known[path] = known
        return known


def deal(counts: Counts, members: int, level: int, strictness: Strictness) -> Dealt | None:
    """Where the members of a gang go; None where no domain holds them.

    ``level`` is the widest level that will do (0 the widest of the tree). Narrower domains are
    tried first: each costs its gang less bandwidth than a wider one.
    """
    domain = choose(counts, members, level, strictness)
    return None if domain is None else deal_in(counts, domain, members)


def choose(counts: Counts, members: int, level: int, strictness: Strictness) -> Path | None:
    """The domain for a gang: the narrowest that holds it, the fullest among those."""
    widest = level if strictness is Strictness.REQUIRED else -1
    for depth in range(len(counts.tree.levels) - 1, widest - 1, -1):
        holding = [path for path in counts.tree.domains(depth) if counts.of(path) >= members]
        if holding:
            return min(holding, key=lambda path: (counts.of(path), path))
    return None


def deal_in(counts: Counts, domain: Path, members: int) -> Dealt | None:
    """The same in a domain that is given: where members that are replaced return to."""
    if counts.of(domain) < members:
        return None
    alone = [node for node in counts.tree.under(domain) if counts.node.get(node, 0) >= members]
    if alone:
        best = min(alone, key=lambda node: counts.node[node])
        return Dealt(domain, ((best, members),))
    return Dealt(domain, tuple(_deal_in(counts, domain, members)))


def _deal_in(counts: Counts, domain: Path, members: int) -> Iterator[tuple[int, int]]:
    children = counts.tree.children.get(domain, [])
    own = counts.tree.nodes.get(domain, [])
    sizes = {child: counts.of(child) for child in children}
    shares = _fewest(sizes, min(members, sum(sizes.values())))
    for child in children:
        if shares.get(child):
            yield from _deal_in(counts, child, shares[child])
    rest = members - sum(shares.values())
    given = _fewest({node: counts.node.get(node, 0) for node in own}, rest)
    yield from ((node, given[node]) for node in own if given.get(node))


def _fewest(sizes: Mapping[K, int], members: int) -> dict[K, int]:
    """The largest first until one holds the rest: then the one that fits the rest best."""
    order = sorted(sizes, key=lambda each: -sizes[each])
    shares: dict[K, int] = {}
    for at, each in enumerate(order):
        if members <= sizes[each]:
            holding = bisect_right(order, -members, lo=at, key=lambda other: -sizes[other])
            least = sizes[order[holding - 1]]
            best = next(other for other in order[at:] if sizes[other] == least)
            return shares | {best: members} if members else shares
        shares[each] = sizes[each]
        members -= sizes[each]
    return shares
