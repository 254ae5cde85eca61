"""Where a command works: the API server of the kubeconfig, and a namespace."""

import difflib
import sys

from shoal.api.kinds import RUNS
from shoal.api.run import Run
from shoal.cli.errors import BadInput
from shoal.kube.blocking import BlockingClient
from shoal.kube.config import load_config
from shoal.kube.errors import ApiError


class Here:
    """The client of the box and the namespace that is meant. Raises KubeconfigError."""

    def __init__(self, namespace: str = "") -> None:
        self.client = BlockingClient(load_config(), warn=_warn)
        self.namespace = namespace or self.client.config.namespace

    def run(self, name: str) -> Run:
        """A run by its name. Raises BadInput, with the nearest name there is."""
        try:
            return self.client.get(RUNS, name, self.namespace)
        except ApiError as error:
            if not error.not_found:
                raise
        names = [run.metadata.name for run in self.client.list(RUNS, self.namespace).items]
        close = difflib.get_close_matches(name, names, n=1)
        hint = f"; did you mean {close[0]}?" if close else "."
        raise BadInput(f"there is no run {name[:80]}{hint} All runs: shoal ps")


def _warn(text: str) -> None:
    print(f"shoal: note: {text}", file=sys.stderr)
