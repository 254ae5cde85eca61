"""Traces by name."""

from pathlib import Path

import pytest
from tests.sim.sim_world import NODES, PODS

from shoal.sim.errors import TraceError
from shoal.sim.named import read_named


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "openb"
    folder.mkdir()
    (folder / "openb_node_list_gpu_node.csv").write_text(NODES)
    for name in ("few", "many"):
        (folder / f"openb_pod_list_{name}.csv").write_text(PODS)
    monkeypatch.setenv("SHOAL_TRACES", str(tmp_path))
    return folder


def test_a_name_is_a_list_of_pods_beside_the_nodes(shelf: Path) -> None:
    trace = read_named("openb:few")
    assert (trace.name, len(trace.nodes), len(trace.pods)) == ("openb:few", 4, 5)


@pytest.mark.parametrize("name", ["openb:none", "openb", "philly:few", "openb:../few", ""])
def test_an_unknown_name_lists_those_that_exist(name: str, shelf: Path) -> None:
    with pytest.raises(TraceError, match="there are openb:few, openb:many"):
        read_named(name)


def test_without_its_folder_it_says_how_to_name_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SHOAL_TRACES", raising=False)
    with pytest.raises(TraceError, match="SHOAL_TRACES is not set; let it name the folder"):
        read_named("openb:few")
    monkeypatch.setenv("SHOAL_TRACES", "/nowhere/at/all")
    with pytest.raises(TraceError, match="SHOAL_TRACES names /nowhere/at/all, and there is no"):
        read_named("openb:few")


def test_a_folder_without_lists_is_told(shelf: Path) -> None:
    for path in shelf.glob("openb_pod_list_*"):
        path.unlink()
    with pytest.raises(TraceError, match="holds no lists of pods"):
        read_named("openb:few")
