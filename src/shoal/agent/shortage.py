"""What a machine may be short of for a while: a pod waits for it, and does not fail."""

import errno
from pathlib import Path
from typing import Final

OUT_OF_RESOURCES: Final = "OutOfResources"
"""Waiting reason of a container that the machine has no room for just now."""

_FULL: Final = "the disk of {} is full; it starts when there is room"
_FILES: Final = "too many files are open; it starts when some are closed"
_SHORT: Final = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: "the disk quota of {} is used up; it starts when there is room",
    errno.EMFILE: _FILES,
    errno.ENFILE: _FILES,
    errno.ENOMEM: "the machine has no memory left; it starts when there is some",
    errno.EAGAIN: "no more processes can be made; it starts when some have ended",
}


def short_of(error: OSError, home: Path) -> str:
    """The sentence on what is missing just now; empty for an error that will not pass."""
    place = Path(error.filename or home)
    inside = place.is_relative_to(home)
    return _SHORT.get(error.errno or 0, "").format(f"the home {home}" if inside else place)
