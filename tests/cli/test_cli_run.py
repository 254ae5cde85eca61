"""An attached run shows its wait, its output and its end, and exits as the program did."""

import signal
import subprocess

import msgspec
import pytest

from shoal.api.kinds import RUNS
from shoal.api.snapshot import PREFIX, object_path
from shoal.cli.main import run_command


@pytest.fixture
def code(tmp_path):
    """A folder with a program in it."""
    folder = tmp_path / "code"
    folder.mkdir()
    (folder / "train.py").write_text("print(1)\n")
    return folder


def runs_of(box) -> dict:
    return {run.metadata.name: run for run in box.client.list(RUNS, box.namespace).items}


def finish(process) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=30)
    return process.returncode, out.decode(), err.decode()


@pytest.fixture
def started(box, code, wait_until):
    """A command that was handed in and whose replicas run; ``lines`` is what each has printed."""

    def start(*options: str, name: str = "digits", lines: dict[int, bytes]):
        process = box.start("run", "--name", name, *options, "--", "python", "train.py", cwd=code)
        wait_until(lambda: name in runs_of(box))
        for rank, content in lines.items():
            box.agent.logs[f"{name}-{rank}"] = content
            box.agent.open.add(f"{name}-{rank}")
        for rank in lines:
            box.pod(name, rank)
        box.status(name, phase="Running", startedAt="2026-01-01T00:00:00Z")
        return process

    return start


def end(box, name: str, phase: str, **status) -> None:
    box.agent.open.clear()
    box.status(name, phase=phase, finishedAt="2026-01-01T00:00:58Z", **status)


def test_detached_it_prints_the_name_and_leaves(box, code) -> None:
    got = box.shoal("run", "-d", "--gpu", "1/2", "--", "python", "train.py", cwd=code)
    assert got == (0, "train\n", "")
    spec = runs_of(box)["train"].spec
    assert (spec.run, spec.gpu) == (["python", "train.py"], "1/2")
    assert object_path(box.home, spec.code.removeprefix(PREFIX)).exists()


def test_a_derived_name_that_is_taken_gets_a_suffix(box, code) -> None:
    for _ in range(3):
        box.shoal("run", "-d", "--", "python", "train.py", cwd=code)
    names = sorted(runs_of(box))
    assert names[0] == "train"
    assert len(names) == 3
    assert all(name.startswith("train-") for name in names[1:])


def test_options_overrule_the_run_file(box, code, monkeypatch) -> None:
    (code / "run.yaml").write_text(
        "metadata: {name: resnet, labels: {team: vision}}\n"
        "spec: {run: python train.py, gpu: 1/2, queue: vision, env: {A: 1, TOKEN: null}}\n"
    )
    arguments = ["run", "-d", "-f", "code/run.yaml", "--gpu", "1", "--env", "B=2", "--env", "HERE"]
    env = {"TOKEN": "secret", "HERE": "there"}
    assert box.shoal(*arguments, cwd=code.parent, env=env).out == "resnet\n"
    run = runs_of(box)["resnet"]
    assert (run.spec.gpu, run.spec.queue, run.spec.run) == ("1", "vision", "python train.py")
    assert run.spec.env == {"A": "1", "B": "2", "TOKEN": "secret", "HERE": "there"}
    assert run.metadata.labels == {"team": "vision"}
    # The folder of the run file is its code, wherever the command was typed.
    manifest = object_path(box.home, run.spec.code.removeprefix(PREFIX)).read_bytes()
    assert {entry["path"] for entry in msgspec.json.decode(manifest)} == {"run.yaml", "train.py"}


def test_in_place_keeps_no_copy(box, code) -> None:
    box.shoal("run", "-d", "--in-place", "--", "python", "train.py", cwd=code)
    assert runs_of(box)["train"].spec.code == str(code)
    assert not (box.home / "store").exists()


def test_output_goes_to_stdout_and_words_to_stderr(box, started) -> None:
    process = started("--gpu", "1/2", lines={0: b"epoch 1\n"})
    end(box, "digits", "Succeeded")
    code, out, err = finish(process)
    assert (code, out) == (0, "epoch 1\n")
    assert err.startswith("digits · 1/2 card · queue default · code 1 file, 9 B\n")
    assert "  started   box1 card 0 (A100-80GB, SIMULATED) after " in err
    assert err.endswith("✔ digits succeeded · 58 s · 29 card-seconds\n")


