"""One container of a pod, from its first start to its last end."""

from collections.abc import Awaitable, Callable

import msgspec

from shoal.agent.attempts import bury, kill_pod, resume, see_out
from shoal.agent.ending import Ended, Started, ended, record_removed
from shoal.agent.errors import NotYetError
from shoal.agent.home import Attempt, PodHome
from shoal.agent.keeper import Keeper, Launch
from shoal.agent.launching import logged_to
from shoal.agent.machine import now_ns
from shoal.agent.record import RecordError, RecordState, read_record
from shoal.agent.starting import make_start
from shoal.agent.stopping import StopAskedError, Stopping
from shoal.agent.tools import Tools


class Waiting(msgspec.Struct, frozen=True):
    """It does not run yet, or not again yet."""

    reason: str = "ContainerCreating"
    message: str = ""


class Running(msgspec.Struct, frozen=True):
    """It runs since then, in ns."""

    started_ns: int


class ContainerView(msgspec.Struct):
    """What there is to tell of a container. ``image`` is as written in the pod.

    ``begun`` is the number of the newest start that is known to have been made, or -1;
    ``beside`` tells of an init container that it goes on beside the main ones.
    """

    name: str
    image: str
    restarts: int = 0
    state: Waiting | Running | Ended = Waiting()
    last: Ended | None = None
    begun: int = -1
    beside: bool = False


class Orders(msgspec.Struct, frozen=True):
    """How a container is to be run. ``policy`` is Always, OnFailure or Never.

    ``since_boot_ns`` is when the pod's own time began. ``prepare`` makes ready for a start:
    what to launch, and the locks that its keeper holds. ``again`` is told of an end after which
    it is started again, and after how many seconds.
    """

    started: Started
    policy: str
    since_boot_ns: int
    prepare: Callable[[], Awaitable[tuple[Launch, list[int]]]]
    changed: Callable[[], None]
    again: Callable[[Ended, float], None]


class ContainerRun:
    """Starts a container, again where its policy says so, and tells in ``view`` how it is."""

    def __init__(
        self, tools: Tools, home: PodHome, view: ContainerView, orders: Orders, stop: Stopping
    ) -> None:
        self.view = view
        self._tools = tools
        self._home = home
        self._orders = orders
        self._stop = stop

    async def run(self) -> Ended | None:
        """The end after which it is not started again; None if it never was.

        Raises what ``prepare`` raises, and PodError where it can never be started.
        """
        attempt = self._newest()
        timing = self._tools.timing
        pause = timing.first_backoff if attempt.number else 0.0
        while True:
            self.view.restarts = attempt.number
            end = await self._once(attempt)
            if end is None or end.loss or self._stop.asked or not self._again(end):
                return self._show(end)
            if end.ended_ns - end.started_ns >= timing.steady * 1e9:
                pause = 0.0
            if not await self._rest(end, pause):
                return self._show(end)
            pause = min(max(pause * 2, timing.first_backoff), timing.longest_backoff)
            attempt = self._home.attempt(self.view.name, attempt.number + 1)

    def _newest(self) -> Attempt:
        """The newest start on record, or known to have been made."""
        last = self._home.last_attempt(self.view.name)
        number = max(self.view.begun, last.number if last is not None else 0)
        return self._home.attempt(self.view.name, number)

    async def _once(self, attempt: Attempt) -> Ended | None:
        """One start and how it ended; None if the pod is to stop before it is made.

        A start without its record is never made again: nobody knows what it has done.
        """
        try:
            return await self._live(attempt)
        except RecordError:
            await kill_pod(self._tools, self._home)
            state = self.view.state
            return record_removed(state.started_ns if isinstance(state, Running) else 0, now_ns())

    async def _live(self, attempt: Attempt) -> Ended | None:
        """One start, whether it is made now or was made before."""
        left = await resume(attempt.record, begun=attempt.number <= self.view.begun)
        if left is None:
            if self._stop.asked:
                return None
            left = await self._start(attempt)
        self.view.begun = max(self.view.begun, attempt.number)
        if isinstance(left, Keeper):
            self._show_running(attempt)
            left = await see_out(left, self._stop)
        if not left.final:
            left = await bury(self._tools, self._home, attempt.record, left)
        return ended(left, self._orders.started, self._tools.boot_id)

    async def _start(self, attempt: Attempt) -> Keeper:
        launch, locks = await self._orders.prepare()
        attempt.record.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._home.forget_before(self.view.name, attempt.number - 1)
        pause = self._tools.timing.first_retry
        while True:
            try:
                logged = logged_to(launch, attempt)
                since = self._orders.since_boot_ns
                return await make_start(self._tools, attempt, logged, locks, since)
            except NotYetError as error:
                self.view.state = Waiting(error.reason, str(error))
                self._orders.changed()
            await self._stop.sleep(pause)
            pause = min(pause * 2, self._tools.timing.longest_retry)

    def _again(self, end: Ended) -> bool:
        policy = self._orders.policy
        return policy == "Always" or (policy == "OnFailure" and not end.good)

    async def _rest(self, end: Ended, seconds: float) -> bool:
        """Waits before the next start; False if the pod is to stop meanwhile."""
        self.view.last = end
        self.view.state = Waiting()
        self._orders.again(end, seconds)
        if seconds:
            self.view.state = Waiting("CrashLoopBackOff", f"started again in {seconds:.0f} s")
            self._orders.changed()
        try:
            await self._stop.sleep(seconds)
        except StopAskedError:
            return False
        return not self._stop.asked

    def _show_running(self, attempt: Attempt) -> None:
        record = read_record(attempt.record)
        if record.state in (RecordState.STARTING, RecordState.RUNNING):
            self.view.state = Running(record.started_ns or record.created_ns)
            self._orders.changed()

    def _show(self, end: Ended | None) -> Ended | None:
        if end is not None:
            self.view.state = end
            self._orders.changed()
        return end
