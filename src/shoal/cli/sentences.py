"""What ended a command, as one sentence; imported only once something has gone wrong."""

import traceback
from typing import Final

import click

from shoal.cli.errors import BAD_INPUT, FAILED
from shoal.cli.say import tilde
from shoal.cli.usage import usage_sentence
from shoal.kube.config import home_path
from shoal.kube.errors import ApiError, Unreachable
from shoal.units.errors import UnitError

_THEIR_INPUT: Final = frozenset({400, 404, 405, 415, 422})
"""HTTP codes that say that what was asked is wrong, not that the server is unwell."""


def sentence_of(error: Exception) -> tuple[str, int]:
    """(what to tell, exit code) of anything that ended a command."""
    match error:
        case click.ClickException():
            return usage_sentence(error), error.exit_code
        case UnitError():
            return str(error), BAD_INPUT
        case Unreachable():
            return _no_box(), FAILED
        case ApiError():
            theirs = error.code in _THEIR_INPUT or error.already_exists
            return _lower(error.message), BAD_INPUT if theirs else FAILED
    if type(error).__module__.startswith("shoal."):
        # Our own errors are sentences already; one that scripts can act on says its code.
        sentence = str(error).replace(str(home_path()), tilde(home_path()))
        return sentence, getattr(error, "exit_code", FAILED)
    return _defect(error), FAILED


def _no_box() -> str:
    from shoal.cli.box.held import say_stopped
    from shoal.cli.box.home import running

    if (state := running(home_path())) is not None:
        server = next((one for one in state.processes if one.name == "apiserver"), None)
        if server is not None and (stopped := say_stopped(server.pid)):
            return f"the box is up and its API server (pid {server.pid}) is {stopped}"
        return "the box is up and its API server does not answer; try again, or: shoal status"
    return f"no box answers at {tilde(home_path())} (not running?). Start one: shoal up"


def _lower(sentence: str) -> str:
    """Without the capital of a first word, unless it is a name such as ``Run.shoal.dev``."""
    first = sentence.split(" ", 1)[0]
    plain = first.isalpha() and first[1:] == first[1:].lower()
    return sentence[:1].lower() + sentence[1:] if plain else sentence


def _defect(error: Exception) -> str:
    """A bug of ours: say so in a sentence and keep the traceback where it can be sent from."""
    told = f"{type(error).__name__}: {error}".replace("\n", " ")[:200]
    place = home_path() / "crash.txt"
    try:
        place.write_text("".join(traceback.format_exception(error)))
    except OSError:
        return f"this is a bug in shoal, sorry: {told}"
    return f"this is a bug in shoal, sorry: {told}. Please report it with {tilde(place)}"
