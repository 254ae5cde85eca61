import pytest
from tests.kubectl.commands import Api, Place
from tests.kubectl.recorder import recorder
from tests.kubectl.world import GROUP, WORLD
from tests.recorded import ROOT
from tests.serving import cluster


@pytest.fixture(scope="session")
def api(tmp_path_factory):
    """A cluster whose node runs pods, and the definitions that the commands' runs have."""
    with cluster(tmp_path_factory.mktemp("transcripts") / "home") as kubeconfig:
        api = Api(kubeconfig)
        api.define(ROOT, GROUP)
        yield api


@pytest.fixture(scope="session")
def proxy(api):
    with recorder(api.server, api.trust, api.token) as kept:
        yield kept


@pytest.fixture(scope="session")
def warm_cache(api, proxy, tmp_path_factory):
    """What kubectl knows of the server after some use."""
    folder = tmp_path_factory.mktemp("warm")
    place = Place(api, proxy, folder, folder / "cache")
    for words in (["api-resources"], ["explain", "pod"]):
        place.kubectl(words)
    yield folder / "cache"
    place.end()


@pytest.fixture
def place(api, proxy, warm_cache, tmp_path):
    """An empty namespace."""
    place = Place(api, proxy, tmp_path, warm_cache)
    yield place
    place.end()


@pytest.fixture(scope="session")
def world(api, proxy, warm_cache, tmp_path_factory):
    """A namespace with all that commands read."""
    place = Place(api, proxy, tmp_path_factory.mktemp("world"), warm_cache)
    place.fill(WORLD)
    place.ready(WORLD)
    yield place
    place.end()
