"""Writing a pod's status: one write in flight, and only the newest is worth writing.

A start is told after a moment, so that a program that is over by then costs one write, not two.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Final

from shoal.agent.persist import persist
from shoal.api.kinds import PODS
from shoal.api.pod import Pod
from shoal.kube.client import Client
from shoal.kube.errors import ApiError

_MOMENT_S: Final = 0.015
_TRIES: Final = 20
_log = logging.getLogger(__name__)


class Teller:
    """Writes the patch that ``read`` gives whenever it is told that something changed."""

    def __init__(self, client: Client, pod: Pod, read: Callable[[], dict[str, Any]]) -> None:
        self._client = client
        self._meta = pod.metadata
        self._read = read
        self._told: dict[str, Any] = {}
        self._changed = asyncio.Event()
        self._writing = asyncio.Lock()
        self._gone = False

    def changed(self) -> None:
        """Something is new; it will be written soon."""
        self._changed.set()

    async def run(self) -> None:
        """Writes until cancelled."""
        while True:
            await self._changed.wait()
            await asyncio.sleep(_MOMENT_S)
            if self._changed.is_set():
                await self._try()

    def hush(self) -> None:
        """What changed need not be written by itself: the end follows, and tells it all."""
        self._changed.clear()

    async def tell(self) -> None:
        """Returns once the status as it is now is written, or the pod is no more."""
        async with self._writing:
            self._changed.clear()
            patch = self._read()
            if patch == self._told or self._gone:
                return
            await persist("pod status", lambda: self._patch(patch))
            self._told = patch

    async def _try(self) -> None:
        try:
            await self.tell()
        except ApiError as error:
            _log.error("pod status refused", extra={"pod": self._meta.name, "error": error.message})

    async def _patch(self, told: dict[str, Any]) -> None:
        """One write. A pod of the same name but another uid is not ours to tell of."""
        meta = self._meta
        patch = told | {"metadata": {"uid": meta.uid, **told["metadata"]}}
        for _ in range(_TRIES):
            try:
                await self._client.patch(
                    PODS,
                    meta.name,
                    meta.namespace,
                    patch=patch,
                    strategic=True,
                    subresource="status",
                )
            except ApiError as error:
                if not (error.not_found or error.conflict):
                    raise
                self._gone = not await self._is_there()
                if self._gone:
                    return
            else:
                return
        raise ApiError(
            503, "Busy", f"pod {meta.name} changes faster than its status can be written"
        )

    async def _is_there(self) -> bool:
        try:
            now = await self._client.get(PODS, self._meta.name, self._meta.namespace)
        except ApiError as error:
            if not error.not_found:
                raise
            return False
        return now.metadata.uid == self._meta.uid
