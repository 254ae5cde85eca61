import pytest
from tests.dialect_cases.replaying import Replay
from tests.serving import cluster


@pytest.fixture(scope="session")
def replay(tmp_path_factory):
    """A cluster whose only node runs pods, with no scheduler, as the cases want it."""
    with cluster(tmp_path_factory.mktemp("cases") / "home") as kubeconfig:
        yield Replay(kubeconfig)
