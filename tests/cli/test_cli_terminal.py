"""On a terminal: one line that changes while a run waits, and Ctrl-C that asks."""

import os
import pty
import re
import signal
import termios
import threading
import time

import pytest

from shoal.api.kinds import RUNS
from shoal.units.instant import format_instant


class Terminal:
    """A command on a terminal of its own: what it writes, and keys to press."""

    def __init__(self, box, *arguments: str, **options) -> None:
        self._ours, theirs = pty.openpty()
        streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
        self.process = box.start(*arguments, **streams, start_new_session=True, **options)
        os.close(theirs)
        self.written = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        while True:
            try:
                self.written += os.read(self._ours, 65536).decode(errors="replace")
            except OSError:
                return

    def press(self, key: str) -> None:
        os.write(self._ours, key.encode())

    def echoes(self) -> bool:
        """Whether what is typed is shown."""
        return bool(termios.tcgetattr(self._ours)[3] & termios.ECHO)

    def interrupt(self) -> None:
        """Ctrl-C, as a terminal tells it to its foreground process."""
        self.process.send_signal(signal.SIGINT)

    def end(self) -> int:
        code = self.process.wait(30)
        self._reader.join(30)
        os.close(self._ours)
        return code


@pytest.fixture
def watched(box, tmp_path, wait_until):
    """A run that waits, watched on a terminal."""
    terminal = Terminal(box, "run", "--name", "digits", "--", "true", cwd=tmp_path)
    wait_until(lambda: "queue default" in terminal.written)
    return terminal


def lines_of(written: str) -> list[str]:
    """The lines as they are seen at last: each change rubs out what was there before."""
    return [line.rpartition("\r\x1b[K")[2] for line in written.replace("\r\n", "\n").split("\n")]


