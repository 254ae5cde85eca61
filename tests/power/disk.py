"""What a disk may hold when the power goes: the record of a process, replayed up to a cut.

What was synced before the cut is there. Of the rest any part may be: of each file none of the
writes since its last sync, all, some, or torn ones, in sectors of 512 bytes; of a folder's names
those up to some point. A file's name is durable once its folder was synced.
"""

import random
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

HEAD = struct.Struct("<IIQQ")
SECTOR = 512
ACKNOWLEDGED = "A"


class Entry(NamedTuple):
    """One operation, or what a client was told (``A``)."""

    kind: str
    file: int
    at: int
    data: bytes

    @property
    def names(self) -> list[str]:
        return [name.decode() for name in self.data.split(b"\0")[:-1]]


class Recorder:
    """Builds the recorder, and starts processes under it."""

    def __init__(self, folder: Path, below: Path):
        self.library = folder / "recorder.so"
        self.path = folder / "record"
        self.below = below
        self.path.touch()
        source = Path(__file__).with_name("recorder.c")
        command = ["cc", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
        subprocess.run([*command, "-o", self.library, source, "-ldl", "-lpthread"], check=True)

    def environment(self, slow_us: int = 0) -> dict[str, str]:
        return {
            "LD_PRELOAD": str(self.library),
            "POWER_RECORD": str(self.path),
            "POWER_BELOW": str(self.below),
            "POWER_SLOW_US": str(slow_us),
        }

    def acknowledged(self, what: bytes) -> None:
        """Note, in order with the operations, what a client has just been told."""
        entry = HEAD.pack(len(what), ord(ACKNOWLEDGED), 0, 0) + what
        with self.path.open("ab", buffering=0) as record:
            assert record.write(entry) == len(entry)

    def entries(self) -> Iterator[Entry]:
        content = self.path.read_bytes()
        at = 0
        while at < len(content):
            size, kind, file, offset = HEAD.unpack_from(content, at)
            at += HEAD.size
            yield Entry(chr(kind), file, offset, content[at : at + size])
            at += size


class File:
    """One inode: what is durable of it, and what was done since."""

    def __init__(self):
        self.content = bytearray()
        self.waiting: list[Entry] = []

    def sync(self):
        for entry in self.waiting:
            perform(self.content, entry)
        self.waiting.clear()

    def after_a_crash(self, chance: random.Random, mode: str) -> bytes:
        content = bytearray(self.content)
        for entry in self.waiting:
            if mode == "all" or (mode == "some" and chance.random() < 0.5):
                perform(content, entry)
            elif mode == "torn":
                for part in torn(entry, chance):
                    perform(content, part)
        return bytes(content)


def perform(content: bytearray, entry: Entry) -> None:
    if entry.kind == "T":
        del content[entry.at :]
    content.extend(bytes(max(entry.at - len(content), 0)))
    if entry.kind == "W":
        content[entry.at : entry.at + len(entry.data)] = entry.data


def torn(entry: Entry, chance: random.Random) -> Iterator[Entry]:
    if entry.kind == "T":
        if chance.random() < 0.5:
            yield entry
        return
    for start in range(0, len(entry.data), SECTOR):
        if chance.random() < 0.7:
            part = entry.data[start : start + SECTOR]
            yield entry._replace(at=entry.at + start, data=part)


class Disk:
    """The files as a sequence of entries left them."""

    def __init__(self):
        self._files: dict[int, File] = {}
        self._durable: dict[str, File] = {}
        self._names: dict[str, File] = {}
        self._waiting: list[Entry] = []
        self._made: dict[int, File] = {}

    def do(self, entry: Entry) -> None:
        if entry.kind in "WT" and entry.file in self._files:
            self._files[entry.file].waiting.append(entry)
        elif entry.kind == "S" and entry.file in self._files:
            self._files[entry.file].sync()
        elif entry.kind == "S":
            self._sync_names()
        elif entry.kind in "CRLU":
            if entry.kind == "C":
                self._files[entry.file] = File()
                self._made[id(entry)] = self._files[entry.file]
            self._waiting.append(entry)

    def write(self, folder: Path, chance: random.Random, mode: str) -> None:
        """Fill a folder with what is left if the power goes now."""
        names = dict(self._durable)
        for entry in self._waiting[: self._kept(chance, mode)]:
            self._rename(names, entry)
        for name, file in names.items():
            if not name.endswith("-shm"):  # memory of living processes, never read after a crash
                (folder / Path(name).name).write_bytes(file.after_a_crash(chance, mode))

    def _kept(self, chance: random.Random, mode: str) -> int:
        """How many of the changes of names that were not synced are there."""
        every = len(self._waiting)
        return {"none": 0, "all": every}.get(mode, chance.randint(0, every))

    def _sync_names(self) -> None:
        for entry in self._waiting:
            self._rename(self._durable, entry)
        self._waiting.clear()
        self._made.clear()

    def _rename(self, names: dict[str, File], entry: Entry) -> None:
        match entry.kind, entry.names:
            case "C", [name]:
                names[name] = self._made[id(entry)]
            case "R", [old, new]:
                names[new] = names.pop(old)
            case "L", [old, new]:
                names[new] = names[old]
            case "U", [name]:
                names.pop(name, None)
