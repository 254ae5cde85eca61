import subprocess

import pytest
from tests.dialect_cases.replaying import Replay
from tests.serving import api_server, cluster, server_environment, shoal_command


@pytest.fixture(scope="session")
def replay(tmp_path_factory):
    """A cluster whose only node runs pods, with no scheduler, as the cases want it.

    It is restored from a backup, so it has forgotten its first versions.
    """
    folder = tmp_path_factory.mktemp("cases")
    with api_server(folder / "before"):
        _shoal(folder / "before", "backup", str(folder / "copy"))
    _shoal(folder / "home", "restore", str(folder / "copy"))
    with cluster(folder / "home") as kubeconfig:
        yield Replay(kubeconfig)


def _shoal(home, *arguments):
    subprocess.run(shoal_command(*arguments), env=server_environment(home), check=True)
