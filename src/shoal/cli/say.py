"""Facts of runs in the words and the brevity that every command shares."""

import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from shoal.api.run import ReplicaStatus, Run, RunPhase, RunSpec
from shoal.units.duration import say_duration
from shoal.units.errors import UnitError
from shoal.units.gpu import Share, format_share, parse_share
from shoal.units.instant import parse_instant

NOTHING: Final = "-"
_MOST_NODES: Final = 3
_SIZES: Final = ("B", "kB", "MB", "GB", "TB")


def now_ms() -> int:
    """Milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


def tilde(path: Path) -> str:
    """A path as people write it: ``~/.shoal``."""
    home = os.path.expanduser("~")  # noqa: PTH111 - Path.home() raises where there is none
    text = str(path)
    return "~" + text[len(home) :] if text == home or text.startswith(home + os.sep) else text


def say_phase(phase: RunPhase) -> str:
    """The state of a run in lower case: ``running``, ``timed out``."""
    return "timed out" if phase is RunPhase.TIMED_OUT else phase.lower()


def share_of(spec: RunSpec) -> Share | None:
    """The share that each replica asks for; None for no card."""
    try:
        return parse_share(spec.gpu) if spec.gpu else None
    except UnitError:
        return None


def say_gpu(spec: RunSpec) -> str:
    """Cards as people ask for them: ``1/2``, ``4 × 1/4``, ``2``."""
    share = share_of(spec)
    text = format_share(share) if share else spec.gpu or NOTHING
    return f"{spec.replicas} × {text}" if spec.replicas > 1 and spec.gpu else text


def say_cards(spec: RunSpec) -> str:
    """The same with its noun: ``1/2 card``, ``4 × 2 cards``; empty for no card."""
    share = share_of(spec)
    if share is None:
        return ""
    return f"{say_gpu(spec)} {'cards' if share.count > 1 else 'card'}"


def say_where(replicas: Iterable[ReplicaStatus]) -> str:
    """Nodes and their cards: ``box1:0,1 box2:0``; a long list is cut and counted."""
    cards: dict[str, set[str]] = {}
    for replica in replicas:
        if replica.node:
            cards.setdefault(replica.node, set()).update(map(card_index, replica.cards))
    told = [_node_cards(node, used) for node, used in sorted(cards.items())]
    more = len(told) - _MOST_NODES
    return " ".join(told[:_MOST_NODES] + ([f"+{more} nodes"] if more > 0 else [])) or NOTHING


def card_index(name: str) -> str:
    """A card as people number it: ``0`` for ``gpu-0``."""
    return name.removeprefix("gpu-")


def seconds_of(run: Run, now: int) -> int:
    """How long a run waits, runs, or ran, in seconds."""
    created = run.metadata.creation_timestamp
    begin = run.status.started_at or (None if run.status.phase.ended else created)
    return span_seconds(begin, run.status.finished_at if run.status.phase.ended else None, now)


def span_seconds(begin: str | None, end: str | None, now: int) -> int:
    """Seconds between two instants, to the nearest; an end that is not known is now."""
    if begin is None:
        return 0
    try:
        return (max((parse_instant(end) if end else now) - parse_instant(begin), 0) + 500) // 1000
    except UnitError:
        return 0


def say_clock(instant: int, *, seconds: bool = False) -> str:
    """Ms since the epoch as local time: ``14:40``, with the day if it is another one."""
    moment = time.localtime(instant / 1000)
    today = time.localtime()
    form = "%H:%M:%S" if seconds else "%H:%M"
    return time.strftime(form if moment[:3] == today[:3] else f"%d %b {form}", moment)


def spell(seconds: int) -> str:
    """A duration within a sentence: ``58 s``, ``1m58s``."""
    return f"{seconds} s" if seconds < 60 else say_duration(seconds)


def say_bytes(count: int) -> str:
    """A size of files: ``48 kB``, ``1.2 GB``."""
    value, unit = float(count), 0
    while value >= 1000 and unit < len(_SIZES) - 1:
        value, unit = value / 1000, unit + 1
    digits = f"{value:.1f}" if value < 10 and unit > 1 else f"{value:.0f}"
    return f"{digits.removesuffix('.0')} {_SIZES[unit]}"


def count_of(number: int, noun: str) -> str:
    """A count with its noun: ``1 file``, ``12 files``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def said_command(spec: RunSpec) -> str:
    """What a run runs, as one would type it."""
    import shlex

    return spec.run if isinstance(spec.run, str) else shlex.join(spec.run)


def _node_cards(node: str, cards: set[str]) -> str:
    ordered = sorted(cards, key=lambda card: (not card.isdigit(), len(card), card))
    return f"{node}:{','.join(ordered)}" if ordered else node
