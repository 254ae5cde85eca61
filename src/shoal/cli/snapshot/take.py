"""Taking a snapshot: walk, read what is new, write the manifest."""

import os
import stat
from pathlib import Path

import msgspec

from shoal.api.snapshot import PREFIX, Entry, encode_manifest
from shoal.cli.errors import BadInput
from shoal.cli.say import tilde
from shoal.cli.snapshot.known import Known
from shoal.cli.snapshot.store import Store
from shoal.cli.snapshot.walk import Found, walk


class Snapshot(msgspec.Struct, frozen=True):
    """A snapshot that was taken. ``code`` is what ``spec.code`` says of it; sizes in bytes."""

    code: str
    files: int
    size: int


def take(folder: Path, home: Path) -> Snapshot:
    """Keep a folder as it is now in the home's store.

    Raises BadInput where it is no folder, cannot be read, or is more than a snapshot takes.
    """
    folder = folder.absolute()
    if not folder.is_dir():
        raise BadInput(f"{tilde(folder)} is not a folder; example: --code .")
    try:
        found = walk(folder, home)
        entries = _entries(folder, home, found)
        name = Store(home).put(encode_manifest(entries))
    except (OSError, UnicodeEncodeError) as error:
        raise BadInput(_unreadable(error, folder)) from None
    files = [entry for entry in found if entry.is_file]
    return Snapshot(PREFIX + name, len(files), sum(entry.stat.st_size for entry in files))


def _entries(folder: Path, home: Path, found: list[Found]) -> list[Entry]:
    store, known = Store(home), Known(home, folder)
    entries = [_entry(folder, one, store, known) for one in found]
    known.save()
    return entries


def _entry(folder: Path, one: Found, store: Store, known: Known) -> Entry:
    one.path.encode()  # a name that is no text cannot be written into a manifest
    mode = stat.S_IMODE(one.stat.st_mode)
    if one.is_link:
        # Not Path.readlink, which would tidy up what the link says.
        return Entry(one.path, mode, link=os.readlink(folder / one.path))  # noqa: PTH115
    if not one.is_file:
        return Entry(one.path, mode)
    name = known.hash_of(one.path, one.stat)
    if not name or not store.has(name):
        name = store.put_file(folder / one.path)
        known.learn(one.path, one.stat, name)
    return Entry(one.path, mode, hash=name)


def _unreadable(error: OSError | UnicodeEncodeError, folder: Path) -> str:
    if isinstance(error, UnicodeEncodeError):
        return f"{error.object!r} in {tilde(folder)} is no UTF-8 name; rename it, or use --in-place"
    return (
        f"{error.filename or tilde(folder)} cannot be read or copied ({error.strerror}); "
        "leave it out by a line in .shoalignore, or run in the folder itself: --in-place"
    )
