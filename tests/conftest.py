"""A folder for what programs leave, and what the whole run tells at its end: by name, what was left
out and what is odd on purpose.
"""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
LISTS = {
    "left_out.json": "left out of {}: {}",
    "pinned_500.json": "recorded answers of 500, allowed in {}: {}",
}


@pytest.fixture(scope="session", autouse=True)
def temporary_files() -> Iterator[None]:
    """Boxes that end with pods on record leave their folders of TMPDIR to the boxes to come."""
    with (
        tempfile.TemporaryDirectory(prefix="shoal-tests-", ignore_cleanup_errors=True) as folder,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("TMPDIR", folder)
        yield


def pytest_terminal_summary(terminalreporter):
    """Of every folder of tests that ran."""
    ran = {
        report.nodeid.rpartition("/")[0]
        for reports in terminalreporter.stats.values()
        for report in reports
        if hasattr(report, "nodeid")
    }
    for path in sorted(found for name in LISTS for found in TESTS.glob(f"*/{name}")):
        if str(path.parent.relative_to(TESTS.parent)) not in ran:
            continue
        told = json.loads(path.read_text())
        terminalreporter.section(LISTS[path.name].format(path.parent.name, len(told)))
        for name, reason in told.items():
            terminalreporter.line(f"{name}: {reason}")
