"""How large the store's files get while 1,000 objects of a kilobyte are changed over and over.

python bench/growth.py

The store alone, as the API server runs it, each write durable before the next of its writer.
"""

import asyncio
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import harness

from shoal.apiserver.history import DEFAULT_BOUNDS, Key
from shoal.apiserver.log import Log
from shoal.apiserver.store import Store

OBJECTS = 1000
WRITERS = 64
STEPS = (20_000, 30_000, 50_000)
AIM_MIB = 64
_MIB = 1024 * 1024


async def main() -> None:
    """Measure and tell: file and log after each part of the writes."""
    sizes: list[str] = []
    written, started, most = 0, time.monotonic(), 0.0
    with tempfile.TemporaryDirectory(prefix="shoal-bench-") as folder:
        path = Path(folder) / "store.db"
        store = Store(Log(path), DEFAULT_BOUNDS)
        store.start()
        for step in STEPS:
            turns = iter(range(written, written + step))
            await asyncio.gather(*(_change(store, turns) for _ in range(WRITERS)))
            written += step
            file, log = _mib(path), _mib(path.with_name("store.db-wal"))
            most = max(most, file + log)
            sizes.append(f"{file:.1f} + {log:.1f} after {written}")
        rate = written / (time.monotonic() - started)
        store.stop()
    value = f"{', '.join(sizes)} ({rate:.0f} a second)"
    harness.tell("MiB of file and log", value, f"≤ {AIM_MIB} in all", reached=most <= AIM_MIB)


async def _change(store: Store, turns: Iterator[int]) -> None:
    for turn in turns:
        name = f"churn-{turn % OBJECTS}"
        document = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": name, "namespace": "default"},
            "data": {"k": f"{turn} " + "x" * 1000},
        }
        await store.put(Key("configmaps.", "default", name), document)


def _mib(file: Path) -> float:
    return file.stat().st_size / _MIB


if __name__ == "__main__":
    asyncio.run(main())
