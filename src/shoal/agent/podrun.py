"""One pod of this node, from its binding to its last word.

The order at the end is a promise: the process tree is gone, then the claims are let go of, then
the pod's phase says that it has ended.
"""

import asyncio
import contextlib
import logging
from collections.abc import Coroutine, Iterable
from typing import Final

from shoal.agent.attempts import end_container, let_go
from shoal.agent.before import first_start, is_time_limit, since_boot, view_of
from shoal.agent.containers import ContainerRun, ContainerView, Orders, Running, Waiting
from shoal.agent.diary import Diary
from shoal.agent.ending import Ended, never_started, unseen
from shoal.agent.errors import PodError
from shoal.agent.launching import DEFAULT_GRACE_S, what_starts
from shoal.agent.machine import now_ns
from shoal.agent.node import NO_RUNTIME
from shoal.agent.persist import persist
from shoal.agent.preparing import Preparing
from shoal.agent.sidecars import Sidecar, Sidecars
from shoal.agent.status import Verdict, pod_patch
from shoal.agent.stopping import StopAskedError, Stopping, StopReason
from shoal.agent.telling import Teller
from shoal.agent.tools import Tools
from shoal.api.kinds import PODS
from shoal.api.meta import ANNOTATION_ENDED_BY
from shoal.api.pod import Container, Pod
from shoal.api.run import HOST_IMAGE
from shoal.kube.errors import ApiError
from shoal.units.duration import say_duration
from shoal.units.failpoint import failpoint
from shoal.units.steady import boot_ns

_NO_IMAGE: Final = "NoContainerRuntime"
_AGENT_ERROR: Final = "AgentError"
_TRIES: Final = 3
"""How often a container is taken up after an error that nobody foresaw."""
_log = logging.getLogger(__name__)


