"""Keeps the three processes of a box alive: API server, loops, agent.

All are started at once, so that their imports overlap; the two that need the API server wait
for a byte on their ``go`` pipe before they connect. The same pipe tells a child that its
supervisor is gone: it reads the end of file and stops. What the runs' programs do is none of
its business; they live under their keepers.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from shoal import __version__
from shoal.cli.box.errors import BoxError
from shoal.cli.box.home import BoxState, ProcessState, now_seconds, write_state
from shoal.cli.box.log import BoundedLog
from shoal.cli.errors import BAD_INPUT

_FIRST_WAIT: Final = 0.2
_LONGEST_WAIT: Final = 5.0
_LONG_LIFE: Final = 30.0
"""Seconds after which a life says nothing of the deaths before it."""
_QUICK_DEATHS: Final = 5
"""A child that dies this often before it was ever ready is given up, and the box with it."""
_STOP_SECONDS: Final = 10


class Options(msgspec.Struct, frozen=True):
    """How a box is started. ``port`` 0 takes a free one; empty texts mean the default."""

    port: int
    gpus: str
    node_name: str


class Supervisor:
    """The processes of one box. ``run`` returns once they are down again."""

    def __init__(self, home: Path, options: Options) -> None:
        self._home = home
        self._options = options
        self._state = BoxState(
            pid=os.getpid(),
            started=now_seconds(),
            port=options.port,
            gpus=options.gpus,
            version=__version__,
            processes=[ProcessState(name) for name in ("apiserver", "loops", "agent")],
        )
        self._stop = asyncio.Event()

    async def run(self, on_ready: Callable[[int], None]) -> None:
        """Start, tell the port once everything is ready, and keep alive until told to stop.

        Raises BoxError where a process says that it cannot run.
        """
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(number, self._stop.set)
        children = [Child(state, self._home, self._changed) for state in self._state.processes]
        server, loops, agent = children
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._end_on_signal())
                group.create_task(server.keep(self._server_arguments))
                group.create_task(loops.keep(lambda: ["loops"]))
                group.create_task(agent.keep(self._agent_arguments))
                group.create_task(self._announce(children, on_ready))
        except* _Stopped:
            pass
        except* BoxError as errors:
            raise errors.exceptions[0] from None
        finally:
            for child in reversed(children):
                await child.stop()

    async def _announce(self, children: list["Child"], on_ready: Callable[[int], None]) -> None:
        """Let the others go once the API server is ready, and tell when all are."""
        server, *others = children
        self._state.port = int(await server.ready)
        self._changed()
        for child in others:
            child.go()
        await asyncio.gather(*(child.ready for child in others))
        on_ready(self._state.port)

    def _server_arguments(self) -> list[str]:
        # Once chosen, a free port stays: clients know it by the kubeconfig.
        return ["apiserver", "--port", str(self._state.port)]

    def _agent_arguments(self) -> list[str]:
        return [
            "agent",
            *(["--gpus", self._options.gpus] if self._options.gpus else []),
            *(["--node-name", self._options.node_name] if self._options.node_name else []),
        ]

    async def _end_on_signal(self) -> None:
        await self._stop.wait()
        raise _Stopped

    def _changed(self) -> None:
        write_state(self._home, self._state)


class Child:
    """One process of the box, started anew whenever it dies."""

    def __init__(self, state: ProcessState, home: Path, changed: Callable[[], None]) -> None:
        self.ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._state = state
        self._home = home
        self._changed = changed
        self._process: asyncio.subprocess.Process | None = None
        self._go = -1
        self._may_go = state.name == "apiserver"

    async def keep(self, arguments: Callable[[], list[str]]) -> None:
        """Run it for ever. Raises BoxError where it never came to be ready and says why.

        One that was ready is tried again whatever it says: programs run, and a disk that is
        full or a port that is taken may be free again.
        """
        loop = asyncio.get_running_loop()
        wait, deaths = _FIRST_WAIT, 0
        while True:
            began = loop.time()
            code, sentence = await self._once(arguments())
            if code == BAD_INPUT and not self.ready.done():
                raise BoxError(sentence)
            deaths = 0 if self.ready.done() else deaths + 1
            if deaths >= _QUICK_DEATHS:
                log = self._home / "log" / f"{self._state.name}.log"
                raise BoxError(f"{self._state.name} does not start ({sentence}); its log: {log}")
            self._state.restarts += 1
            wait = _FIRST_WAIT if loop.time() - began > _LONG_LIFE else wait
            await asyncio.sleep(wait)
            wait = min(wait * 2, _LONGEST_WAIT)

    def go(self) -> None:
        """Let it connect: the API server is ready."""
        self._may_go = True
        if self._go >= 0:
            os.write(self._go, b"g")

    async def stop(self) -> None:
        """End it, by force if it takes longer than ``_STOP_SECONDS``."""
        if self._process is None or self._process.returncode is not None:
            return
        self._process.terminate()
        try:
            await asyncio.wait_for(self._process.wait(), _STOP_SECONDS)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()

    async def _once(self, arguments: list[str]) -> tuple[int, str]:
        """One life: (exit code, its last words)."""
        go_read, self._go = os.pipe()
        try:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "shoal", *arguments, "--go-fd", str(go_read)),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                pass_fds=[go_read],
                env=os.environ | {"SHOAL_HOME": str(self._home)},
                # A Ctrl-C in the terminal is the supervisor's to hear, not theirs.
                start_new_session=True,
            )
            self._state.pid = self._process.pid
            self._changed()
            if self._may_go:
                self.go()
            _, last = await asyncio.gather(self._listen(self._process), self._log(self._process))
            return await self._process.wait(), last
        finally:
            os.close(go_read)
            os.close(self._go)
            self._go = -1

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        """A child prints ``ready``, maybe with a word, once others may count on it."""
        assert process.stdout is not None
        async for line in process.stdout:
            word = line.decode(errors="replace").strip()
            if word.startswith("ready") and not self.ready.done():
                self.ready.set_result(word.removeprefix("ready").strip())

    async def _log(self, process: asyncio.subprocess.Process) -> str:
        """Keep what a child says on stderr; its last line, which tells why it ended."""
        assert process.stderr is not None
        last = "it said nothing"
        with BoundedLog(self._home / "log" / f"{self._state.name}.log") as log:
            async for line in process.stderr:
                log.write(line)
                last = line.decode(errors="replace").strip().removeprefix("shoal: ")
        return last


class _Stopped(Exception):
    """A signal asked for the end."""
