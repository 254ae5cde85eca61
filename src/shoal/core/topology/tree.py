"""The tree of domains: zone, block, rack, whatever labels say, and nodes as its leaves."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import msgspec

Path = tuple[str, ...]
"""A domain: the values of the labels from the widest level down to its own; () is the cluster."""

CLUSTER: Final[Path] = ()


class Misplaced(msgspec.Struct, frozen=True):
    """A node that is in no domain of some level, or a domain that is in two: a sentence."""

    node: str
    what: str


@dataclass(slots=True)
class Tree:
    """Domains by path. ``levels`` are label keys, the widest first.

    A node without one of the labels belongs to the cluster alone, and to no domain of it: no
    gang that asks for a domain goes there. ``children`` come in order of name, so that members
    side by side in a gang's ring lie side by side in the tree.
    """

    levels: tuple[str, ...]
    children: dict[Path, list[Path]] = field(default_factory=dict)
    nodes: dict[Path, list[int]] = field(default_factory=dict)
    misplaced: list[Misplaced] = field(default_factory=list)

    def domains(self, level: int) -> list[Path]:
        """The domains of a level, 0 the widest, in order of name; -1 is the cluster itself."""
        return [path for path in self._walk(CLUSTER) if len(path) == level + 1]

    def under(self, path: Path) -> Iterator[int]:
        """The nodes of a domain, those of one child after those of another."""
        for child in self.children.get(path, ()):
            yield from self.under(child)
        yield from self.nodes.get(path, ())

    def _walk(self, path: Path) -> Iterator[Path]:
        yield path
        for child in self.children.get(path, ()):
            yield from self._walk(child)


def build_tree(
    levels: Sequence[str], labels: Mapping[int, Mapping[str, str]], names: Mapping[int, str]
) -> Tree:
    """The tree that the labels of the nodes tell, with what is wrong about them.

    ``labels`` and ``names`` are by number of node. Where one domain is said to lie in two wider
    ones, the two halves count as different domains, as their paths tell.
    """
    tree = Tree(tuple(levels))
    parents: dict[tuple[int, str], tuple[Path, str]] = {}
    for node in sorted(labels, key=lambda node: names[node]):
        path = tuple(labels[node].get(key, "") for key in levels)
        missing = [key for key, value in zip(levels, path, strict=True) if not value]
        if missing:
            what = f"node {names[node]} has no label {', '.join(missing)}"
            tree.misplaced.append(Misplaced(names[node], f"{what}: it is in no domain"))
            tree.nodes.setdefault(CLUSTER, []).append(node)
            continue
        tree.nodes.setdefault(path, []).append(node)
        for depth in range(1, len(path)):
            key = (depth, path[depth])
            parent, first = parents.setdefault(key, (path[:depth], names[node]))
            if parent != path[:depth]:
                wider = tree.levels[depth - 1]
                what = (
                    f"{tree.levels[depth]}={path[depth]} lies in two domains: "
                    f"in {wider}={parent[-1]} by node {first}, "
                    f"in {wider}={path[depth - 1]} by node {names[node]}"
                )
                tree.misplaced.append(Misplaced(names[node], what))
    _link(tree)
    return tree


def _link(tree: Tree) -> None:
    paths = {path[:depth] for path in tree.nodes for depth in range(1, len(path) + 1)}
    for path in sorted(paths):
        tree.children.setdefault(path[:-1], []).append(path)
