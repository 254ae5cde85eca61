"""The client of one-shot commands, which keeps its connection while others come and go."""

from pathlib import Path
from urllib.parse import urlsplit

from tests.serving import api_server, component

from shoal.api.kinds import NAMESPACES
from shoal.kube.blocking import BlockingClient
from shoal.kube.config import load_config


def test_a_server_that_was_started_again_is_asked_over_a_new_connection(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with api_server(home) as kubeconfig:
        client = BlockingClient(load_config(kubeconfig))
        client.create(NAMESPACES, {"metadata": {"name": "kept"}})
    port = urlsplit(client.config.server).port
    with component(home, "apiserver", "--port", str(port)):
        assert client.get(NAMESPACES, "kept").metadata.name == "kept"
