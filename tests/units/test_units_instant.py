"""Instants: texts and milliseconds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.units.errors import UnitError
from shoal.units.instant import format_instant, parse_instant


@given(st.integers(0, 4_000_000_000_000))
def test_what_is_printed_reads_back(milliseconds):
    assert parse_instant(format_instant(milliseconds)) == milliseconds


@given(st.integers(0, 4_000_000_000_000), st.integers(0, 4_000_000_000_000))
def test_texts_sort_as_times_do(one, other):
    assert (format_instant(one) < format_instant(other)) == (one < other)


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("1970-01-01T00:00:01Z", 1000),
        ("1970-01-01T01:00:01+01:00", 1000),
        ("1970-01-01T00:00:00.123456Z", 123),
    ],
)
def test_any_rfc_3339_text_is_read(text, milliseconds):
    assert parse_instant(text) == milliseconds


@pytest.mark.parametrize("text", ["", "yesterday", "2026-01-01T00:00:00", "12:00"])
def test_what_is_no_instant_is_refused_with_an_example(text):
    with pytest.raises(UnitError, match="example: 2026-12-24T08:00:00Z"):
        parse_instant(text)
