"""The one place where the scheduler reads a clock."""

from datetime import datetime, timedelta

from shoal.units.steady import steady_ms


def now_ms() -> int:
    """Milliseconds since the epoch; they never jump, whatever becomes of the machine's clock."""
    return steady_ms()


def say_time(at_ms: int) -> str:
    """A moment as people on this machine read it: ``14:40``, with the day if it is far off."""
    at = datetime.fromtimestamp(at_ms / 1000).astimezone()
    soon = abs(at - datetime.now().astimezone()) < timedelta(hours=20)
    return f"{at:%H:%M}" if soon else f"{at:%d %b %H:%M}"
