"""How a container ended, told from its record: exit code, signal, out of memory, or no start."""

import errno
import os
import signal
from enum import StrEnum
from pathlib import Path

import msgspec

from shoal.agent.record import Record, RecordState, Stage
from shoal.core.runs.signals import say_signal

_NOT_FOUND = 127
_NOT_EXECUTABLE = 126
_NO_START = 128
_KILLED = 137


class Loss(StrEnum):
    """Why nobody saw how a program ended."""

    NONE = ""
    KEEPER_KILLED = "KeeperKilled"
    NODE_REBOOTED = "NodeRebooted"
    RECORD_REMOVED = "RecordRemoved"

    @property
    def sentence(self) -> str:
        """The same for people."""
        match self:
            case Loss.NODE_REBOOTED:
                return "node rebooted"
            case Loss.RECORD_REMOVED:
                return "its record was removed"
        return "keeper was killed"


class Started(msgspec.Struct, frozen=True):
    """What was to be started, for the sentences. ``memory_bytes`` 0: no limit."""

    program: str
    folder: str
    memory_bytes: int = 0


class Ended(msgspec.Struct, frozen=True):
    """The end of one start of a container; as ``state.terminated`` tells it. Times in ns.

    ``started_ns`` is 0 for one that was never tried to start.
    """

    exit_code: int
    signal: int
    reason: str
    message: str
    started_ns: int
    ended_ns: int
    loss: Loss = Loss.NONE

    @property
    def good(self) -> bool:
        """Whether the program did what it was for."""
        return self.exit_code == 0 and not self.loss


def never_started(sentence: str, now: int) -> Ended:
    """The end of a container that a pod which is over had not started. ``now`` in ns."""
    return Ended(_NO_START, 0, "StartError", sentence, 0, now)


def unseen(sentence: str, started_ns: int, now: int) -> Ended:
    """The end of a program that was killed while nobody looked after it."""
    return Ended(_KILLED, signal.SIGKILL, "Error", sentence, started_ns, now)


def record_removed(started_ns: int, now: int) -> Ended:
    """The end of a start that is known to have been made, though nothing tells how it ended."""
    loss = Loss.RECORD_REMOVED
    return Ended(_KILLED, signal.SIGKILL, loss, loss.sentence, started_ns, now, loss)


def ended(record: Record, started: Started, boot_id: str) -> Ended:
    """What a final record says."""
    match record.state:
        case RecordState.EXITED:
            code, number, reason, message = _exit(record, started)
        case RecordState.START_FAILED:
            code, number, reason, message = _no_start(record, started)
        case _:
            return _lost(record, boot_id)
    return Ended(code, number, reason, message, record.started_ns, record.ended_ns)


def _exit(record: Record, started: Started) -> tuple[int, int, str, str]:
    reason, message = "Completed" if record.exit_code == 0 else "Error", ""
    if record.exit_code != 0 and record.oom_kills:
        reason, message = "OOMKilled", _out_of_memory(record, started)
    return record.exit_code, record.signal, reason, message


def _out_of_memory(record: Record, started: Started) -> str:
    """The kernel kills by SIGKILL; whatever ended otherwise has lost one that it had started."""
    short = f"out of memory: {_limit(started.memory_bytes)}"
    if record.signal == signal.SIGKILL:
        return short
    end = f"was killed by {say_signal(record.signal)}"
    after = end if record.signal else f"exited with {record.exit_code}"
    return f"a process of it was killed: {short}; it then {after}"


def _limit(memory_bytes: int) -> str:
    if not memory_bytes:
        return "the machine has no more"
    gib = memory_bytes / 2**30
    return f"{gib:.1f} GiB limit" if gib >= 1 else f"{memory_bytes / 2**20:.0f} MiB limit"


def _no_start(record: Record, started: Started) -> tuple[int, int, str, str]:
    code, message = _NO_START, os.strerror(record.error)
    if record.stage == Stage.CHDIR:
        gone = record.error in (errno.ENOENT, errno.ENOTDIR)
        message = f"folder {'gone' if gone else 'not readable'}: {started.folder}"
    elif record.stage == Stage.EXEC:
        code, message = _no_exec(record.error, started)
    elif record.stage == Stage.CGROUP:
        message = f"it could not join its control group: {message}"
    elif record.stage == Stage.FORK:
        message = f"no process could be made for it: {message}"
    return code, 0, "StartError", message


def _no_exec(error: int, started: Started) -> tuple[int, str]:
    if error == errno.ENOENT:
        if "/" in started.program and (Path(started.folder) / started.program).exists():
            return _NOT_FOUND, f"interpreter not found: the one that {started.program} names"
        return _NOT_FOUND, f"command not found: {started.program}"
    if error in (errno.EACCES, errno.ENOEXEC, errno.EISDIR):
        return _NOT_EXECUTABLE, f"not executable: {started.program}"
    return _NO_START, f"{started.program} cannot be started: {os.strerror(error)}"


def _lost(record: Record, boot_id: str) -> Ended:
    loss = Loss.KEEPER_KILLED if record.boot_id == boot_id else Loss.NODE_REBOOTED
    number = 9 if loss is Loss.KEEPER_KILLED else 0
    since, until = record.started_ns or record.created_ns, record.ended_ns or record.created_ns
    return Ended(_KILLED, number, loss, loss.sentence, since, until, loss)
