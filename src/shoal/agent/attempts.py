"""One start of a container: taken up again if it was made, made if it was not."""

import asyncio
import logging
import os
from pathlib import Path
from typing import Final

import msgspec

from shoal.agent.claims import release_claims
from shoal.agent.errors import AgentError
from shoal.agent.home import PodHome
from shoal.agent.keeper import Keeper, adopt_keeper
from shoal.agent.machine import now_ns
from shoal.agent.podgroups import groups_of, remove_groups
from shoal.agent.processes import kill_whole
from shoal.agent.record import (
    Record,
    RecordError,
    RecordState,
    lock_record,
    read_record,
    write_record,
)
from shoal.agent.stopping import Stopping, StopReason
from shoal.agent.tools import Tools
from shoal.units.steady import boot_ns

_PATIENCE_S: Final = 1.0
"""How long a keeper that was told to kill its tree may stand still."""
_log = logging.getLogger(__name__)


async def resume(path: Path, *, begun: bool = False) -> Keeper | Record | None:
    """What is left of a start: its living keeper, else its record, else nothing.

    A record that was never filled in, or that no keeper took up, is of a start that an agent
    did not come to make: it is removed, so that the start can be made now. Raises RecordError
    where nothing is left of a start that is known to have ``begun``, or where a keeper lives
    that cannot be told any more.
    """
    if not path.exists() and not begun:
        return None
    if (keeper := await adopt_keeper(path)) is not None:
        return keeper
    record = _made(path)
    if record is None and begun:
        raise RecordError(f"{path} tells nothing of a program that was started")
    if record is None:
        path.unlink(missing_ok=True)
    return record


async def see_out(keeper: Keeper, stop: Stopping) -> Record:
    """Waits for a program's end, and brings it about once the pod is to stop.

    Raises RecordError where there is no record of it any more.
    """
    stopper = asyncio.ensure_future(_end(keeper, stop))
    try:
        return await keeper.ended()
    finally:
        stopper.cancel()
        keeper.close()


async def bury(tools: Tools, home: PodHome, path: Path, record: Record) -> Record:
    """The keeper is gone without a word: ends what it kept, and puts that on record."""
    if record.boot_id == tools.boot_id:
        await kill_pod(tools, home)
    lost = msgspec.structs.replace(record, state=RecordState.LOST, ended_ns=_now(record, tools))
    fd = lock_record(path)
    assert fd is not None, f"a keeper lives and holds {path}"
    try:
        write_record(fd, lost)
    finally:
        os.close(fd)
    return lost


def _now(record: Record, tools: Tools) -> int:
    """Now, as long after the start as it is, however the clock was set meanwhile."""
    if record.boot_id == tools.boot_id and record.started_boot_ns:
        return record.started_ns + boot_ns() - record.started_boot_ns
    return max(now_ns(), record.started_ns, record.created_ns)


async def kill_pod(tools: Tools, home: PodHome) -> None:
    """Kills all that runs of a pod, its keepers too, whatever its records say."""
    await kill_whole(home.uid, groups_of(tools.cgroups, home))


async def end_all(tools: Tools, home: PodHome) -> None:
    """Ends whatever of a pod still runs, then lets go of what it held."""
    for path in home.records:
        await _end_one(tools, home, path)
    await let_go(tools, home)


async def end_container(tools: Tools, home: PodHome, name: str) -> None:
    """Ends whatever of one container still runs."""
    for path in sorted(home.container(name).glob("*.record")):
        await _end_one(tools, home, path)


async def let_go(tools: Tools, home: PodHome) -> None:
    """Lets go of what a pod held; nothing of it runs any more."""
    await release_claims(tools.uses, home)
    remove_groups(groups_of(tools.cgroups, home))


async def _end_one(tools: Tools, home: PodHome, path: Path) -> None:
    now = Stopping()
    now.ask(StopReason.GONE, 0)
    try:
        left = await resume(path)
        if isinstance(left, Keeper):
            left = await see_out(left, now)
        if left is not None and not left.final:
            await bury(tools, home, path, left)
    except (RecordError, AgentError, OSError) as error:
        _log.warning("no use of a record", extra={"record": str(path), "error": str(error)})
        await kill_pod(tools, home)


def _made(path: Path) -> Record | None:
    """The record of a start that came to be made."""
    try:
        record = read_record(path)
    except RecordError:
        return None
    return None if record.state == RecordState.PREPARED else record


async def _end(keeper: Keeper, stop: Stopping) -> None:
    await stop.wait()
    while (left := stop.left_s) > 0:
        keeper.stop(left)
        await stop.sooner(left)
    keeper.stop(0)
    keeper.kill()
    while True:
        await asyncio.sleep(_PATIENCE_S)
        if keeper.stands_still:
            await keeper.overpower()
