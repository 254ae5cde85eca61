import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.keeper.build import build_keeper

from shoal.agent.record import Record, RecordState, create_record, read_record

BOOT = "00000000-0000-0000-0000-000000000000"


@pytest.fixture(scope="session")
def keeper_binary(request: pytest.FixtureRequest) -> Path:
    return build_keeper(request.config.cache.mkdir("keeper-sanitized"))


class Kept:
    """A program under a keeper, seen from outside."""

    def __init__(self, binary: Path, folder: Path, program: list[str], **flags: object) -> None:
        self.folder = folder
        self.record_path = folder / "record"
        fd = create_record(self.record_path, Record(RecordState.PREPARED, BOOT))
        reader, writer = os.pipe()
        options = {"log": folder / "log", "log-bytes": 100_000, "log-files": 2, "grace": 1, **flags}
        command = [binary, "--record-fd", str(fd), "--status-fd", str(writer)]
        for name, value in options.items():
            command += [f"--{name}", str(value)]
        self.process = subprocess.Popen([*command, "--", *program], pass_fds=[fd, writer])
        os.close(fd)
        os.close(writer)
        os.read(reader, 1)
        os.close(reader)

    @property
    def record(self) -> Record:
        return read_record(self.record_path)

    def ended(self) -> Record:
        self.process.wait(60)
        return self.record

    @property
    def logged(self) -> list[bytes]:
        """The records of the log, oldest first."""
        files = sorted(self.folder.glob("log*"), key=lambda p: p.name, reverse=True)
        return b"".join(file.read_bytes() for file in files).split(b"\n")[:-1]

    def output(self, stream: bytes = b"stdout") -> bytes:
        """What the program wrote, put together again."""
        parts = [line.split(b" ", 3) for line in self.logged]
        return b"".join(
            text + (b"\n" if tag == b"F" else b"") for _, name, tag, text in parts if name == stream
        )


@pytest.fixture
def keep(keeper_binary: Path, tmp_path: Path) -> Iterator[Callable[..., Kept]]:
    made: list[Kept] = []

    def start(*program: str, **flags: object) -> Kept:
        folder = tmp_path / str(len(made))
        folder.mkdir(exist_ok=True)
        kept = Kept(
            keeper_binary,
            folder,
            list(program),
            **{k.replace("_", "-"): v for k, v in flags.items()},
        )
        made.append(kept)
        return kept

    yield start
    for kept in made:
        kept.process.kill()
        kept.process.wait(60)
