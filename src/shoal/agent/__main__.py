"""The agent alone: ``python -m shoal.agent --home DIR [--node-name NAME] [--gpus sim:…]``."""

import argparse
import asyncio
import contextlib
import signal
import sys
from pathlib import Path

from shoal.agent.errors import AgentError
from shoal.agent.main import run_agent
from shoal.kube.errors import ApiError, KubeconfigError
from shoal.units.errors import UnitError


def main() -> None:
    """Runs until SIGTERM or SIGINT; a sentence and code 2 where it cannot run."""
    parser = argparse.ArgumentParser(prog="python -m shoal.agent")
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--node-name", default="")
    parser.add_argument("--gpus", default="")
    options = parser.parse_args()
    try:
        asyncio.run(_until_told(options))
    except (AgentError, ApiError, KubeconfigError, UnitError) as error:
        sys.exit(f"shoal: {error}")


async def _until_told(options: argparse.Namespace) -> None:
    agent = asyncio.ensure_future(run_agent(options.home, options.node_name, options.gpus))
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, agent.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await agent


main()
