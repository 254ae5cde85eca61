"""Signals that carry a number, sent to a process by a descriptor that can name no other.

Python's own call sends no number with a signal; pidfd_send_signal(2) takes it in a siginfo_t,
where the number is in the place of sigqueue(3)'s.
"""

import ctypes
import os
import signal
import struct
from typing import Final

_PIDFD_SEND_SIGNAL: Final = 424
"""The call's number on every architecture."""
_SI_QUEUE: Final = -1
_SIZE: Final = 128
_libc: Final = ctypes.CDLL(None, use_errno=True)


def send_number(pidfd: int, wanted: signal.Signals, number: int) -> None:
    """Sends a signal with a number of 64 bits. Raises ProcessLookupError once it has ended."""
    told = struct.pack("@iii4xiIQ", wanted, 0, _SI_QUEUE, os.getpid(), os.getuid(), number)
    if _libc.syscall(_PIDFD_SEND_SIGNAL, pidfd, int(wanted), told.ljust(_SIZE, b"\0"), 0) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
