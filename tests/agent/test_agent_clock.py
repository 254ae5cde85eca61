"""The machine's clock is set while pods run: what lasts a while is measured by another."""

import time

import pytest
from tests.agent.box import Box

from shoal.api.kinds import PODS
from shoal.units.instant import parse_instant

HOUR_NS = 3600 * 10**9


def jump(monkeypatch: pytest.MonkeyPatch, by_ns: int) -> None:
    real = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: real() + by_ns)


async def test_a_clock_set_forward_ends_nothing_early(box: Box, monkeypatch) -> None:
    limited = await box.create("limited", "sleep 600", activeDeadlineSeconds=1800)
    await box.running("limited")
    jump(monkeypatch, HOUR_NS)
    label = {"metadata": {"labels": {"seen": "again"}}}
    await box.client.patch(PODS, "limited", box.namespace, patch=label)
    await box.create("next")
    await box.ended("next")
    await box.stop()
    await box.start()
    await box.create("last")
    await box.ended("last")
    assert (await box.pod("limited")).status.phase == "Running"
    assert box.record(limited).since_boot_ns > 0


async def test_a_clock_set_back_lets_nothing_run_on(box: Box, monkeypatch) -> None:
    await box.create("limited", "sleep 600", activeDeadlineSeconds=2)
    await box.running("limited")
    jump(monkeypatch, -HOUR_NS)
    await box.stop()
    await box.start()
    assert (await box.ended("limited")).status.reason == "DeadlineExceeded"


async def test_a_program_whose_end_nobody_saw_ran_as_long_as_it_did(box: Box, monkeypatch) -> None:
    pod = await box.create("lost", "sleep 600")
    await box.running("lost")
    jump(monkeypatch, -HOUR_NS)
    box.kill_keeper(pod)
    ended = (await box.ended("lost")).status.container_statuses[0].state.terminated
    assert ended is not None
    assert parse_instant(ended.started_at) <= parse_instant(ended.finished_at)
