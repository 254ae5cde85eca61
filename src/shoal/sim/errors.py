"""What is wrong with a trace, as a sentence."""

from pathlib import Path
from typing import Final

BAD_INPUT: Final = 2
"""Exit code of a command that was given such a trace."""


class TraceError(Exception):
    """A trace cannot be found, read or replayed; the sentence says where and why."""

    exit_code = BAD_INPUT


def at(path: Path, line: int, column: str, told: str) -> TraceError:
    """An error in one field of a file: ``pods.csv:17: column num_gpu: …``."""
    where = f"{path}:{line}: "
    return TraceError(f"{where}column {column}: {told}" if column else f"{where}{told}")
