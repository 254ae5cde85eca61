"""How a run ended: the words that people see last, and the code that scripts get."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from shoal.api.kinds import PODS
from shoal.api.meta import find_condition
from shoal.api.run import Run, RunPhase
from shoal.cli.context import Here
from shoal.cli.errors import FAILED, INTERRUPTED, SIGNALLED, TIMED_OUT
from shoal.cli.output import Tone
from shoal.cli.say import (
    count_of,
    now_ms,
    seconds_of,
    share_of,
    span_seconds,
    spell,
    tilde,
)
from shoal.kube.config import home_path
from shoal.kube.errors import ApiError

START_ERROR: Final = "StartError"
"""The agent's reason where a program never started: there is no output."""
_TAIL_LINES: Final = 10
_TAIL_BYTES: Final = 16384
_TAIL_WIDTH: Final = 400
_MOST_ASKED: Final = 8


class Words(NamedTuple):
    """A line and its tone."""

    text: str
    tone: Tone = Tone.PLAIN


def exit_code(run: Run) -> int:
    """The program's own code; 128 and the signal; 124 for the time limit, 130 for a stop."""
    failure = run.status.failure
    match run.status.phase:
        case RunPhase.SUCCEEDED:
            return 0
        case RunPhase.TIMED_OUT:
            return TIMED_OUT
        case RunPhase.STOPPED:
            return INTERRUPTED
    if failure is None:
        return FAILED
    return SIGNALLED + failure.signal if failure.signal else failure.exit_code or FAILED


def last_words(here: Here, run: Run) -> Iterator[Words]:
    """The end in a line, the last lines of what failed, and the next step."""
    name, status = run.metadata.name, run.status
    seconds = seconds_of(run, now_ms())
    match status.phase:
        case RunPhase.SUCCEEDED:
            yield Words(f"✔ {_success(run, seconds)}", Tone.GOOD)
            return
        case RunPhase.STOPPED:
            yield Words(f"■ {name} was stopped {_stopped_when(run, seconds)}")
        case RunPhase.TIMED_OUT:
            yield Words(f"✘ {name} timed out after {spell(seconds)}: {status.message}", Tone.BAD)
        case _:
            message = status.message
            yield Words(f"✘ {name} failed after {spell(seconds)}: {message}", Tone.BAD)
            yield from (Words(f"  │ {line}") for line in _tail(here, run))
    yield Words(f"  {_next_steps(here, run)}", Tone.DIM)


def outputs_of(run: Run) -> str:
    """Where the run's outputs are, if it left any."""
    out = home_path() / "runs" / run.metadata.namespace / run.metadata.name / "out"
    return tilde(out) if out.is_dir() and any(out.iterdir()) else ""


def _stopped_when(run: Run, seconds: int) -> str:
    if run.status.started_at:
        return f"after {spell(seconds)}"
    placed = find_condition(run.status.conditions, "Placed")
    if placed is not None and placed.status == "True":
        return "before it had started"
    since = placed.last_transition_time if placed is not None else None
    begin = since or run.metadata.creation_timestamp
    waited = span_seconds(begin, run.status.finished_at, now_ms())
    return f"while queued, after {spell(waited)} of waiting"


def _success(run: Run, seconds: int) -> str:
    facts = [f"{run.metadata.name} succeeded", spell(seconds)]
    if cards := _card_seconds(run, seconds):
        facts.append(count_of(cards, "card-second"))
    if out := outputs_of(run):
        facts.append(f"outputs: {out}")
    return " · ".join(facts)


def _card_seconds(run: Run, seconds: int) -> int:
    """Compute held times time, rounded up; 0 for a share that holds memory alone."""
    share = share_of(run.spec)
    held = share.milli * share.count * run.spec.replicas if share is not None else 0
    return -(-held * seconds // 1000)


def _tail(here: Here, run: Run) -> list[str]:
    """The last lines of the replica that failed first."""
    failure = run.status.failure
    if failure is None or not failure.pod:
        return []
    try:
        data = _log(here, failure.pod, tailLines=str(_TAIL_LINES))[-_TAIL_BYTES:]
    except ApiError:
        return []
    lines = data.decode(errors="replace").splitlines()[-_TAIL_LINES:]
    return [_printable(line)[:_TAIL_WIDTH] for line in lines]


def _log(here: Here, pod: str, **query: str) -> bytes:
    path = PODS.path(here.namespace, pod, "log")
    return here.client.request("GET", path, query={"container": "main"} | query)


def _printed(here: Here, run: Run) -> bool:
    """Whether there is anything to look at in the logs; of many replicas only some are asked."""
    failure, pods = run.status.failure, [replica.pod for replica in run.status.replicas]
    if failure is not None and failure.pod:
        pods.insert(0, failure.pod)
    return len(pods) > _MOST_ASKED or any(_has_log(here, pod) for pod in dict.fromkeys(pods))


def _has_log(here: Here, pod: str) -> bool:
    try:
        return bool(_log(here, pod, limitBytes="1"))
    except ApiError as error:
        return error.passing  # nobody knows


def _printable(line: str) -> str:
    """Without signs that would move the cursor or change colours."""
    return "".join(sign if sign.isprintable() or sign == "\t" else "·" for sign in line)


def _next_steps(here: Here, run: Run) -> str:
    name, failure = run.metadata.name, run.status.failure
    again = f"again: shoal rerun {name}"
    if not _printed(here, run):
        return again
    rank = f" --rank {failure.rank}" if failure is not None and run.spec.replicas > 1 else ""
    return f"all of it: shoal logs {name}{rank} · {again}"
