"""How results are written: tables on a terminal, TSV off it, Kubernetes lists on request.

The layout is our own because a thousand rows must cost milliseconds: ``rich`` needs more than
a second for them.
"""

import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import IO, Any, Final, NamedTuple

import msgspec

from shoal.cli.fit import cut
from shoal.cli.say import NOTHING


class Format(StrEnum):
    """The forms of a listing."""

    TABLE = "table"
    WIDE = "wide"
    JSON = "json"
    YAML = "yaml"
    NAME = "name"


class Tone(StrEnum):
    """Why a text is coloured: red only for failure, yellow only for waiting, green for success."""

    PLAIN = ""
    BAD = "31"
    WAITING = "33"
    GOOD = "32"
    DIM = "2"
    STRONG = "1"


class Cell(NamedTuple):
    """A text with its tone."""

    text: str
    tone: Tone = Tone.PLAIN


Row = Sequence[Cell | str]

_GAP: Final = "  "
_NARROWEST: Final = 8
"""A column that gives way keeps as many signs."""
_EMPTY: Final = frozenset({"", NOTHING})
_ESCAPES: Final = str.maketrans({"\t": "\\t", "\n": "\\n", "\r": "\\r"})


def colourful(stream: IO[str]) -> bool:
    """Whether colours go there: a terminal, and nobody asked for none (https://no-color.org)."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def paint(text: str, tone: Tone, *, colours: bool) -> str:
    """The text in its tone, where there are colours."""
    return f"\x1b[{tone}m{text}\x1b[0m" if colours and tone and text else text


def write_table(columns: Sequence[str], rows: Sequence[Row]) -> None:
    """Write rows under their columns; columns that are empty for everybody are left out.

    Off a terminal every column stays, since programs count them.
    """
    if not sys.stdout.isatty():
        _write([columns, *([_text(cell) for cell in row] for row in rows)])
        return
    kept = [i for i in range(len(columns)) if any(_text(row[i]) not in _EMPTY for row in rows)]
    lines: list[Row] = [[columns[i] for i in kept], *([row[i] for i in kept] for row in rows)]
    colours = colourful(sys.stdout)
    width = shutil.get_terminal_size().columns
    print("\n".join(lay_out(lines, colours=colours, width=width)))


def lay_out(rows: Sequence[Row], *, colours: bool, width: int = sys.maxsize) -> list[str]:
    """Rows as lines of at most ``width`` signs with aligned columns; the last give way first."""
    widths = [max(map(len, map(_text, column))) for column in zip(*rows, strict=True)]
    excess = sum(widths) + len(_GAP) * (len(widths) - 1) - width
    for index in reversed(range(len(widths))):
        if excess > 0:
            given = min(excess, max(widths[index] - _NARROWEST, 0))
            widths[index] -= given
            excess -= given
    return [_line(row, widths, colours) for row in rows]


def write_objects(objects: Iterable[Mapping[str, Any]], form: Format) -> None:
    """Write objects as one Kubernetes List, in JSON or YAML."""
    write_document(
        {"apiVersion": "v1", "kind": "List", "metadata": {}, "items": list(objects)}, form
    )


def write_document(document: Mapping[str, Any], form: Format) -> None:
    """Write one object in JSON or YAML."""
    if form is Format.JSON:
        print(msgspec.json.format(msgspec.json.encode(document), indent=2).decode())
        return
    import yaml

    print(yaml.safe_dump(document, sort_keys=False, allow_unicode=True), end="")


def write_names(names: Iterable[str]) -> None:
    """One name a line, as ``kubectl -o name`` writes them: ``run.shoal.dev/digits``."""
    for name in names:
        print(name)


def _write(rows: Iterable[Sequence[str]]) -> None:
    print("\n".join("\t".join(text.translate(_ESCAPES) for text in row) for row in rows))


def _text(cell: Cell | str) -> str:
    return cell if isinstance(cell, str) else cell.text


def _line(row: Row, widths: Sequence[int], colours: bool) -> str:
    cells = []
    for cell, width in zip(row, widths, strict=True):
        text = cut(_text(cell), width)
        tone = Tone.PLAIN if isinstance(cell, str) else cell.tone
        cells.append(paint(text, tone, colours=colours) + " " * (width - len(text)))
    return _GAP.join(cells).rstrip()
