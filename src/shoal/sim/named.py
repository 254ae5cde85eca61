"""Traces by name, such as ``openb:default``, in the folder that ``SHOAL_TRACES`` names."""

import os
from pathlib import Path
from typing import Final

from shoal.sim.errors import TraceError
from shoal.sim.openb import read_openb
from shoal.sim.trace import Trace

VARIABLE: Final = "SHOAL_TRACES"
_FAMILY: Final = "openb"
_NODES: Final = "openb_node_list_gpu_node.csv"
_PODS: Final = "openb_pod_list_"


def read_named(name: str) -> Trace:
    """The trace of that name. Raises TraceError, with the names that exist where it is unknown."""
    folder = _folder() / _FAMILY
    family, _, which = name.partition(":")
    known = _known(folder)
    if family != _FAMILY or which not in known:
        raise TraceError(f"there is no trace {name[:60]}; {_listed(folder, known)}")
    return read_openb(name, folder / _NODES, folder / f"{_PODS}{which}.csv")


def known_names() -> list[str]:
    """The names there are. Raises TraceError where ``SHOAL_TRACES`` names no folder."""
    return [f"{_FAMILY}:{each}" for each in _known(_folder() / _FAMILY)]


def _folder() -> Path:
    given = os.environ.get(VARIABLE, "")
    if not given:
        raise TraceError(
            f"{VARIABLE} is not set; let it name the folder of traces that holds {_FAMILY}/, "
            "or give --nodes and --pods"
        )
    if not Path(given).is_dir():
        raise TraceError(f"{VARIABLE} names {given}, and there is no such folder")
    return Path(given)


def _known(folder: Path) -> list[str]:
    return sorted(path.stem.removeprefix(_PODS) for path in folder.glob(f"{_PODS}*.csv"))


def _listed(folder: Path, known: list[str]) -> str:
    if not known:
        return f"{folder} holds no lists of pods"
    return f"there are {', '.join(f'{_FAMILY}:{each}' for each in known)}"
