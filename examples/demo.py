"""The demo: a box with simulated cards, real programs on them, and every claim checked.

    python examples/demo.py

Starts a box in a temporary home on a free port; two trainings share a card, a gang of four
starts together, a job waits and says why, another fails and says how. Then it shows the board,
asks a stock kubectl for the same objects, checks what it showed, and leaves nothing behind.
Exits with 1 and the untrue claim if one did not hold.
"""

import contextlib
import fcntl
import json
import os
import pty
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parent
GPUS = "sim:2xA100-80GB,1xT4"
LONGEST_WAIT = 60
"""Seconds that one step of the demo may take."""


class UntrueError(Exception):
    """Something that the demo claims did not hold."""


class Box:
    """The box of the demo, and the two programs that look at it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.env = os.environ | {"SHOAL_HOME": str(home), "OMP_NUM_THREADS": "1"}
        self.shoal_path = _find("shoal")
        self.kubectl_path = _find("kubectl")

    def shoal(self, *arguments: str, expect: int = 0, quiet: bool = False) -> str:
        """Run a shoal command as a person would and show it."""
        return self._run([self.shoal_path, *arguments], expect, quiet)

    def look(self, *arguments: str) -> str:
        """Run a shoal command on a terminal of its own, so that it draws as it does for people."""
        print(f"\n$ shoal {' '.join(arguments)}", flush=True)
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 118, 0, 0))
        command = [self.shoal_path, *arguments]
        with subprocess.Popen(command, env=self.env | {"NO_COLOR": "1"}, stdout=theirs) as process:
            os.close(theirs)
            shown = read_all(ours).replace("\r\n", "\n")
        print(shown.rstrip(), flush=True)
        check(process.returncode == 0, f"shoal {arguments[0]} succeeds")
        return shown

    def kubectl(self, *arguments: str, quiet: bool = False) -> str:
        """Run a stock kubectl against the box and show it."""
        config = ["--kubeconfig", str(self.home / "kubeconfig")]
        return self._run([self.kubectl_path, *config, *arguments], 0, quiet)

    def runs(self) -> dict[str, dict[str, Any]]:
        """All runs by name, as the API server holds them."""
        listing = json.loads(self.shoal("ps", "-o", "json", quiet=True))
        return {item["metadata"]["name"]: item for item in listing["items"]}

    def phases(self) -> dict[str, str]:
        """The phase of every run."""
        return {name: run["status"].get("phase", "Queued") for name, run in self.runs().items()}

    def _run(self, command: list[str], expect: int, quiet: bool) -> str:
        if not quiet:
            shown = [Path(command[0]).name, *(a for a in command[1:] if str(self.home) not in a)]
            print(f"\n$ {' '.join(a for a in shown if a != '--kubeconfig')}", flush=True)
        # Shown, both outputs come in the order in which they were written.
        done = subprocess.run(
            command,
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if quiet else subprocess.STDOUT,
            text=True,
            check=False,
        )
        if not quiet:
            print(done.stdout.rstrip(), flush=True)
        check(done.returncode == expect, f"{command[1:]} exits with {expect}", done.stdout)
        return done.stdout


def main() -> None:
    """Run the demo; exit with 1 where it claims something untrue."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="shoal-demo-") as folder:
        home = Path(folder) / "home"
        box = Box(home)
        try:
            show(box)
        except UntrueError as error:
            print(f"\n✘ untrue: {error}", file=sys.stderr)
            sys.exit(1)
        finally:
            if (home / "box.json").exists():
                subprocess.run([box.shoal_path, "down", "--kill"], env=box.env, check=False)
        left = processes_of(home)
        if left:
            print(f"✘ untrue: nothing is left behind ({left})", file=sys.stderr)
            sys.exit(1)
    print(f"\n✔ all of it held, {time.monotonic() - started:.0f} s; nothing is left behind")


