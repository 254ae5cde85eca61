"""Making a container's start: what hinders it for a while, and what hinders it for good."""

import errno
import os
import resource
from collections.abc import Sequence
from typing import Final

from shoal.agent.errors import NotYetError, PodError
from shoal.agent.home import Attempt
from shoal.agent.keeper import Keeper, Launch, start_keeper
from shoal.agent.machine import now_ns
from shoal.agent.record import Record, RecordState
from shoal.agent.shortage import OUT_OF_RESOURCES, short_of
from shoal.agent.tools import Tools

_KB: Final = 1024
_LONGEST_TEXT: Final = 32 * resource.getpagesize()
"""Bytes of one argument or variable with its end (execve(2), MAX_ARG_STRLEN)."""
_MOST_TEXT: Final = 6 * 1024 * _KB
"""Bytes of all of them, whatever the limit of the stack, of which they may take a quarter."""


async def make_start(
    tools: Tools, attempt: Attempt, launch: Launch, locks: Sequence[int], since_boot_ns: int
) -> Keeper:
    """Starts a program under a keeper, once for each attempt.

    ``since_boot_ns`` is when the pod's own time began, put on record for agents to come.

    Raises NotYetError where the machine is short of something, PodError where it never starts,
    and FileExistsError if that start was made before.
    """
    prepared = Record(
        RecordState.PREPARED, tools.boot_id, created_ns=now_ns(), since_boot_ns=since_boot_ns
    )
    try:
        return await start_keeper(tools.keeper, attempt.record, prepared, launch, locks)
    except FileExistsError:
        raise
    except OSError as error:
        if short := short_of(error, tools.home.root):
            raise NotYetError(OUT_OF_RESOURCES, short) from error
        raise PodError("StartError", why_not(error, launch)) from error


def why_not(error: OSError, launch: Launch) -> str:
    """Why a program can never be started, for people."""
    if error.errno == errno.E2BIG:
        return f"the command and its environment are too long: {_excess(launch)}"
    return f"{launch.program[0]} cannot be started: {error.strerror}"


def _excess(launch: Launch) -> str:
    """What is too long of a launch that the kernel refuses, and how much it may be."""
    texts = [("one argument", word) for word in launch.program]
    texts += [(f"variable {key}", f"{key}={text}") for key, text in launch.environment.items()]
    sizes = [(len(os.fsencode(text)) + 1, what) for what, text in texts]
    longest, what = max(sizes)
    if longest > _LONGEST_TEXT:
        return f"{_kb(longest)} in {what}; the limit is {_kb(_LONGEST_TEXT)}"
    limit = min(os.sysconf("SC_ARG_MAX"), _MOST_TEXT)
    return f"{_kb(sum(size for size, _ in sizes))} in all; the limit is {_kb(limit)}"


def _kb(size: int) -> str:
    return f"{-(-size // _KB)} kB"