class PodRun:
    """Runs one pod. ``update`` and ``gone`` tell what became of its object meanwhile."""

    def __init__(self, tools: Tools, pod: Pod) -> None:
        self.pod = pod
        self.home = tools.home.pod(pod.metadata.uid)
        self.stop = Stopping()
        self._sidecars = Sidecars()
        self._tools = tools
        self._view = view_of(pod)
        self._since_boot_ns = since_boot(tools.boot_id, self.home, self._view.started_ns)
        self._decided: Verdict | None = None
        self._teller = Teller(tools.client, pod, lambda: pod_patch(self._view, now_ns()))
        self._diary = Diary(tools.events, pod)
        self._preparing = Preparing(tools, pod, self.stop, self._wait)
        self._deadline: asyncio.TimerHandle | None = None

    @property
    def blocked(self) -> bool:
        """Whether the pod waits for something that this machine will never have."""
        return any(c.image != HOST_IMAGE for c in _containers(self.pod))

    def update(self, pod: Pod) -> None:
        """A newer version of the pod: it may be deleted by now, or have a new deadline."""
        self.pod = pod
        meta = pod.metadata
        if meta.deletion_timestamp is not None:
            grace = meta.deletion_grace_period_seconds
            self._ask(StopReason.DELETED, DEFAULT_GRACE_S if grace is None else grace)
        elif pod.finished:
            self._halt(StopReason.GONE, self._grace())
        self._watch_deadline()

    def gone(self) -> None:
        """The object is no more: nothing of it may go on."""
        self._halt(StopReason.GONE, 0)

    async def run(self) -> None:
        """The pod's whole life; returns when there is nothing more to do for it.

        One that broke off may be run again: what was asked and decided by then still holds.
        """
        self.update(self.pod)
        self._teller.changed()  # its time counts from now on, for the next agent too
        telling = asyncio.ensure_future(self._teller.run())
        try:
            if self._decided is None:
                self._decided = await self._verdict()
            failpoint("agent.over")
            await let_go(self._tools, self.home)
            failpoint("agent.released")
            self._close(self._decided)
            await self._teller.tell()
            failpoint("agent.told")
        finally:
            telling.cancel()
            if self._deadline is not None:
                self._deadline.cancel()
        if self.pod.metadata.deletion_timestamp is not None:
            await delete_for_good(self._tools, self.pod)

    async def _verdict(self) -> Verdict:
        """What the main containers make of the pod; by then its sidecars have ended, too."""
        try:
            verdict = await self._outcome()
            if not self.stop.asked:
                running = [view for view in self._view.init if view.beside]
                self._diary.killing(running, StopReason.OVER)
            broken = await self._sidecars.end(self._grace())
        finally:
            await self._sidecars.leave()
        return verdict if broken is None else Verdict("Failed", broken.reason, str(broken))

    async def _outcome(self) -> Verdict:
        try:
            return await self._live()
        except StopAskedError:
            return self._judge([])
        except PodError as error:
            return Verdict("Failed", error.reason, str(error))

    async def _live(self) -> Verdict:
        if self.blocked:
            self._wait(_NO_IMAGE, NO_RUNTIME)
            await self.stop.wait()
            raise StopAskedError
        late = any(self._was_started(view) for view in self._view.main)
        for container, view in zip(self.pod.spec.init_containers, self._view.init, strict=True):
            if view.beside:
                end = await self._run_beside(container, view, late=late)
                over = end is not None and bool(end.loss)
            else:
                end = await self._run_one(view, self._orders(container, view, self.stop), self.stop)
                over = end is None or not end.good
            if over:
                return self._judge([end])
        pairs = zip(self.pod.spec.containers, self._view.main, strict=True)
        runs = (self._run_one(v, self._orders(c, v, self.stop), self.stop) for c, v in pairs)
        return self._judge(await _all(runs))

    def _was_started(self, view: ContainerView) -> bool:
        return view.begun >= 0 or self.home.last_attempt(view.name) is not None

    async def _run_beside(
        self, container: Container, view: ContainerView, *, late: bool
    ) -> Ended | None:
        """Starts a sidecar; its end if it has ended for good already.

        It is not waited for where the main containers were started before.
        """
        sidecar = Sidecar()
        if late:
            sidecar.started.set()
        elif self.stop.asked:
            sidecar.stop.ask(self.stop.why, self.stop.left_s)
        orders = self._orders(container, view, sidecar.stop, sidecar.started)
        run = self._run_one(view, orders, sidecar.stop)
        return await self._sidecars.start(sidecar, run, self.stop)

    async def _run_one(self, view: ContainerView, orders: Orders, stop: Stopping) -> Ended | None:
        try:
            end = await self._tried(ContainerRun(self._tools, self.home, view, orders, stop))
        except PodError:
            self._ask(StopReason.BROKEN, self._grace())
            raise
        if end is not None and end.loss:
            self._ask(StopReason.BROKEN, 0)
        return end

    def _orders(
        self,
        container: Container,
        view: ContainerView,
        stop: Stopping,
        started: asyncio.Event | None = None,
    ) -> Orders:
        return Orders(
            started=what_starts(self.pod, container, self.home),
            since_boot_ns=self._since_boot_ns,
            policy=self._policy(view),
            prepare=lambda: stop.unless(self._preparing.launch(container)),
            changed=lambda: self._changed(view, started),
            again=lambda end, pause: self._diary.again(view.name, end, pause),
        )

    def _policy(self, view: ContainerView) -> str:
        policy = self.pod.spec.restart_policy
        if view.beside:
            return "Always"
        return "OnFailure" if view in self._view.init and policy == "Always" else policy

    async def _tried(self, run: ContainerRun) -> Ended | None:
        """A container's end. What breaks its runner is a bug; PodError if it does so each time."""
        meta, why = self.pod.metadata, ""
        for _ in range(_TRIES):
            try:
                return await run.run()
            except (PodError, StopAskedError):
                raise
            except Exception as error:
                why = f"the agent could not run it: {error}"
                told = {"pod": f"{meta.namespace}/{meta.name}", "container": run.view.name}
                _log.exception("container runner broke", extra=told)
            with contextlib.suppress(StopAskedError):  # the next try sees to the stop
                await self.stop.sleep(self._tools.timing.first_backoff)
        await end_container(self._tools, self.home, run.view.name)
        raise PodError(_AGENT_ERROR, why)

    def _wait(self, reason: str, message: str) -> None:
        for view in (*self._view.init, *self._view.main):
            if isinstance(view.state, Waiting):
                view.state = Waiting(reason, message)
        self._teller.changed()

    def _close(self, verdict: Verdict) -> None:
        """The pod is over, and so is each container, whether it was started or not."""
        for view in (*self._view.init, *self._view.main):
            if isinstance(view.state, Waiting):
                told = verdict.message or "the pod ended before it was started"
                view.state = never_started(told, now_ns())
            elif isinstance(view.state, Running):
                view.state = unseen(verdict.message, view.state.started_ns, now_ns())
        self._view.verdict = verdict
        self._diary.over((*self._view.init, *self._view.main), verdict)

    def _ask(self, why: StopReason, grace_s: int) -> None:
        """Have all containers end; the diary tells it once."""
        if not self.stop.asked:
            self._diary.killing((*self._view.init, *self._view.main), why)
        self._halt(why, grace_s)

    def _halt(self, why: StopReason, grace_s: int) -> None:
        self.stop.ask(why, grace_s)
        self._sidecars.ask(why, grace_s)

    def _changed(self, view: ContainerView, started: asyncio.Event | None) -> None:
        self._diary.started(view)
        if isinstance(view.state, Running):
            self._watch_deadline()
            if started is not None:
                started.set()
        lasting = [*self._view.main, *(one for one in self._view.init if one.beside)]
        if all(isinstance(one.state, Ended) for one in lasting):
            self._teller.hush()
        else:
            self._teller.changed()

    def _judge(self, ends: list[Ended | None]) -> Verdict:
        """The phase that the ends of the containers make."""
        for end in ends:
            if end is not None and end.loss:
                return Verdict("Failed", end.loss, end.loss.sentence)
        if self.stop.why is StopReason.DEADLINE:
            if by := self.pod.metadata.annotations.get(ANNOTATION_ENDED_BY):
                return Verdict("Failed", "Stopped", f"stopped by {by}")
            limit = say_duration(self.pod.spec.active_deadline_seconds or 0)
            return Verdict("Failed", "DeadlineExceeded", f"stopped after its time of {limit}")
        good = bool(ends) and all(end is not None and end.good for end in ends)
        return Verdict("Succeeded" if good else "Failed")

    def _watch_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        limit = self.pod.spec.active_deadline_seconds
        if limit is None or self.stop.asked:
            return
        since = self._since_boot_ns
        if is_time_limit(self.pod):
            main = [container.name for container in self.pod.spec.containers]
            since = first_start(self._tools.boot_id, self.home, main)
            if not since:
                return
        left = limit - (boot_ns() - since) / 1e9
        loop = asyncio.get_running_loop()
        self._deadline = loop.call_later(
            max(left, 0), self._ask, StopReason.DEADLINE, self._grace()
        )

    def _grace(self) -> int:
        grace = self.pod.spec.termination_grace_period_seconds
        return DEFAULT_GRACE_S if grace is None else grace


async def delete_for_good(tools: Tools, pod: Pod) -> None:
    """Takes a deleted pod out of the API: its programs are gone."""
    meta = pod.metadata
    try:
        await persist(
            "delete pod",
            lambda: tools.client.delete(PODS, meta.name, meta.namespace, uid=meta.uid, grace=0),
        )
    except ApiError as error:
        if not (error.not_found or error.conflict):
            raise


async def _all(runs: Iterable[Coroutine[None, None, Ended | None]]) -> list[Ended | None]:
    """Every container's end. Raises what broke the pod once all of them have ended."""
    ends = await asyncio.gather(*runs, return_exceptions=True)
    for kind in (PodError, StopAskedError, BaseException):
        for end in ends:
            if isinstance(end, kind):
                raise end
    return [end for end in ends if not isinstance(end, BaseException)]


def _containers(pod: Pod) -> list[Container]:
    return [*pod.spec.init_containers, *pod.spec.containers]
