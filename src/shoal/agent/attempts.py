"""One start of a container: taken up again if it was made, made if it was not."""

import asyncio
import os
from pathlib import Path

import msgspec

from shoal.agent.home import PodHome
from shoal.agent.keeper import Keeper, adopt_keeper
from shoal.agent.machine import now_ns
from shoal.agent.processes import kill_whole
from shoal.agent.record import (
    Record,
    RecordError,
    RecordState,
    lock_record,
    read_record,
    write_record,
)
from shoal.agent.stopping import Stopping
from shoal.agent.tools import Tools


async def resume(path: Path) -> Keeper | Record | None:
    """What is left of a start: its living keeper, else its record, else nothing.

    A record that was never filled in, or that no keeper took up, is of a start that an agent
    did not come to make: it is removed, so that the start can be made now.
    """
    if not path.exists():
        return None
    if (keeper := await adopt_keeper(path)) is not None:
        return keeper
    try:
        record = read_record(path)
    except RecordError:
        path.unlink()
        return None
    if record.state == RecordState.PREPARED:
        path.unlink()
        return None
    return record


async def see_out(keeper: Keeper, stop: Stopping) -> Record:
    """Waits for a program's end, and brings it about once the pod is to stop."""
    stopper = asyncio.ensure_future(_end(keeper, stop))
    try:
        return await keeper.ended()
    finally:
        stopper.cancel()
        keeper.close()


async def bury(tools: Tools, home: PodHome, path: Path, record: Record) -> Record:
    """The keeper is gone without a word: ends what it kept, and puts that on record."""
    if record.boot_id == tools.boot_id:
        await kill_whole(home.uid, tools.cgroups.procs(home.uid))
    lost = msgspec.structs.replace(record, state=RecordState.LOST, ended_ns=now_ns())
    fd = lock_record(path)
    assert fd is not None, f"a keeper lives and holds {path}"
    try:
        write_record(fd, lost)
    finally:
        os.close(fd)
    return lost


async def _end(keeper: Keeper, stop: Stopping) -> None:
    await stop.wait()
    keeper.stop()
    await stop.out_of_grace()
    keeper.kill()
