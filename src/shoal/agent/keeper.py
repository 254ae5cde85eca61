"""Starting keepers, finding those that live, waiting for their end. See native/keeper."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from shoal.agent.errors import AgentError
from shoal.agent.processes import kill_below, stands_still
from shoal.agent.record import Record, RecordState, create_record, lock_record, read_record
from shoal.agent.signals import send_number
from shoal.agent.threads import in_thread
from shoal.units.failpoint import failpoint

_DEV_NULL: Final = [
    (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
    (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0),
    (os.POSIX_SPAWN_OPEN, 2, "/dev/null", os.O_WRONLY, 0),
]
_START_LOOKS: Final = 200
_START_PAUSE_S: Final = 0.01
_SILENCE_S: Final = 1.0
_LONGEST_SILENCE: Final = 30
"""How often a keeper that does not tell of its start is urged before it is let be."""
_LONGEST_GRACE_MS: Final = 10**15


class Launch(msgspec.Struct, frozen=True):
    """What a keeper is to run. ``cgroups`` are cgroup.procs files; sizes are bytes."""

    program: list[str]
    environment: dict[str, str]
    folder: str
    log: str
    log_bytes: int
    log_files: int
    grace_s: int
    cgroups: list[str] = []
    oom_file: str = ""


class Keeper:
    """A keeper that lives, by a descriptor that can name no other process."""

    def __init__(self, pid: int, pidfd: int, record: Path) -> None:
        self._pid = pid
        self._pidfd = pidfd
        self._record = record

    @property
    def stands_still(self) -> bool:
        """Whether somebody has stopped it, so that it keeps nothing and hears nothing."""
        return stands_still(self._pid)

    async def ended(self) -> Record:
        """Waits until the keeper is gone; what it left as its record. Raises RecordError."""
        await _readable(self._pidfd)
        self._reap()
        return read_record(self._record)

    def stop(self, grace_s: float) -> None:
        """Asks the whole tree to end; it is killed after this grace, with or without the agent.

        Asked again, the sooner end counts.
        """
        grace_ms = min(int(grace_s * 1000), _LONGEST_GRACE_MS)
        with contextlib.suppress(ProcessLookupError):
            send_number(self._pidfd, signal.SIGTERM, grace_ms)
        self.urge()

    def kill(self) -> None:
        """Kills the whole tree."""
        self._send(signal.SIGUSR1)
        self.urge()

    async def overpower(self) -> None:
        """Ends a keeper that stands still: first its tree, whose orphans come back to it."""
        await kill_below(self._pid)
        self._send(signal.SIGKILL)

    def close(self) -> None:
        """Forgets the keeper, which lives on."""
        os.close(self._pidfd)

    def urge(self) -> None:
        """Makes it go on where its program has stopped it; else nothing happens."""
        self._send(signal.SIGCONT)

    def _send(self, number: signal.Signals) -> None:
        try:
            signal.pidfd_send_signal(self._pidfd, number)
        except ProcessLookupError:
            return  # it has just ended; ended() tells how

    def _reap(self) -> None:
        try:
            os.waitid(os.P_PIDFD, self._pidfd, os.WEXITED)
        except ChildProcessError:
            return  # an earlier agent started it


async def start_keeper(
    binary: Path, path: Path, prepared: Record, launch: Launch, locks: Sequence[int]
) -> Keeper:
    """Starts a program under a keeper; returns once it runs or could not be started.

    ``locks`` are descriptors that the keeper holds open for as long as it lives. Raises
    FileExistsError if that record was made before: a program is never started twice; and any
    other OSError where nothing was started and no record was left.
    """
    record_fd = await in_thread(lambda: create_record(path, prepared), undo=os.close)
    try:
        failpoint("agent.prepared")
        pid, told = _spawn(binary, record_fd, launch, locks)
    except OSError:
        path.unlink(missing_ok=True)
        raise
    finally:
        os.close(record_fd)
    try:
        failpoint("agent.spawned")
        keeper = Keeper(pid, os.pidfd_open(pid), path)
        try:
            await _heard(told, keeper)
        except asyncio.CancelledError:
            keeper.close()
            raise
    finally:
        os.close(told)
    return keeper


async def adopt_keeper(record: Path) -> Keeper | None:
    """The keeper that holds a record's lock; None when none lives. Raises RecordError.

    One that has not come to run its program in time is taken as it is.
    """
    for look in range(_START_LOOKS):
        fd = lock_record(record)
        if fd is not None:
            os.close(fd)
            return None
        seen = read_record(record)
        last = look == _START_LOOKS - 1
        if seen.state > RecordState.STARTING or (last and seen.keeper_pid):
            return _open(seen.keeper_pid, record)
        await asyncio.sleep(_START_PAUSE_S)  # caught between two lines of a keeper's start
    raise AgentError(f"the keeper of {record} does not start; end it and start the agent again")


def _open(pid: int, record: Path) -> Keeper | None:
    try:
        pidfd = os.pidfd_open(pid)
    except ProcessLookupError:
        return None
    # Held after the process was opened, the lock says that this pid was the keeper's then.
    fd = lock_record(record)
    if fd is None:
        return Keeper(pid, pidfd, record)
    os.close(fd)
    os.close(pidfd)
    return None


def _spawn(binary: Path, record_fd: int, launch: Launch, locks: Sequence[int]) -> tuple[int, int]:
    """(pid of the keeper, pipe on which it tells that the start is over)."""
    reader, writer = os.pipe()
    try:
        arguments = _arguments(binary, record_fd, writer, launch)
        return _exec(binary, arguments, launch, [record_fd, writer, *locks]), reader
    except BaseException:
        os.close(reader)
        raise
    finally:
        os.close(writer)


async def _heard(told: int, keeper: Keeper) -> None:
    """Returns once the start is over, or has taken far too long.

    A program may stop its keeper as soon as it runs, before the keeper has told of it.
    """
    for _ in range(_LONGEST_SILENCE):
        try:
            await asyncio.wait_for(_readable(told), _SILENCE_S)
        except TimeoutError:
            keeper.urge()
        else:
            return


def _exec(binary: Path, arguments: list[str], launch: Launch, inherited: list[int]) -> int:
    # Nothing else in the agent starts programs, so no other child can inherit these.
    for fd in inherited:
        os.set_inheritable(fd, True)
    try:
        return os.posix_spawn(binary, arguments, launch.environment, file_actions=_DEV_NULL)
    finally:
        for fd in inherited:
            os.set_inheritable(fd, False)


def _arguments(binary: Path, record_fd: int, status_fd: int, launch: Launch) -> list[str]:
    flags = {
        "--record-fd": record_fd,
        "--status-fd": status_fd,
        "--log": launch.log,
        "--log-bytes": launch.log_bytes,
        "--log-files": launch.log_files,
        "--dir": launch.folder,
        "--grace": launch.grace_s,
    }
    arguments = [str(binary)]
    for flag, value in flags.items():
        arguments += [flag, str(value)]
    for group in launch.cgroups:
        arguments += ["--cgroup", group]
    if launch.oom_file:
        arguments += ["--oom", launch.oom_file]
    return [*arguments, "--", *launch.program]


async def _readable(fd: int) -> None:
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()
    loop.add_reader(fd, _wake, ready)
    try:
        await ready
    finally:
        loop.remove_reader(fd)


def _wake(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)
