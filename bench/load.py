"""The load generator, in a process of its own: keep-alive requests and watches over TLS.

python bench/load.py KUBECONFIG TASK JSON-OF-ITS-ARGUMENTS

Prints one JSON object: what the task measured and the CPU seconds that this process used.
"""

import asyncio
import json
import os
import ssl
import statistics
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, Final

import uvloop

from shoal.kube.config import Config, load_config, tls_context

PODS: Final = "/api/v1/namespaces/default/pods"
MAPS: Final = "/api/v1/namespaces/default/configmaps"
Result = dict[str, float]


class Connection(asyncio.Protocol):
    """One connection: an answer at a time, or a stream whose bytes go to ``take``."""

    def __init__(self, config: Config, take: Callable[[bytes], None] | None = None) -> None:
        self._head = f"Host: x\r\nAuthorization: Bearer {config.token}\r\n".encode()
        self._take = take
        self._got = bytearray()
        self._done: asyncio.Future[bytes] | None = None
        self.first_byte = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: Any = transport

    def connection_lost(self, exc: Exception | None) -> None:
        if self._done is not None and not self._done.done():
            self._done.set_exception(ConnectionError("the server closed the connection"))

    def data_received(self, data: bytes) -> None:
        if self._take is not None:
            self._take(data)
            return
        if not self._got:
            self.first_byte = time.monotonic()
        self._got += data
        head, separator, body = self._got.partition(b"\r\n\r\n")
        if not separator or len(body) < int(_header(bytes(head), b"content-length")):
            return
        assert self._done is not None
        self._done.set_result(bytes(self._got))
        self._got.clear()

    def send(
        self, method: str, path: str, body: bytes = b"", kind: str = "application/json"
    ) -> None:
        first = f"{method} {path} HTTP/1.1\r\n"
        about = f"Content-Length: {len(body)}\r\nContent-Type: {kind}\r\n"
        self._transport.write(b"".join(((first + about).encode(), self._head, b"\r\n", body)))

    async def ask(self, method: str, path: str, body: bytes = b"", **options: str) -> bytes:
        """The whole answer, head included; anything but 2xx ends the measurement."""
        self._done = asyncio.get_running_loop().create_future()
        self.send(method, path, body, **options)
        answer = await self._done
        assert answer[9:10] == b"2", answer[:2000].decode()
        return answer


def _header(head: bytes, name: bytes) -> bytes:
    for line in head.split(b"\r\n"):
        key, _, value = line.partition(b":")
        if key.lower() == name:
            return value.strip()
    return b"0"


async def connect(config: Config, take: Callable[[bytes], None] | None = None) -> Connection:
    """An open connection to the API server."""
    context: ssl.SSLContext = tls_context(config)
    port = int(config.server.rpartition(":")[2])
    _, connection = await asyncio.get_running_loop().create_connection(
        lambda: Connection(config, take), "127.0.0.1", port, ssl=context
    )
    return connection


def pod(name: str) -> bytes:
    """A pod as people send it, for a scheduler that does not exist."""
    variables = [{"name": f"SETTING_{number}", "value": f"value-{number}"} for number in range(4)]
    container = {
        "name": "main",
        "image": "host",
        "command": ["python", "train.py", "--epochs", "10"],
        "env": variables,
        "resources": {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"memory": "2Gi"}},
    }
    labels = {"app.kubernetes.io/name": "bench", "job": name, "team": "a"}
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "labels": labels},
            "spec": {
                "schedulerName": "nobody",
                "restartPolicy": "Never",
                "containers": [container],
            },
        }
    ).encode()


async def create(config: Config, *, prefix: str, count: int, clients: int) -> Result:
    """Durable creates of pods by so many clients at once."""
    connections = [await connect(config) for _ in range(clients)]
    names = iter([f"{prefix}-{number}" for number in range(count)])
    started = time.monotonic()
    await asyncio.gather(*(_create_all(one, names) for one in connections))
    return {"seconds": time.monotonic() - started}


async def _create_all(connection: Connection, names: Iterator[str]) -> None:
    for name in names:
        await connection.ask("POST", PODS, pod(name))


