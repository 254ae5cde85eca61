"""CSV files read strictly: what is wrong is told with file, line and column."""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from shoal.sim.errors import TraceError, at

MOST: Final = 10**9
"""More than any amount or time that a trace may hold; larger means another unit."""


class Row:
    """One line: its fields by column."""

    def __init__(self, path: Path, line: int, fields: dict[str, str]) -> None:
        self._path = path
        self._line = line
        self._fields = fields

    def has(self, column: str) -> bool:
        """Whether the column is there and not empty here."""
        return bool(self._fields.get(column))

    def text(self, column: str) -> str:
        """The field; empty where there is no such column."""
        return self._fields.get(column, "")

    def name(self, column: str, seen: dict[str, int]) -> str:
        """A field that names the line. ``seen`` tells which line had which name before."""
        name = self.text(column)
        if not name:
            raise self.wrong(column, "is empty; every line has a name of its own")
        if name in seen:
            raise self.wrong(column, f"{name} is there twice, first in line {seen[name]}")
        seen[name] = self._line
        return name

    def whole(self, column: str, unit: str) -> int:
        """A whole number from 0 on, in the unit that the column is in."""
        text = self.text(column)
        if not text:
            raise self.wrong(column, f"is empty; it takes a whole number of {unit}")
        if text[0] == "-" and text[1:].isdecimal():
            raise self.wrong(column, f"{text[:40]} is negative; it takes {unit} from 0 on")
        if not (text.isascii() and text.isdecimal()):
            raise self.wrong(column, f"{text[:40]!r} is not a whole number of {unit}")
        if len(text) > len(str(MOST)) or int(text) > MOST:
            told = f"{text[:40]} {unit} is more than there can be; is it in another unit?"
            raise self.wrong(column, told)
        return int(text)

    def wrong(self, column: str, told: str) -> TraceError:
        """An error in one field of this line."""
        return at(self._path, self._line, column, told)


def read_rows(path: Path, needed: Sequence[str]) -> Iterator[Row]:
    """The lines below the header. Raises TraceError at the first that cannot be read."""
    text = _text(path)
    lines = csv.reader(text.splitlines(keepends=True), strict=True)
    try:
        header = [column.strip() for column in next(lines, [])]
        _check_header(path, header, needed)
        for fields in lines:
            if fields:
                _check_length(path, lines.line_num, header, fields, text)
                yield Row(path, lines.line_num, dict(zip(header, map(str.strip, fields))))  # noqa: B905 - checked
    except csv.Error as error:
        raise at(path, lines.line_num, "", f"cannot be read: {error}") from error


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise TraceError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise at(path, line, "", "is not text in UTF-8") from error


def _check_header(path: Path, header: Sequence[str], needed: Sequence[str]) -> None:
    if not any(header):
        raise at(path, 1, "", f"is empty; the first line names the columns {', '.join(needed)}")
    for column in needed:
        if column not in header:
            raise at(path, 1, column, f"is missing; there are {', '.join(header)[:200]}")
    for column in header:
        if header.count(column) > 1:
            raise at(path, 1, column, "is there twice")


def _check_length(
    path: Path, line: int, header: Sequence[str], fields: Sequence[str], text: str
) -> None:
    if len(fields) > len(header):
        told = f"has {len(fields)} fields; the header names {len(header)} columns"
        raise at(path, line, "", told)
    if len(fields) < len(header):
        last = not text.endswith("\n") and line == text.count("\n") + 1
        told = "is missing: the last line is cut off" if last else "is missing in this line"
        raise at(path, line, header[len(fields)], told)
