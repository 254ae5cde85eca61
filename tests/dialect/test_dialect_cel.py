"""Expressions: what they mean, what is refused before they run, and that they end."""

import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.dialect.cel.checking import check_types
from shoal.dialect.cel.errors import CelError, CelSyntaxError, OutOfSteps
from shoal.dialect.cel.functions import FUNCTIONS, METHODS
from shoal.dialect.cel.program import compiled, mentions
from shoal.dialect.cel.scope import Scope
from shoal.dialect.cel.types import ANY, Type
from shoal.dialect.cel.values import Steps, kind_of

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


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("quantity('1Gi') == quantity('1024Mi')", True),
        ("quantity('1.5').add(quantity('500m')).compareTo(quantity('2'))", 0),
        ("quantity('2').sub(1).asInteger()", 1),
        ("quantity('50k').isInteger() && !quantity('50m').isInteger()", True),
        ("quantity('200M').isLessThan(quantity('1G'))", True),
        ("quantity('1G').isGreaterThan(quantity('1Gi'))", False),
        ("quantity('-5m').sign()", -1),
        ("quantity('500m').asApproximateFloat()", 0.5),
        ("isQuantity('1.3Gi') && !isQuantity('1.3GiB')", True),
        ("isIP('10.0.0.1') && isIP('::1') && !isIP('10.0.0.01') && !isIP('10.0.0.256')", True),
        ("isIP('::ffff:10.0.0.1') || isIP('fe80::1%eth0')", False),
        ("ip('::1').family() + ip('10.0.0.1').family()", 10),
        ("ip.isCanonical('2001:db8::1') && !ip.isCanonical('2001:DB8::1')", True),
        ("ip('127.0.0.1').isLoopback() && ip('0.0.0.0').isUnspecified()", True),
        ("ip('10.0.0.1').isGlobalUnicast() && !ip('224.0.0.1').isGlobalUnicast()", True),
        ("ip('224.0.0.1').isLinkLocalMulticast() && ip('fe80::1').isLinkLocalUnicast()", True),
        ("string(ip('10.0.0.1'))", "10.0.0.1"),
        ("cidr('10.0.0.0/8').containsIP('10.1.2.3')", True),
        ("cidr('10.0.0.0/8').containsIP(ip('11.0.0.1'))", False),
        ("cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')", True),
        ("cidr('10.1.0.0/16').containsCIDR(cidr('10.0.0.0/8'))", False),
        ("cidr('10.0.0.0/8').containsCIDR('::/8')", False),
        ("string(cidr('10.1.2.3/8').masked())", "10.0.0.0/8"),
        ("string(cidr('10.1.2.3/8').ip())", "10.1.2.3"),
        ("cidr('10.1.2.3/8').prefixLength()", 8),
        ("isCIDR('10.0.0.0/8') && !isCIDR('10.0.0.0') && !isCIDR('10.0.0.0/08')", True),
        ("isURL('https://a.example:80/x?y=1') && isURL('/x') && !isURL('x/y')", True),
        ("isURL('https://a b') || isURL('https://a:port/') || isURL('')", False),
        ("url('https://me@a.example:80/x').getHost()", "a.example:80"),
        ("url('https://[::1]:80/x').getHostname() + url('https://a/').getHostname()", "::1a"),
        ("url('https://a:80/').getPort() + url('https://a/').getPort()", "80"),
        ("url('https://a/b c'.replace(' ', '%20')).getEscapedPath()", "/b%20c"),
        ("url('https://a/?k=1&k=2&l=').getQuery()", {"k": ["1", "2"], "l": [""]}),
        ("url('https://a/').getScheme()", "https"),
        ("'abc 12 de 345'.find('[0-9]+')", "12"),
        ("'abc'.find('[0-9]+')", ""),
        ("'abc 12 de 345'.findAll('[0-9]+')", ["12", "345"]),
        ("'1 2 3'.findAll('[0-9]', 2)", ["1", "2"]),
        ("'%s has %d of %.1f %%'.format(['a', 1, 2.25])", "a has 1 of 2.2 %"),
        ("'%x %X %o %b'.format([255, 'az', 8, 5])", "ff 617A 10 101"),
        ("'%s'.format([[1, 'b', {'c': true}]])", "[1, b, {c: true}]"),
        ("'%e'.format([1500.0])", "1.500000e+03"),
        ("format.dns1123Label().validate('a-b').hasValue()", False),
        ("format.dns1123Label().validate('A').value().size()", 1),
        ("format.dns1035Label().validate('1a').hasValue()", True),
        ("format.dns1123LabelPrefix().validate('a-').hasValue()", False),
        ("format.named('uuid').hasValue() && !format.named('none').hasValue()", True),
        ("format.uri().validate('http://a').hasValue()", False),
        ("optional.of(1).value() + optional.none().orValue(2)", 3),
        ("optional.none().or(optional.of(3)).value()", 3),
        ("optional.ofNonZeroValue('').hasValue()", False),
        ("{'a': 1}.?a.orValue(0) + {'a': 1}.?b.orValue(5)", 6),
        ("{'a': {'b': 2}}.?a.b.orValue(0)", 2),
        ("{'a': {'b': 2}}.?x.b.c.orValue(7)", 7),
        ("[1, 2][?1].value() + [1][?5].orValue(1) + {'a': 1}[?'a'].value()", 4),
        ("{'a': 2}.?a.optMap(x, x * 3).orValue(0)", 6),
        ("{'a': {'b': 2}}.?a.optFlatMap(x, x.?c).hasValue()", False),
        ("has({'a': {'b': 2}}.?a.b) && !has({}.?a.b)", True),
        ("{}.?a == optional.none() && {'a': 1}.?a == optional.of(1)", True),
        ("sets.contains([1, 2, 3], [3, 1]) && !sets.contains([1], [2])", True),
        ("sets.equivalent([1, 2, 2], [2, 1])", True),
        ("sets.intersects([1, 2], [2, 3]) && !sets.intersects([], [1])", True),
        ("math.greatest(1, 3, 2) + math.least([4, 2])", 5),
        ("math.greatest(1.5, 1)", 1.5),
        ("[1, 2, 1].distinct()", [1, 2]),
        ("[1, [2, 3], [[4]]].flatten()", [1, 2, 3, [4]]),
        ("[1, 2].first().value() + [1, 2].last().value()", 3),
        ("[].first().hasValue()", False),
        ("[1, 2].reverse() + [size('ab'.reverse())]", [2, 1, 2]),
        ("cel.bind(x, 2, x * x)", 4),
        ("type(1) == int && type('a') == string && type(1) != double", True),
        ("type([]) == list && type(type(1)) == type && type(null) == null_type", True),
        ("[5, 6].all(i, x, x == i + 5)", True),
        ("[5].map(self, self + 1)", [6]),
        ("{'a': 1}.exists(k, v, k == 'a' && v == 1)", True),
        ("[1, 1].existsOne(i, x, x == 1)", False),
        ("[5, 6].transformList(i, x, i * x)", [0, 6]),
        ("[5, 6].transformList(i, x, i > 0, x)", [6]),
        ("{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v * 2)", {"b": 4}),
        ("timestamp('2026-03-01T01:02:03.004+01:00').getFullYear()", 2026),
        ("timestamp('2026-03-01T00:30:00+01:00').getMonth()", 1),
        ("timestamp('2026-03-01T00:30:00+01:00').getDate()", 28),
        ("timestamp('2026-03-01T00:00:00Z').getDayOfMonth()", 0),
        ("timestamp('2026-03-01T00:00:00Z').getDayOfWeek()", 0),
        ("timestamp('2026-03-01T00:00:00Z').getDayOfYear()", 59),
        ("timestamp('2026-03-01T04:05:06.007Z').getMilliseconds()", 7),
        ("duration('90m').getHours() + duration('-90m').getMinutes()", -89),
        ("string(duration('90m'))", "5400s"),
        ("string(timestamp('2026-01-02T00:00:00Z'))", "2026-01-02T00:00:00Z"),
        ("'a,b,c'.split(',', 2)", ["a", "b,c"]),
        ("'aaa'.replace('a', 'b', 2) + string('banana'.indexOf('a', 2))", "bba3"),
        ("string(0.1) + string(1234567.5)", "0.11234567.5"),
    ],
)
def test_a_library_means(text, value):
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
        "quantity('1GiB')",
        "quantity('500m').asInteger()",
        "ip('here')",
        "cidr('10.0.0.1')",
        "url('x')",
        "optional.none().value()",
        "optional.of(1).optFlatMap(x, x)",
        "'%d'.format(['a'])",
        "'%s'.format([])",
        "'%s'.format([1, 2])",
        "'%q'.format([1])",
        "'a'.find('(')",
        "math.greatest([])",
        "math.least(1, 'a')",
        "[1].transformMap(i, x, x)",
        "1.?a",
        "sets.contains(1, [1])",
        "'a'.validate('b')",
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
        "1u",
        "b'a'",
        "base64.encode('a')",
        "semver('1.0.0')",
        "math.nothing(1)",
        "format.nothing()",
        "self.all(x, x, true)",
        "self.map(i, x, x, x)",
        "self.transformList(x, x)",
        "self.optMap(1, 2)",
        "cel.bind(1, 2, 3)",
        "self.?f()",
        "[?self.?a]",
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