async def list_pods(config: Config, *, times: int) -> Result:
    """Seconds until the first byte of a list of all pods, and its size."""
    connection = await connect(config)
    waits, size = [], 0
    for _ in range(times):
        started = time.monotonic()
        size = len(await connection.ask("GET", PODS))
        waits.append(connection.first_byte - started)
    return {"median": statistics.median(waits), "worst": max(waits), "bytes": size}


class _Counter:
    """Counts the events of a stream: lines that end in LF alone are events, the rest framing."""

    def __init__(self) -> None:
        self.count = 0
        self._last = b""

    def take(self, data: bytes) -> None:
        whole = self._last + data
        self.count += whole.count(b"\n") - whole.count(b"\r\n")
        self._last = data[-1:] if data[-1:] == b"\r" else b""


async def fan_out(config: Config, *, watchers: int, events: int, clients: int) -> Result:
    """Deliveries of events to watchers, while so many clients write them."""
    counters = [_Counter() for _ in range(watchers)]
    writers = [await connect(config) for _ in range(clients)]
    await _create_maps(writers[0], iter(["first"]))
    for counter in counters:
        connection = await connect(config, counter.take)
        connection.send("GET", f"{MAPS}?watch=true&resourceVersion=0")
    await _until(lambda: all(counter.count for counter in counters))
    before = [counter.count for counter in counters]
    names = iter([f"fan-{number}" for number in range(events)])
    started = time.monotonic()
    await asyncio.gather(*(_create_maps(one, names) for one in writers))
    written = time.monotonic() - started
    wanted = [count + events for count in before]
    await _until(lambda: all(c.count >= w for c, w in zip(counters, wanted, strict=True)))
    return {"seconds": time.monotonic() - started, "written": written}


async def _create_maps(connection: Connection, names: Iterator[str]) -> None:
    for name in names:
        body = json.dumps({"metadata": {"name": name}, "data": {"k": "x" * 200}})
        await connection.ask("POST", MAPS, body.encode())


async def delay(config: Config, *, rate: int, seconds: int) -> Result:
    """From handing in a write to its event at a watcher, at so many writes a second."""
    arrivals: dict[int, float] = {}
    rest = b""

    def take(data: bytes) -> None:
        nonlocal rest
        now = time.monotonic()
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            _, found, tail = line.partition(b'"beat":"')
            if found:
                arrivals.setdefault(int(tail.partition(b'"')[0]), now)

    writer = await connect(config)
    await writer.ask("POST", MAPS, b'{"metadata":{"name":"beat"}}')
    watcher = await connect(config, take)
    watcher.send("GET", f"{MAPS}?watch=true&fieldSelector=metadata.name%3Dbeat")
    writers = [await connect(config) for _ in range(8)]
    started = time.monotonic()
    sent: list[float] = []
    jobs: list[asyncio.Task[None]] = []
    for number in range(rate * seconds):
        await asyncio.sleep(started + number / rate - time.monotonic())
        sent.append(time.monotonic())
        if number >= len(writers):
            await jobs[number - len(writers)]
        jobs.append(asyncio.create_task(_beat(writers[number % len(writers)], number)))
    await asyncio.gather(*jobs)
    await _until(lambda: len(arrivals) == len(sent))
    delays = sorted(arrivals[number] - at for number, at in enumerate(sent))
    return {"p50": statistics.median(delays), "p99": delays[int(len(delays) * 0.99)]}


async def _beat(connection: Connection, number: int) -> None:
    body = f'{{"data":{{"beat":"{number}"}}}}'.encode()
    kind = "application/merge-patch+json"
    await connection.ask("PATCH", f"{MAPS}/beat", body, kind=kind)


async def _until(holds: Callable[[], bool]) -> None:
    while not holds():  # noqa: ASYNC110 - an event would cost more than what is counted
        await asyncio.sleep(0.002)


TASKS: Final[dict[str, Callable[..., Coroutine[None, None, Result]]]] = {
    "create": create,
    "list": list_pods,
    "fan-out": fan_out,
    "delay": delay,
}


def main() -> None:
    """Run one task and print what it measured."""
    kubeconfig, task, arguments = sys.argv[1:]
    config = load_config(Path(kubeconfig))
    result = uvloop.run(TASKS[task](config, **json.loads(arguments)))
    times = os.times()
    print(json.dumps(result | {"own_cpu": times.user + times.system}))


if __name__ == "__main__":
    main()
