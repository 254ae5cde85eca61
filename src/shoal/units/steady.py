"""A time of day that never jumps: what lasts a while is measured by it, not by the clock.

The machine's clock as it was when the process started, gone on with by the time since. Setting
the clock changes nothing here, so that nothing ends early or late by it; what is told to people
or compared with other machines takes the clock itself.
"""

import time
from pathlib import Path
from typing import Final

_BOOT: Final = time.CLOCK_BOOTTIME
"""It counts while the machine sleeps too, as people do."""


def boot_ns() -> int:
    """Nanoseconds since the kernel was started."""
    return time.clock_gettime_ns(_BOOT)


def boot_id() -> str:
    """What names this start of the kernel."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


_STARTED: Final = time.time_ns() - boot_ns()


def offset_ms() -> int:
    """What ``steady_ms`` is ahead of the time since the kernel was started."""
    return _STARTED // 1_000_000


def steady_ms() -> int:
    """Milliseconds since the epoch, as far as the clock was right when the process started."""
    return (_STARTED + boot_ns()) // 1_000_000
