"""All pods of this node: a runner for each that has not ended, and what is left of the rest."""

import asyncio
import logging
from collections.abc import Coroutine

from shoal.agent.attempts import end_all, kill_pod
from shoal.agent.home import PodHome
from shoal.agent.outputs import remove_if_over, sweep_outputs
from shoal.agent.podrun import PodRun, delete_for_good
from shoal.agent.threads import in_thread
from shoal.agent.tools import Tools
from shoal.api.meta import LABEL_RUN
from shoal.api.pod import Pod
from shoal.kube.reflector import Delta

_log = logging.getLogger(__name__)


class Pods:
    """Follows the pods that are bound to this node."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._runs: dict[str, PodRun] = {}
        self._known: dict[tuple[str, str], Pod] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._settled: set[str] = set()

    def on_delta(self, delta: Delta[Pod]) -> None:
        """A pod came, changed or went."""
        pod = delta.any
        key = (pod.metadata.namespace, pod.metadata.name)
        if delta.new is None:
            self._known.pop(key, None)
            self._went(pod)
            return
        self._known[key] = pod
        uid = pod.metadata.uid
        if uid in self._runs:
            self._runs[uid].update(pod)
        elif uid not in self._settled:
            self._came(pod)
        elif pod.metadata.deletion_timestamp is not None:
            self._do(uid, delete_for_good(self._tools, pod))

    def find(self, namespace: str, name: str) -> Pod | None:
        """The pod of that name, as it is now."""
        return self._known.get((namespace, name))

    def runner(self, uid: str) -> PodRun | None:
        """The runner of a pod that has not ended."""
        return self._runs.get(uid)

    async def sweep(self) -> None:
        """Ends and removes what belongs to pods that went while no agent was there."""
        live = {pod.metadata.uid for pod in self._known.values()}
        known = {home.uid for home in self._tools.home.pods} | self._tools.uses.pods
        for uid in sorted(known - live):
            await self._remove(self._tools.home.pod(uid))
        await sweep_outputs(self._tools.client, self._tools.home)

    async def close(self) -> None:
        """Stops looking after pods; their programs live on under their keepers."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _came(self, pod: Pod) -> None:
        uid = pod.metadata.uid
        if pod.finished:
            self._settled.add(uid)
            self._do(uid, self._settle(pod))
            return
        self._runs[uid] = PodRun(self._tools, pod)
        self._do(uid, self._run(self._runs[uid]))

    def _went(self, pod: Pod) -> None:
        uid = pod.metadata.uid
        before = self._tasks.get(uid)
        if (run := self._runs.get(uid)) is not None:
            run.gone()
        self._do(uid, self._forget(pod, before))

    async def _run(self, run: PodRun) -> None:
        """A runner that breaks is a bug; it goes on with what it knows, what it was asked too."""
        meta = run.pod.metadata
        pause = self._tools.timing.first_retry
        while True:
            try:
                await run.run()
            except Exception:
                _log.exception("pod runner broke", extra={"pod": f"{meta.namespace}/{meta.name}"})
            else:
                break
            await asyncio.sleep(pause)
            pause = min(pause * 2, self._tools.timing.longest_retry)
        self._settled.add(meta.uid)
        self._runs.pop(meta.uid, None)

    async def _settle(self, pod: Pod) -> None:
        """A pod that has ended keeps its logs; nothing of it may run or hold anything."""
        await end_all(self._tools, self._tools.home.pod(pod.metadata.uid))
        if pod.metadata.deletion_timestamp is not None:
            await delete_for_good(self._tools, pod)

    async def _forget(self, pod: Pod, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait({before})
        self._settled.discard(pod.metadata.uid)
        await self._remove(self._tools.home.pod(pod.metadata.uid))
        if run := pod.metadata.labels.get(LABEL_RUN):
            tools = self._tools
            await remove_if_over(tools.client, tools.home, pod.metadata.namespace, run)

    async def _remove(self, home: PodHome) -> None:
        if not home.root.exists() and self._tools.uses.holds(home.uid):
            await kill_pod(self._tools, home)  # nothing else tells any more what it started
        await end_all(self._tools, home)
        await in_thread(home.remove)

    def _do(self, uid: str, work: Coroutine[None, None, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks[uid] = task
        task.add_done_callback(lambda done: self._done(uid, done))

    def _done(self, uid: str, task: asyncio.Task[None]) -> None:
        if self._tasks.get(uid) is task:
            del self._tasks[uid]
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("work for a pod broke", extra={"uid": uid, "error": repr(error)})
