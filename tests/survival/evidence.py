"""What keepers' own records tell of a torture, and what must be true of it."""

from collections import defaultdict
from pathlib import Path

import msgspec

from shoal.agent.claims import load_claims
from shoal.agent.record import Record, RecordState, read_record
from shoal.agent.simulated import simulated_cards

WHOLE = 1000


class Start(msgspec.Struct, frozen=True):
    """One program that was started: its pod's uid, its run, and its pid by its own word."""

    pod: str
    run: str
    pid: int
    record: Record
    claims: Path


def starts(ledger: Path) -> list[Start]:
    """Every program that came to say that it was started."""
    found = []
    for who in ledger.glob("*.who"):
        run, pid = who.read_text().split()
        record = read_record(who.with_suffix(".record"))
        found.append(Start(who.stem, run, int(pid), record, who.with_suffix(".claims")))
    return found


def check_once(ledger: Path) -> None:
    """No pod's program was started twice."""
    assert not list(ledger.glob("*.twice"))


def check_ends(found: list[Start], victims: set[str]) -> None:
    """Every program has an end on record; only the kill of its own keeper may hide how."""
    for start in found:
        record = start.record
        assert record.final, f"no end on record: {start}"
        assert record.program_pid == start.pid, f"another program than the one started: {start}"
        if start.pod not in victims:
            assert record.state == RecordState.EXITED, f"its end was lost: {start}"
            natural = record.exit_code in (0, 3) and not record.signal
            assert natural or record.stop_asked, f"disturbed: {start}"


def check_cards(found: list[Start], home: Path, gpus: str) -> int:
    """No card was ever given out beyond what it has; how many holds that is said of."""
    changes: dict[str, list[tuple[int, int, int, int, str]]] = defaultdict(list)
    holds = 0
    for start in found:
        for claim in load_claims(start.claims):
            for part in claim.held.devices:
                holds += 1
                since, until = start.record.created_ns, start.record.ended_ns
                memory, milli = part.memory_mib, part.milli
                changes[part.device].append((since, 1, memory, milli, start.run))
                changes[part.device].append((until, 0, -memory, -milli, start.run))
    cards = {card.name: card.memory_mib for card in simulated_cards(gpus, home)}
    for card, moments in changes.items():
        memory = milli = 0
        for at, _, more_memory, more_milli, run in sorted(moments):
            memory, milli = memory + more_memory, milli + more_milli
            assert milli <= WHOLE, f"{milli} milli of {card} at {at}, by {run}"
            assert memory <= cards[card], f"{memory} MiB of {card} at {at}, by {run}"
    return holds


def leftovers(home: Path, pods: set[str], card_uuids: list[str]) -> list[str]:
    """Files and control groups that should have gone with their runs."""
    left = [str(path) for name in ("pods", "tmp") for path in home.glob(f"{name}/*")]
    left += [str(path) for path in home.glob("runs/*/*")]
    left += [str(path) for path in home.rglob("*.new")]
    groups = Path("/sys/fs/cgroup").rglob("shoal-*")
    left += [str(path) for path in groups if any(pod in path.name for pod in pods)]
    locks = [Path(f"/var/lock/shoal-{uuid}.lock") for uuid in card_uuids]
    return left + [str(path) for path in locks if path.exists()]
