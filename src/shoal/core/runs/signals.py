"""Signals in words."""

import signal
from typing import Final

_WORDS: Final[dict[int, str]] = {
    signal.SIGHUP: "hangup",
    signal.SIGINT: "interrupt",
    signal.SIGQUIT: "quit",
    signal.SIGILL: "illegal instruction",
    signal.SIGTRAP: "trap",
    signal.SIGABRT: "aborted",
    signal.SIGBUS: "bus error",
    signal.SIGFPE: "arithmetic error",
    signal.SIGUSR1: "user signal 1",
    signal.SIGUSR2: "user signal 2",
    signal.SIGSEGV: "segmentation fault",
    signal.SIGPIPE: "broken pipe",
    signal.SIGALRM: "alarm",
    signal.SIGTERM: "terminated",
    signal.SIGXCPU: "CPU time limit",
    signal.SIGXFSZ: "file size limit",
    signal.SIGSYS: "bad system call",
}
"""What adds to "killed by signal 9" and its like; of SIGKILL there is no more to say."""


def say_signal(number: int) -> str:
    """``signal 11 (segmentation fault)``; the number alone where it has no word."""
    word = _WORDS.get(number)
    return f"signal {number} ({word})" if word else f"signal {number}"
