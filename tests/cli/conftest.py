"""A real API server, and small stand-ins for the scheduler and the agent at their sockets."""

import asyncio
import contextlib
import itertools
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from aiohttp import web
from tests.serving import api_server

from shoal.api.kinds import GANGS, NAMESPACES, PODS, RESOURCE_CLAIMS, RESOURCE_SLICES, RUNS
from shoal.api.run import Run
from shoal.kube.blocking import BlockingClient
from shoal.kube.config import load_config
from shoal.kube.sockets import serve_unix

SRC = str(Path(__file__).parents[2] / "src")
PATIENCE = 30


class Result(NamedTuple):
    code: int
    out: str
    err: str


class Scheduler:
    """Answers what it was told to answer, at the socket where the real one listens."""

    def __init__(self) -> None:
        self.answers: dict[str, Any] = {}
        self.asked: list[tuple[str, Any]] = []

    def application(self) -> web.Application:
        app = web.Application()
        app.router.add_route("*", "/{what:.*}", self._answer)
        return app

    async def _answer(self, request: web.Request) -> web.Response:
        body = await request.read()
        self.asked.append((request.path, msgspec.json.decode(body) if body else None))
        answer = self.answers.get(request.path)
        if answer is None:
            return web.json_response({"message": "nothing waits"}, status=404)
        return web.Response(body=msgspec.json.encode(answer), content_type="application/json")


class Agent:
    """Serves logs at the socket where the real agent of a node listens."""

    def __init__(self) -> None:
        self.logs: dict[str, bytes] = {}
        self.open: set[str] = set()
        self.asked: list[str] = []

    def application(self) -> web.Application:
        app = web.Application()
        app.router.add_get("/logs/{namespace}/{pod}/{container}", self._log)
        return app

    async def _log(self, request: web.Request) -> web.StreamResponse:
        pod = request.match_info["pod"]
        self.asked.append(pod)
        if pod not in self.logs:
            raise web.HTTPNotFound(text="no log yet")
        response = web.StreamResponse()
        await response.prepare(request)
        sent = self._tail(self.logs[pod], request.query.get("tailLines"))
        goes_on = True
        while goes_on:
            # What is written before a log ends is sent: so first look whether it goes on.
            goes_on = request.query.get("follow") == "true" and pod in self.open
            fresh = self.logs.get(pod, b"")[sent:]
            await response.write(fresh)
            sent += len(fresh)
            await asyncio.sleep(0.01 if goes_on else 0)
        return response

    def _tail(self, log: bytes, lines: str | None) -> int:
        if lines is None:
            return 0
        kept = log.splitlines(keepends=True)[-int(lines) or len(log) :]
        return len(log) - len(b"".join(kept))


class Box:
    """A home whose kubeconfig leads to a namespace of its own, and a client to play with."""

    def __init__(self, home: Path, namespace: str, scheduler: Scheduler, agent: Agent) -> None:
        self.home = home
        self.namespace = namespace
        self.scheduler = scheduler
        self.agent = agent
        self.client = BlockingClient(load_config(home / "kubeconfig"))

    def environment(self, **more: str) -> dict[str, str]:
        kept = {"PATH": os.environ["PATH"], "HOME": str(self.home.parent), "TERM": "xterm"}
        return kept | {"SHOAL_HOME": str(self.home), "PYTHONPATH": SRC} | more

    def start(self, *arguments: str, **options: Any) -> subprocess.Popen[bytes]:
        """A command in a process of its own; its streams are pipes unless told otherwise."""
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        environment = self.environment(**options.pop("env", {}))
        return subprocess.Popen(
            [sys.executable, "-m", "shoal", *arguments], **(pipes | options), env=environment
        )

    def shoal(self, *arguments: str, stdin: str = "", **options: Any) -> Result:
        """What a command prints off a terminal, and its exit code."""
        process = self.start(*arguments, **({"stdin": subprocess.PIPE} | options))
        out, err = process.communicate(stdin.encode(), timeout=PATIENCE)
        return Result(process.returncode, out.decode(), err.decode())

    def run(self, name: str, **spec: Any) -> Run:
        """A run as a user would create it."""
        head = {"apiVersion": "shoal.dev/v1alpha1", "kind": "Run", "metadata": {"name": name}}
        return self.client.create(RUNS, head | {"spec": {"run": "true"} | spec}, self.namespace)

    def status(self, name: str, **status: Any) -> None:
        """Say of a run what the run controller would say; fields not named stay."""
        body = self.client.request("GET", RUNS.path(self.namespace, name))
        document = msgspec.json.decode(body)
        document["status"] = document.get("status", {}) | status
        self.client.replace(RUNS, document, subresource="status")

    def pod(self, run: str, rank: int = 0, node: str = "box1", phase: str = "Running") -> None:
        """A replica that an agent has started, with a claim on card 0 or 1."""
        name = f"{run}-{rank}"
        labels = {"shoal.dev/run": run, "shoal.dev/rank": str(rank), "shoal.dev/attempt": "0"}
        metadata: dict[str, Any] = {"name": name, "labels": labels}
        self._claim(metadata, node, f"gpu-{rank % 2}")
        container = {"name": "main", "image": "host", "command": ["true"]}
        spec = {"nodeName": node, "containers": [container], "restartPolicy": "Never"}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
        self.client.create(PODS, pod, self.namespace)
        self.pod_status(name, phase)

    def waiting_pod(self, name: str) -> None:
        """A pod that has no node yet."""
        spec = {"containers": [{"name": "main", "image": "host", "command": ["true"]}]}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}
        self.client.create(PODS, pod, self.namespace)

    def gang(self, name: str) -> None:
        """A gang of two."""
        head = {"apiVersion": "shoal.dev/v1alpha1", "kind": "Gang", "metadata": {"name": name}}
        self.client.create(GANGS, head | {"spec": {"members": 2}}, self.namespace)

    def pod_status(self, name: str, phase: str) -> None:
        document = msgspec.json.decode(self.client.request("GET", PODS.path(self.namespace, name)))
        began = {"startedAt": "2026-01-01T00:00:00Z"}
        ended = {"terminated": began | {"exitCode": 0}}
        state = {"Running": {"running": began}, "Succeeded": ended}.get(phase, {})
        main = {"name": "main", "image": "host", "imageID": "", "restartCount": 0}
        statuses = [main | {"ready": bool(state), "state": state}]
        document["status"] = {"phase": phase, "containerStatuses": statuses if state else []}
        self.client.replace(PODS, document, subresource="status")

    def _claim(self, metadata: dict[str, Any], node: str, card: str) -> None:
        claim: dict[str, Any] = {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaim",
            "metadata": metadata,
            "spec": {
                "devices": {
                    "requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu.shoal.dev"}}]
                }
            },
        }
        self.client.create(RESOURCE_CLAIMS, claim, self.namespace)
        path = RESOURCE_CLAIMS.path(self.namespace, metadata["name"])
        document = msgspec.json.decode(self.client.request("GET", path))
        result = {"request": "gpu", "driver": "gpu.shoal.dev", "pool": node, "device": card}
        document["status"] = {"allocation": {"devices": {"results": [result]}}}
        self.client.replace(RESOURCE_CLAIMS, document, subresource="status")


