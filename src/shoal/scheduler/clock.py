"""The one place where the scheduler reads a clock."""

import time
from datetime import datetime, timedelta


def now_ms() -> int:
    """Milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


def say_time(at_ms: int) -> str:
    """A moment as people on this machine read it: ``14:40``, with the day if it is far off."""
    at = datetime.fromtimestamp(at_ms / 1000).astimezone()
    soon = abs(at - datetime.now().astimezone()) < timedelta(hours=20)
    return f"{at:%H:%M}" if soon else f"{at:%d %b %H:%M}"
