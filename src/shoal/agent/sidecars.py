"""Sidecars: init containers that go on beside the main ones, and end after them.

They are stopped one after the other, the last one that was started first, within one grace for
all of them. They have no say in what becomes of their pod, unless one can never run.
"""

import asyncio
from collections.abc import Coroutine

from shoal.agent.ending import Ended
from shoal.agent.errors import PodError
from shoal.agent.stopping import Stopping, StopReason


class Sidecar:
    """One of them: its own word to stop, and whether it has run."""

    def __init__(self) -> None:
        self.stop = Stopping()
        self.started = asyncio.Event()


class Sidecars:
    """Those of one pod, in the order in which they were started."""

    def __init__(self) -> None:
        self._kept: list[tuple[Sidecar, asyncio.Task[Ended | None]]] = []
        self._over = Stopping()

    async def start(
        self, sidecar: Sidecar, run: Coroutine[None, None, Ended | None], stop: Stopping
    ) -> Ended | None:
        """Has it run; returns once it has started, or the pod is to stop.

        The end, if it ended before for good. Raises what it broke of.
        """
        task = asyncio.ensure_future(run)
        self._kept.append((sidecar, task))
        signs = [asyncio.ensure_future(one.wait()) for one in (sidecar.started, stop)]
        try:
            await asyncio.wait({task, *signs}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for sign in signs:
                sign.cancel()
        return task.result() if task.done() else None

    def ask(self, why: StopReason, grace_s: float) -> None:
        """The pod is to stop: each does when its turn comes, but by then at the latest."""
        self._over.ask(why, grace_s)
        for sidecar, _ in self._kept:
            if sidecar.stop.asked:
                sidecar.stop.ask(why, grace_s)

    async def end(self, grace_s: float) -> PodError | None:
        """Stops all of them, within what the pod was granted, else within this grace.

        What made one break, if one did.
        """
        if not self._over.asked:
            self._over.ask(StopReason.OVER, grace_s)
        broken: PodError | None = None
        for sidecar, task in reversed(self._kept):
            sidecar.stop.ask(self._over.why, self._over.left_s)
            await asyncio.wait({task})
            if isinstance(error := task.exception(), PodError):
                broken = error
        self._kept.clear()
        return broken

    async def leave(self) -> None:
        """Looks after them no more; their programs live on."""
        tasks = [task for _, task in self._kept]
        self._kept.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
