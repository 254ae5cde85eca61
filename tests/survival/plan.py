"""Which deaths there are to be: drawn from a seed, or taken from the journal of an earlier run.

A journal has a line a death, in the order in which they came: ``NAME COUNT`` for a failpoint,
``keeper NUMBER`` for the keeper of the NUMBER-th program that started, ``kill NAME DEATHS`` for
a process that was killed at a moment of no meaning, after so many deaths before it.
"""

import random
from pathlib import Path

import msgspec

from shoal.units.failpoint import journal_of

POINTS = {
    "store.commit": 160,
    "store.committed": 160,
    "agent.hold": 8,
    "agent.held": 4,
    "agent.prepared": 5,
    "agent.spawned": 5,
    "agent.over": 4,
    "agent.released": 2,
    "agent.told": 1,
    "scheduler.claim": 6,
    "scheduler.bound": 5,
    "scheduler.gang": 4,
    "run.made": 8,
    "run.told": 8,
}
"""Every failpoint, and the most passings of one life before a death there."""


class Plan(msgspec.Struct):
    """The deaths to come."""

    points: list[str]
    keepers: list[int]
    kills: list[tuple[str, int]]

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.points) + len(self.keepers) + len(self.kills)


def drawn(seed: int, deaths: int) -> Plan:
    """Of the deaths one in ten is a keeper's and one in five at a moment of no meaning.

    Of each point there are some more than will be died of, and few enough that early points do
    not keep every life from the later ones.
    """
    rng = random.Random(seed)
    points = []
    for name, most in POINTS.items():
        points += [f"{name} {rng.randint(1, most)}" for _ in range(deaths // 15)]
    keepers = sorted(rng.sample(range(1, deaths), deaths // 10))
    kills = sorted(rng.sample(range(deaths), deaths // 5))
    names = [rng.choice(("apiserver", "loops", "agent")) for _ in kills]
    return Plan(points, keepers, list(zip(names, kills, strict=True)))


def replayed(journal: Path) -> Plan:
    """The same deaths again, as far as what is not counted allows."""
    plan = Plan([], [], [])
    for line in journal.read_text().splitlines():
        match line.split():
            case ["keeper", number]:
                plan.keepers.append(int(number))
            case ["kill", name, after]:
                plan.kills.append((name, int(after)))
            case _:
                plan.points.append(line)
    return plan


class Deaths:
    """The plan as it is carried out, and its journal."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        self.plan = plan
        self.file = folder / "plan"
        self.file.write_text("".join(f"{line}\n" for line in plan.points))
        self.journal = journal_of(self.file)
        self.journal.touch()

    @property
    def count(self) -> int:
        """How many there were."""
        return self.journal.read_bytes().count(b"\n")

    @property
    def names(self) -> set[str]:
        """What was died of."""
        return {line.partition(" ")[0] for line in self.journal.read_text().splitlines()}

    def keeper_due(self, starts: int) -> bool:
        """Whether the keeper of the newest of so many programs is to die."""
        if not self.plan.keepers or starts < self.plan.keepers[0]:
            return False
        self.plan.keepers.pop(0)
        self._note(f"keeper {starts}")
        return True

    def kill_due(self) -> str:
        """The process that is to die now, if any."""
        if not self.plan.kills or self.count < self.plan.kills[0][1]:
            return ""
        name, _ = self.plan.kills.pop(0)
        self._note(f"kill {name} {self.count}")
        return name

    def disarm(self) -> None:
        """No life that begins from now on dies by the plan."""
        self.file.write_text("")

    def _note(self, line: str) -> None:
        with self.journal.open("a") as journal:
            journal.write(f"{line}\n")
