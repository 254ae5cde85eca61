"""The run controller: feeds the run state machine and does what it says."""

import asyncio
import time
from typing import Any, Final

from msgspec.structs import replace

from shoal.api.gang import Gang
from shoal.api.kinds import GANGS, NODES, PODS, RESOURCE_CLAIMS, Kind
from shoal.api.meta import Object
from shoal.api.node import Node, is_unknown
from shoal.api.pod import Pod
from shoal.api.run import Run, RunStatus
from shoal.controllers.hands import Hands, Key, Refusal
from shoal.controllers.informers import Informers
from shoal.controllers.loop import work
from shoal.controllers.owned import Owned, controller_of, keep_allocation
from shoal.controllers.pace import Turns
from shoal.controllers.runview import STORED_RUNS, StoredRun, read_run, status_body
from shoal.controllers.timeline import Timeline
from shoal.controllers.unseen import PATIENCE_S, Unseen
from shoal.core.runs import Observed, Plan, decide, name_taken, refused
from shoal.kube.client import Client
from shoal.kube.pace import Pace
from shoal.kube.reflector import Delta, Reflector
from shoal.kube.workqueue import WorkQueue
from shoal.units.failpoint import failpoint

_WORKERS: Final = 16
_WORDS_PER_SECOND: Final = 10
"""Status writes a second, over all runs, that change no phase but only what people read."""
_WORDS_BURST: Final = 20
_NAME_TAKEN_S: Final = 2.0
"""How soon to look again whether a name is free."""


class RunController:
    """Keeps each run's pods, claims and gang as its state asks, and tells its status."""

    def __init__(self, client: Client, informers: Informers) -> None:
        self._client = client
        self._informers = informers
        self._queue: WorkQueue[Key] = WorkQueue()
        self._pods: Owned[Pod] = Owned()
        self._gangs: Owned[Gang] = Owned()
        self._claims = Owned(keep_allocation)
        self._runs = informers.follow(STORED_RUNS, self._on_run)
        self._copies: dict[str, Reflector[Any]] = {
            STORED_RUNS.plural: self._runs,
            PODS.plural: informers.follow(PODS, lambda delta: self._on(self._pods, delta)),
            GANGS.plural: informers.follow(GANGS, lambda delta: self._on(self._gangs, delta)),
            RESOURCE_CLAIMS.plural: informers.follow(
                RESOURCE_CLAIMS, lambda delta: self._on(self._claims, delta)
            ),
        }
        self._nodes = informers.follow(NODES, self._on_node)
        self._unseen: Unseen[Key] = Unseen(self._copy)
        self._hands = Hands(client, self._unseen)
        self._timeline = Timeline(client)
        self._words = Turns(Pace(_WORDS_PER_SECOND, _WORDS_BURST), self._queue.add)

    async def run(self) -> None:
        """Work until cancelled."""
        await self._informers.synced()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._timeline.run())
            group.create_task(self._words.run())
            group.create_task(work(self._queue, self._look_at, workers=_WORKERS))

    def _on_run(self, delta: Delta[StoredRun]) -> None:
        meta = delta.any.metadata
        self._queue.add((meta.namespace, meta.name))

    def _on(self, index: Owned[Any], delta: Delta[Any]) -> None:
        owner = index.note(delta)
        if owner is not None and owner.kind == STORED_RUNS.name:
            self._queue.add((delta.any.metadata.namespace, owner.name))

    def _on_node(self, delta: Delta[Node]) -> None:
        """Runs on a node that falls silent, or is heard of again, are told so."""
        silent = [node is not None and is_unknown(node) for node in (delta.old, delta.new)]
        if silent[0] != silent[1]:
            for stored in self._runs:
                self._queue.add((stored.metadata.namespace, stored.metadata.name))

    def _copy(self, kind: Kind[Any], namespace: str, name: str) -> Object | None:
        found: Object | None = self._copies[kind.plural].get(namespace, name)
        return found

    async def _look_at(self, key: Key) -> None:
        stored = self._runs.get(*key)
        if stored is None:
            self._unseen.forget(key)
            self._words.forget(key)
        elif not self._unseen.settled(key):
            self._queue.add_after(key, PATIENCE_S)
        else:
            await self._advance(key, *read_run(stored))

    async def _advance(self, key: Key, run: Run, malformed: str) -> None:
        now = time.time_ns() // 1_000_000
        plan = decide(run, self._observe(run, malformed), now)
        refusal = await self._hands.make(key, plan.actions)
        if refusal is not None:
            plan = self._refuse(key, run, plan, refusal, now)
        # The status goes first: what is about to be ended must be known to have failed.
        await self._tell(key, run, plan.status)
        await self._hands.take_back(key, plan.actions)
        if plan.wake_at is not None:
            self._queue.add_after(key, (plan.wake_at - now) / 1000)

    def _observe(self, run: Run, malformed: str) -> Observed:
        uid = run.metadata.uid
        return Observed(
            pods=self._pods.of(uid),
            claims=self._claims.of(uid),
            gangs=self._gangs.of(uid),
            malformed=malformed,
            silent=frozenset(node.metadata.name for node in self._nodes if is_unknown(node)),
        )

    def _refuse(self, key: Key, run: Run, plan: Plan, refusal: Refusal, now: int) -> Plan:
        if not refusal.taken:
            status = refused(plan, refusal.name, refusal.sentence, now)
            return replace(plan, status=status)
        self._queue.add_after(key, _NAME_TAKEN_S)
        copy = self._copy(refusal.kind, key[0], refusal.name)
        owner = controller_of(copy) if copy is not None else None
        if copy is None or (owner is not None and owner.uid == run.metadata.uid):
            return plan
        return replace(plan, status=name_taken(plan, refusal.kind, refusal.name))

    async def _tell(self, key: Key, run: Run, status: RunStatus) -> None:
        """Write a status that is news; mere words only as often as the pace allows."""
        if status == run.status:
            return
        if _only_words(run.status, status) and not self._words.take(key):
            return
        self._words.forget(key)
        body = status_body(run, status)
        written = await self._client.replace(STORED_RUNS, body, subresource="status")
        failpoint("run.told")
        self._unseen.wrote(key, STORED_RUNS, written)
        self._timeline.tell(run, status)


def _only_words(before: RunStatus, after: RunStatus) -> bool:
    """Whether nothing but what a waiting run says has changed."""
    return (
        after.phase is before.phase
        and after.attempt == before.attempt
        and after.failure == before.failure
        and after.replicas == before.replicas
    )
