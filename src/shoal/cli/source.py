"""Where the values of a file stand, so that whoever finds one wrong can name its line."""

from typing import NamedTuple


class Source(NamedTuple):
    """A file by its name, and the line of each value by its path: ``spec.limits.time``."""

    name: str
    lines: dict[str, int]

    def at(self, path: str) -> str:
        """``run.yaml line 7``: of the value, or of what it would stand in."""
        while path and path not in self.lines:
            path = path.rpartition(".")[0]
        return f"{self.name} line {self.lines.get(path, 1)}"

    def said(self, path: str, wrong: str) -> str:
        """What is wrong with a value, led by its place and named once."""
        told = wrong if wrong.startswith(path) else f"{path}: {wrong}"
        return f"{self.at(path)}: {told}"
