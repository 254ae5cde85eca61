"""The keeper as tests run it: with the address and undefined-behaviour sanitizers."""

import fcntl
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def build_keeper(folder: Path) -> Path:
    """Builds in ``folder``, once for all test workers, and returns the program."""
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        configure = ["cmake", "-S", ROOT, "-B", folder, "-DSHOAL_SANITIZE=ON"]
        for command in (configure, ["cmake", "--build", folder]):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
    return folder / "native" / "keeper" / "shoal_keeper"
