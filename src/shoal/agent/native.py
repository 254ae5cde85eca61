"""The keeper's program."""

from pathlib import Path

from shoal.agent.errors import AgentError
from shoal.units.built import NotBuiltError, built


def keeper_path() -> Path:
    """Where it lies. Raises AgentError."""
    try:
        return built("shoal_keeper")
    except NotBuiltError as error:
        raise AgentError(str(error)) from None