def test_outputs_are_pointed_to_when_there_are_any(box, started) -> None:
    process = started(lines={0: b""})
    out = box.home / "runs" / box.namespace / "digits" / "out"
    out.mkdir(parents=True)
    (out / "model.npz").write_bytes(b"")
    end(box, "digits", "Succeeded")
    _, _, err = finish(process)
    assert f"outputs: ~/home/runs/{box.namespace}/digits/out" in err


def test_the_wait_is_told_once_for_each_reason(box, code, wait_until) -> None:
    process = box.start("run", "--name", "big", "--", "python", "train.py", cwd=code)
    wait_until(lambda: "big" in runs_of(box))
    words = "needs 40 GiB on one card; the largest hole is 38 GiB"
    box.scheduler.answers[f"/explain/{box.namespace}/big"] = {
        "key": f"{box.namespace}/big-0", "owner": "big", "turn": 2
    }  # fmt: skip
    box.status("big", phase="Queued", message=words)
    assert process.stderr.readline().decode().startswith("big · queue default")
    assert process.stderr.readline().decode() == f"  queued    place 2 · {words}\n"
    box.status("big", phase="Queued", message=words, reason="again")
    box.status("big", phase="Stopped", message="")
    _, _, err = finish(process)
    assert "queued  " not in err
    assert "■ big was stopped while queued, after " in err
    assert "shoal logs" not in err


def test_a_wait_that_is_soon_over_is_worth_no_line_that_stays(box, code, wait_until) -> None:
    process = box.start("run", "--name", "digits", "--", "true", cwd=code, stderr=subprocess.STDOUT)
    wait_until(lambda: "digits" in runs_of(box))
    box.status("digits", phase="Queued", message="2 whole cards; 1 free")
    box.agent.logs["digits-0"] = b"hello\n"
    box.pod("digits")
    end(box, "digits", "Succeeded", startedAt="2026-01-01T00:00:00Z")
    out = process.communicate(timeout=30)[0].decode()
    assert "queued" not in out
    # Both streams into one: in the order in which things happened.
    assert [line.split()[0] for line in out.splitlines()] == ["digits", "started", "hello", "✔"]


def test_lines_of_several_replicas_carry_their_rank(box, started) -> None:
    process = started("--replicas", "2", lines={0: b"a\nb", 1: b"c\n"})
    end(box, "digits", "Succeeded")
    code, out, _ = finish(process)
    assert code == 0
    assert sorted(out.splitlines()) == ["[0] a", "[0] b", "[1] c"]


def test_one_replica_prints_untouched_bytes(box, started) -> None:
    content = bytes(range(256)) * 1000
    process = started(lines={0: content})
    end(box, "digits", "Succeeded")
    out, _ = process.communicate(timeout=30)
    assert out == content


@pytest.mark.parametrize(
    ("phase", "failure", "exit_code", "words"),
    [
        ("Failed", {"exitCode": 7, "message": "m"}, 7, "✘ digits failed after 58 s: m\n"),
        ("Failed", {"signal": 9, "message": "m"}, 137, "✘ digits failed after 58 s: m\n"),
        ("Failed", {"message": "m"}, 1, "✘ digits failed after 58 s: m\n"),
        ("TimedOut", None, 124, "✘ digits timed out after 58 s: m\n"),
        ("Stopped", None, 130, "■ digits was stopped after 58 s\n"),
    ],
)
def test_the_exit_code_is_the_programs(box, started, phase, failure, exit_code, words) -> None:
    process = started(lines={0: b"hello\n"})
    if failure is not None:
        failure |= {"pod": "digits-0", "rank": 0}
    end(box, "digits", phase, failure=failure, message="m")
    got, _, err = finish(process)
    assert (got, words in err) == (exit_code, True), err


def test_a_failure_ends_with_its_last_lines_and_the_next_step(box, started) -> None:
    process = started("--replicas", "2", lines={0: b"fine\n", 1: b"one\n\x1b[31mValueError\n"})
    failure = {"pod": "digits-1", "rank": 1, "exitCode": 7, "message": "replica 1 exited with 7"}
    end(box, "digits", "Failed", failure=failure, message="replica 1 exited with 7")
    code, _, err = finish(process)
    assert code == 7
    assert err.endswith(
        "✘ digits failed after 58 s: replica 1 exited with 7\n"
        "  │ one\n"
        "  │ ·[31mValueError\n"
        "  all of it: shoal logs digits --rank 1 · again: shoal rerun digits\n"
    )


