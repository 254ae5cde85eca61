"""The amounts of a run, read before anything is made, so that a wrong one changes nothing."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from shoal.api.run import RunSpec
from shoal.units.duration import parse_duration
from shoal.units.errors import UnitError
from shoal.units.gpu import parse_share
from shoal.units.quantity import parse_bytes, parse_cpu

_READERS: Final[dict[str, Callable[[Any], object]]] = {
    "gpu": parse_share,
    "cpu": parse_cpu,
    "memory": parse_bytes,
    "shm": parse_bytes,
    "time": parse_duration,
}


def wrong_amounts(spec: RunSpec) -> Iterator[tuple[str, str]]:
    """(field, what is wrong with it) of every amount that cannot be read."""
    for field, read in _READERS.items():
        text = spec.limits.time if field == "time" else getattr(spec, field)
        if text == "":
            continue
        try:
            read(text)
        except UnitError as error:
            yield field, str(error)
