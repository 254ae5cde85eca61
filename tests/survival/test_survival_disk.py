"""The disk of the home runs full while programs run: nothing that was acknowledged is lost."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.box.harness import GPUS, Box, make_box
from tests.survival.ledger import CONFIG_MAPS, NAMESPACE

from shoal.agent.record import RecordState, read_record
from shoal.kube.blocking import BlockingClient
from shoal.kube.config import load_config
from shoal.kube.errors import ApiError

SIZE_MIB = 96
"""Little more than a home must have at the start."""


@pytest.fixture
def small_box(tmp_path: Path) -> Iterator[Box]:
    """A box whose home is on a file system of its own."""
    home = tmp_path / "home"
    home.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE_MIB}m", "t", home], check=True)
    box = make_box(tmp_path)
    try:
        yield box
        box.shoal("down", "--kill")
        assert not box.processes()
    finally:
        subprocess.run(["umount", "--lazy", home], check=True)


def fill(folder: Path) -> Path:
    """Take all the room that is left; what takes it."""
    path = folder / "filler"
    with path.open("wb", buffering=0) as file:
        for size in (1 << 20, 4096, 1):
            with contextlib.suppress(OSError):
                while True:
                    file.write(b"x" * size)
    return path


def write_until_refused(client: BlockingClient) -> tuple[list[str], ApiError]:
    """Names that were acknowledged, and the refusal: a log may have room of its own left."""
    names: list[str] = []
    for number in range(5000):
        name = f"kept-{number}"
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}
        try:
            client.create(CONFIG_MAPS, body | {"data": {"blob": "x" * 50_000}}, NAMESPACE)
        except ApiError as error:
            return names, error
        names.append(name)
    raise AssertionError("a full disk refuses nothing")


def test_a_full_disk_refuses_writes_loses_nothing_and_is_waited_out(
    small_box: Box, tmp_path: Path
) -> None:
    box, go = small_box, tmp_path / "go"
    box.ok("up", "-d", "--port", "0", "--gpus", GPUS)
    wait = f"while ! test -e {go}; do echo waiting; sleep 0.1; done; echo over; exit 7"
    box.ok("run", "-d", "--name", "long", "--gpu", "1/2", "--", "sh", "-c", wait)
    box.wait_for("long", "Running")
    (record,) = box.home.glob("pods/*/containers/main/0.record")
    client = BlockingClient(load_config(box.home / "kubeconfig"))
    filler = fill(box.home)

    kept, refusal = write_until_refused(client)
    assert refusal.code == 507
    assert "free space on the disk" in refusal.message
    refused = box.shoal("run", "-d", "--name", "refused", "--", "true")
    assert refused.returncode != 0
    assert "Traceback" not in refused.stderr
    assert read_record(record).state == RecordState.RUNNING

    for name in ("agent", "loops", "apiserver"):
        victim = box.pid_of(name)
        os.kill(victim, signal.SIGKILL)
        box.until(lambda v=victim: not Path(f"/proc/{v}").exists(), "it is gone")
    box.until(lambda: "long" in box.shoal("ps").stdout, "a server on a full disk reads")
    go.touch()
    box.until(lambda: read_record(record).final, "the program ends")
    assert read_record(record).exit_code == 7

    filler.unlink()
    assert box.wait_for("long", "Failed")["failure"]["exitCode"] == 7
    box.ok("run", "--name", "next", "--gpu", "1/2", "--", "true")
    client = BlockingClient(client.config)  # the first one's connection died with its server
    found = {each.metadata.name for each in client.list(CONFIG_MAPS, NAMESPACE).items}
    assert set(kept) <= found
    assert "over" in box.ok("logs", "long") or "dropped" in box.ok("logs", "long")
    assert "refused" not in {run["metadata"]["name"] for run in box.objects("runs")}
