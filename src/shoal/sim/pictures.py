"""Pictures of runs, as SVG or PNG. Drawn by matplotlib, which only they import."""

from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from shoal.core.engine.policy import Policy
from shoal.sim.classes import NO_CARD
from shoal.sim.errors import BAD_INPUT
from shoal.sim.many import mean_curve, spread_of
from shoal.sim.record import Record
from shoal.sim.stays import StayRecord

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SUFFIXES: Final = (".svg", ".png")
_HOUR: Final = 3600
_SIZE: Final = (11.0, 4.4)
_COLOURS: Final = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#4d4d4d", "#a6761d",
)  # fmt: skip
"""Told apart by people who do not see red or green."""
_DULL_UNTIL: Final = 60
"""Below this arrived load everything is placed whatever the policy."""
_TELLING: Final = 90
"""At this load much is idle still, and policies differ in what can be done with it."""


class PictureError(Exception):
    """A picture cannot be drawn; the sentence says what to do."""

    exit_code = BAD_INPUT


def check_picture(path: Path) -> None:
    """Raise PictureError where no picture could be drawn into the file."""
    if path.suffix not in _SUFFIXES:
        raise PictureError(f"{path}: a picture is a file that ends in .svg or .png")
    if not path.parent.is_dir():
        raise PictureError(f"{path}: there is no folder {path.parent}")
    if find_spec("matplotlib") is None:
        raise PictureError("pictures are drawn by matplotlib: pip install 'shoal[sim]'")


def draw_loads(path: Path, title: str, found: Mapping[Policy, Sequence[Record]]) -> None:
    """Allocation against arrived load; beside it fragmentation by kind of work."""
    with_one = len(found) == 1

    def fill(figure: "Figure") -> None:
        left, right = figure.subplots(1, 2)
        _draw_allocation(left, found)
        if with_one:
            _draw_unusable(right, next(iter(found.values())))
        else:
            _draw_unusable_at(right, found)

    draw(path, title, fill)


def draw_use(path: Path, title: str, found: Mapping[Policy, Sequence[StayRecord]]) -> None:
    """Cards in use over time in the first seed: by owner, or of several policies in all."""

    def fill(figure: "Figure") -> None:
        axes = figure.subplots()
        if len(found) == 1:
            _draw_owners(axes, next(iter(found.values()))[0])
        else:
            _draw_totals(axes, found)
        axes.set(xlabel="hours", ylabel="cards in use")
        _finish(axes)
        axes.legend(loc="lower right")

    draw(path, title, fill)


def draw(path: Path, title: str, fill: "Callable[[Figure], None]") -> None:
    """Write one picture; ``fill`` draws into it. The same input gives the same file."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "shoal", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=_SIZE, layout="constrained")
        figure.suptitle(title)
        fill(figure)
        try:
            figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else {})
        except OSError as error:
            raise PictureError(f"{path} cannot be written: {error.strerror}") from error


def colour(index: int) -> str:
    """The colour of the next thing that is told apart."""
    return _COLOURS[index % len(_COLOURS)]


def _draw_owners(axes: "Axes", record: StayRecord) -> None:
    hours = [moment / _HOUR for moment in record.moments]
    colours = [colour(at) for at in range(len(record.in_use))]
    axes.stackplot(hours, list(record.in_use.values()), labels=list(record.in_use), colors=colours)
    axes.set_ylim(0)
    axes.set_title("Cards over time by owner")


def _draw_totals(axes: "Axes", found: Mapping[Policy, Sequence[StayRecord]]) -> None:
    for index, (policy, records) in enumerate(found.items()):
        record = records[0]
        hours = [moment / _HOUR for moment in record.moments]
        totals = [sum(each) for each in zip(*record.in_use.values(), strict=True)]
        mean = spread_of([each.utilisation for each in records]).mean
        axes.plot(hours, totals, color=colour(index), label=f"{policy.value}, mean {mean:.2f} %")
    axes.set_title("Cards over time")


def _draw_allocation(axes: "Axes", found: Mapping[Policy, Sequence[Record]]) -> None:
    last = len(next(iter(found.values()))[0].allocation)
    loads = range(_DULL_UNTIL if last > _DULL_UNTIL + 1 else 0, last)
    axes.plot(loads, [min(load, 100) for load in loads], color="#bbbbbb", label="all that arrives")
    for index, (policy, records) in enumerate(found.items()):
        points = [spread_of([each.allocation[load] for each in records]) for load in loads]
        means = [point.mean for point in points]
        axes.plot(loads, means, color=colour(index), label=f"{policy.value}, {means[-1]:.2f}")
        low, high = zip(
            *((p.mean - p.deviation, p.mean + p.deviation) for p in points), strict=True
        )
        axes.fill_between(loads, low, high, color=colour(index), alpha=0.2, linewidth=0)
    axes.set(xlabel="arrived, % of all cards", ylabel="allocated, % of all cards")
    axes.set_title("Allocation, mean ± deviation of the seeds; last value named")
    _finish(axes)
    axes.legend(loc="lower right")


def _draw_unusable(axes: "Axes", records: Sequence[Record]) -> None:
    """Against load: what is idle, and what of it is of no use to each kind of work."""
    for index, kind in enumerate(records[0].by_kind):
        curve = mean_curve([each.by_kind[kind] for each in records])
        idle = kind == NO_CARD
        axes.plot(
            range(len(curve)),
            curve,
            color="#bbbbbb" if idle else colour(index),
            label="idle" if idle else f"to {kind}",
        )
    axes.set(xlabel="arrived, % of all cards", ylabel="idle and unusable, % of all cards")
    axes.set_title("Fragmentation by class")
    axes.set_ylim(0)
    _finish(axes)
    axes.legend(loc="upper right")


def _draw_unusable_at(axes: "Axes", found: Mapping[Policy, Sequence[Record]]) -> None:
    """At one load, by kind of work: a bar for each policy."""
    first = next(iter(found.values()))[0]
    at = min(_TELLING, len(first.allocation) - 1)
    kinds = [kind for kind in first.by_kind if kind != NO_CARD]
    width = 0.8 / len(found)
    for index, records in enumerate(found.values()):
        heights = [mean_curve([each.by_kind[kind] for each in records])[at] for kind in kinds]
        middles = [place - 0.4 + width * (index + 0.5) for place in range(len(kinds))]
        axes.bar(middles, heights, width, color=colour(index))
    axes.set_xticks(range(len(kinds)), kinds)
    axes.set(ylabel="idle and unusable, % of all cards")
    axes.set_title(f"Fragmentation by class, at {at} % arrived")
    _finish(axes)


def _finish(axes: "Axes") -> None:
    axes.margins(x=0)
    axes.grid(visible=True, color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
