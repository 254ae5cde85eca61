"""The home of a box: private, locked by one supervisor, readable by anybody who looks."""

import os
import resource
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from shoal.cli.box.errors import BoxError
from shoal.cli.box.home import (
    BoxState,
    ProcessState,
    make_home,
    read_state,
    running,
    take_lock,
    write_state,
)
from shoal.cli.box.log import BoundedLog
from shoal.cli.box.ports import check_free

HOLD = """
import os, sys
from pathlib import Path
from shoal.cli.box.home import BoxState, take_lock, write_state
home = Path(sys.argv[1])
take_lock(home)
write_state(home, BoxState(os.getpid(), 1, 7470, "", "0", []))
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path) -> subprocess.Popen[bytes]:
    """A process that holds the lock of ``tmp_path``."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    yield process
    process.kill()
    process.communicate()


def test_a_second_supervisor_is_told_who_the_first_is(
    tmp_path: Path, holder: subprocess.Popen[bytes]
) -> None:
    with pytest.raises(BoxError, match=f"pid {holder.pid}.*shoal status"):
        take_lock(tmp_path)


def test_looking_never_takes_the_lock(tmp_path: Path, holder: subprocess.Popen[bytes]) -> None:
    state = running(tmp_path)
    assert state is not None
    assert state.pid == holder.pid


def test_a_killed_supervisor_leaves_the_home_free(
    tmp_path: Path, holder: subprocess.Popen[bytes]
) -> None:
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert running(tmp_path) is None
    take_lock(tmp_path)


def test_the_home_is_private_even_if_it_was_not(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    make_home(home)
    assert home.stat().st_mode & 0o777 == 0o700


def test_a_home_that_is_a_file_is_refused_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(BoxError, match="SHOAL_HOME"):
        make_home(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"


def test_a_reader_sees_what_was_written_last(tmp_path: Path) -> None:
    state = BoxState(1, 2, 3, "sim:1xT4", "0", [ProcessState("agent", 4, 5)])
    write_state(tmp_path, state)
    assert read_state(tmp_path) == state
    (tmp_path / "box.json").write_text("{ half")
    assert read_state(tmp_path) is None


def test_a_taken_port_is_refused_with_another(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(BoxError, match=f"port {port}.*--port {port + 1}"):
            check_free(port)


def test_a_log_stays_bounded(tmp_path: Path) -> None:
    path = tmp_path / "x.log"
    line = b"x" * 1023 + b"\n"
    with BoundedLog(path) as log:
        for _ in range(20_000):
            log.write(line)
    kept = sum(file.stat().st_size for file in tmp_path.iterdir())
    assert 8 * 1024**2 < kept <= 17 * 1024**2
    assert path.read_bytes().endswith(line)


def test_a_full_disk_keeps_the_last_word_and_the_box(tmp_path: Path) -> None:
    state = BoxState(1, 2, 3, "", "0", [])
    write_state(tmp_path, state)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        write_state(tmp_path, BoxState(9, 9, 9, "", "9", []))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert read_state(tmp_path) == state
    assert not (tmp_path / "box.json.new").exists()


def test_a_home_is_made_by_many_at_once(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with ThreadPoolExecutor(8) as together:
        list(together.map(make_home, [home] * 500))
    assert not (home / ".probe").exists()
