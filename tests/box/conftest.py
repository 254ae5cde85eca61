"""A whole box in a temporary home."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.box.harness import GPUS, Box, make_box


@pytest.fixture(scope="session")
def shared_box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    """One box for many tests."""
    box = make_box(tmp_path_factory.mktemp("box"))
    box.ok("up", "-d", "--port", "0", "--gpus", GPUS)
    yield box
    box.ok("down", "--kill")
    assert not box.processes(), "a box that went down leaves no process behind"


@pytest.fixture
def box(shared_box: Box) -> Iterator[Box]:
    """The shared box, empty before and after."""
    yield shared_box
    shared_box.stop_all()


@pytest.fixture
def own_box(tmp_path: Path) -> Iterator[Box]:
    """A box of its own, for tests that hurt it; brought down afterwards."""
    box = make_box(tmp_path)
    yield box
    if box.shoal("status").returncode == 0:
        box.shoal("down", "--kill")
    assert not box.processes(), "a box that went down leaves no process behind"
