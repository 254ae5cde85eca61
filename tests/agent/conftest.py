import os
import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.agent.box import Box
from tests.keeper.build import build_keeper
from tests.serving import api_server

from shoal.api.kinds import NAMESPACES
from shoal.kube.blocking import BlockingClient
from shoal.kube.client import Client
from shoal.kube.config import load_config


@pytest.fixture(scope="session")
def keeper_binary(request: pytest.FixtureRequest) -> Path:
    return build_keeper(request.config.cache.mkdir("keeper-sanitized"))


@pytest.fixture(scope="session")
def api_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The home of an API server that all tests of the agent share; each has its own node."""
    home = tmp_path_factory.mktemp("api") / "home"
    with api_server(home):
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system"}}
        BlockingClient(load_config(home / "kubeconfig")).create(NAMESPACES, namespace)
        yield home


@pytest.fixture
async def client(api_home: Path) -> AsyncIterator[Client]:
    async with Client(load_config(api_home / "kubeconfig")) as client:
        yield client


@pytest.fixture
async def box(
    client: Client, api_home: Path, keeper_binary: Path, tmp_path: Path
) -> AsyncIterator[Box]:
    """An agent for one test, with a namespace, a node and a home of its own."""
    name = f"node-{socket.gethostname().lower()}-{os.getpid()}-{tmp_path.name}"[-60:]
    name = name.replace("_", "-").strip("-")
    await client.create(
        NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    )
    box = Box(client, tmp_path, name, keeper_binary)
    await box.start()
    yield box
    await box.end()
