"""A client that writes down what the server acknowledged, and holds it to it."""

from collections.abc import Callable
from typing import Any, TypeVar

from tests.survival.town import Town

from shoal.api.kinds import RUNS, Kind
from shoal.api.meta import Object
from shoal.api.run import Run, RunStatus
from shoal.kube.blocking import BlockingClient
from shoal.kube.errors import ApiError

T = TypeVar("T")

CONFIG_MAPS: Kind[Any] = Kind("v1", "ConfigMap", "configmaps", True, Object)
NAMESPACE = "default"


class Ledger:
    """Runs by name as they were acknowledged, and a counter kept in a ConfigMap."""

    def __init__(self, town: Town, client: BlockingClient) -> None:
        self.made: dict[str, str] = {}
        self.deleted: set[str] = set()
        self._town = town
        self._client = client
        self._ended: dict[str, RunStatus] = {}
        self._counted = 0

    def make(self, body: dict[str, Any]) -> None:
        """Create a run; returns once that is acknowledged."""
        name = body["metadata"]["name"]

        def create() -> Run:
            try:
                return self._client.create(RUNS, body, NAMESPACE)
            except ApiError as error:
                if not error.already_exists:  # an answer to the first try was lost
                    raise
                return self._client.get(RUNS, name, NAMESPACE)

        self.made[name] = self._insist(create).metadata.uid

    def stop(self, name: str) -> None:
        """Ask a run to stop; returns once that is acknowledged."""
        patch = {"spec": {"stop": True}}
        self._insist(lambda: self._client.patch(RUNS, name, NAMESPACE, patch=patch))

    def delete(self, name: str) -> None:
        """Delete a run; returns once that is acknowledged."""

        def delete() -> None:
            try:
                self._client.delete(RUNS, name, NAMESPACE)
            except ApiError as error:
                if not error.not_found:  # an answer to the first try was lost
                    raise

        self._insist(delete)
        self.deleted.add(name)

    def count(self) -> None:
        """One more, kept in the server; what is read must be what was acknowledged."""
        body = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": f"count-{self._counted}"},
        }
        try:
            self._client.create(CONFIG_MAPS, body, NAMESPACE)
        except ApiError as error:
            if not (error.already_exists or error.passing):
                raise
            if error.passing:
                return
        self._counted += 1

    def check(self) -> dict[str, Run]:
        """The runs, each as acknowledged and none ended twice."""
        runs = {run.metadata.name: run for run in self._insist(self._list)}
        for name, uid in self.made.items():
            if name in self.deleted:
                continue
            assert name in runs, f"run {name} was acknowledged and is lost"
            assert runs[name].metadata.uid == uid, f"run {name} is another than acknowledged"
            self._check_ended(name, runs[name].status)
        return runs

    def check_count(self) -> None:
        """Every object that was acknowledged is there."""
        found = self._insist(lambda: self._client.list(CONFIG_MAPS, NAMESPACE).items)
        names = {each.metadata.name for each in found}
        assert not {f"count-{n}" for n in range(self._counted)} - names

    def _check_ended(self, name: str, status: RunStatus) -> None:
        if name in self._ended:
            before = self._ended[name]
            assert status == before, f"run {name} ended twice: {before}, then {status}"
        elif status.phase.ended:
            self._ended[name] = status

    def _list(self) -> list[Run]:
        return self._client.list(RUNS, NAMESPACE).items

    def _insist(self, call: Callable[[], T]) -> T:
        answer: list[T] = []

        def answered() -> bool:
            try:
                answer.append(call())
            except ApiError as error:
                if not error.passing:
                    raise
                return False
            return True

        self._town.until(answered, "the API server answers")
        return answer[0]
