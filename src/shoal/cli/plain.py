"""Signs for terminals that are not UTF-8: every sign that shoal writes has a plain twin."""

import codecs
import sys
from typing import Final

_TWINS: Final = {
    "✔": "ok",
    "✘": "!!",
    "■": "--",
    "│": "|",
    "·": "-",
    "×": "x",
    "…": "...",
    "—": "-",
    "█": "#",
    "░": ".",
    **dict.fromkeys("▉▊▋▌", "#"),
    **dict.fromkeys("▍▎▏", "."),
}


def prepare_streams() -> None:
    """Have stdout and stderr write the twin of a sign that their encoding lacks, else ``?``."""
    codecs.register_error("shoal-plain", _twin)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="shoal-plain")


def _twin(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError), "only writing is taken care of"
    missing = error.object[error.start : error.end]
    return "".join(_TWINS.get(sign, "?") for sign in missing), error.end
