"""What a client may hold without asking for anything is small, and comes to an end.

So many of them cannot keep others out: heads and bodies have a most, requests must come in time,
and who reads nothing of what waits for it is cut off.
"""

import asyncio
import math
import resource
from typing import Any, Final

from shoal.apiserver.unread import Taken

MOST_HEAD: Final = 64 * 1024
LONG_HEAD: Final = f"path and headers together are larger than {MOST_HEAD} bytes"
MOST_BODY: Final = 3 * 1024 * 1024
READ_WITHIN_S = 30
_REQUEST_WITHIN_S: Final = 60
_NEXT_WITHIN_S: Final = 75
_LOOK_EVERY_S: Final = 15
_MOST_CONNECTIONS: Final = 10_000
_OTHER_FILES: Final = 256
"""Files that the server opens besides connections: store, logs, its own requests to agents."""


class Patience:
    """How long a connection is waited for. A request moves a number; one timer looks at it.

    Past the time the connection is aborted, up to 15 seconds late.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, transport: Any) -> None:  # noqa: ANN401
        self._loop = loop
        self._transport = transport
        self._until = 0.0
        self.await_request()
        self._timer = loop.call_later(_LOOK_EVERY_S, self._look)

    def await_request(self) -> None:
        """A request begins, or should."""
        self._until = self._loop.time() + _REQUEST_WITHIN_S

    def await_next(self) -> None:
        """All is answered; the client may ask for more."""
        self._until = self._loop.time() + _NEXT_WITHIN_S

    def await_nothing(self) -> None:
        """It is the server's turn."""
        self._until = math.inf

    def end(self) -> None:
        """The connection is gone."""
        self._timer.cancel()

    def _look(self) -> None:
        if self._loop.time() >= self._until:
            self._transport.abort()
        else:
            self._timer = self._loop.call_later(_LOOK_EVERY_S, self._look)


class Reader:
    """Whether a client reads. One that takes nothing at all for a while is cut off.

    It may come back: a watch resumes from the last version that it saw.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, client: Taken) -> None:
        self._loop = loop
        self._client = client
        self._timer: asyncio.TimerHandle | None = None

    def must_read(self) -> None:
        """More waits for it than is to be kept."""
        self._await(self._client.taken())

    def has_read(self) -> None:
        """It goes on, or is gone."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _await(self, taken: int) -> None:
        def look() -> None:
            if (now := self._client.taken()) == taken:
                self._client.abort()
            else:
                self._await(now)

        self._timer = self._loop.call_later(READ_WITHIN_S, look)


def most_connections() -> int:
    """As many as the files that this process may open allow, and no more than a box needs."""
    return min(_MOST_CONNECTIONS, _open_files() - _OTHER_FILES)


def allow_open_files() -> None:
    """Take the right to as many open files as the connections need, where there is one."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = min(hard, _MOST_CONNECTIONS + _OTHER_FILES)
    if wanted > _open_files():
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _open_files() -> int:
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]
