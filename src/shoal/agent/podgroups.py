"""The control groups of a pod, by what its folder says.

An agent makes groups below its own; one that is started from another session makes them
elsewhere, and has to find those of the agent before it. So they are noted before they are made.
"""

from collections.abc import Iterable
from pathlib import Path

from shoal.agent.cgroups import PREFIX, Cgroups, Group, Limits, remove_group
from shoal.agent.home import PodHome


def make_groups(groups: Cgroups, home: PodHome, container: str, limits: Limits) -> Group:
    """The groups of a container, noted and then made. Raises OSError."""
    noted = _noted(home)
    fresh = [f for f in groups.folders(home.uid, container) if f not in noted]
    if fresh:
        with _file(home).open("a") as file:
            file.writelines(f"{folder}\n" for folder in fresh)
    return groups.make(home.uid, container, limits)


def groups_of(groups: Cgroups, home: PodHome) -> list[Path]:
    """Every group of a pod, wherever it was made."""
    return list(dict.fromkeys([*_noted(home), *groups.of(home.uid)]))


def remove_groups(groups: Iterable[Path]) -> None:
    """Removes groups whose processes are gone."""
    for folder in groups:
        remove_group(folder)


def _noted(home: PodHome) -> list[Path]:
    """What is on record; a program may write there, so only what could be the pod's counts."""
    try:
        lines = _file(home).read_text(errors="replace").splitlines()
    except FileNotFoundError:
        return []
    return [Path(line) for line in lines if Path(line).name.startswith(f"{PREFIX}{home.uid}-")]


def _file(home: PodHome) -> Path:
    return home.root / "groups"
