"""Who watches a run survives the box: away for a while, and back at another port."""

import signal
from urllib.parse import urlsplit

import msgspec
import pytest
from tests.cli.gate import Gate


@pytest.fixture
def gate(box):
    """The way to the box; the kubeconfig names it."""
    gate = Gate(urlsplit(box.client.config.server).port)
    open_again(box, gate)
    yield gate
    gate.shut()


def open_again(box, gate: Gate) -> None:
    """The box is up again, at another port, and its kubeconfig says so."""
    gate.open()
    path = box.home / "kubeconfig"
    kubeconfig = msgspec.json.decode(path.read_bytes())
    kubeconfig["clusters"][0]["cluster"]["server"] = f"https://127.0.0.1:{gate.port}"
    path.write_bytes(msgspec.json.encode(kubeconfig))


def line_with(process, words: str) -> str:
    """The next line of what is said that has these words in it."""
    for line in process.stderr:
        if words in line.decode():
            return line.decode()
    raise AssertionError(f"never said: {words}")


def start(box, *arguments: str):
    """A run that goes on, and a command that shows what it printed."""
    box.run("digits")
    box.agent.logs["digits-0"] = b"epoch 1\n"
    box.agent.open.add("digits-0")
    box.pod("digits")
    box.status("digits", phase="Running", startedAt="2026-01-01T00:00:00Z")
    process = box.start(*arguments)
    assert process.stdout.readline() == b"epoch 1\n"
    return process


def end(box) -> None:
    box.pod_status("digits-0", "Succeeded")
    box.agent.open.clear()
    box.status("digits", phase="Succeeded", finishedAt="2026-01-01T00:00:58Z")


def test_watching_goes_on_when_the_box_is_back_at_another_port(box, gate) -> None:
    process = start(box, "attach", "digits")
    gate.shut()
    away = line_with(process, "does not answer")
    assert away == "  the box does not answer; asking again · programs outlive the box\n"
    box.agent.logs["digits-0"] += b"epoch 2\n"
    open_again(box, gate)
    assert line_with(process, "answers again")
    assert process.stdout.readline() == b"epoch 2\n"
    end(box)
    assert process.stdout.read() == b""
    assert line_with(process, "✔ digits succeeded")
    assert process.wait(30) == 0


def test_an_end_that_came_while_the_box_was_away_is_told(box, gate) -> None:
    process = start(box, "attach", "digits")
    gate.shut()
    line_with(process, "does not answer")
    box.agent.logs["digits-0"] += b"epoch 2\n"
    end(box)
    open_again(box, gate)
    assert line_with(process, "✔ digits succeeded")
    assert process.stdout.read() == b"epoch 2\n"
    assert process.wait(30) == 0


def test_following_logs_goes_on_when_the_box_is_back_at_another_port(box, gate) -> None:
    process = start(box, "logs", "-f", "digits")
    gate.shut()
    box.agent.logs["digits-0"] += b"epoch 2\n"
    open_again(box, gate)
    assert process.stdout.readline() == b"epoch 2\n"
    end(box)
    assert process.stdout.read() == b""
    assert process.wait(30) == 0


def test_ctrl_c_while_the_box_is_away_claims_nothing(box, gate) -> None:
    process = start(box, "attach", "digits")
    gate.shut()
    line_with(process, "does not answer")
    process.send_signal(signal.SIGINT)
    told = line_with(process, "not known")
    assert "programs outlive the box" in told
    assert "shoal attach digits" in told
    assert "goes on" not in told
    assert process.wait(30) == 130


def test_a_run_that_waits_is_kept_while_the_box_is_away(box, gate) -> None:
    box.run("big")
    box.status("big", phase="Queued", message="2 whole cards; 1 free")
    process = box.start("attach", "big")
    line_with(process, "queued")
    gate.shut()
    told = line_with(process, "does not answer")
    assert "big is kept and goes on waiting after the next shoal up" in told
    process.send_signal(signal.SIGINT)
    assert "big waited when it last did; it is kept" in line_with(process, "shoal attach big")
    assert process.wait(30) == 130
