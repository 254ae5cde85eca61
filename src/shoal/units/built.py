"""Where the compiled parts of the package lie."""

from pathlib import Path

import shoal


class NotBuiltError(RuntimeError):
    """A compiled part is missing: one sentence with the remedy."""


def built(name: str) -> Path:
    """The file of this name. Raises NotBuiltError.

    An editable install has two roots: the sources, and the folder with what was built.
    """
    for root in shoal.__path__:
        path = Path(root) / "native" / name
        if path.is_file():
            return path
    raise NotBuiltError(f"no {name} in the package; reinstall: pip install --force-reinstall shoal")
