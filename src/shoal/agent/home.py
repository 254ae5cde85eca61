"""What the agent keeps in a home, and where.

::

    pods/<uid>/claims.json            the claims that the pod's programs hold
    pods/<uid>/groups                 the control groups that its programs are in
    pods/<uid>/work, out              working folder, SHOAL_OUT of pods without a run
    pods/<uid>/volumes/<name>         emptyDir, configMap and secret volumes
    pods/<uid>/containers/<name>/     <n>.record and <n>.log of its n-th start
    tmp/<start of uid>                TMPDIR, of few letters
    runs/<namespace>/<run>/out        SHOAL_OUT of a run's pods
    runs/.trash, runs/.unclear        see shoal.agent.outputs
    sock/node-<node>.sock             where logs are read
    sock/agent.lock                   held by the agent that lives
"""

import tempfile
from pathlib import Path
from typing import Final

import msgspec

from shoal.agent.files import make_private, remove_tree

_LONGEST_TMP: Final = 60
"""Programs make unix sockets below TMPDIR, and a socket's path has at most 107 bytes."""


class Attempt(msgspec.Struct, frozen=True):
    """The files of the n-th start of a container, counted from 0."""

    number: int
    record: Path
    log: Path


class PodHome(msgspec.Struct, frozen=True):
    """The folder of one pod."""

    root: Path

    @property
    def uid(self) -> str:
        """The pod's uid."""
        return self.root.name

    @property
    def work(self) -> Path:
        """The private working folder."""
        return self.root / "work"

    @property
    def claims(self) -> Path:
        """What the pod holds, written before it is held."""
        return self.root / "claims.json"

    @property
    def tmp(self) -> Path:
        """TMPDIR: in the home, unless sockets in it would get too long a name."""
        inside = self.root.parent.parent / "tmp" / self.uid[:13]
        if len(str(inside)) <= _LONGEST_TMP:
            return inside
        return Path(tempfile.gettempdir()) / f"shoal-{self.uid}"

    def volume(self, name: str) -> Path:
        """The folder of a volume."""
        return self.root / "volumes" / name

    def container(self, name: str) -> Path:
        """The folder of a container."""
        return self.root / "containers" / name

    def attempt(self, container: str, number: int) -> Attempt:
        """The files of one start."""
        folder = self.container(container)
        return Attempt(number, folder / f"{number}.record", folder / f"{number}.log")

    def last_attempt(self, container: str) -> Attempt | None:
        """The newest start that is on record."""
        paths = self.container(container).glob("*.record")
        numbers = [n for path in paths if (n := _number(path)) is not None]
        return self.attempt(container, max(numbers)) if numbers else None

    def forget_before(self, container: str, number: int) -> None:
        """Removes the files of starts before the ``number``-th; they have ended for good."""
        for path in self.container(container).iterdir():
            start = _number(path)
            if start is not None and start < number:
                path.unlink()

    @property
    def records(self) -> list[Path]:
        """The records of all starts of all containers."""
        paths = self.root.glob("containers/*/*.record")
        return sorted(path for path in paths if _number(path) is not None)

    def make(self) -> None:
        """Makes the private folders; harmless if they are there."""
        for folder in (self.root, self.work, self.tmp):
            make_private(folder)

    def remove(self) -> None:
        """Removes the pod's folder with everything in it; to be called in a thread."""
        remove_tree(self.tmp)
        remove_tree(self.root)


def _number(path: Path) -> int | None:
    """The number of the start that a file is of; None for what is no file of ours."""
    text = path.name.partition(".")[0]
    return int(text) if text.isascii() and text.isdigit() else None


class Home(msgspec.Struct, frozen=True):
    """A shoal's home."""

    root: Path

    def pod(self, uid: str) -> PodHome:
        """The folder of a pod."""
        return PodHome(self.root / "pods" / uid)

    @property
    def pods(self) -> list[PodHome]:
        """The folders of all pods."""
        return [PodHome(path) for path in sorted(self.root.glob("pods/*")) if path.is_dir()]

    def run(self, namespace: str, run: str) -> Path:
        """The folder of a run."""
        return self.root / "runs" / namespace / run

    @property
    def trash(self) -> Path:
        """What is being removed, beside the runs so that they are moved there at once."""
        return self.root / "runs" / ".trash"

    @property
    def unclear(self) -> Path:
        """Outputs that did not say whose they are; people may look at them and remove them."""
        return self.root / "runs" / ".unclear"

    def socket(self, node: str) -> Path:
        """Where this node's agent serves logs."""
        return self.root / "sock" / f"node-{node}.sock"
