"""Output folders of runs: kept for as long as the Run object is there, whatever its pods do.

A run's folder says in ``.run`` whose it is, and in which store that run is: written before the
folder gets its name, and never again. It goes only once that store says that this run is gone.
One that does not say whose it is, or that a store knows nothing of which was begun anew, is never
removed: it is left where it is, or moved to ``runs/.unclear`` when a run needs its name.

To remove is to rename into ``runs/.trash``, and only then to delete: who comes next under the
name finds the place free. Looking whose a folder is and renaming it happen without a pause
between, so that nobody renames what another has just made.
"""

import asyncio
import contextlib
import logging
import os
import re
import tempfile
import uuid
from functools import partial
from pathlib import Path
from typing import Final

from shoal.agent.errors import NotYetError, PodError
from shoal.agent.files import make_private, remove_tree, write_private
from shoal.agent.home import Home
from shoal.agent.persist import persist
from shoal.agent.record import sync_folder
from shoal.agent.threads import in_thread
from shoal.api.kinds import NAMESPACES, RUNS
from shoal.api.meta import OwnerReference
from shoal.api.pod import Pod
from shoal.kube.client import Client
from shoal.kube.errors import ApiError

_MARK: Final = ".run"
_UID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9.-]{0,62}\Z")
_STORE: Final = "kube-system"
"""The namespace whose uid tells one store from another, as it does one cluster from another."""
_LOOKS_S: Final = (0, 1, 5, 30, 120)
"""A run's pods may go before the run does, by a minute or so where it has many."""
_log = logging.getLogger(__name__)


async def make_output(client: Client, home: Home, pod: Pod) -> Path:
    """SHOAL_OUT of a pod: its run's, or its own where no run controls it.

    What an earlier run of the same name left is removed first. Raises PodError, NotYetError and
    OSError.
    """
    owner = _run_of(pod)
    if owner is None:
        return make_private(home.pod(pod.metadata.uid).root / "out")
    if not (store := await _store_of(client)):
        raise NotYetError("NamespaceMissing", f"namespace {_STORE} is not made yet")
    folder = home.run(pod.metadata.namespace, owner.name)
    while (uid := _whose(folder, store)) != owner.uid:
        if uid is None:
            _begin(home, folder, f"{owner.uid} {store}")
        elif not uid:
            _keep_unclear(home, folder)
        elif await _is_gone(client, folder, uid):
            await _remove(home, folder, uid, store)
        else:
            raise PodError("RunGone", f"this pod is of an earlier run {owner.name}, which is gone")
    return make_private(folder / "out")


async def remove_if_over(client: Client, home: Home, namespace: str, run: str) -> None:
    """Removes a run's folder once the run is gone; looks a few times and then lets it be."""
    for pause in _LOOKS_S:
        await asyncio.sleep(pause)
        if await _settled(client, home, home.run(namespace, run)):
            return


async def sweep_outputs(client: Client, home: Home) -> None:
    """Removes the folders of runs that went while no agent was there, and the trash."""
    runs = await persist("list runs", lambda: client.list(RUNS))
    live = {home.run(run.metadata.namespace, run.metadata.name) for run in runs.items}
    for folder in home.root.glob("runs/[!.]*/*"):
        if folder not in live:
            await _settled(client, home, folder)
    for aside in list(home.trash.glob("*")):
        await in_thread(partial(remove_tree, aside))


def _run_of(pod: Pod) -> OwnerReference | None:
    """The run that controls a pod. Labels say nothing here: anybody may write them."""
    for owner in pod.metadata.owner_references:
        ours = owner.controller and (owner.api_version, owner.kind) == (RUNS.api_version, RUNS.name)
        if ours and _NAME.match(owner.name) and _UID.match(owner.uid):
            return owner
    return None


async def _settled(client: Client, home: Home, folder: Path) -> bool:
    """Removes a folder whose run is gone. False while the run is there."""
    store = await _store_of(client)
    try:
        uid = _whose(folder, store)
        if uid == "":
            _log.warning("outputs of an unknown run are left alone", extra={"folder": str(folder)})
        elif uid is not None:
            if not await _is_gone(client, folder, uid):
                return False
            await _remove(home, folder, uid, store)
    except OSError as error:
        told = {"folder": str(folder), "error": str(error)}
        _log.warning("outputs could not be removed", extra=told)
    return True


async def _is_gone(client: Client, folder: Path, uid: str) -> bool:
    """Whether no run of that uid is there, asked now."""
    namespace, name = folder.parent.name, folder.name
    try:
        found = await persist("read run", lambda: client.get(RUNS, name, namespace))
    except ApiError as error:
        if error.reason != "NotFound":  # the API's own word, not any 404
            raise
        return True
    return found.metadata.uid != uid


async def _store_of(client: Client) -> str:
    """The uid of the store that answers; empty while it is so new that it has none."""
    try:
        return (await persist("read store", lambda: client.get(NAMESPACES, _STORE))).metadata.uid
    except ApiError as error:
        if error.reason != "NotFound":
            raise
        return ""


async def _remove(home: Home, folder: Path, uid: str, store: str) -> None:
    if _whose(folder, store) == uid:
        aside = _set_aside(folder, home.trash)
        await in_thread(partial(remove_tree, aside))


def _keep_unclear(home: Home, folder: Path) -> None:
    kept = _set_aside(folder, home.unclear)
    _log.warning("outputs of an unknown run were set aside", extra={"folder": str(kept)})


def _set_aside(folder: Path, into: Path) -> Path:
    """Takes a folder out of its place at once, and its namespace's folder if that is empty now."""
    namespace = folder.parent
    aside = make_private(into) / f"{namespace.name}.{folder.name}.{uuid.uuid4().hex[:8]}"
    folder.rename(aside)
    with contextlib.suppress(OSError):
        namespace.rmdir()
    return aside


def _begin(home: Home, folder: Path, whose: str) -> None:
    """Makes a run's folder, which says whose it is from the moment that it has its name."""
    fresh = Path(tempfile.mkdtemp(dir=make_private(home.trash)))
    try:
        (fresh / "out").mkdir(mode=0o700)
        write_private(fresh / _MARK, f"{folder.parent.name}/{folder.name} {whose}\n".encode())
        make_private(folder.parent)
        fresh.rename(folder)
    except BaseException:
        remove_tree(fresh)
        raise
    sync_folder(folder.parent)


def _whose(folder: Path, store: str) -> str | None:
    """The uid of a folder's run: None where there is no folder, empty where it does not say.

    A copy under another name does not say whose it is.
    """
    try:
        words = (folder / _MARK).read_text(errors="replace").split()
    except FileNotFoundError:
        return "" if os.path.lexists(folder) else None
    uid = words[1] if len(words) > 1 and _UID.match(words[1]) else ""
    return uid if words == [f"{folder.parent.name}/{folder.name}", uid, store] else ""
