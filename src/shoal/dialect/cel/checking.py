"""Whether an expression can hold at all, by the types of its names.

Refused is what never has a value: a field that objects do not have, an operator or function
between types that it is not for. What is not known for certain is let be until it runs.
"""

from collections.abc import Callable, Mapping
from typing import Final

from shoal.dialect.cel.conversions import KINDS
from shoal.dialect.cel.errors import CelSyntaxError
from shoal.dialect.cel.function import Function, say_kinds
from shoal.dialect.cel.functions import FUNCTIONS, METHODS
from shoal.dialect.cel.loops import Loop, loop_of
from shoal.dialect.cel.program import unescaped
from shoal.dialect.cel.syntax import Call, ListOf, Literal, MapOf, Name, Node, Select, parse
from shoal.dialect.cel.types import ANY, BOOL, INT, STRING, Type, common, list_of, optional_of, told

Types = Mapping[str, Type]


def check_types(text: str, names: Types, wanted: Type) -> None:
    """Raises CelSyntaxError where an expression has no value, or none of the type ``wanted``."""
    found = _type(parse(text), names)
    if _differ(found, wanted):
        raise CelSyntaxError(f"gives a {found.kind}, and must give a {wanted.kind}")


def _type(node: Node, names: Types) -> Type:
    match node:
        case Literal(value):
            return _LITERALS.get(type(value), ANY)
        case Name(name):
            return names.get(name) or (Type("type") if name in KINDS else ANY)
        case Select(target, name, optional):
            return _field(_type(target, names), unescaped(name), optional=optional)
        case ListOf(items):
            return list_of(common([_type(item, names) for item in items]))
        case MapOf(entries):
            values = [(_type(key, names), _type(value, names))[1] for key, value in entries]
            return Type("map", common(values))
        case Call():
            return _called(node, names)


def _field(target: Type, name: str, *, optional: bool) -> Type:
    """The type of a field; of an optional value's, that there may be one."""
    if target.kind == "optional":
        return _as_optional(_field(target.inside, name, optional=False))
    if target.kind not in ("any", "map"):
        raise CelSyntaxError(f"asks a {target.kind} for the field {name}")
    found = target.inside
    if target.fields is not None:
        if name not in target.fields:
            told = f"has {', '.join(sorted(target.fields)[:10]) or 'none'}"
            raise CelSyntaxError(f"uses the field {name}, which is not in the schema; it {told}")
        found = target.fields[name]
    return _as_optional(found) if optional else found


def _as_optional(found: Type) -> Type:
    return found if found.kind == "optional" else optional_of(found)


def _called(node: Call, names: Types) -> Type:
    if node.target is None:
        return _call(node.name, node.args, names)
    return _call_on(node.target, node.name, node.args, names)


def _call(name: str, args: tuple[Node, ...], names: Types) -> Type:
    given = [_type(arg, names) for arg in args]
    if name == "has":
        return BOOL
    if (rule := _OPERATORS.get(name)) is not None:
        return rule(name, *given)
    function = FUNCTIONS.get((name, len(given)))
    return ANY if function is None else _applied(name, function, given)


def _call_on(target: Node, name: str, args: tuple[Node, ...], names: Types) -> Type:
    if isinstance(target, Name) and target.name not in names:
        if (target.name, name) == ("cel", "bind"):
            return _bound(args, _type(args[1], names), names)
        if (function := FUNCTIONS.get((f"{target.name}.{name}", len(args)))) is not None:
            return _applied(f"{target.name}.{name}", function, [_type(a, names) for a in args])
    on = _type(target, names)
    if (loop := loop_of(name, args)) is not None:
        return _loop(name, loop, on, names)
    if name in ("optMap", "optFlatMap"):
        _check(name, on, frozenset({"optional"}))
        made = _bound((args[0], target, args[1]), on.inside, names)
        return made if name == "optFlatMap" else optional_of(made)
    given = [on, *(_type(arg, names) for arg in args)]
    if name in ("or", "orValue"):
        _check(name, on, frozenset({"optional"}))
        return common([on if name == "or" else on.inside, given[-1]])
    function = METHODS.get((name, len(given)))
    return ANY if function is None else _applied(name, function, given)


def _applied(name: str, function: Function, given: list[Type]) -> Type:
    for one, kinds in zip(given, function.takes, strict=True):
        _check(name, one, kinds)
    if function.gives == "same":
        return given[0]
    if function.gives == "item":
        return given[0].inside
    if name in ("first", "last", "optional.of", "optional.ofNonZeroValue"):
        return optional_of(given[0].inside if name in ("first", "last") else given[0])
    return told(function.gives)


def _check(name: str, given: Type, kinds: frozenset[str]) -> None:
    if kinds and given.kind != "any" and given.kind not in kinds:
        raise CelSyntaxError(f"gives {name}() a {given.kind}, and it takes a {say_kinds(kinds)}")


def _bound(args: tuple[Node, ...], value: Type, names: Types) -> Type:
    """The last expression, with a name for a value."""
    name = args[0]
    return _type(args[-1], {**names, name.name: value} if isinstance(name, Name) else names)