def test_a_run_that_ended_before_anybody_looked_still_shows_its_output(
    box, code, wait_until
) -> None:
    box.run("quick")
    box.agent.logs["quick-0"] = b"all of it\n"
    box.pod("quick")
    end(box, "quick", "Succeeded", startedAt="2026-01-01T00:00:57Z")
    got = box.shoal("attach", "quick")
    assert (got.code, got.out) == (0, "all of it\n")
    assert "✔ quick succeeded · 1 s" in got.err


def test_an_interrupt_off_a_terminal_detaches_and_says_so(box, started, wait_until) -> None:
    process = started(lines={0: b"epoch 1\n"})
    assert process.stdout.readline() == b"epoch 1\n"
    process.send_signal(signal.SIGINT)
    code, _, err = finish(process)
    assert code == 130
    assert "digits goes on. Watch it: shoal attach digits · end it: shoal stop digits" in err
    assert not runs_of(box)["digits"].spec.stop


def test_a_reader_that_leaves_ends_the_watching_quietly(box, started) -> None:
    process = started(lines={0: b"x" * 100_000 + b"\n"})
    process.stdout.close()
    assert process.wait(30) == 141
    assert b"rror" not in process.stderr.read()


def test_a_run_that_is_deleted_while_watched_is_told(box, started) -> None:
    process = started(lines={0: b""})
    box.client.delete(RUNS, "digits", box.namespace)
    code, _, err = finish(process)
    assert (code, "shoal: digits was deleted\n" in err) == (1, True)


def test_more_than_the_box_has_is_refused_with_the_arithmetic_and_nothing_changes(
    box, code
) -> None:
    reason = {
        "code": "TooLarge", "resource": "cards", "asked": 4, "best": 3, "total": 3,
        "share": {"milli": 1000, "count": 4}, "models": ["2 × A100-80GB", "1 × T4"],
    }  # fmt: skip
    box.scheduler.answers["/plan"] = {"verdict": "never", "reason": reason}
    got = box.shoal("run", "-d", "--gpu", "4", "--", "python", "train.py", cwd=code)
    assert (got.code, got.out) == (2, "")
    assert got.err == (
        "shoal: 4 whole cards asked, this box has 3 (2 × A100-80GB, 1 × T4). "
        "With --wait-for-nodes it would wait for more.\n"
    )
    assert runs_of(box) == {}
    assert not (box.home / "store").exists()
    waiting = ["run", "-d", "--gpu", "4", "--wait-for-nodes", "--", "python", "train.py"]
    assert box.shoal(*waiting, cwd=code).out == "train\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--gpu", "1.5"], "--gpu 1.5: a part of a card is at most 1"),
        (["--gpu", "H100"], "--gpu H100 is a card model without an amount; did you mean H100:1?"),
        (["--gpu", "lots"], "--gpu lots: 'lots' is not an amount of cards; examples: 2, 1/2"),
        (["--cpu", "-1"], "--cpu -1 is negative"),
        (["--memory", "32Gb"], "--memory '32Gb' ends in 'Gb'"),
        (["--time", "soon"], "--time 'soon' is not a duration; examples: 90s"),
        (["--replicas", "0"], "--replicas 0: takes a whole number from 1 to 1000; example: "),
        (["--replicas", "99999"], "--replicas 99999: takes a whole number from 1 to 1000"),
        (["--replicas", "two"], "--replicas two: takes a whole number from 1 to 1000"),
        (["--name", "My_Run"], "--name: 'My_Run' is not a name"),
        (["--env", "=x"], "--env =x: a variable has a name; example: --env SEED=1"),
        (["--env", "NOT_SET_HERE"], "--env NOT_SET_HERE takes your own NOT_SET_HERE"),
        (["--code", "nowhere"], "nowhere is not there; example: --code ."),
        (["--code", "train.py"], "train.py is no folder; example: --code ."),
        (["--queue", "Bad_Q"], "--queue: 'Bad_Q' is not a name"),
        (["--env", "a b=1"], "--env a b: is no variable; example: "),
        (["--gpu", ""], "--gpu is given empty; leave it out, or: --gpu 1/2"),
        (["--image="], "--image is given empty; leave it out, or: --image host"),
        (["--cpu", ""], "--cpu is given empty; leave it out, or: --cpu 8"),
        (["--name", ""], "--name is given empty; leave it out, or: --name resnet"),
        (["--priority", "urgent"], "--priority: there is no priority urgent; there are low"),
        (["-f", "no.yaml"], "no.yaml cannot be read (No such file or directory)"),
        (
            ["--gpus", "1"],
            "there is no option --gpus; did you mean --gpu? All options: shoal run --help",
        ),
    ],
)
def test_what_is_wrong_changes_nothing(box, code, arguments, sentence) -> None:
    got = box.shoal("run", *arguments, "--", "python", "train.py", cwd=code)
    assert got.code == 2
    assert sentence in got.err
    assert len(got.err.splitlines()) == 1
    assert got.out == ""
    assert runs_of(box) == {}


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("  replicas: 0", "spec.replicas: got 0, takes 1 to 1000; example: replicas: 4"),
        ("  queue: Bad_Q", "spec.queue: 'Bad_Q' is not a name"),
        ("  priority: urgent", "spec.priority: there is no priority urgent; there are low, "),
        ("  env: {a b: 1}", "spec.env.a b: is no variable"),
        ("  retry: {max: 1000}", "spec.retry.max: got 1000, takes 0 to 100"),
        ("  code: gone", "gone is not there; example: code: ."),
        ("  code: run.yaml", "run.yaml is no folder; example: code: ."),
        ("metadata: {namespace: nosuch}", "metadata.namespace: there is no namespace nosuch"),
        ("metadata: {name: Größe}", "metadata.name: 'Größe' is not a name"),
    ],
)
@pytest.mark.parametrize("verb", [["run", "-d"], ["plan"]])
def test_what_the_server_refuses_of_a_run_file_is_told_with_its_line(
    box, code, line, sentence, verb
) -> None:
    (code / "run.yaml").write_text(f"spec:\n  run: true\n{line}\n")
    got = box.shoal(*verb, "-f", "run.yaml", cwd=code)
    assert (got.code, got.out) == (2, "")
    assert got.err.startswith("shoal: run.yaml line 3: ")
    assert sentence in got.err
    assert runs_of(box) == {}
    assert not (box.home / "store").exists()


