"""Expressions: what they mean, what is refused before they run, and that they end."""

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.dialect.cel.errors import CelError, CelSyntaxError, OutOfSteps
from shoal.dialect.cel.program import Scope, compiled, mentions
from shoal.dialect.cel.values import Steps

ONE_DAY = datetime.timedelta(days=1)


def value_of(text, steps=10_000, **names):
    return compiled(text, list(names))(Scope(names, Steps(steps)))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("7 / 2", 3),
        ("-7 / 2", -3),
        ("-7 % 3", -1),
        ("7.0 / 2.0", 3.5),
        ("1 == 1.0", True),
        ("1 == true", False),
        ("'a' + \"b\"", "ab"),
        (r"'\u0041\n'", "A\n"),
        (r"r'\d'", r"\d"),
        ("[1] + [2]", [1, 2]),
        ("{'a': 1}.a", 1),
        ("{'a': 1}['a']", 1),
        ("2 in [1, 2]", True),
        ("'a' in {'a': 1}", True),
        ("true ? 1 : 2", 1),
        ("!true || 1 < 2 && 3 >= 3", True),
        ("has({'a': 1}.b)", False),
        ("[1, 2, 3].all(x, x > 0)", True),
        ("[1, 2, 3].exists(x, x > 2)", True),
        ("[1, 2, 3].exists_one(x, x > 1)", False),
        ("[1, 2, 3].filter(x, x > 1)", [2, 3]),
        ("[1, 2, 3].map(x, x * 2)", [2, 4, 6]),
        ("[1, 2, 3].map(x, x > 1, x * 2)", [4, 6]),
        ("[1, 2].map(x, [3].filter(x, x > 0))", [[3], [3]]),
        ("{'a': 1, 'b': 2}.all(k, k < 'c')", True),
        ("size('héé') + [1].size()", 4),
        ("'abc'.matches('^a.c$')", True),
        ("'abc'.matches('^b')", False),
        ("'a,b'.split(',').join('-')", "a-b"),
        ("'abc'.substring(1) + 'abc'.substring(0, 1)", "bca"),
        ("'abc'.replace('b', 'x').upperAscii()", "AXC"),
        ("' a '.trim()", "a"),
        ("'banana'.lastIndexOf('a') - 'banana'.indexOf('a')", 4),
        ("[3, 1].min() + [3, 1].max() + [3, 1].sum()", 8),
        ("[1, 2].isSorted() && ![2, 1].isSorted()", True),
        ("int('7') + int(1.9)", 8),
        ("string(3) + string(true)", "3true"),
        ("double(1) / 2.0", 0.5),
        ("duration('90m') == duration('1h30m')", True),
        ("timestamp('2026-01-02T00:00:00Z') - timestamp('2026-01-01T00:00:00Z')", ONE_DAY),
        ("1 < 2 // a remark", True),
    ],
)
def test_an_expression_means(text, value):
    assert value_of(text) == value
    assert type(value_of(text)) is type(value)


def test_names_stand_for_values():
    assert value_of("self.a.b[0] < old.a", self={"a": {"b": [1]}}, old={"a": 2})


def test_a_field_name_that_is_no_name_is_written_otherwise():
    assert value_of("self.a__dash__b + self.__namespace__", self={"a-b": 1, "namespace": 2}) == 3


def test_an_error_does_not_matter_where_the_other_side_decides():
    assert value_of("1 / 0 == 1 || true") is True
    assert value_of("true || 1 / 0 == 1") is True
    assert value_of("1 / 0 == 1 && false") is False
    assert value_of("[0, 1].exists(x, 1 / x == 1)") is True


@pytest.mark.parametrize(
    "text",
    [
        "1 / 0",
        "1 % 0",
        "self.none",
        "[1][1]",
        "[1][-1]",
        "1 + 'a'",
        "1 + 1.0",
        "'a' < 1",
        "1 && true",
        "9223372036854775807 + 1",
        "'abc'.substring(2, 9)",
        "'a'.matches('(')",
        "duration('soon')",
        "timestamp('today')",
        "int('x')",
        "[].max()",
        "{1: 2}",
        "1.all(x, true)",
    ],
)
def test_there_is_no_value(text):
    with pytest.raises(CelError):
        value_of(text, self={})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1 +",
        "(1",
        "1 2",
        "'a",
        "@",
        "nobody",
        "self.f()",
        "f(1)",
        "has(self)",
        "self.all(1, true)",
        "self?.a",
        r"'\q'",
        "x" * 20_000,
        "(" * 80 + "1" + ")" * 80,
    ],
)
def test_what_cannot_be_used_is_refused_before_it_runs(text):
    with pytest.raises(CelSyntaxError):
        compiled(text, ["self"])


def test_it_ends():
    deep = "[1,2,3,4,5,6,7,8,9].all(a, " * 6 + "true" + ")" * 6
    with pytest.raises(OutOfSteps):
        value_of(deep)
    with pytest.raises(OutOfSteps):
        value_of("self.replace('a', self).replace('a', self)", steps=1000, self="a" * 1000)


def test_a_rule_tells_whether_it_looks_back():
    assert mentions("self == oldSelf", "oldSelf")
    assert not mentions("self.oldSelf == 'oldSelf'", "oldSelf")


values = (
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False)
        | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
        ),
        max_leaves=5,
    )
    | st.timedeltas()
    | st.datetimes(timezones=st.just(datetime.UTC))
)
OPERATIONS = (
    "self + old",
    "self - old",
    "self * old",
    "self / old",
    "self % old",
    "self < old",
    "self == old",
    "self in old",
    "self[old]",
    "-self",
    "self.size()",
    "self.all(x, x == old)",
    "self.indexOf(old)",
    "self.split(old)",
    "self.join(old)",
    "self.sum()",
    "self.max()",
    "self.isSorted()",
    "self.matches(old)",
    "self.substring(old)",
    "string(self)",
    "int(self)",
    "double(self)",
    "bool(self)",
    "duration(self)",
    "timestamp(self)",
    "self ? old : 1",
)


@given(values, values, st.sampled_from(OPERATIONS))
def test_an_operation_has_a_value_or_says_why_not(one, other, text):
    try:
        value_of(text, self=one, old=other)
    except CelError as error:
        assert str(error)