def _loop(name: str, loop: Loop, on: Type, names: Types) -> Type:
    _check(name, on, frozenset({"list", "map"}))
    seen = _seen(on, both=len(loop.variables) > 1)
    inner = {**names, **dict(zip(loop.variables, seen, strict=True))}
    *conditions, last = [_type(body, inner) for body in loop.bodies]
    if loop.gives in ("bool", "same"):
        conditions.append(last)
    _must_be_bool(f"{name}()", *conditions)
    if loop.gives == "same":
        return list_of(*seen)
    return BOOL if loop.gives == "bool" else Type(loop.gives, last)


def _seen(on: Type, *, both: bool) -> tuple[Type, ...]:
    """What a loop gives to its names."""
    if on.kind == "list":
        return (INT, on.inside) if both else (on.inside,)
    key = STRING if on.kind == "map" else ANY
    return (key, on.inside) if both else (key,)


def _differ(one: Type, other: Type) -> bool:
    """Whether no value is of both types."""
    if "any" in (one.kind, other.kind):
        return False
    return one.kind != other.kind or _differ(one.inside, other.inside)


def _must_be_bool(sign: str, *given: Type) -> Type:
    for one in given:
        if one.kind not in ("any", "bool"):
            raise CelSyntaxError(f"uses {sign} with a {one.kind}, where true or false is needed")
    return BOOL


def _equality(sign: str, one: Type, other: Type) -> Type:
    if "null_type" not in (one.kind, other.kind) and _differ(one, other):
        raise _no_overload(sign, one, other)
    return BOOL


def _order(sign: str, one: Type, other: Type) -> Type:
    kinds = {one.kind, other.kind} - {"any"}
    if not kinds <= _ORDERED or (len(kinds) > 1 and not kinds <= _NUMBERS):
        raise _no_overload(sign, one, other)
    return BOOL


def _membership(sign: str, one: Type, other: Type) -> Type:
    if other.kind not in ("any", "list", "map"):
        raise _no_overload(sign, one, other)
    if _differ(one, STRING if other.kind == "map" else other.inside):
        raise _no_overload(sign, one, other)
    return BOOL


def _arithmetic(sign: str, one: Type, other: Type) -> Type:
    if "any" in (one.kind, other.kind):
        return ANY
    made = _MADE.get((one.kind, sign, other.kind))
    if made is None and not (sign in _FOR.get(one.kind, ()) and one.kind == other.kind):
        raise _no_overload(sign, one, other)
    return common([one, other]) if made is None else Type(made)


def _negated(sign: str, one: Type) -> Type:
    if one.kind not in ("any", "int", "double"):
        raise CelSyntaxError(f"puts - before a {one.kind}")
    return one


def _chosen(sign: str, condition: Type, one: Type, other: Type) -> Type:
    _must_be_bool("?", condition)
    return common([one, other])


def _indexed(sign: str, target: Type, at: Type) -> Type:
    if target.kind == "optional":
        return _as_optional(_indexed(sign, target.inside, at))
    if target.kind not in ("any", "list", "map"):
        raise _no_overload(sign, target, at)
    if target.kind != "any" and _differ(at, INT if target.kind == "list" else STRING):
        raise _no_overload(sign, target, at)
    found = target.inside
    return optional_of(found) if sign == "[?]" else found


def _no_overload(sign: str, one: Type, other: Type) -> CelSyntaxError:
    return CelSyntaxError(f"uses {sign} between {_say(one)} and {_say(other)}, which never holds")


def _say(given: Type) -> str:
    return f"{given.kind} of {given.inside.kind}" if given.item is not None else given.kind


_LITERALS: Final = {
    bool: BOOL,
    float: Type("double"),
    int: INT,
    str: STRING,
    type(None): Type("null_type"),
}
_ORDERED: Final = frozenset({"bool", "double", "duration", "int", "string", "timestamp"})
_NUMBERS: Final = frozenset({"double", "int"})
_FOR: Final = {
    **dict.fromkeys(("string", "list"), frozenset("+")),
    "double": frozenset("+-*/"),
    "duration": frozenset("+-"),
    "int": frozenset("+-*/%"),
}
_MADE: Final = {
    ("duration", "+", "timestamp"): "timestamp",
    ("timestamp", "+", "duration"): "timestamp",
    ("timestamp", "-", "duration"): "timestamp",
    ("timestamp", "-", "timestamp"): "duration",
}
_OPERATORS: Final[Mapping[str, Callable[..., Type]]] = {
    "!": _must_be_bool,
    "!=": _equality,
    "&&": _must_be_bool,
    "==": _equality,
    "?:": _chosen,
    "[?]": _indexed,
    "[]": _indexed,
    "in": _membership,
    "negate": _negated,
    "||": _must_be_bool,
    **dict.fromkeys("+-*/%", _arithmetic),
    **dict.fromkeys(("<", "<=", ">", ">="), _order),
}