def test_an_option_is_to_blame_for_what_it_overrules(box, code) -> None:
    (code / "run.yaml").write_text("spec:\n  run: true\n  queue: vision\n")
    got = box.shoal("run", "-f", "run.yaml", "--queue", "Bad_Q", cwd=code)
    assert got.err.startswith("shoal: --queue: 'Bad_Q' is not a name")


def test_a_note_of_the_server_is_said_once(box, code) -> None:
    got = box.shoal("run", "-d", "--shm", "1Ti", "--", "true", cwd=code)
    assert got.err.count("shoal: note: ") == 1
    assert "spec.shm has no effect" in got.err


def test_nothing_to_run_is_told(box, code) -> None:
    got = box.shoal("run", "--gpu", "1", cwd=code)
    assert (got.code, "there is nothing to run; example:" in got.err) == (2, True)


def test_a_name_that_is_taken_is_told_with_what_has_it(box, code) -> None:
    box.run("digits")
    box.status("digits", phase="Failed")
    got = box.shoal("run", "--name", "digits", "--", "python", "train.py", cwd=code)
    assert got.code == 2
    assert "a run digits exists (failed)" in got.err
    assert "shoal delete run digits" in got.err


def test_a_folder_that_is_gone_is_told(tmp_path, monkeypatch, capsys) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert run_command(["run", "--", "true"]) == 2
    assert "the folder you are in is gone" in capsys.readouterr().err


def test_rerun_takes_the_next_number_and_the_same_spec(box) -> None:
    box.run("digits", gpu="1/2", env={"A": "1"}, stop=False)
    assert box.shoal("rerun", "-d", "digits").out == "digits-2\n"
    assert box.shoal("rerun", "-d", "digits").out == "digits-3\n"
    assert box.shoal("rerun", "-d", "digits-2").out == "digits-4\n"
    assert runs_of(box)["digits-4"].spec == runs_of(box)["digits"].spec


def test_stop_waits_until_it_has_ended(box, wait_until) -> None:
    box.run("digits")
    process = box.start("stop", "digits")
    wait_until(lambda: runs_of(box)["digits"].spec.stop)
    assert process.poll() is None
    box.status("digits", phase="Stopped")
    assert finish(process) == (0, "digits stopped\n", "")
    assert box.shoal("stop", "digits").out == "digits stopped\n"
    box.run("other")
    assert box.shoal("stop", "--no-wait", "other").out == "other is being stopped\n"


def test_an_unknown_run_is_told_with_the_nearest_name(box) -> None:
    box.run("digits")
    for verb in ("stop", "logs", "attach", "why", "describe", "rerun"):
        got = box.shoal(verb, "digit")
        assert (got.code, got.out) == (2, "")
        assert got.err == "shoal: there is no run digit; did you mean digits? All runs: shoal ps\n"
