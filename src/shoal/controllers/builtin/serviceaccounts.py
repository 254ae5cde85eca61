"""Every namespace has a service account ``default``, which pods that name none run as."""

from typing import Any, Final

from shoal.api.kinds import NAMESPACES, SERVICE_ACCOUNTS
from shoal.api.meta import Object
from shoal.controllers.informers import Informers
from shoal.controllers.loop import work
from shoal.kube.client import Client
from shoal.kube.errors import ApiError
from shoal.kube.reflector import Delta
from shoal.kube.workqueue import WorkQueue

NAME: Final = "default"
_WORKERS: Final = 2


class ServiceAccountController:
    """Makes the account where it is missing, also when somebody has deleted it."""

    def __init__(self, client: Client, informers: Informers) -> None:
        self._client = client
        self._informers = informers
        self._queue: WorkQueue[str] = WorkQueue()
        self._namespaces = informers.follow(NAMESPACES, self._on_namespace)
        self._accounts = informers.follow(SERVICE_ACCOUNTS, self._on_account)

    async def run(self) -> None:
        """Work until cancelled."""
        await self._informers.synced()
        await work(self._queue, self._look_at, workers=_WORKERS)

    def _on_namespace(self, delta: Delta[Object]) -> None:
        if delta.new is not None:
            self._queue.add(delta.new.metadata.name)

    def _on_account(self, delta: Delta[Object]) -> None:
        if delta.new is None and delta.any.metadata.name == NAME:
            self._queue.add(delta.any.metadata.namespace)

    async def _look_at(self, namespace: str) -> None:
        there = self._namespaces.get("", namespace)
        if there is None or there.metadata.deletion_timestamp is not None:
            return
        if self._accounts.get(namespace, NAME) is None:
            await self._make(namespace)

    async def _make(self, namespace: str) -> None:
        body: dict[str, Any] = {
            "apiVersion": SERVICE_ACCOUNTS.api_version,
            "kind": SERVICE_ACCOUNTS.name,
            "metadata": {"name": NAME, "namespace": namespace},
        }
        try:
            await self._client.create(SERVICE_ACCOUNTS, body, namespace)
        except ApiError as error:
            if not (error.already_exists or error.namespace_ends):
                raise
