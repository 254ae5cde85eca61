"""Patterns in the syntax of RE2, matched in time linear in the text.

A definition's patterns are written for Go, whose expressions Python reads differently
(``$``, ``\\z``, ``\\pL``) and some of which take Python's engine for ever.
"""

import functools
from collections.abc import Callable
from typing import Any


class PatternError(Exception):
    """The text is no pattern: a sentence."""


def pattern(text: str) -> Callable[[str], bool]:
    """Whether a pattern is found in a text. Raises PatternError."""
    compiled = expression(text)
    return lambda value: compiled.search(value) is not None


@functools.lru_cache(maxsize=1024)
def expression(text: str) -> Any:  # noqa: ANN401
    """A pattern as the library has it. Raises PatternError."""
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(text, options)
    except re2.error as error:
        why = error.args[0] if error.args else ""
        told = why.decode("utf-8", "replace") if isinstance(why, bytes) else str(why)
        raise PatternError(f"{text[:100]!r} is no pattern: {told}") from error