@pytest.mark.parametrize(
    "text",
    [
        "self.map(x, self + self)",
        "self.map(x, self.reverse())",
        "self.map(x, words.split(','))",
        "self.map(x, words.findAll('a'))",
        "self.map(x, self.distinct())",
        "self.map(x, sets.contains(self, self))",
        "self.map(x, '%s%s'.format([words, words]))",
        "self.map(i, url('/?' + words).getQuery())",
    ],
)
def test_what_is_made_has_a_most(text):
    with pytest.raises(OutOfSteps):
        value_of(text, steps=20_000, self=list(range(2000)), words="a," * 2000)


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
    "quantity(self).add(quantity(old))",
    "isQuantity(self)",
    "isIP(self) || isCIDR(self)",
    "ip(self) == ip(old)",
    "cidr(self).containsIP(old)",
    "isURL(self)",
    "url(self).getQuery()",
    "self.find(old)",
    "self.findAll(old)",
    "self.format([old])",
    "'%s %s'.format([self, old])",
    "'%e'.format([self])",
    "self.?a.orValue(old)",
    "self[?old]",
    "sets.equivalent(self, old)",
    "math.greatest(self, old)",
    "self.distinct()",
    "self.flatten()",
    "self.reverse()",
    "self.first()",
    "self.split(old, 2)",
    "self.transformList(i, x, x == old)",
    "type(self) == type(old)",
    "self.getFullYear() + self.getHours()",
    "format.uri().validate(self)",
    "optional.ofNonZeroValue(self) == optional.of(old)",
)


