"""Where the native parts of the package lie."""

from pathlib import Path

import shoal
from shoal.agent.errors import AgentError


def keeper_path() -> Path:
    """The keeper's program. Raises AgentError.

    An editable install has two roots: the sources, and the folder with what was built.
    """
    for root in shoal.__path__:
        path = Path(root) / "native" / "shoal_keeper"
        if path.is_file():
            return path
    raise AgentError(
        "no shoal_keeper in the package; reinstall: pip install --force-reinstall shoal"
    )
