"""A run that nobody named is called after the file it runs."""

import pytest

from shoal.cli.naming import name_of, suffixed
from shoal.dialect.names import wrong_label


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["python", "examples/digits/train.py", "--lr", "3"], "train"),
        (["python3.11", "-u", "my_script.py"], "my-script"),
        (["python", "-m", "pkg.models.train"], "train"),
        (["python", "-c", "print(1)"], "python"),
        (["torchrun", "--nproc=1", "Train.PY"], "train"),
        (["env", "A=1", "bash", "go.sh"], "go"),
        (["/usr/bin/nvidia-smi"], "nvidia-smi"),
        (["true"], "true"),
        ("python train.py | tee log", "train"),
        (["./__"], "run"),
        (["x" * 300], "x" * 40),
    ],
)
def test_the_name_comes_from_the_command(command: str | list[str], name: str) -> None:
    assert name_of(command) == name
    assert not wrong_label(name_of(command))


def test_a_taken_name_gets_a_short_suffix_that_is_still_a_name() -> None:
    made = {suffixed("train") for _ in range(50)}
    assert len(made) > 1
    assert all(name.startswith("train-") and not wrong_label(name) for name in made)
