"""Times of jobs when the clock was set and the loops were started again: nothing ends early."""

import functools

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.api.job import Job, JobStatus
from shoal.api.kinds import CONFIG_MAPS
from shoal.controllers.builtin.jobs import ledger
from shoal.controllers.builtin.jobs.bases import Base, ago_ms, with_base
from shoal.controllers.builtin.jobs.times import Watches
from shoal.units.instant import format_seconds

HOUR = 3_600_000
EPOCH = 1_800_000_000_000
SECONDS = 3000
"""Instants are whole seconds, and the clock may be set by less than one."""

lives = st.lists(
    st.tuples(st.integers(0, 5 * HOUR), st.integers(-3 * HOUR, 3 * HOUR)), min_size=1, max_size=6
)
"""How long each process of the loops lives, and by how much the clock was set before it."""


def told_in(lives):
    """The bases of the lives, each write as (ms since boot, instant), and when all that was."""
    now, offset, bases, writes = 1000, EPOCH, (), []
    for lasts, jump in lives:
        offset += jump
        bases = with_base(bases, Base(now, offset))
        for at in (now, now + lasts // 2, now + lasts):
            writes.append((at, (at + offset) // 1000 * 1000))
        now += lasts
    return bases, writes, now


@given(lives, st.integers(0, 5 * HOUR))
def test_an_instant_is_never_longer_ago_than_it_is(lives, later):
    bases, writes, end = told_in(lives)
    for at, instant in writes:
        assert ago_ms(bases, instant, end + later) <= end + later - at + SECONDS


@given(lives, st.integers(0, 5 * HOUR))
def test_it_is_exact_where_the_clock_was_never_set_back(lives, later):
    bases, writes, end = told_in([(lasts, abs(jump)) for lasts, jump in lives])
    for at, instant in writes:
        assert abs(ago_ms(bases, instant, end + later) - (end + later - at)) <= SECONDS


@given(lives, st.integers(0, 10 * HOUR))
def test_an_instant_of_another_boot_is_no_longer_ago_than_the_clock_says(lives, before):
    bases, _, now = told_in(lives)
    instant = min(base.since_ms + base.offset_ms for base in bases) - SECONDS - before
    assert 0 <= ago_ms(bases, instant, now) <= now + bases[-1].offset_ms - instant


def test_bases_that_nobody_set_apart_are_one():
    first = Base(1000, EPOCH)
    assert with_base([first], Base(9000, EPOCH + 20)) == (first,)
    assert with_base([first], Base(9000, EPOCH + HOUR)) == (first, Base(9000, EPOCH + HOUR))


def test_a_job_has_run_as_long_as_it_has_though_the_clock_was_set():
    """It started at 10 s since boot, the clock was set an hour ahead, and now it is 70 s."""
    watches = Watches(lambda: EPOCH + HOUR + 70_000)
    job = Job(status=JobStatus(start_time=format_seconds(EPOCH + 10_000)))
    assert watches.times(job, []).running_s == 3660
    watches.know([Base(1000, EPOCH), Base(60_000, EPOCH + HOUR)])
    assert watches.times(job, []).running_s == 60
    assert watches.seconds_since(job.status.start_time) == 60
    assert watches.times(job, []).now == format_seconds(EPOCH + HOUR + 70_000)


@pytest.fixture
async def take_down(hand):
    """Keeps bases in a namespace of its own: the loops of other tests keep theirs, too."""
    return functools.partial(ledger.take_down, hand.client, namespace=hand.namespace)


async def test_the_bases_of_a_boot_are_kept_for_the_loops_to_come(take_down, monkeypatch):
    (first,) = await take_down("boot-1")
    assert await take_down("boot-1") == (first,)
    monkeypatch.setattr(ledger, "offset_ms", lambda: first.offset_ms + HOUR)
    earlier, later = await take_down("boot-1")
    assert earlier == first
    assert later.offset_ms == first.offset_ms + HOUR
    assert later.since_ms >= first.since_ms
    assert await take_down("boot-1") == (earlier, later)


async def test_those_of_another_boot_are_forgotten(take_down, monkeypatch):
    (first,) = await take_down("boot-1")
    monkeypatch.setattr(ledger, "offset_ms", lambda: first.offset_ms + HOUR)
    (only,) = await take_down("boot-2")
    assert only.offset_ms == first.offset_ms + HOUR


async def test_what_somebody_else_wrote_there_is_written_over(hand, take_down):
    (first,) = await take_down("boot-1")
    patch = {"data": {"bases": "nonsense"}}
    await hand.client.patch(CONFIG_MAPS, ledger.NAME, hand.namespace, patch=patch)
    (again,) = await take_down("boot-1")
    assert again.offset_ms == first.offset_ms
    stored = await hand.client.get_raw(CONFIG_MAPS, ledger.NAME, hand.namespace)
    assert msgspec.json.decode(stored["data"]["bases"], type=list[Base]) == [again]


async def test_loops_that_may_not_keep_it_go_on_with_their_own(hand):
    assert len(await ledger.take_down(hand.client, "boot-1", "no-such-namespace")) == 1