@given(values, values, st.sampled_from(OPERATIONS))
def test_an_operation_has_a_value_or_says_why_not(one, other, text):
    try:
        value_of(text, self=one, old=other)
    except CelError as error:
        assert str(error)


LEAVES = ("self", "old", "self.a", "self.?a", "1", "1.5", "'a'", "true", "null", "[]", "{'a': 1}")
expressions = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: st.one_of(
        st.builds("{} {} {}".format, inner, st.sampled_from(["+", "==", "<", "in", "&&"]), inner),
        st.builds("({} ? {} : {})".format, inner, inner, inner),
        st.builds("{}[{}]".format, inner, inner),
        st.builds(
            lambda name, values: f"{name[0]}({', '.join(values[: name[1]])})",
            st.sampled_from(sorted(FUNCTIONS)),
            st.lists(inner, min_size=3, max_size=3),
        ),
        st.builds(
            lambda on, name, values: f"({on}).{name[0]}({', '.join(values[: name[1] - 1])})",
            inner,
            st.sampled_from(sorted(METHODS)),
            st.lists(inner, min_size=3, max_size=3),
        ),
        st.builds(
            "({}).{}({}, {})".format,
            inner,
            st.sampled_from(["all", "map", "filter", "optMap", "exists_one"]),
            st.sampled_from(["x", "self"]),
            inner,
        ),
        st.builds("({}).transformMap(k, v, {})".format, inner, inner),
        st.builds("cel.bind(x, {}, {})".format, inner, inner),
    ),
    max_leaves=6,
)


@settings(max_examples=400, deadline=None)
@given(expressions, values, values)
def test_any_expression_is_refused_or_has_a_value_or_says_why_not(text, one, other):
    names = {"self": one, "old": other}
    try:
        check_types(text, dict.fromkeys(names, ANY), ANY)
        run = compiled(text, list(names))
    except CelSyntaxError as error:
        assert str(error)
        return
    try:
        run(Scope(names, Steps(10_000)))
    except (CelError, OutOfSteps) as error:
        assert str(error)


@settings(max_examples=400, deadline=None)
@given(expressions, values, values)
def test_a_value_is_of_the_type_that_was_promised(text, one, other):
    names = {"self": one, "old": other}
    types = {name: Type(kind_of(value)) for name, value in names.items()}
    try:
        check_types(text, types, ANY)
        value = compiled(text, list(names))(Scope(names, Steps(10_000)))
    except (CelSyntaxError, CelError, OutOfSteps):
        return
    check_types(text, types, Type(kind_of(value)))
