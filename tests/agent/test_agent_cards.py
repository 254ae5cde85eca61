"""Cards: simulated, real, and whose they are."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.agent import nvml
from shoal.agent.cardlocks import CardLocks
from shoal.agent.discovery import discover_cards
from shoal.agent.errors import AgentError
from shoal.agent.models import short_model
from shoal.agent.nvml import CardProcess, NoDriverError, RealCard
from shoal.agent.processes import MARK
from shoal.agent.simulated import check_gpus, simulated_cards
from shoal.units.errors import UnitError

HOME = Path("/home/a/.shoal")


def test_simulated_cards_have_the_memory_of_their_models():
    cards = simulated_cards("sim:2xA100-80GB,1xT4", HOME)
    assert [(c.name, c.model, c.memory_mib) for c in cards] == [
        ("gpu-0", "A100-80GB", 81920),
        ("gpu-1", "A100-80GB", 81920),
        ("gpu-2", "T4", 15360),
    ]
    assert all(card.simulated for card in cards)


def test_a_model_is_known_in_any_case_and_one_needs_no_count():
    assert [c.model for c in simulated_cards("sim:h200, 2xrtx4090", HOME)] == [
        "H200", "RTX4090", "RTX4090",
    ]  # fmt: skip


def test_uuids_are_the_homes_own_and_stay():
    here = {card.uuid for card in simulated_cards("sim:3xT4", HOME)}
    again = {card.uuid for card in simulated_cards("sim:3xT4", HOME)}
    there = {card.uuid for card in simulated_cards("sim:3xT4", Path("/home/b/.shoal"))}
    assert here == again
    assert len(here | there) == 6


def test_a_file_may_describe_any_card(tmp_path: Path):
    file = tmp_path / "cards.json"
    entries = [{"model": "X1", "memory": "12Gi", "uuid": "GPU-x"}, {"model": "T4"}]
    file.write_text(json.dumps({"cards": entries}))
    own, known = simulated_cards(f"sim:{file}", HOME)
    assert (own.model, own.memory_mib, own.uuid) == ("X1", 12288, "GPU-x")
    assert (known.memory_mib, known.name) == (15360, "gpu-1")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("2xA100", "simulated cards begin with sim:; example: sim:2xA100-80GB,1xT4"),
        ("sim:", "'' is not COUNTxMODEL; example: sim:2xA100-80GB,1xT4"),
        ("sim:0xT4", "'0xT4' is not COUNTxMODEL"),
        ("sim:2xA100", "no card model 'A100' to simulate; A100-40GB or A100-80GB"),
        ("sim:2xH20O", "no card model 'H20O' to simulate; H20"),
        ("sim:999xT4", "999 cards is outside 1 to 128"),
        ("sim:99999xA100-80GB", "99999 cards is outside 1 to 128"),
        (f"sim:1{'0' * 5000}xT4", "cards is outside 1 to 128"),
        ("sim:100xT4,100xT4", "200 cards is outside 1 to 128"),
        ("sim:00xT4", "'00xT4' is not COUNTxMODEL"),
        ("sim:~no-such-user/a.json", "No such file or directory; give a JSON file"),
        ("sim:/no/such.json", "No such file or directory; give a JSON file"),
    ],
)
def test_wrong_text_gets_one_sentence_with_what_is_right(text: str, sentence: str):
    with pytest.raises(UnitError) as error:
        check_gpus(text)
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


def card(model: str, **fields: str) -> str:
    return json.dumps({"cards": [{"model": model, **fields}]})


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ('{"cards": [{"model": "X1"}]}', "model 'X1' needs a memory"),
        ('{"cards": [{"model": "T4", "mem": 1}]}', "unknown field `mem`"),
        ('{"cards": [{"model": "T4", "uuid": "a"}, {"model": "T4", "uuid": "a"}]}', "one UUID"),
        ("not json", "JSON is malformed"),
        (card("T4", uuid="a/b"), "card 0: uuid 'a/b' is not 1 to 64 of letters, digits and '-'"),
        (card("T4", uuid="a" * 300), "is not 1 to 64 of letters"),
        (card("T4", uuid="a\n"), "card 0: uuid 'a\\n' is not"),
        (card("X\0", memory="1Gi"), "card 0: model 'X\\x00' is not 1 to 63 of letters"),
        (card("a" * 300, memory="1Gi"), "is not 1 to 63 of letters"),
        (card("", memory="1Gi"), "model '' is not 1 to 63 of letters"),
        (card("X1", memory="lots"), "card 0: memory: "),
        (card("X1", memory="0"), "memory '0' is not 1Mi to 1Pi"),
    ],
)
def test_a_wrong_file_gets_one_sentence(tmp_path: Path, content: str, sentence: str):
    file = tmp_path / "cards.json"
    file.write_text(content)
    with pytest.raises(UnitError) as error:
        check_gpus(f"sim:{file}")
    told = str(error.value)
    assert sentence in told
    assert told.isprintable()
    assert len(told) < len(str(file)) + 300


@pytest.mark.parametrize(
    ("driver", "model"),
    [
        ("NVIDIA A100-SXM4-80GB", "A100-80GB"),
        ("NVIDIA A100 80GB PCIe", "A100-80GB"),
        ("NVIDIA H100 80GB HBM3", "H100-80GB"),
        ("NVIDIA H200", "H200"),
        ("Tesla T4", "T4"),
        ("Tesla V100-SXM2-32GB", "V100-32GB"),
        ("NVIDIA GeForce RTX 4090", "RTX4090"),
        ("NVIDIA L40S", "L40S"),
    ],
)
def test_models_of_real_cards_are_named_as_people_do(driver: str, model: str):
    assert short_model(driver) == model


def test_real_cards_are_offered_without_what_strangers_hold():
    with subprocess.Popen(["sleep", "1000"], env={MARK: "uid"}) as ours:
        processes = (CardProcess(ours.pid, 1000), CardProcess(os.getpid(), 300))
        cards = [
            RealCard("GPU-a", "Tesla T4", 15000, processes),
            RealCard("GPU-b", "NVIDIA H200", 140000),
        ]
        offered = discover_cards("", HOME, lambda: cards)
        ours.kill()
    assert [(c.name, c.model, c.memory_mib, c.uuid) for c in offered] == [
        ("gpu-0", "T4", 14700, "GPU-a"),
        ("gpu-1", "H200", 140000, "GPU-b"),
    ]
    assert not any(card.simulated for card in offered)


def test_a_machine_without_a_driver_has_no_cards():
    def read() -> list[RealCard]:
        raise NoDriverError("no library")

    assert discover_cards("", HOME, read) == []


@pytest.mark.gpu
def test_the_cards_of_this_machine():
    try:
        cards = nvml.read_cards()
    except NoDriverError as error:
        pytest.skip(f"this machine has no card to look at: {error}")
    assert cards
    for card in cards:
        assert card.uuid.startswith("GPU-")
        assert card.memory_mib > 1024
    offered = discover_cards("", HOME)
    assert [card.uuid for card in offered] == [card.uuid for card in cards]
    assert all(card.model and " " not in card.model for card in offered)


def locks(tmp_path: Path, home: str) -> CardLocks:
    (tmp_path / home).mkdir(exist_ok=True)
    return CardLocks(tmp_path / home, tmp_path)


CARDS = simulated_cards("sim:2xT4", HOME)


@contextlib.contextmanager
def supervisor(home: Path) -> Iterator[None]:
    """A process that holds a home as the supervisor of its box does."""
    holds = "import fcntl, sys; f = open(sys.argv[1], 'w'); fcntl.lockf(f, fcntl.LOCK_EX); "
    command = [sys.executable, "-c", holds + "print(flush=True); input()", str(home / "lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        yield
        holder.communicate(b"\n")


def test_a_card_belongs_to_one_home(tmp_path: Path):
    mine = locks(tmp_path, "mine")
    mine.take(CARDS[:1])
    with supervisor(tmp_path / "mine"), pytest.raises(AgentError) as error:
        locks(tmp_path, "other").take(CARDS)
    assert f"belongs to the box at {tmp_path}/mine" in str(error.value)
    assert f"SHOAL_HOME={tmp_path}/mine shoal down" in str(error.value)
    mine.close()


def test_all_cards_are_locked_or_none(tmp_path: Path):
    mine = locks(tmp_path, "mine")
    mine.take(CARDS[1:])
    with pytest.raises(AgentError):
        locks(tmp_path, "other").take(CARDS)
    third = locks(tmp_path, "third")
    third.take(CARDS[:1])
    third.close()
    mine.close()


def test_cards_that_are_let_go_of_can_be_taken_and_leave_no_file(tmp_path: Path):
    mine, other = locks(tmp_path, "mine"), locks(tmp_path, "other")
    mine.take(CARDS)
    mine.close()
    other.take(CARDS)
    other.close()
    assert list(tmp_path.glob("*.lock")) == []


def test_a_program_keeps_its_card_locked_and_its_home_may_come_back(tmp_path: Path):
    mine = locks(tmp_path, "mine")
    mine.take(CARDS)
    held = mine.descriptor(CARDS[0].uuid)
    with subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=[held]
    ):
        mine.close()
        with pytest.raises(AgentError) as error:
            locks(tmp_path, "other").take(CARDS)
        home = f"SHOAL_HOME={tmp_path}/mine"
        assert f"is held by programs of the box at {tmp_path}/mine" in str(error.value)
        assert f"({home} shoal up -d && {home} shoal down --kill), or wait" in str(error.value)
        back = locks(tmp_path, "mine")
        back.take(CARDS)
        back.close()
    other = locks(tmp_path, "other")
    other.take(CARDS)
    other.close()


def test_locks_are_open_to_every_user(tmp_path: Path):
    mine = locks(tmp_path, "mine")
    mine.take(CARDS)
    assert {file.stat().st_mode & 0o777 for file in tmp_path.glob("*.lock")} == {0o666}
    mine.close()
