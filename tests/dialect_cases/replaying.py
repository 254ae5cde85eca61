"""Compares a server with recorded cases, by the program that comes with them."""

import asyncio
import importlib.util
import json
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.serving import NODE

GROUP = "dialect.test"  # the records' own group holds our kinds here
TOOL = "SHOAL_REPLAY"


class Replay:
    """A server under test, which is asked to make the shared definitions once."""

    def __init__(self, kubeconfig: Path) -> None:
        self.tool = _load(Path(os.environ[TOOL]))
        config = json.loads(kubeconfig.read_text())
        self._url = config["clusters"][0]["cluster"]["server"]
        self._token = config["users"][0]["user"]["token"]
        self._authority = str(kubeconfig.parent / "tls" / "ca.crt")
        self._installed = False
        self._namespaces: Any = None

    def difference(self, case: dict[str, Any]) -> str | None:
        """The first difference between a case and what the server answers."""
        return asyncio.run(self._difference(case))

    async def _difference(self, case: dict[str, Any]) -> str | None:
        async with self.tool.Server(self._url, self._token, self._authority) as server:
            if case.get("fixture") and not self._installed:
                fixture = Path(os.environ["SHOAL_CASES"]) / "cases" / "fixtures" / "crds.json"
                await self.tool.install_fixture(server, fixture, GROUP)
                self._installed = True
            # One for all cases: it learns whether namespaces get their service account.
            self._namespaces = self._namespaces or self.tool.Namespaces(server)
            self._namespaces.server = server
            given = {"group": GROUP, "node": NODE, "image": "host"}
            told: str | None = await self.tool.run_case(server, self._namespaces, case, given)
            return told


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("dialect_replay", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its data classes look themselves up there
    spec.loader.exec_module(module)
    return module
