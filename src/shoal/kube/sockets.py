"""Unix sockets under any path: their own limit is 108 bytes, a home's path has none.

A folder that is open can be named ``/proc/self/fd/N``, which is short whatever it stands for
(proc(5)).
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from aiohttp import web

_LONGEST: Final = 100
_PATIENCE_S: Final = 0.2
"""How long answers may go on once their server is to end: who follows a log would for ever."""


@contextlib.contextmanager
def short_path(path: Path) -> Iterator[str]:
    """A name of ``path`` that fits a socket address while the context lasts."""
    if len(os.fsencode(path)) <= _LONGEST:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)


async def serve_unix(path: Path, app: web.Application) -> web.AppRunner:
    """Serve an application on a socket that only this user reaches; one left over is replaced."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=_PATIENCE_S)
    await runner.setup()
    with short_path(path) as short:
        await web.UnixSite(runner, short).start()
    path.chmod(0o600)
    return runner