def plain(written: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", written)


def start(box) -> None:
    box.agent.logs["digits-0"] = b"epoch 1\n"
    box.agent.open.add("digits-0")
    box.pod("digits")
    box.status("digits", phase="Running", startedAt="2026-01-01T00:00:00Z")


def end(box, phase: str) -> None:
    box.agent.open.clear()
    box.status("digits", phase=phase, finishedAt="2026-01-01T00:00:02Z")


def test_the_wait_is_one_line_that_changes(box, watched, wait_until) -> None:
    for words in ("2 cards; none free", "2 cards; 1 free"):
        box.status("digits", phase="Queued", message=words)
        wait_until(lambda words=words: words in watched.written)
    start(box)
    end(box, "Succeeded")
    assert watched.end() == 0
    seen = plain("\n".join(lines_of(watched.written)))
    assert "none free" not in seen
    assert "1 free" not in seen
    assert seen.index("  started   box1 card 0") < seen.index("epoch 1")
    assert seen.index("epoch 1") < seen.index("✔ digits succeeded")
    assert "\x1b[33m  queued    2 cards; 1 free\x1b[0m" in watched.written
    assert "\x1b[32m✔ digits" in watched.written


@pytest.mark.parametrize(("key", "code", "stopped"), [("d", 0, False), ("\x03", 0, False)])
def test_ctrl_c_asks_and_can_detach(box, watched, wait_until, key, code, stopped) -> None:
    watched.interrupt()
    question = "digits goes on. d detach · s stop · Enter keep watching"
    wait_until(lambda: question in watched.written)
    watched.press(key)
    assert watched.end() == code
    assert "shoal attach digits" in watched.written
    assert box.client.get(RUNS, "digits", box.namespace).spec.stop is stopped


def test_ctrl_c_can_stop_and_watches_to_the_end(box, watched, wait_until) -> None:
    start(box)
    wait_until(lambda: "epoch 1" in watched.written)
    watched.interrupt()
    wait_until(lambda: "keep watching" in watched.written)
    watched.press("s")
    wait_until(lambda: box.client.get(RUNS, "digits", box.namespace).spec.stop)
    end(box, "Stopped")
    assert watched.end() == 130
    assert "■ digits was stopped after 2 s" in watched.written


def test_enter_keeps_watching_and_holds_the_output_back_meanwhile(box, watched, wait_until) -> None:
    start(box)
    wait_until(lambda: "epoch 1" in watched.written)
    watched.interrupt()
    wait_until(lambda: "keep watching" in watched.written)
    box.agent.logs["digits-0"] += b"epoch 2\n"
    watched.press("x")
    watched.press("\r")
    wait_until(lambda: "epoch 2" in watched.written)
    end(box, "Succeeded")
    assert watched.end() == 0
    assert watched.written.index("keep watching") < watched.written.index("epoch 2")


def test_no_color_is_honoured(box, tmp_path, wait_until) -> None:
    terminal = Terminal(
        box, "run", "--name", "digits", "--", "true", cwd=tmp_path, env={"NO_COLOR": "1"}
    )
    wait_until(lambda: "queue default" in terminal.written)
    start(box)
    end(box, "Succeeded")
    assert terminal.end() == 0
    assert "\x1b[32m" not in terminal.written
    assert "✔ digits succeeded" in terminal.written


def test_top_goes_on_until_it_is_interrupted(box, wait_until) -> None:
    card = {"node": "box1", "card": "gpu-0", "model": "T4", "memoryMib": 15360,
            "memoryFreeMib": 15360, "milliFree": 1000}  # fmt: skip
    node = {"name": "box1", "cpuMilli": 8000, "cpuFreeMilli": 8000, "memoryMib": 1024,
            "memoryFreeMib": 1024, "cards": [card]}  # fmt: skip
    box.scheduler.answers["/board"] = {"nodes": [node]}
    terminal = Terminal(box, "top", env={"COLUMNS": "100", "LINES": "24"})
    wait_until(lambda: "T4" in terminal.written)
    box.scheduler.answers["/board"] = {"nodes": [node | {"closed": "it is drained"}]}
    wait_until(lambda: "it is drained" in terminal.written)
    terminal.interrupt()
    assert terminal.end() == 130
    # The last picture stays on the screen that was there before.
    assert "it is drained" in terminal.written.rpartition("\x1b[?1049l")[2]


def test_top_ends_with_q_and_fits_the_terminal(box, wait_until) -> None:
    holders = [{"owner": f"run-{n}", "memoryMib": 1024, "milli": 50} for n in range(15)]
    card = {"node": "box1", "card": "gpu-0", "model": "T4", "memoryMib": 15360,
            "memoryFreeMib": 0, "milliFree": 250, "holders": holders}  # fmt: skip
    node = {"name": "box1", "cpuMilli": 8000, "cpuFreeMilli": 8000, "memoryMib": 1024,
            "memoryFreeMib": 1024, "cards": [card]}  # fmt: skip
    box.scheduler.answers["/board"] = {"nodes": [node]}
    terminal = Terminal(box, "top", env={"COLUMNS": "60", "LINES": "24", "NO_COLOR": "1"})
    wait_until(lambda: "T4" in terminal.written)
    terminal.press("q")
    assert terminal.end() == 0
    lines = terminal.written.rpartition("\x1b[?1049l")[2].replace("\r\n", "\n").splitlines()
    assert max(map(len, lines)) <= 60
    assert lines[1].endswith("…")


def test_keys_are_not_echoed_while_it_is_watched_and_are_again_after(box, watched) -> None:
    assert not watched.echoes()
    watched.interrupt()
    while "keep watching" not in watched.written:
        assert watched.process.poll() is None
    watched.press("d")
    assert watched.process.wait(30) == 0
    assert watched.echoes()
    watched.end()


def test_a_terminal_is_given_back_when_the_watching_is_ended_from_outside(watched) -> None:
    watched.process.terminate()
    assert watched.process.wait(30) == 128 + signal.SIGTERM
    assert watched.echoes()
    watched.end()


def test_a_stop_is_told_with_when_it_is_over_at_the_latest(box, watched, wait_until) -> None:
    start(box)
    now = format_instant(time.time_ns() // 1_000_000)
    stopping = {"type": "Stopping", "status": "True", "lastTransitionTime": now}
    box.status("digits", message="stopping", conditions=[stopping])
    told = re.compile(r"stopping · asked \d s ago · killed at \d\d:\d\d:\d\d at the latest")
    wait_until(lambda: told.search(watched.written))
    end(box, "Stopped")
    assert watched.end() == 130


def test_a_wait_too_long_for_the_terminal_keeps_who_holds_it_and_until_when(
    box, tmp_path, wait_until
) -> None:
    arguments = ("run", "--name", "digits", "--", "true")
    terminal = Terminal(box, *arguments, cwd=tmp_path, env={"COLUMNS": "80", "NO_COLOR": "1"})
    fact = "needs 40 GiB on one card; the largest hole is 38 GiB"
    holder = "mnist-3 holds 40 GiB of card 1, ends by 14:32"
    wait_until(lambda: "queue default" in terminal.written)
    box.status("digits", phase="Queued", message=f"{fact} · {holder}")
    wait_until(lambda: holder in terminal.written)
    (line,) = [part for part in terminal.written.split("\r\x1b[K") if "mnist-3" in part]
    assert line == f"  queued    needs 40 GiB on… · {holder}"
    box.status("digits", phase="Stopped")
    assert terminal.end() == 130
