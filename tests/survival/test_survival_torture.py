"""Whatever is killed when, nothing that was acknowledged is lost and no card is given twice."""

import os
import random
import signal
import time
from pathlib import Path

import msgspec
import pytest
from tests.survival import evidence
from tests.survival.ledger import Ledger
from tests.survival.plan import POINTS, Deaths, drawn, replayed
from tests.survival.town import Town
from tests.survival.workload import Job, jobs

from shoal.agent.record import RecordError, read_record
from shoal.agent.simulated import simulated_cards
from shoal.api.kinds import GANGS, PODS, RESOURCE_CLAIMS
from shoal.api.run import Run, RunPhase
from shoal.kube.errors import ApiError

GPUS = "sim:3xA100-80GB"
RUNS = 50
AT_ONCE = 12
LONGEST_S = 540


class Torture:
    """Makes runs and deaths until there were enough of both, then looks at what is left."""

    def __init__(self, folder: Path, deaths: Deaths, seed: int) -> None:
        self.witness = folder / "witness"
        self.witness.mkdir()
        self.deaths = deaths
        self.town = Town(folder, GPUS, {"SHOAL_FAILPOINTS": str(deaths.file)})
        self.client = self.town.start()
        self.ledger = Ledger(self.town, self.client)
        self.jobs: dict[str, Job] = {}
        self.victims: set[str] = set()
        self._draw = jobs(seed, self.witness)
        self._rng = random.Random(seed)
        self._seen: set[str] = set()

    def go_on(self) -> dict[str, Run]:
        """One round; the runs as they are."""
        self.town.look()
        self._kill()
        self.ledger.count()
        runs = self.ledger.check()
        live = [name for name, run in runs.items() if not run.status.phase.ended]
        if len(live) < AT_ONCE:
            job = self._draw()
            self.jobs[job.name] = job
            self.ledger.make(job.body)
        for name in live:
            self._do(self.jobs[name], runs[name])
        return runs

    def settle(self) -> dict[str, Run]:
        """No more deaths; wait until every run is over."""
        self.deaths.disarm()
        last: dict[str, Run] = {}

        def over() -> bool:
            last.update(self.ledger.check())
            for name, run in last.items():
                self._do(self.jobs[name], run)
            kept = [n for n in self.jobs if n not in self.ledger.deleted]
            return all(last[name].status.phase.ended for name in kept)

        self.town.until(over, "every run is over")
        return {name: run for name, run in last.items() if name not in self.ledger.deleted}

    def empty(self) -> None:
        """Delete everything, and wait until it is gone."""
        for name in set(self.jobs) - self.ledger.deleted:
            self.ledger.delete(name)
        kinds = (PODS, GANGS, RESOURCE_CLAIMS)

        def gone() -> bool:
            try:
                left = self.ledger.check() or [i for k in kinds for i in self.client.list(k).items]
            except ApiError:
                return False
            return not left and not list(self.town.home.glob("pods/*"))

        self.town.until(gone, "all is gone")

    def _kill(self) -> None:
        if name := self.deaths.kill_due():
            self.town.kill(name)
        for who in sorted(self.witness.glob("*.who"), key=lambda path: path.stat().st_mtime_ns):
            if who.stem not in self._seen:
                self._seen.add(who.stem)
                if self.deaths.keeper_due(len(self._seen)):
                    self._kill_keeper(who)

    def _kill_keeper(self, who: Path) -> None:
        try:
            record = read_record(who.with_suffix(".record"))
        except RecordError:
            return
        if not record.final:
            self.victims.add(who.stem)
            os.kill(record.keeper_pid, signal.SIGKILL)

    def _do(self, job: Job, run: Run) -> None:
        if (
            job.asked
            and run.status.phase is RunPhase.RUNNING
            and job.name not in self.ledger.deleted
        ):
            (self.ledger.stop if job.asked == "stop" else self.ledger.delete)(job.name)


def check_phases(torture: Torture, runs: dict[str, Run]) -> None:
    """Each run came to the end that is its own, unless the keeper of one of its was killed."""
    hurt = {start.run for start in evidence.starts(torture.witness) if start.pod in torture.victims}
    for name, run in runs.items():
        job, told = torture.jobs[name], msgspec.to_builtins(run.status)
        if name not in hurt:
            assert run.status.phase == job.end, f"{name} was to be {job.end}: {told}"
            assert run.status.restarts == job.restarts, f"{name}: {told}"


def test_nothing_is_lost_whatever_dies_when(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    journal = pytestconfig.getoption("--journal", default=None)
    seed = int(pytestconfig.getoption("--seed", default=None) or random.randrange(10**6))
    most = int(pytestconfig.getoption("--deaths", default=None) or 300)
    plan = replayed(Path(journal)) if journal else drawn(seed, most)
    most = plan.count if journal else most
    deaths = Deaths(plan, tmp_path)
    print(f"--seed {seed}; its deaths, to be repeated with --journal: {deaths.journal}")
    torture = Torture(tmp_path, deaths, seed)
    try:
        began = time.monotonic()
        while deaths.count < most or len(torture.jobs) < RUNS:
            assert time.monotonic() - began < LONGEST_S, f"{deaths.count} deaths, too few"
            torture.go_on()
            if deaths.count >= most:
                deaths.disarm()
        runs = torture.settle()
        torture.ledger.check_count()
        check_phases(torture, runs)
        torture.empty()
        found = evidence.starts(torture.witness)
        assert len(found) >= RUNS
        evidence.check_once(torture.witness)
        evidence.check_ends(found, torture.victims)
        assert evidence.check_cards(found, torture.town.home, GPUS) >= RUNS
        assert not torture.town.ended_by_themselves
        assert journal or most < 300 or set(POINTS) <= deaths.names
    finally:
        torture.town.stop()
    told = f"{deaths.count} deaths, {len(torture.jobs)} runs, {len(found)} programs"
    print(f"{told} in {time.monotonic() - began:.0f} s")
    uuids = [card.uuid for card in simulated_cards(GPUS, torture.town.home)]
    assert not evidence.leftovers(torture.town.home, {start.pod for start in found}, uuids)
    assert not torture.town.box.processes()
