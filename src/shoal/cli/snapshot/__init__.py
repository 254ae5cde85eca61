"""Snapshots of folders: what a run's code was when it was handed in.

``take`` walks a folder, leaves out what its ignore files name, and puts each content into the
home's store once, as ``shoal.api.snapshot`` describes.
"""

from shoal.cli.snapshot.take import Snapshot, take

__all__ = ["Snapshot", "take"]
