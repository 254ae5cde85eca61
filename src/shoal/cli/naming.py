"""What a run is called that nobody named: after the file it runs."""

import itertools
import os
import re
from pathlib import PurePath
from typing import Final

from shoal.dialect.names import SUFFIX_LETTERS

_LONGEST: Final = 40
_STARTERS: Final = re.compile(
    r"(python[\d.]*|pypy[\d.]*|bash|sh|zsh|env|time|nice|torchrun|accelerate|deepspeed|uv|node|julia)\Z"
)
_SUFFIX: Final = 4


def name_of(run: str | list[str]) -> str:
    """A name from the file that a command runs: ``train`` for ``python src/train.py --lr 3``."""
    words = run.split() if isinstance(run, str) else run
    base = re.sub(r"[^a-z0-9]+", "-", _told(words).lower())[:_LONGEST].strip("-")
    return base or "run"


def suffixed(base: str) -> str:
    """Another name of the same kind: ``train-k3f9``."""
    letters = (SUFFIX_LETTERS[byte % len(SUFFIX_LETTERS)] for byte in os.urandom(_SUFFIX))
    return f"{base}-{''.join(letters)}"


def _told(words: list[str]) -> str:
    """The word that tells most: the first that is a file rather than what starts files."""
    first = PurePath(words[0]).name if words else ""
    if not _STARTERS.match(first):
        return PurePath(first).stem
    for before, word in itertools.pairwise(words):
        if before == "-m":
            return word.rpartition(".")[2]
        if before == "-c":
            break
        if not word.startswith("-") and "=" not in word and not _STARTERS.match(word):
            return PurePath(word).stem
    return first
