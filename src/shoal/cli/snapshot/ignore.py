"""Which files of a folder stay out of its snapshot: ``.gitignore`` and ``.shoalignore``.

Both hold git's patterns (https://git-scm.com/docs/gitignore): a file closer to an entry rules
over one further up, a later line over an earlier one, and what lies in an ignored folder stays
out whatever is said of it. In one folder ``.shoalignore`` rules over ``.gitignore``. Inside a
git repository the files between its top and the folder count too.
"""

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Self

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

FILES: Final = (".gitignore", ".shoalignore")
_GIT: Final = ".git"
_BELOW: Final = "ps_d"
"""The group by which ``pathspec`` tells that a pattern matched the folder that ends there."""
_LARGEST_BYTES: Final = 1024 * 1024


class _Level(NamedTuple):
    """The patterns of one folder, and the path from it to the folder that is looked at."""

    spec: "GitIgnoreSpec"
    below: str


class Rules:
    """The patterns that count in one folder, nearest first."""

    def __init__(self, levels: tuple[_Level, ...] = ()) -> None:
        self._levels = levels

    @classmethod
    def at(cls, folder: Path) -> Self:
        """The rules at the top of a snapshot. Raises OSError where one cannot be read."""
        rules = cls()
        chain = _up_to_repository(folder)
        for above, inner in itertools.pairwise(chain):
            rules = rules.inside(above, {entry.name for entry in above.iterdir()})
            rules = rules.under(inner.name)
        return rules

    def inside(self, folder: Path, names: set[str]) -> Self:
        """With the ignore files of a folder that holds these names. Raises OSError."""
        lines = [line for name in FILES if name in names for line in _read(folder / name)]
        if not lines:
            return self
        from pathspec import GitIgnoreSpec

        return type(self)((_Level(GitIgnoreSpec.from_lines(lines), ""), *self._levels))

    def under(self, name: str) -> Self:
        """The same rules, seen from a folder of this name inside the folder."""
        return type(self)(tuple(_Level(spec, f"{below}{name}/") for spec, below in self._levels))

    def leave_out(self, name: str, *, folder: bool) -> bool:
        """Whether an entry of this name stays out."""
        if name == _GIT:
            return True
        tail = "/" if folder else ""
        for spec, below in self._levels:
            ruled = _ruled(spec, f"{below}{name}{tail}")
            if ruled is not None:
                return ruled
        return False


def _ruled(spec: "GitIgnoreSpec", path: str) -> bool | None:
    """What the last pattern that is about the entry itself says of it; None: none is.

    A pattern about a folder above it is not: it was asked when that folder was met, and with it
    ``!kept`` would bring back whatever another line leaves out below ``kept``.
    """
    for pattern in reversed(list(spec.patterns)):
        found = pattern.regex.match(path) if pattern.regex is not None else None
        if found is not None:
            mark = found.start(_BELOW) if _BELOW in found.re.groupindex else -1
            if mark in (-1, len(path) - 1):
                return pattern.include
    return None


def _up_to_repository(folder: Path) -> list[Path]:
    """The folders from the top of the git repository down to this one; else this one alone."""
    for top in (folder, *folder.parents):
        if (top / _GIT).exists():
            inner = folder.relative_to(top).parts
            return [top.joinpath(*inner[:depth]) for depth in range(len(inner) + 1)]
    return [folder]


def _read(path: Path) -> list[str]:
    # An ignore file that is a folder or a loop of links is none, as git has it.
    if not path.is_file():
        return []
    with path.open("rb") as file:
        return file.read(_LARGEST_BYTES).decode(errors="surrogateescape").splitlines()