class _Server(NamedTuple):
    home: Path
    scheduler: Scheduler
    agent: Agent
    count: Iterator[int]


@pytest.fixture(scope="session")
def _served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Server]:
    """One server for all tests, with a scheduler and an agent that each test speaks for."""
    home = tmp_path_factory.mktemp("served") / "home"
    with api_server(home), _sockets() as serve:
        served = _Server(home, Scheduler(), Agent(), itertools.count())
        client = BlockingClient(load_config(home / "kubeconfig"))
        _make_namespace(client, "shoal-system")
        _make_slices(client, "box1")
        serve(home / "sock" / "svc-shoal-scheduler.sock", served.scheduler.application())
        serve(home / "sock" / "node-box1.sock", served.agent.application())
        yield served


@pytest.fixture
def box(_served: _Server, tmp_path: Path) -> Iterator[Box]:
    """A box of its own for each test."""
    home, namespace = tmp_path / "home", f"test-{next(_served.count)}"
    home.mkdir(mode=0o700)
    kubeconfig = msgspec.json.decode((_served.home / "kubeconfig").read_bytes())
    kubeconfig["contexts"][0]["context"]["namespace"] = namespace
    (home / "kubeconfig").write_bytes(msgspec.json.encode(kubeconfig))
    made = Box(home, namespace, _served.scheduler, _served.agent)
    _make_namespace(made.client, namespace)
    yield made
    made.scheduler.answers.clear()
    made.scheduler.asked.clear()
    made.agent.logs.clear()
    made.agent.open.clear()


def _make_namespace(client: BlockingClient, name: str) -> None:
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    client.create(NAMESPACES, namespace)


def _make_slices(client: BlockingClient, node: str) -> None:
    """Two simulated cards of a node."""
    devices = [
        {
            "name": f"gpu-{index}",
            "attributes": {"model": {"string": "A100-80GB"}, "simulated": {"bool": True}},
            "capacity": {"memory": {"value": "81920Mi"}, "compute": {"value": "1000"}},
        }
        for index in range(2)
    ]
    pool = {"name": node, "generation": 1, "resourceSliceCount": 1}
    piece = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": node},
        "spec": {"driver": "gpu.shoal.dev", "nodeName": node, "pool": pool, "devices": devices},
    }
    client.create(RESOURCE_SLICES, piece)


@contextlib.contextmanager
def _sockets() -> Iterator[Callable[[Path, web.Application], None]]:
    """Serves applications in a thread of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    runners = []

    def serve(path: Path, app: web.Application) -> None:
        made = asyncio.run_coroutine_threadsafe(serve_unix(path, app), loop)
        runners.append(made.result(PATIENCE))

    try:
        yield serve
    finally:
        for runner in runners:
            asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(PATIENCE)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(PATIENCE)
        loop.close()


@pytest.fixture
def wait_until() -> Callable[[Callable[[], object]], None]:
    """Wait for something to become true, generously."""

    def wait(condition: Callable[[], object]) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, "it never came true"
            time.sleep(0.01)

    return wait
