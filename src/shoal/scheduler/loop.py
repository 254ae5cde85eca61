"""The loop: what was seen becomes events, ``core.step`` decides, commits write.

A turn takes whatever is pending, steps once, and starts what was decided; it never waits for a
write. What became of a write comes back as an event of a later turn.
"""

import asyncio
import logging
from collections.abc import Iterable
from typing import Any, Final

from shoal.api.claim import ResourceClaim
from shoal.api.kinds import NODE_USES, PODS
from shoal.api.nodeuse import NodeUse
from shoal.api.pod import Pod
from shoal.core.decision import Bind, Wait
from shoal.core.event import AnyEvent, Confirmed, GroupGone, PodGone, Refused
from shoal.core.state import State
from shoal.core.step import step, wake_at
from shoal.core.words import say_placement, say_wait
from shoal.kube.client import Client
from shoal.kube.errors import ApiError
from shoal.kube.events import Events, note_about
from shoal.kube.reflector import Delta
from shoal.mirror.mirror import Mirror
from shoal.scheduler.backoff import Backoff
from shoal.scheduler.clock import now_ms, say_time
from shoal.scheduler.commit import Committer, Outcome
from shoal.scheduler.conditions import Conditions
from shoal.scheduler.extended import ExtendedClaims
from shoal.scheduler.writer import Writer

_TOGETHER_S: Final = 0.002
"""What comes within this time is taken in one turn."""

_COMPONENT: Final = "shoal-scheduler"
_log = logging.getLogger(__name__)


class Loop:
    """One scheduler: its mirror, its state, and the writes in flight."""

    def __init__(self, client: Client, writer: Writer | None = None) -> None:
        self.mirror = Mirror()
        self.state = State()
        self.events = Events(client, _COMPONENT)
        self.conditions = Conditions(client, self.mirror.objects, self.events)
        self.extended = ExtendedClaims(client, self.mirror.objects)
        self._client = client
        self._writer = writer or Writer()
        self._committer = Committer(client, self.mirror.objects, self._writer, self)
        self._backoff = Backoff()
        self._answers: list[AnyEvent] = []
        self._wake = asyncio.Event()
        self._now = 0

    def see(self, delta: Delta[Any]) -> None:
        """Something changed in the cluster."""
        self.mirror.apply(delta)
        if delta.new is None and isinstance(delta.old, Pod):
            self.conditions.forget([delta.old.metadata.uid])
        elif isinstance(delta.new, Pod):
            self.extended.see(delta.new)
        self._wake.set()

    def claim(self, claim: ResourceClaim) -> None:
        """The server answered a write of a claim of ours with this."""
        self.mirror.written(claim)
        self._wake.set()

    def bound(self, namespace: str, name: str, uid: str, node: str) -> None:
        """The server took a binding of ours."""
        self.mirror.bound(namespace, name, uid, node)
        self._wake.set()

    async def run(self) -> None:
        """Finish what a crash left, then decide until cancelled. Everything must be seen first."""
        await self._committer.recovery.finish_all()
        async with asyncio.TaskGroup() as writes:
            while True:
                self._turn(writes)
                await self._woken()

    def _turn(self, writes: asyncio.TaskGroup) -> None:
        self._now = max(self._now, now_ms())
        self._wake.clear()
        events = [*self.mirror.drain(), *self._answers]
        self._answers.clear()
        self._forget_gone(events)
        for node, claims in self.mirror.questions().items():
            writes.create_task(self._ask(node, claims))
        for decision in step(self.state, events, self._now):
            match decision:
                case Bind():
                    self.conditions.forget(each.pod for each in decision.placements)
                    writes.create_task(self._commit(decision))
                case Wait():
                    self._tell(decision)

    async def _woken(self) -> None:
        due = wake_at(self.state)
        loop = asyncio.get_running_loop()
        timer = None
        if due is not None:
            timer = loop.call_later(max(due - now_ms(), 0) / 1000, self._wake.set)
        await self._wake.wait()
        if timer is not None:
            timer.cancel()
        await asyncio.sleep(_TOGETHER_S)

    async def _commit(self, bind: Bind) -> None:
        try:
            outcome = await self._committer.commit(bind)
        except Exception:
            # One decision that nobody thought of must not stop all others.
            _log.exception("a commit stumbled", extra={"group": bind.group})
            outcome = Outcome(refusal="the scheduler stumbled over it; its log says where")
        self._answers += (PodGone(uid) for uid in outcome.unbound)
        if outcome.refusal:
            retry_at = now_ms() + self._backoff.next(bind.group)
            self._answers.append(Refused(bind.id, outcome.refusal, retry_at))
            _log.warning("not placed", extra={"group": bind.group, "why": outcome.refusal})
        else:
            self._backoff.forget(bind.group)
            self._answers.append(Confirmed(bind.id))
            self._note_placed(bind, outcome.unbound)
        self._wake.set()

    def _note_placed(self, bind: Bind, unbound: Iterable[str]) -> None:
        for placement in bind.placements:
            pod = self.mirror.objects.pod(placement.pod)
            if pod is not None and placement.pod not in unbound:
                where = say_placement(placement)
                self.events.tell(note_about(PODS, pod, "Scheduled", where, warning=False))

    async def _ask(self, node: str, claims: Iterable[str]) -> None:
        """Read NodeUse of a node afresh: what is watched may be older than what was cleared."""
        use: NodeUse | None = None
        try:
            use = await self._writer.insist(lambda: self._client.get(NODE_USES, node))
        except ApiError as error:
            if not error.not_found:
                raise
        self.mirror.answer(claims, use)
        self._wake.set()

    def _tell(self, wait: Wait) -> None:
        group = self.mirror.waiting(wait.group)
        if group is not None:
            several = len(self.state.cluster.nodes) > 1
            words = say_wait(wait.reason, say_time, cluster=several)
            self.conditions.tell(group, wait.reason.code, words)

    def _forget_gone(self, events: Iterable[AnyEvent]) -> None:
        for event in events:
            if isinstance(event, GroupGone):
                self._backoff.forget(event.key)
