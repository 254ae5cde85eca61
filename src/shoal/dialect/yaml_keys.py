"""Keys that a YAML text gives twice: YAML itself lets the last one count without a word."""

from collections.abc import Iterator

import yaml


def repeated(node: yaml.Node | None) -> Iterator[tuple[str, int]]:
    """Path and line of each: ``spec.containers[0].image``, 7. What an alias repeats counts once."""
    return _within(node, "", set())


def _within(node: yaml.Node | None, path: str, seen: set[int]) -> Iterator[tuple[str, int]]:
    if node is None or id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.MappingNode):
        yield from _of_mapping(node, path, seen)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield from _within(item, f"{path}[{index}]", seen)


def _of_mapping(node: yaml.MappingNode, path: str, seen: set[int]) -> Iterator[tuple[str, int]]:
    keys: set[str] = set()
    for key, value in node.value:
        inside = f"{path}.{key.value}".removeprefix(".")
        if str(key.value) in keys:
            yield inside, key.start_mark.line + 1
        keys.add(str(key.value))
        yield from _within(value, inside, seen)
