"""Making a pod ready for its first start: its claims, then the ground that it stands on."""

import asyncio
from collections.abc import Callable
from typing import Final, TypeVar

from shoal.agent.claims import PodClaim, prepare_claims
from shoal.agent.errors import NotYetError, PodError
from shoal.agent.home import PodHome
from shoal.agent.keeper import Launch
from shoal.agent.launching import Ground, lay_ground, lock_descriptors, make_launch
from shoal.agent.shortage import OUT_OF_RESOURCES, short_of
from shoal.agent.stopping import Stopping
from shoal.agent.tools import Tools
from shoal.api.pod import Container, Pod

T = TypeVar("T")

_FIRST_PAUSE_S: Final = 0.2
_LONGEST_PAUSE_S: Final = 10.0


class Preparing:
    """Prepares the containers of one pod; what they share is prepared once.

    ``wait`` is told, with reason and message, what a pod that cannot start yet waits for.
    """

    def __init__(
        self, tools: Tools, pod: Pod, stop: Stopping, wait: Callable[[str, str], None]
    ) -> None:
        self._tools = tools
        self._pod = pod
        self._stop = stop
        self._wait = wait
        self._claims: list[PodClaim] | None = None
        self._ground: Ground | None = None
        self._one = asyncio.Lock()

    async def launch(self, container: Container) -> tuple[Launch, list[int]]:
        """What to start, and the card locks that go with it.

        Tried again while something is missing. Raises PodError where it always will be, and
        StopAskedError once the pod is to stop.
        """
        pause = _FIRST_PAUSE_S
        while True:
            try:
                return await self._stop.unless(self._launch(container))
            except NotYetError as error:
                self._wait(error.reason, str(error))
            await self._stop.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE_S)

    async def _launch(self, container: Container) -> tuple[Launch, list[int]]:
        try:
            return await self._lay_out(container)
        except OSError as error:
            home = self._tools.home.root
            if short := short_of(error, home):
                raise NotYetError(OUT_OF_RESOURCES, short) from error
            sentence = f"the pod cannot be prepared: {error.filename or home}: {error.strerror}"
            raise PodError("PreparationFailed", sentence) from error

    async def _lay_out(self, container: Container) -> tuple[Launch, list[int]]:
        tools, pod, home = self._tools, self._pod, self._home
        async with self._one:
            if self._claims is None:
                home.make()
                self._claims = await prepare_claims(tools, pod, home)
            if self._ground is None:
                self._ground = await lay_ground(tools, pod, home)
        launch = await make_launch(tools, pod, container, self._ground, self._claims)
        return launch, lock_descriptors(tools, pod, container, self._claims)

    @property
    def _home(self) -> PodHome:
        return self._tools.home.pod(self._pod.metadata.uid)
