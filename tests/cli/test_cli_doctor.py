"""The doctor says what is, and what to do where it is wrong."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.apiserver.log import Log
from shoal.cli.box import checks
from shoal.cli.box.checks import Level, look


def findings(home: Path) -> dict[str, checks.Finding]:
    return {finding.about: finding for finding in look(home)}


def test_every_part_of_the_machine_is_looked_at(tmp_path: Path) -> None:
    machine = ["python", "compiler", "keeper", "disk"]
    expected = [*machine, "home", "store", "port", "cards", "cgroups", "clock"]
    assert list(findings(tmp_path / "home")) == expected


def test_whatever_is_wrong_comes_with_what_to_do(tmp_path: Path) -> None:
    for finding in look(tmp_path / "home"):
        assert bool(finding.remedy) == (finding.level is not Level.OK), finding


def test_a_home_that_others_can_read_is_bad(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    finding = findings(tmp_path)["home"]
    assert (finding.level, finding.remedy) == (Level.BAD, f"chmod 700 {tmp_path}")
    tmp_path.chmod(0o700)
    assert findings(tmp_path)["home"].level is Level.OK


def test_a_clock_that_was_never_set_is_bad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks.time, "time", lambda: 3600.0)
    finding = findings(tmp_path)["clock"]
    assert finding.level is Level.BAD
    assert "1970-01-01" in finding.fact


def test_a_machine_without_compiler_is_only_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    assert findings(tmp_path)["compiler"].level is Level.NOTE


def test_the_exit_code_tells_scripts(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-m", "shoal", "doctor"],
        env=os.environ | {"SHOAL_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert f"→ chmod 700 {tmp_path}" in done.stdout


def test_a_small_store_has_a_size(tmp_path: Path) -> None:
    Log(tmp_path / "store.db").close()
    size = (tmp_path / "store.db").stat().st_size
    assert f"({size / 1000:.0f} kB)" in findings(tmp_path)["store"].fact
