"""The board in text: a bar for each card, with who holds it and what is free."""

import sys
from collections import Counter
from collections.abc import Iterable
from typing import Final

from shoal.api.run import Run, RunPhase
from shoal.cli.fit import cut
from shoal.cli.limits import CARD_MEMORY_SHORT
from shoal.cli.output import Tone, paint
from shoal.cli.say import card_index, count_of, say_clock
from shoal.core.report import Board, CardHolder, CardLine, Explanation, NodeLine
from shoal.core.words import say_card_holder, say_free
from shoal.units.quantity import say_cpu, say_mib

WIDTH: Final = 30
_EIGHTHS: Final = " ▏▎▍▌▋▊▉"


def board_lines(board: Board, *, colours: bool, width: int = sys.maxsize) -> list[str]:
    """Every node with its cards, in lines of at most ``width`` signs."""
    lines = [line for node in board.nodes for line in _node_lines(node, width, colours)]
    if any(node.cards for node in board.nodes):
        lines.append(paint(cut(CARD_MEMORY_SHORT, width), Tone.DIM, colours=colours))
    return lines or ["no node is there; its agent joins again as soon as it runs: shoal status"]


def queue_lines(runs: Iterable[Run], first: Explanation | None) -> list[str]:
    """How each queue stands, and what starts next: the first in the line."""
    phases: dict[str, Counter[RunPhase]] = {}
    for run in runs:
        if not run.status.phase.ended:
            phases.setdefault(run.spec.queue, Counter())[run.status.phase] += 1
    lines = [_queue_line(queue, counts) for queue, counts in sorted(phases.items())]
    if first is not None and lines:
        lines[-1] += f" · next: {_next(first)}"
    return lines


def bar(held: int, whole: int) -> str:
    """A bar of ``WIDTH`` cells, full as far as ``held`` of ``whole`` is."""
    eighths = held * WIDTH * 8 // whole if whole else 0
    full, rest = divmod(min(max(eighths, 0), WIDTH * 8), 8)
    part = _EIGHTHS[rest] if rest else ""
    return "█" * full + part + "░" * (WIDTH - full - len(part))


def _node_lines(node: NodeLine, width: int, colours: bool) -> list[str]:
    facts = [
        f"{say_cpu(node.cpu_milli)} cpu {_percent(node.cpu_free_milli, node.cpu_milli)}",
        f"{say_mib(node.memory_mib)} {_percent(node.memory_free_mib, node.memory_mib)}",
    ]
    cards = count_of(len(node.cards), "card") if node.cards else "no cards"
    cards += ", SIMULATED" if any(card.simulated for card in node.cards) else ""
    closed = [node.closed] if node.closed else []
    name = cut(node.name, width)
    told = cut(f"   {' · '.join([*facts, cards, *closed])}", max(width - len(name), 0))
    models = max((len(card.model) for card in node.cards), default=0)
    head = f"{paint(name, Tone.STRONG, colours=colours)}{told}"
    return [head, *(cut(_card_line(card, models), width) for card in node.cards)]


def _percent(free: int, whole: int) -> str:
    return f"{(whole - free) * 100 // whole if whole else 0} % held"


def _card_line(card: CardLine, width: int) -> str:
    held = max(
        (card.memory_mib - card.memory_free_mib) * 1000 // (card.memory_mib or 1),
        1000 - card.milli_free,
    )
    holders = [_say_holders(holder, count) for holder, count in Counter(card.holders).items()]
    free = "free" if card.unused else f"free {say_free(card)}"
    told = [*holders, *([free] if card.unused or held < 1000 else [])]
    return (
        f"{card_index(card.card):>2} {card.model:<{width}}  {bar(held, 1000)}  {' · '.join(told)}"
    )


def _say_holders(holder: CardHolder, count: int) -> str:
    """Equal shares of one run together: ``ring 4 × 1/4 80 GiB``."""
    told = say_card_holder(holder)
    if count > 1:
        told = f"{holder.owner} {count} × {told.removeprefix(holder.owner).lstrip()}"
    # The memory, where the share itself does not say it.
    by_memory = holder.share is not None and holder.share.memory_mib
    return told if by_memory else f"{told} {say_mib(holder.memory_mib * count)}"


def _queue_line(queue: str, counts: Counter[RunPhase]) -> str:
    on_nodes = (RunPhase.RUNNING, RunPhase.STARTING, RunPhase.UNKNOWN)
    running = sum(counts[phase] for phase in on_nodes)
    return f"queue {queue}: {running} running, {counts[RunPhase.QUEUED]} waiting"


def _next(told: Explanation) -> str:
    by = told.forecast.start_by
    return f"{told.owner}, {say_clock(by)} at the latest" if by else told.owner
