import json
import ssl

import pytest
from tests.hostile.peer import Peer
from tests.serving import component


@pytest.fixture(scope="session")
def peer(tmp_path_factory):
    """An API server, and the ways to be bad to it."""
    home = tmp_path_factory.mktemp("hostile") / "home"
    with component(home, "apiserver", "--port", "0") as process:
        config = json.loads((home / "kubeconfig").read_text())
        port = int(config["clusters"][0]["cluster"]["server"].rpartition(":")[2])
        trust = ssl.create_default_context(cafile=home / "tls" / "ca.crt")
        token = config["users"][0]["user"]["token"]
        peer = Peer(home, process.pid, port, trust, token)
        peer.ask("POST", "/api/v1/namespaces", {"metadata": {"name": "default"}})
        yield peer
        log = (home.parent / "apiserver.log").read_text()
        assert "Traceback" not in log, log[-4000:]


@pytest.fixture(autouse=True)
def others_are_served(peer):
    """Whatever happened: the next client gets its answer, and memory is within its bound."""
    yield
    name = {"metadata": {"generateName": "other-"}}
    assert peer.ask("POST", "/api/v1/namespaces/default/configmaps", name)[0] == 201
    assert peer.memory_mb() <= peer.MOST_MEMORY_MB
