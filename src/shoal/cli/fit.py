"""Texts that fit the width of a terminal."""

import re
from typing import Final

CUT: Final = "…"
_JOINTS: Final = re.compile(r" · |; ")
_LEAST: Final = 16
"""Signs of the beginning that are worth keeping."""


def cut(text: str, width: int) -> str:
    """The text in at most ``width`` signs: whole words, and an ellipsis for the rest."""
    if len(text) <= width:
        return text
    kept = text[: max(width - len(CUT), 0)]
    words = kept if text[len(kept)] == " " else kept.rpartition(" ")[0]
    return f"{(words or kept).rstrip(' ·;,')}{CUT}"[:width]


def squeeze(text: str, width: int) -> str:
    """The same, but what gives way is the middle: the last clause, the news, stays whole.

    ``queued  place 2 · needs 40 GiB on one… · ring holds 40 GiB, ends by 14:32``
    """
    joints = [joint.start() for joint in _JOINTS.finditer(text)]
    last = text[joints[-1] :] if joints else ""
    if len(text) <= width or not last or width - len(last) < _LEAST:
        return cut(text, width)
    return cut(text[: joints[-1]], width - len(last)) + last
