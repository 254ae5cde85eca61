"""Where the answers of a real server are kept, and what of them this server leaves out.

The records are no part of the project. ``SHOAL_CASES`` names their folder (it holds ``cases/``,
``kubectl/`` and ``schema/``), ``SHOAL_REPLAY`` the program that compares a server with them.
Tests that need them are skipped where they are not given.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

ROOT = os.environ.get("SHOAL_CASES", "")

needs_recorded = pytest.mark.skipif(
    not ROOT, reason="SHOAL_CASES names no folder of recorded answers"
)


def recorded(folder: str) -> list[dict[str, Any]]:
    """The records below a folder by name; none where no records are given."""
    return records(Path(ROOT) / folder) if ROOT else []


def records(folder: Path) -> list[dict[str, Any]]:
    """The records in a folder and those in it; what is no record (a fixture) is passed over."""
    read = [json.loads(path.read_text()) for path in sorted(folder.rglob("*.json"))]
    return [one for one in read if isinstance(one, dict) and "name" in one]


def left_out(folder: Path) -> dict[str, str]:
    """Names of records that a folder of tests leaves out, with the reason of each."""
    told: dict[str, str] = json.loads((folder / "left_out.json").read_text())
    return told


def each(found: list[dict[str, Any]]) -> Any:
    """One test for each record, called by its name; one that is skipped where there are none."""
    return pytest.mark.parametrize(
        "record",
        [pytest.param(one, id=one["name"]) for one in found]
        or [pytest.param({}, marks=needs_recorded, id="none-given")],
    )
