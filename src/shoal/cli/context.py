"""Where a command works: the API server of the kubeconfig, and a namespace."""

import contextlib
import difflib
import sys
from collections.abc import Iterator
from typing import Any, Final, TypeVar

from shoal.api.kinds import NAMESPACES, RUNS, Kind
from shoal.api.meta import Object
from shoal.api.run import Run
from shoal.cli.errors import BadInput
from shoal.kube.blocking import BlockingClient
from shoal.kube.config import load_config
from shoal.kube.errors import ApiError

_NO_NAMES: Final = frozenset({"", ".", ".."})

T = TypeVar("T", bound=Object)


class Here:
    """The client of the box and the namespace that is meant.

    Raises KubeconfigError, and BadInput for a namespace asked for that does not exist.
    """

    def __init__(self, namespace: str = "") -> None:
        self.client = BlockingClient(load_config(), warn=_Notes().say)
        self.namespace = namespace or self.client.config.namespace
        if namespace:
            self.find(NAMESPACES, namespace)

    def run(self, name: str) -> Run:
        """A run by its name. Raises BadInput, with the nearest name there is."""
        return self.find(RUNS, name)

    def find(self, kind: Kind[T], name: str) -> T:
        """An object by its name. Raises BadInput, with the nearest name there is."""
        with self.expected(kind, name):
            return self.client.get(kind, name, self.namespace)

    @contextlib.contextmanager
    def expected(self, kind: Kind[Any], name: str) -> Iterator[None]:
        """Whoever asks for an object that does not exist is told the nearest name there is."""
        if name in _NO_NAMES or "/" in name:
            raise BadInput(f"{name[:80]!r} is not the name of a {_word(kind)}; example: digits")
        try:
            yield
        except ApiError as error:
            if not error.not_found:
                raise
            raise self._unknown(kind, name) from None

    def _unknown(self, kind: Kind[Any], name: str) -> BadInput:
        names = [one.metadata.name for one in self.client.list(kind, self.namespace).items]
        close = difflib.get_close_matches(name, names, n=1)
        hint = f"; did you mean {close[0]}?" if close else "."
        every = "shoal ps" if kind is RUNS else f"shoal get {kind.plural}"
        return BadInput(f"there is no {_word(kind)} {name[:80]}{hint} All {_word(kind)}s: {every}")


def _word(kind: Kind[Any]) -> str:
    return kind.name.lower()


class _Notes:
    """What the server warns of, each thing once."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def say(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            print(f"shoal: note: {text}", file=sys.stderr)