def show(box: Box) -> None:
    """Everything that the demo shows, in the order in which a person would see it."""
    python = sys.executable
    train = (python, str(EXAMPLES / "digits" / "train.py"), "--epochs", "60")
    ring = (python, str(EXAMPLES / "ring" / "ring.py"), "--linger", "8")
    box.shoal("up", "-d", "--port", "0", "--gpus", GPUS)
    half = ("--gpu", "A100:1/2", "--time", "10m")
    box.shoal("run", "-d", "--name", "digits", *half, "--", *train)
    box.shoal("run", "-d", "--name", "digits-b", *half, "--", *train)
    gang = ("--replicas", "4", "--gpu", "A100:1/4", "--pack", "--time", "10m")
    box.shoal("run", "-d", "--name", "ring", *gang, "--", *ring)
    box.shoal("run", "-d", "--name", "big", "--gpu", "A100:2", "--", "true")
    oops = (python, str(EXAMPLES / "fail" / "oops.py"))
    box.shoal("run", "--name", "oops", "--gpu", "1/4", "--", *oops, expect=7)
    wanted = {"digits": "Running", "digits-b": "Running", "ring": "Running", "oops": "Failed"}
    wait(lambda: wanted.items() <= box.phases().items(), "both trainings and the ring run")
    board(box)
    wait(lambda: set(box.phases().values()) == {"Succeeded", "Failed"}, "all runs end")
    endings(box)


def board(box: Box) -> None:
    """The moment in which everything is on one board."""
    told = box.look("ps")
    box.look("top", "--once")
    why = box.look("why", "big")
    seen = box.kubectl("get", "runs,pods,nodes,resourceclaims,resourceslices")
    runs = box.runs()
    check(where(runs["digits"]) == where(runs["digits-b"]), "the two trainings share a card")
    cards = {tuple(replica["cards"]) for replica in runs["ring"]["status"]["replicas"]}
    check(len(runs["ring"]["status"]["replicas"]) == 4, "the ring started as a whole", str(cards))
    check(runs["big"]["status"]["phase"] == "Queued", "big waits")
    check("2 whole A100 cards" in why and "ring" in why, "big says why it waits", why)
    check(any("big" in line and "queued" in line for line in told.splitlines()), "ps shows big")
    for name in runs:
        check(f"run.shoal.dev/{name}" in seen, f"kubectl lists {name}", seen)


def endings(box: Box) -> None:
    """What each program ended with."""
    box.look("ps")
    output = box.shoal("logs", "digits", "--tail", "2")
    check("test accuracy" in output, "the training tells its accuracy", output)
    failure = box.runs()["oops"]["status"]["failure"]
    check(failure["exitCode"] == 7, "oops failed with exit code 7", str(failure))
    check("ValueError" in box.shoal("logs", "oops", quiet=True), "the last lines of oops are kept")
    ring = box.shoal("logs", "ring", quiet=True)
    check(ring.count("sum right") == 4, "every member of the ring has the right sum", ring)
    same = json.loads(box.kubectl("get", "runs", "-o", "json", quiet=True))
    phases = {item["metadata"]["name"]: item["status"]["phase"] for item in same["items"]}
    check(phases == box.phases(), "kubectl and shoal see the same phases", str(phases))


def read_all(descriptor: int) -> str:
    """What is written to a terminal until its last writer is gone (then Linux answers EIO)."""
    parts = []
    with contextlib.suppress(OSError):
        while part := os.read(descriptor, 65536):
            parts.append(part)
    os.close(descriptor)
    return b"".join(parts).decode()


def where(run: dict[str, Any]) -> tuple[str, list[str]]:
    """Node and cards of a run's first replica."""
    first = run["status"]["replicas"][0]
    return first["node"], first["cards"]


def check(holds: bool, claim: str, seen: str = "") -> None:
    """Raises UntrueError where a claim does not hold."""
    if not holds:
        raise UntrueError(f"{claim}" + (f"\n{seen}" if seen else ""))


def wait(holds: Callable[[], bool], claim: str) -> None:
    """Wait until a claim holds. Raises UntrueError when it takes too long."""
    deadline = time.monotonic() + LONGEST_WAIT
    while not holds():
        check(time.monotonic() < deadline, f"{claim} within {LONGEST_WAIT} s")
        time.sleep(0.2)


def processes_of(home: Path) -> list[int]:
    """Processes that name the home in their arguments or their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and entry.name != str(os.getpid()):
                told = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
                found += [int(entry.name)] if str(home).encode() in told else []
        except OSError:
            continue
    return found


def _find(program: str) -> str:
    beside = Path(sys.executable).with_name(program)
    path = str(beside) if beside.exists() else shutil.which(program)
    if path is None:
        sys.exit(f'demo: {program} is not installed; pip install ".[demo,test]" brings it')
    return path


if __name__ == "__main__":
    main()
