"""What clients have not read yet, all of them together, has a most.

Each alone is bounded by what it asked for, which may be a whole list. While more than the most
is unread, what is to be read waits, and after a second the largest of those that hardly read
are cut off. They may come back: a watch resumes from the last version that it saw.
"""

import asyncio
import contextlib
import math
import socket
import struct
from collections.abc import Iterator
from typing import Any, Final

MOST_UNREAD: Final = 64 * 1024 * 1024
_LOOK_EVERY_S: Final = 0.05
_CUT_AFTER_S: Final = 1
_SLOW: Final = 1024 * 1024
"""Who takes less than this in the time before a cut hardly reads."""
_LEFT_AFTER_CUT: Final = MOST_UNREAD // 4
"""What those may keep unread then, so that there is room for those who wait."""
_TCP_INFO: Final = struct.Struct("120xQ")


class Taken:
    """How much a client was sent, and how much of it has arrived there."""

    def __init__(self, transport: Any) -> None:  # noqa: ANN401
        self._socket: socket.socket = transport.get_extra_info("socket")
        self._transport = transport
        self.sent = 0
        self.before = 0

    def taken(self) -> int:
        """How many bytes the client has acknowledged (``tcpi_bytes_acked`` of tcp(7))."""
        try:
            about = self._socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO.size)
        except OSError:
            return 0
        return int(_TCP_INFO.unpack(about)[0])

    def unread(self) -> int:
        """Bytes that wait for it. What TLS adds makes it a little less than it is."""
        return max(self.sent - self.taken(), 0)

    def abort(self) -> None:
        """Cut it off."""
        self._transport.abort()


class Unread:
    """Counts for all connections of a server, and keeps them within MOST_UNREAD.

    Sockets are asked only once so much was sent that it may be too much.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._clients: set[Taken] = set()
        self._made = 0
        self._most = 0
        self._cut_at = math.inf
        self._timer: asyncio.TimerHandle | None = None
        self._room = asyncio.Event()
        self._room.set()

    def add(self, client: Taken) -> None:
        """Somebody has come."""
        self._clients.add(client)

    def remove(self, client: Taken) -> None:
        """Somebody is gone, and what waited for it too."""
        self._clients.discard(client)

    def sent(self, client: Taken, size: int) -> None:
        """So much more is on its way."""
        client.sent += size
        self._more(size)

    @contextlib.contextmanager
    def making(self, size: int) -> Iterator[None]:
        """So much is about to be sent, but for what is still done with it."""
        self._made += size
        self._more(size)
        try:
            yield
        finally:
            self._made -= size

    async def room(self) -> None:
        """Returns once there is room for more to be read."""
        while not self._room.is_set():
            await self._room.wait()

    def _more(self, size: int) -> None:
        self._most += size
        if self._most > MOST_UNREAD and self._timer is None:
            self._look()

    def _look(self) -> None:
        self._timer = None
        self._most = self._made + sum(client.unread() for client in self._clients)
        if self._most <= MOST_UNREAD:
            self._cut_at = math.inf
            self._room.set()
            return
        self._room.clear()
        if self._loop.time() >= self._cut_at:
            self._cut()
        elif self._cut_at == math.inf:
            self._begin()
        self._timer = self._loop.call_later(_LOOK_EVERY_S, self._look)

    def _begin(self) -> None:
        """From now on it counts who reads."""
        self._cut_at = self._loop.time() + _CUT_AFTER_S
        for client in self._clients:
            client.before = client.taken()

    def _cut(self) -> None:
        slow = [client for client in self._clients if client.taken() - client.before < _SLOW]
        over = sum(client.unread() for client in slow) - _LEFT_AFTER_CUT
        for client in sorted(slow, key=Taken.unread, reverse=True):
            if over <= 0:
                break
            over -= client.unread()
            client.abort()
        self._begin()
