"""Keys that a JSON text gives twice."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.dialect.duplicates import duplicates


def found(text: str) -> list[str]:
    return duplicates(text.encode(), msgspec.json.decode(text))


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ('{"a":1,"a":2}', ["a"]),
        ('{"metadata":{"name":"d","name":"e"}}', ["metadata.name"]),
        ('{"s":[{"x":{"y":1,"y":2}}],"s":[]}', ["s[0].x.y", "s"]),
        ('{"a" : 1 , "a"\n: 2}', ["a"]),
        ('{"a\\"":1,"a\\"":2}', ['a"']),
        ('{"a":"\\":","b":"\\\\"}', []),
        ('{"a":1,"b":{"a":2}}', []),
    ],
)
def test_a_repeated_key_is_told_with_its_path(text, paths):
    assert found(text) == paths


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(JSON, st.booleans())
def test_what_was_written_from_an_object_has_no_duplicates(value, spaced):
    text = json.dumps(value, separators=None if spaced else (",", ":"))
    assert duplicates(text.encode(), value) == []
