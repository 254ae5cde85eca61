"""Quantities and durations: exact integers, rounded so that nobody gets less than asked."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.units.duration import parse_duration, say_duration
from shoal.units.errors import UnitError
from shoal.units.quantity import (
    canonical,
    format_cpu,
    format_mib,
    parse_bytes,
    parse_cpu,
    parse_mib,
    parse_quantity,
    say_cpu,
    say_mib,
)

amounts = st.integers(0, 10**9)


@given(amounts)
def test_cpu_is_read_back_the_same(milli: int) -> None:
    assert parse_cpu(format_cpu(milli)) == milli


@given(amounts)
def test_cpu_is_said_exactly(milli: int) -> None:
    assert Fraction(say_cpu(milli)) * 1000 == milli


@given(amounts)
def test_memory_is_read_back_the_same(mib: int) -> None:
    assert parse_mib(format_mib(mib)) == mib


@given(st.integers(0, 10**15))
def test_bytes_round_up_to_whole_mib(size: int) -> None:
    mib = parse_mib(size)
    assert 0 <= mib * 1024 * 1024 - size < 1024 * 1024


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("4", 4),
        (4, 4),
        ("500m", Fraction(1, 2)),
        ("1.5Gi", 3 * 2**29),
        ("1e3", 1000),
        ("1E3", 1000),
        ("1E", 10**18),
        ("1Ei", 2**60),
        ("100u", Fraction(1, 10_000)),
        (".5", Fraction(1, 2)),
        ("5.", 5),
        ("+1k", 1000),
        ("-2", -2),
        ("12e-1", Fraction(6, 5)),
    ],
)
def test_quantities_as_kubernetes_writes_them(text: str | int, value: Fraction | int) -> None:
    assert parse_quantity(text) == value


def test_a_part_of_a_byte_or_mcpu_rounds_up() -> None:
    assert parse_bytes("1500m") == 2
    assert parse_cpu("1u") == 1


@pytest.mark.parametrize("text", ["", "x", "1K", "1KI", "1 Gi", "1e", "1e99", "--1", "1_0", "٣"])
def test_what_is_no_quantity_is_refused_with_examples(text: str) -> None:
    with pytest.raises(UnitError, match=r"examples: 4, 500m, 32Gi"):
        parse_quantity(text)


@pytest.mark.parametrize("parse", [parse_cpu, parse_bytes, parse_mib])
def test_an_amount_is_never_negative(parse) -> None:
    with pytest.raises(UnitError, match=r"-1 is negative.* 4 or 32Gi"):
        parse("-1")


@given(st.text(max_size=8))
def test_any_text_is_a_quantity_or_refused(text: str) -> None:
    try:
        assert isinstance(parse_quantity(text), Fraction)
    except UnitError as error:
        assert "\n" not in repr(str(error))


def test_sizes_for_people() -> None:
    said = [say_mib(mib) for mib in (300, 1024, 1536, 40 * 1024, 15109)]
    assert said == ["300 MiB", "1 GiB", "1.5 GiB", "40 GiB", "14.8 GiB"]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90s", 90),
        ("30m", 1800),
        ("1h30m", 5400),
        ("2d", 172_800),
        ("1.5h", 5400),
        ("0.5m", 30),
        ("45", 45),
        (45, 45),
    ],
)
def test_durations_that_people_write(text: str | int, seconds: int) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "h", "1.h", ".5h", "-1s", "1 h", "1w", "٣h", "5s garbage"])
def test_what_is_no_duration_is_refused_with_examples(text: str) -> None:
    with pytest.raises(UnitError, match=r"examples: 90s, 30m, 1h30m, 2d"):
        parse_duration(text)


@pytest.mark.parametrize("text", ["0.3s", "1.0001h"])
def test_a_duration_is_a_whole_number_of_seconds(text: str) -> None:
    with pytest.raises(UnitError, match="no whole number of seconds; examples"):
        parse_duration(text)


@pytest.mark.parametrize("text", ["0s", 0, "3651d", "9" * 12])
def test_a_duration_is_at_least_a_second_and_at_most_ten_years(text: str | int) -> None:
    with pytest.raises(UnitError, match="outside 1s to 3650d; examples"):
        parse_duration(text)


@given(st.integers(1, 3650 * 86_400))
def test_a_duration_is_said_in_two_units_and_never_longer_than_it_is(seconds: int) -> None:
    said = parse_duration(say_duration(seconds))
    assert 0 <= seconds - said < max(seconds / 20, 1)


def test_durations_as_people_glance_at_them() -> None:
    said = [say_duration(seconds) for seconds in (0, 58, 118, 3600, 273_600, -4)]
    assert said == ["0s", "58s", "1m58s", "1h", "3d4h", "0s"]


WRITTEN = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "-", "+"]),
    st.integers(0, 10**6).map(str) | st.decimals(0, 10**4, places=2).map(str),
    st.sampled_from(["", *"numkMGTPE", "Ki", "Mi", "Gi", "Ti", "e3", "E-2", "e0"]),
)
MOST = 2**63 - 1


@given(WRITTEN)
def test_the_one_way_of_writing_a_quantity_is_its_own(text: str) -> None:
    assert canonical(canonical(text)) == canonical(text)


@given(WRITTEN)
def test_the_one_way_of_writing_a_quantity_keeps_its_value(text: str) -> None:
    value, written = parse_quantity(text), parse_quantity(canonical(text))
    if abs(value) >= MOST:
        assert abs(written) == MOST
    elif text.endswith("i") and abs(value) >= 1024:
        assert 0 <= abs(written) - abs(value) < 1
    else:
        assert 0 <= abs(written) - abs(value) < Fraction(1, 10**9)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("0.5", "500m"),
        ("1024Mi", "1Gi"),
        ("1.5Gi", "1536Mi"),
        ("0.5Ki", "512"),
        ("1000m", "1"),
        ("2000", "2k"),
        ("100", "100"),
        ("1e3", "1e3"),
        ("12E4", "120e3"),
        ("1e2", "100"),
        ("0Mi", "0"),
        ("-0.5", "-500m"),
        ("0.1n", "1n"),
        ("8Ei", "9223372036854775807"),
        (" 1 ", "1"),
    ],
)
def test_the_one_way_of_writing_a_quantity(text: str, written: str) -> None:
    assert canonical(text) == written


@pytest.mark.parametrize("text", ["", "1 Gi", "1gi", "x", "1e99", "--1", "1Kib", "inf"])
def test_what_is_no_quantity_has_no_way_of_writing(text: str) -> None:
    with pytest.raises(UnitError):
        canonical(text)
