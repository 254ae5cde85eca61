"""The digits example learns, and stopping it anywhere changes nothing in what it learns."""

import re
import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np

PROGRAM = "digits/train.py"

Run = Callable[..., tuple[int, str]]


def _epochs(said: str) -> list[int]:
    return [int(number) for number in re.findall(r"^epoch +(\d+)/", said, re.MULTILINE)]


def _saved(out: Path) -> dict[str, np.ndarray]:
    with np.load(out / "checkpoint.npz") as saved:
        return dict(saved)


def _assert_same(one: Path, other: Path) -> None:
    left, right = _saved(one), _saved(other)
    assert left.keys() == right.keys()
    for name in left:
        np.testing.assert_array_equal(left[name], right[name], err_msg=name)


def test_a_stopped_one_resumes_and_ends_with_the_weights_of_one_that_never_stopped(
    tmp_path, start, run
):
    parts, whole = tmp_path / "parts", tmp_path / "whole"
    stopped = start(PROGRAM, "--epochs", "1000", SHOAL_OUT=str(parts))
    first = stopped.stdout.readline()
    stopped.send_signal(signal.SIGTERM)
    rest, _ = stopped.communicate(timeout=60)
    assert stopped.returncode == 143, rest
    assert "asked to stop: saved" in rest
    done = _epochs(first + rest)

    more = str(len(done) + 8)
    code, said = run(PROGRAM, "--epochs", more, SHOAL_OUT=str(parts))
    assert code == 0, said
    assert "resuming from" in said.splitlines()[0]
    assert done + _epochs(said) == list(range(1, len(done) + 9))

    code, said = run(PROGRAM, "--epochs", more, SHOAL_OUT=str(whole))
    assert code == 0, said
    assert float(re.search(r"test accuracy ([\d.]+)%", said)[1]) >= 95
    _assert_same(whole, parts)


def test_a_killed_one_loses_at_most_the_epoch_it_was_in(tmp_path, start, run):
    killed = start(PROGRAM, "--epochs", "1000", SHOAL_OUT=str(tmp_path))
    said = killed.stdout.readline() + killed.stdout.readline()
    killed.kill()
    rest, _ = killed.communicate(timeout=60)
    last = _epochs(said + rest)[-1]
    _, said = run(PROGRAM, "--epochs", str(last + 1), SHOAL_OUT=str(tmp_path))
    assert _epochs(said) in ([last, last + 1], [last + 1])


def test_too_little_training_is_an_error_that_says_what_to_do(tmp_path, run):
    code, said = run(PROGRAM, "--epochs", "1", SHOAL_OUT=str(tmp_path))
    assert code == 1
    assert "below the target of 95%: train longer with --epochs" in said


def test_more_epochs_go_on_from_the_finished_ones(tmp_path, run):
    run(PROGRAM, "--epochs", "1", SHOAL_OUT=str(tmp_path))
    _, said = run(PROGRAM, "--epochs", "2", SHOAL_OUT=str(tmp_path))
    assert _epochs(said) == [2]


def test_without_an_output_folder_the_checkpoint_is_saved_where_it_runs(tmp_path, run):
    run(PROGRAM, "--epochs", "1", SHOAL_OUT="")
    assert (tmp_path / "checkpoint.npz").exists()


def test_a_checkpoint_that_is_none_is_left_alone(tmp_path, run):
    (tmp_path / "checkpoint.npz").write_text("mine")
    code, said = run(PROGRAM, SHOAL_OUT=str(tmp_path))
    assert code == 2
    assert "is not a checkpoint of this program" in said
    assert "Traceback" not in said
    assert (tmp_path / "checkpoint.npz").read_text() == "mine"


def test_without_scikit_learn_it_says_how_to_get_it(tmp_path, run):
    (tmp_path / "sklearn").mkdir()
    (tmp_path / "sklearn" / "__init__.py").write_text("raise ImportError('none here')\n")
    code, said = run(PROGRAM, PYTHONPATH=str(tmp_path))
    assert (code, said) == (2, 'This example needs scikit-learn: pip install "shoal[demo]"\n')
