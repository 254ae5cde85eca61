"""What is odd about a trace, told before it is replayed."""

import sys
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shoal.core.engine.spec import Ask
    from shoal.sim.trace import Trace


def warn_of_never(trace: "Trace") -> None:
    """Say on stderr what no node can ever hold, a line for each kind of request."""
    from shoal.sim.classes import classes_of, never

    classes = classes_of(trace.pods)
    counts = Counter(classes.numbers)
    for number in sorted(never(trace, classes.asks)):
        first = trace.pods[classes.numbers.index(number)].name
        who = first if counts[number] == 1 else f"{counts[number]} pods, {first} the first,"
        asked = _asked(classes.asks[number], trace.models)
        print(f"shoal: no node can ever hold {who} with {asked}", file=sys.stderr)


def _asked(ask: "Ask", models: tuple[str, ...]) -> str:
    told = [f"{ask.cpu} mCPU", f"{ask.memory} MiB"]
    if ask.count:
        allowed = "|".join(models[model] for model in sorted(ask.models or ()))
        told.append(f"{ask.count} cards" if ask.count > 1 else f"{ask.milli} of a card")
        told[-1] += f" of {allowed}" if allowed else ""
    return ", ".join(told)
