"""What this machine is: its name, boot, processors and memory."""

import os
import re
import socket
import time

import msgspec

from shoal.agent.ceilings import cpu_ceiling_milli, memory_ceiling_mib
from shoal.agent.cgroups import PROC
from shoal.units.instant import format_instant, format_seconds
from shoal.units.quantity import MIB
from shoal.units.steady import boot_id


class Machine(msgspec.Struct, frozen=True):
    """The machine as a node offers it. ``boot_id`` is new after each start of the kernel."""

    name: str
    boot_id: str
    cpu_milli: int
    memory_mib: int


def read_machine(name: str = "") -> Machine:
    """This machine; the node's name is the host's unless one is given."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return Machine(
        name=name or node_name(socket.gethostname()),
        boot_id=boot_id(),
        cpu_milli=cpu_ceiling_milli(PROC, len(os.sched_getaffinity(0))),
        memory_mib=min(pages // MIB, memory_ceiling_mib(PROC)),
    )


def node_name(host: str) -> str:
    """A host's name as an object's name: lower case letters, digits, ``-`` and ``.``."""
    cleaned = re.sub(r"[^a-z0-9.-]+", "-", host.lower()).strip("-.")
    return cleaned[:63].strip("-.") or "box"


def now_ns() -> int:
    """Nanoseconds since the epoch."""
    return time.time_ns()


def seconds(ns: int) -> str:
    """RFC 3339 in UTC with whole seconds, as a status of Kubernetes' own kinds has it."""
    return format_seconds(ns // 1_000_000)


def stamp(ns: int) -> str:
    """RFC 3339 in UTC with milliseconds: fine enough to tell which of two deaths came first."""
    return format_instant(ns // 1_000_000)
