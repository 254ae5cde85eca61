"""Output folders of runs: kept for as long as the Run object is there, whatever its pods do."""

import asyncio
import shutil
from pathlib import Path
from typing import Final

from shoal.agent.home import Home
from shoal.agent.persist import persist
from shoal.api.kinds import RUNS
from shoal.api.meta import LABEL_RUN
from shoal.api.pod import Pod
from shoal.kube.client import Client
from shoal.kube.errors import ApiError

_MARK: Final = ".uid"
_LOOKS_S: Final = (0, 1, 5, 30, 120)
"""A run's pods may go before the run does, by a minute or so where it has many."""


def make_output(home: Home, pod: Pod) -> Path:
    """SHOAL_OUT of a pod. What an earlier run of the same name left is removed first.

    Done without a pause, so that the replicas of a run do not remove each other's.
    """
    run = pod.metadata.labels.get(LABEL_RUN, "")
    if not run:
        out = home.pod(pod.metadata.uid).root / "out"
        out.mkdir(mode=0o700, parents=True, exist_ok=True)
        return out
    folder, uid = home.run(pod.metadata.namespace, run), _run_uid(pod)
    if folder.exists() and _read_mark(folder) != uid:
        shutil.rmtree(folder)
    out = folder / "out"
    out.mkdir(mode=0o700, parents=True, exist_ok=True)
    (folder / _MARK).write_text(uid)
    return out


async def remove_if_over(client: Client, home: Home, namespace: str, run: str) -> None:
    """Removes a run's folder once the run is gone; looks a few times and then lets it be."""
    folder = home.run(namespace, run)
    for pause in _LOOKS_S:
        await asyncio.sleep(pause)
        if not folder.exists():
            return
        if await _uid_now(client, namespace, run) != _read_mark(folder):
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
            return


async def sweep_outputs(client: Client, home: Home) -> None:
    """Removes the folders of runs that went while no agent was there."""
    runs = await persist("list runs", lambda: client.list(RUNS))
    live = {(r.metadata.namespace, r.metadata.name): r.metadata.uid for r in runs.items}
    for mark in home.root.glob(f"runs/*/*/{_MARK}"):
        folder = mark.parent
        if live.get((folder.parent.name, folder.name)) != _read_mark(folder):
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


async def _uid_now(client: Client, namespace: str, run: str) -> str:
    try:
        found = await persist("read run", lambda: client.get(RUNS, run, namespace))
    except ApiError as error:
        if not error.not_found:
            raise
        return ""
    return found.metadata.uid


def _run_uid(pod: Pod) -> str:
    owners = (o.uid for o in pod.metadata.owner_references if o.kind == RUNS.name)
    return next(owners, "")


def _read_mark(folder: Path) -> str:
    try:
        return (folder / _MARK).read_text()
    except FileNotFoundError:
        return ""
