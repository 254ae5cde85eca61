"""Facts in few words, the same everywhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.api.run import ReplicaStatus, RunSpec
from shoal.cli.board import WIDTH, bar
from shoal.cli.fit import cut, squeeze
from shoal.cli.output import Cell, Tone, lay_out
from shoal.cli.say import (
    say_bytes,
    say_cards,
    say_gpu,
    say_where,
    span_seconds,
    spell,
)


@pytest.mark.parametrize(
    ("replicas", "gpu", "short", "long"),
    [
        (1, "0.5", "1/2", "1/2 card"),
        (4, "1/4", "4 × 1/4", "4 × 1/4 card"),
        (1, "2", "2", "2 cards"),
        (1, "", "-", ""),
        (3, "", "-", ""),
        (2, "A100:10Gi@30%", "2 × A100:10Gi@30%", "2 × A100:10Gi@30% card"),
    ],
)
def test_cards_are_said_as_people_ask_for_them(replicas, gpu, short, long) -> None:
    spec = RunSpec(run="true", replicas=replicas, gpu=gpu)
    assert (say_gpu(spec), say_cards(spec)) == (short, long)


def place(node: str, *cards: str) -> ReplicaStatus:
    return ReplicaStatus(node=node, cards=list(cards))


@pytest.mark.parametrize(
    ("replicas", "where"),
    [
        ([], "-"),
        ([place("")], "-"),
        ([place("box1")], "box1"),
        ([place("box1", "gpu-1"), place("box1", "gpu-0"), place("box1", "gpu-10")], "box1:0,1,10"),
        ([place("b", "gpu-0"), place("a", "gpu-2", "gpu-1")], "a:1,2 b:0"),
        ([place(f"n{n}", "gpu-0") for n in range(9)], "n0:0 n1:0 n2:0 +6 nodes"),
    ],
)
def test_places_are_nodes_with_their_cards(replicas, where) -> None:
    assert say_where(replicas) == where


def test_times_and_sizes_are_short() -> None:
    assert [spell(seconds) for seconds in (0, 58, 118)] == ["0 s", "58 s", "1m58s"]
    sizes = [say_bytes(size) for size in (0, 999, 48_200, 1_200_000, 300 * 10**6)]
    assert sizes == ["0 B", "999 B", "48 kB", "1.2 MB", "300 MB"]


@given(held=st.integers(0, 2000), whole=st.integers(0, 1000))
def test_a_bar_is_always_as_wide_and_full_only_when_it_is(held: int, whole: int) -> None:
    drawn = bar(held, whole)
    assert len(drawn) == WIDTH
    assert (drawn == "█" * WIDTH) == (whole > 0 and held >= whole)


TEXTS = st.text(alphabet="abc é×", max_size=6)


@given(rows=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=6))
def test_columns_line_up_with_and_without_colours(rows: list[tuple[str, str]]) -> None:
    width = max(len(first) for first, _ in rows)
    for line, (first, second) in zip(lay_out(rows, colours=False), rows, strict=True):
        assert line == f"{first:<{width}}  {second}".rstrip()
    toned = [(Cell(first, Tone.BAD), second) for first, second in rows]
    plain = [
        line.replace("\x1b[31m", "").replace("\x1b[0m", "") for line in lay_out(toned, colours=True)
    ]
    assert [line.rstrip() for line in plain] == lay_out(rows, colours=False)


@pytest.mark.parametrize(
    ("end", "seconds"), [("01.499Z", 1), ("01.5Z", 2), ("01.980Z", 2), ("02.03Z", 2)]
)
def test_durations_are_rounded_to_the_nearest_second(end, seconds) -> None:
    day = "2026-01-01T00:00:"
    assert span_seconds(f"{day}00Z", f"{day}{end}", 0) == seconds


def test_what_does_not_fit_is_cut_between_words() -> None:
    assert cut("one two three", 13) == "one two three"
    assert [cut("one two three", width) for width in (12, 8, 7, 2)] == [
        "one two…", "one two…", "one…", "o…"
    ]  # fmt: skip


@given(text=st.text(alphabet="ab ·;", max_size=60), width=st.integers(1, 70))
def test_what_was_cut_always_fits(text: str, width: int) -> None:
    for shorter in (cut(text, width), squeeze(text, width)):
        assert len(shorter) <= width
        assert shorter == text or "…" in shorter


@given(rows=st.lists(st.tuples(TEXTS, TEXTS, st.text("xy ", max_size=40)), min_size=1, max_size=4))
def test_rows_fit_the_terminal_and_the_last_column_gives_way(rows) -> None:
    whole = lay_out(rows, colours=False)
    for narrow, wide in zip(lay_out(rows, colours=False, width=30), whole, strict=True):
        assert len(narrow) <= 30
        assert narrow == wide or narrow[:10].rstrip("… ") == wide[: len(narrow[:10].rstrip("… "))]
