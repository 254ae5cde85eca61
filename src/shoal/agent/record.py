"""The record of one start of one container: made here, kept by its keeper, read by everybody.

512 bytes in place, laid out in native/keeper/record.h; the two change together. The lock on
the open file is what says that a keeper lives: it is taken before the keeper is started and
inherited by it, so there is no instant at which a program runs and nobody holds the lock.
"""

import fcntl
import os
import struct
import zlib
from enum import IntEnum
from pathlib import Path
from typing import Final

import msgspec

_MAGIC: Final = b"SHOALREC"
_VERSION: Final = 1
_FIELDS: Final = struct.Struct("<8sII40siiQQqqqiiIiQQI4xqq")
_SIZE: Final = 512


class RecordState(IntEnum):
    """How far it came. The last three are final."""

    PREPARED = 1
    STARTING = 2
    RUNNING = 3
    EXITED = 4
    START_FAILED = 5
    LOST = 6


class Stage(IntEnum):
    """The step of a start that failed."""

    NONE = 0
    FORK = 1
    CGROUP = 2
    CHDIR = 3
    EXEC = 4


class Record(msgspec.Struct, frozen=True):
    """One start of one container. Times are ns since the epoch; ``*_start`` are clock ticks.

    ``*_boot_ns`` are ns since the kernel was started: ``started_boot_ns`` of the start, and
    ``since_boot_ns`` of the moment from which the pod's own time counts.

    ``exit_code`` is 128 + ``signal`` when a signal killed the program. ``stage`` and ``error``
    (an errno) tell why a start failed. ``oom_kills`` counts processes of the container that
    the kernel killed for want of memory.
    """

    state: RecordState
    boot_id: str
    keeper_pid: int = 0
    program_pid: int = 0
    keeper_start: int = 0
    program_start: int = 0
    created_ns: int = 0
    started_ns: int = 0
    ended_ns: int = 0
    exit_code: int = 0
    signal: int = 0
    stage: Stage = Stage.NONE
    error: int = 0
    oom_kills: int = 0
    dropped_bytes: int = 0
    stop_asked: bool = False
    since_boot_ns: int = 0
    started_boot_ns: int = 0

    @property
    def final(self) -> bool:
        """Whether nothing more will be written."""
        return self.state >= RecordState.EXITED


class RecordError(Exception):
    """There is no whole record where one should be; the message names the file."""


def create_record(path: Path, record: Record) -> int:
    """Makes a locked record that survives a power cut; the caller closes the descriptor.

    It gets its name once it is whole and locked, so that nobody sees half of one. Raises
    FileExistsError where there is one already: that start was made before.
    """
    fresh = path.with_name(f".{path.name}.new")
    fresh.unlink(missing_ok=True)
    fd = os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        write_record(fd, record)
        path.hardlink_to(fresh)
        sync_folder(path.parent)
    except BaseException:
        os.close(fd)
        raise
    finally:
        fresh.unlink(missing_ok=True)
    return fd


def write_record(fd: int, record: Record) -> None:
    """Overwrites the record in place and waits for the disk."""
    os.pwrite(fd, _encode(record), 0)
    os.fdatasync(fd)


def read_record(path: Path) -> Record:
    """The record as it is now. Raises RecordError.

    A keeper overwrites its record while we look, so a mixture of old and new is read again.
    """
    for _ in range(10):
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            raise RecordError(f"{path} was removed") from None
        if _whole(data):
            return _decode(data)
    raise RecordError(f"{path} is not a record of a program; remove it to forget the program")


def lock_record(path: Path) -> int | None:
    """A descriptor with the lock, or None while a keeper holds it. The caller closes it.

    Raises RecordError where there is no such file.
    """
    try:
        fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        raise RecordError(f"{path} was removed") from None
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        return None
    return fd


def sync_folder(folder: Path) -> None:
    """Waits until the names in a folder are on the disk."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _encode(record: Record) -> bytes:
    state, boot_id, *rest = msgspec.structs.astuple(record)
    head = _FIELDS.pack(_MAGIC, _VERSION, state, boot_id.encode(), *rest)
    body = head.ljust(_SIZE - 4, b"\0")
    return body + zlib.crc32(body).to_bytes(4, "little")


def _whole(data: bytes) -> bool:
    return (
        len(data) == _SIZE
        and data.startswith(_MAGIC)
        and int.from_bytes(data[8:12], "little") == _VERSION
        and int.from_bytes(data[-4:], "little") == zlib.crc32(data[:-4])
    )


def _decode(data: bytes) -> Record:
    _, _, *fields = _FIELDS.unpack_from(data)
    values = dict(zip(Record.__struct_fields__, fields, strict=True))
    values["boot_id"] = values["boot_id"].rstrip(b"\0").decode()
    return msgspec.convert(values, Record, strict=False)
