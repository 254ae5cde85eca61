"""What the whole run tells at its end: by name, what was left out."""

from pathlib import Path

from tests.recorded import left_out

TESTS = Path(__file__).parent


def pytest_terminal_summary(terminalreporter):
    """Of every folder of tests that ran."""
    ran = {
        report.nodeid.rpartition("/")[0]
        for reports in terminalreporter.stats.values()
        for report in reports
        if hasattr(report, "nodeid")
    }
    for path in sorted(TESTS.glob("*/left_out.json")):
        folder = path.parent
        if str(folder.relative_to(TESTS.parent)) not in ran:
            continue
        names = left_out(folder)
        terminalreporter.section(f"left out of {folder.name}: {len(names)}")
        for name, reason in names.items():
            terminalreporter.line(f"{name}: {reason}")
