"""Which colour says what of a run."""

from typing import Final

from shoal.api.run import RunPhase
from shoal.cli.output import Tone

_TONES: Final = {
    RunPhase.QUEUED: Tone.WAITING,
    RunPhase.SUCCEEDED: Tone.GOOD,
    RunPhase.FAILED: Tone.BAD,
    RunPhase.TIMED_OUT: Tone.BAD,
    RunPhase.STOPPED: Tone.DIM,
    RunPhase.UNKNOWN: Tone.WAITING,
}


def tone_of(phase: RunPhase) -> Tone:
    """Red only for failure, yellow only for waiting, green only for success."""
    return _TONES.get(phase, Tone.PLAIN)
