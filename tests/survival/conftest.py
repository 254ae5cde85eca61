"""What all tests of survival share: they run apart from the others, one box at a time."""

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """How a torture is repeated."""
    group = parser.getgroup("survival")
    group.addoption("--seed", help="what the runs and deaths of the torture are drawn from")
    group.addoption("--deaths", help="how many of them; 300 unless told")
    group.addoption("--journal", help="the journal of an earlier torture, to be repeated")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """They take minutes: make test leaves them to make test-survival."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.survival)
