"""``shoal sim`` as people and programs use it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.sim.sim_world import PODS, written

from shoal.cli.main import run_command

SRC = str(Path(__file__).parents[2] / "src")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.delenv("SHOAL_TRACES", raising=False)
    monkeypatch.setenv("SHOAL_HOME", str(tmp_path / ".shoal"))
    nodes, pods = written(tmp_path)
    return ["--nodes", str(nodes), "--pods", str(pods)]


def test_a_run_is_a_document_for_programs(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--policy", "best-fit", "--load", "1.1", "--seeds", "42..43,50", "-o", "json"]
    assert run_command(["sim", "run", *files, *given]) == 0
    told = json.loads(capsys.readouterr().out)
    assert list(told) == ["trace", "policy", "load", "seeds"]
    assert (told["trace"], told["policy"], told["load"]) == ("pods.csv", "best-fit", 1.1)
    assert [each["seed"] for each in told["seeds"]] == [42, 43, 50]
    for each in told["seeds"]:
        assert list(each) == [
            "seed", "allocation", "fragmentation", "placed", "refused", "cpu_seconds"
        ]  # fmt: skip
        assert list(each["allocation"]) == [str(percent) for percent in range(111)]
        assert list(each["fragmentation"]) == list(each["allocation"])
        assert each["placed"] > 0


def test_a_run_is_a_table_for_people(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["sim", "run", *files, "--seeds", "1,2"]) == 0
    header, *rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert header[:2] == ["SEED", "AT 80 %"]
    assert header[-1] == "REFUSED FOR"
    assert [row[0] for row in rows] == ["1", "2", "mean"]
    assert {len(row) for row in rows} == {len(header)}


def test_policies_are_compared_on_the_same_arrivals(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--policies", "spread,binpack,spread", "--seeds", "1..3"]
    assert run_command(["sim", "compare", *files, *given]) == 0
    header, *rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert [row[0] for row in rows] == ["spread", "binpack"]
    assert "±" in rows[0][header.index("AT 130 %")]
    assert run_command(["sim", "compare", *files, *given, "-o", "json"]) == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert [one["policy"] for one in runs] == ["spread", "binpack"]


def test_what_no_node_can_hold_is_said_at_once_and_counted(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path(files[3]).write_text(
        PODS + "p-5,1000,1024,8,1000,T4,LS,0,9,\np-6,1000,1024,8,1000,T4,LS,0,9,\n"
    )
    assert run_command(["sim", "run", *files, "--load", "3", "-o", "json"]) == 0
    out, err = capsys.readouterr()
    sentence = (
        "no node can ever hold 2 pods, p-5 the first, with 1000 mCPU, 1024 MiB, 8 cards of T4"
    )
    assert err == f"shoal: {sentence}\n"
    (seed,) = json.loads(out)["seeds"]
    assert seed["refused"]["never"] >= 2


def test_departures_tell_waits_instead(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    given = [*files, "--policy", "binpack", "--departures"]
    assert run_command(["sim", "run", *given, "-o", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["load"] is None
    (seed,) = told["seeds"]
    assert list(seed) == [
        "seed", "utilisation", "wanted", "waits", "placed", "refused", "cpu_seconds"
    ]  # fmt: skip
    assert list(seed["waits"]) == ["mean", "p50", "p95", "most"]
    assert seed["placed"] == 5
    assert run_command(["sim", "compare", *given[:-3], "--departures", "--load", "0.8"]) == 0
    header, *rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert header[:3] == ["POLICY", "WANTED", "IN USE"]
    assert len(rows) == 4


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["--policy", "bestfit"], "--policy bestfit: is none of binpack, spread, best-fit"),
        (["--load", "lots"], "--load lots: takes how often all cards; example: --load 1.3"),
        (["--load", "0"], "--load 0: takes how often all cards; example: --load 1.3"),
        (["--seeds", "51..42"], "--seeds 51..42: takes from 1 to 1000 numbers, the least first"),
        (["--seeds", "1..9999"], "--seeds 1..9999: takes from 1 to 1000 numbers"),
        (["--seeds", "x"], "--seeds x: takes numbers; example: --seeds 42..51, or 42,43"),
        (["--format", "csv"], "--format csv: takes openb; example: --format openb"),
        (["--figure", "loads.pdf"], "loads.pdf: a picture is a file that ends in .svg or .png"),
        (["--figure", "/no/where.svg"], "/no/where.svg: there is no folder /no"),
        (["--online", "--departures"], "--online is for runs in which no pod ends"),
        (["--trace", "openb:default"], "--trace names a trace; give it alone"),
        (["--trace", ""], "--trace is given empty; leave it out, or: --trace openb:default"),
    ],
)
def test_what_is_wrong_is_one_sentence(
    given: list[str], sentence: str, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["sim", "run", *files, *given]) == 2
    out, err = capsys.readouterr()
    assert sentence in err
    assert (out, len(err.splitlines())) == ("", 1)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ([], "name a trace: --trace openb:default, or two files: --nodes N --pods P"),
        (["--nodes", "n.csv"], "name a trace: --trace openb:default, or two files"),
        (["--trace", "openb:default"], "SHOAL_TRACES is not set"),
        (["--nodes", "/no/n.csv", "--pods", "/no/p.csv"], "/no/n.csv cannot be read: No such file"),
    ],
)
def test_a_trace_that_is_not_there_is_one_sentence(
    given: list[str], sentence: str, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["sim", "run", *given]) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize("more", [[], ["--departures"]])
@pytest.mark.parametrize(
    "command", [["run", "--policy", "spread"], ["compare", "--policies", "spread,binpack"]]
)
@pytest.mark.parametrize(("name", "begins"), [("f.svg", b"<?xml"), ("f.png", b"\x89PNG")])
def test_a_picture_is_drawn_the_same_each_time(
    command: list[str],
    more: list[str],
    name: str,
    begins: bytes,
    files: list[str],
    tmp_path: Path,
) -> None:
    drawn = []
    for _ in range(2):
        path = tmp_path / name
        assert run_command(["sim", *command, *files, *more, "--figure", str(path)]) == 0
        drawn.append(path.read_bytes())
        path.unlink()
    assert drawn[0] == drawn[1]
    assert drawn[0].startswith(begins)
    if name.endswith(".svg"):
        axis = b"hours" if more else b"arrived, % of all cards"
        assert axis in drawn[0]


def test_without_a_picture_nothing_that_draws_is_imported(files: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "shoal", "sim", "run", *files],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": SRC},
        check=True,
    )
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "shoal.sim.run" in imported
    assert not {"matplotlib", "numpy"} & imported


def test_without_what_draws_it_says_what_to_install(
    files: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("shoal.sim.pictures.find_spec", lambda _: None)
    assert run_command(["sim", "run", *files, "--figure", str(tmp_path / "f.svg")]) == 2
    assert "pictures are drawn by matplotlib: pip install 'shoal[sim]'" in capsys.readouterr().err
