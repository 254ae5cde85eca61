"""A tree to a closure. Names, functions and their arguments are known before anything runs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from shoal.dialect.cel.conversions import KINDS
from shoal.dialect.cel.errors import CelError, CelSyntaxError
from shoal.dialect.cel.functions import FUNCTIONS, METHODS
from shoal.dialect.cel.loops import Loop, loop_of
from shoal.dialect.cel.operators import OPERATORS, field, optional_field
from shoal.dialect.cel.scope import Run, Scope, truth
from shoal.dialect.cel.syntax import Call, ListOf, Literal, MapOf, Name, Node, Select, parse
from shoal.dialect.cel.tokens import Unsigned
from shoal.dialect.cel.values import NOTHING, Kind, Optional, Value, kind_of


def compiled(text: str, names: Sequence[str]) -> Run:
    """An expression over some names. Raises CelSyntaxError; the closure CelError, OutOfSteps."""
    try:
        return _compile(parse(text), frozenset(names))
    except RecursionError as error:
        raise CelSyntaxError("has too many parts") from error


def mentions(text: str, name: str) -> bool:
    """Whether an expression uses a name. Raises CelSyntaxError."""
    return _uses(parse(text), name)


def _uses(node: Node, name: str) -> bool:
    match node:
        case Name(found):
            return found == name
        case Select(target, _):
            return _uses(target, name)
        case Call(_, args, target):
            inside = args if target is None else (*args, target)
            return any(_uses(part, name) for part in inside)
        case ListOf(items):
            return any(_uses(item, name) for item in items)
        case MapOf(entries):
            return any(_uses(part, name) for entry in entries for part in entry)
    return False


def _compile(node: Node, names: frozenset[str]) -> Run:
    match node:
        case Literal(value):
            return _literal(value)
        case Name(name):
            return _name(name, names)
        case Select(target, name, optional):
            return _select(_compile(target, names), unescaped(name), optional=optional)
        case ListOf(items):
            return _list([_compile(item, names) for item in items])
        case MapOf(entries):
            return _map([(_compile(k, names), _compile(v, names)) for k, v in entries])
        case Call(name, args, target):
            return _call(name, args, target, names)


def _literal(value: Value) -> Run:
    if isinstance(value, Unsigned):
        raise CelSyntaxError(f"uses {value}u, and unsigned numbers are not known here; use {value}")
    return lambda scope: value


def _name(name: str, names: frozenset[str]) -> Run:
    if name in names:
        return lambda scope: scope.names[name]
    if name in KINDS:
        kind = Kind(name)
        return lambda scope: kind
    raise CelSyntaxError(f"uses {name}, which is not known here")


def _select(target: Run, name: str, *, optional: bool) -> Run:
    get = optional_field if optional else field

    def run(scope: Scope) -> Value:
        scope.steps.spend()
        return get(target(scope), name)

    return run


def _list(items: Sequence[Run]) -> Run:
    def run(scope: Scope) -> Value:
        scope.steps.spend(len(items))
        return [item(scope) for item in items]

    return run


def _map(entries: Sequence[tuple[Run, Run]]) -> Run:
    def run(scope: Scope) -> Value:
        scope.steps.spend(len(entries))
        found = [(key(scope), value(scope)) for key, value in entries]
        if not all(isinstance(key, str) for key, _ in found):
            raise CelError("the keys of a map are texts")
        return dict(found)

    return run


def _call(name: str, args: tuple[Node, ...], target: Node | None, names: frozenset[str]) -> Run:
    if target is not None:
        return _call_on(target, name, args, names)
    if name == "has":
        return _has(args, names)
    inside = [_compile(part, names) for part in args]
    if name in _LAZY:
        return _LAZY[name](*inside)
    return _eager(OPERATORS.get(name) or FUNCTIONS.get((name, len(inside))), name, inside)


def _call_on(target: Node, name: str, args: tuple[Node, ...], names: frozenset[str]) -> Run:
    """A function of a library, or a call on a value."""
    if isinstance(target, Name) and target.name not in names:
        if (target.name, name) == ("cel", "bind"):
            return _bind(args, names)
        if (function := FUNCTIONS.get((f"{target.name}.{name}", len(args)))) is not None:
            return _eager(function, name, [_compile(part, names) for part in args])
    value = _compile(target, names)
    if (loop := loop_of(name, args)) is not None:
        return _loop(name, loop, value, names)
    if name in _MAPPED:
        return _optional_map(name, value, args, names)
    inside = [_compile(part, names) for part in args]
    if name in _INSTEAD and len(inside) == 1:
        return _INSTEAD[name](value, *inside)
    return _eager(METHODS.get((name, len(inside) + 1)), name, [value, *inside])


def _eager(function: Callable[..., Value] | None, name: str, args: Sequence[Run]) -> Run:
    if function is None:
        raise CelSyntaxError(f"uses {name}() in a way that is not known here")
    call = function

    def run(scope: Scope) -> Value:
        scope.steps.spend()
        return call(*[arg(scope) for arg in args], scope.steps)

    return run


def _has(args: tuple[Node, ...], names: frozenset[str]) -> Run:
    if len(args) != 1 or not isinstance(args[0], Select) or args[0].optional:
        raise CelSyntaxError("has() takes one field; example: has(self.name)")
    target, name = _compile(args[0].target, names), unescaped(args[0].field)

    def run(scope: Scope) -> bool:
        scope.steps.spend()
        return _optional(optional_field(target(scope), name)).present

    return run


def _bind(args: tuple[Node, ...], names: frozenset[str]) -> Run:
    """``cel.bind(name, value, expression)``."""
    if len(args) != 3 or not isinstance(args[0], Name):
        raise CelSyntaxError("cel.bind() takes a name, its value and an expression")
    name, value = args[0].name, _compile(args[1], names)
    body = _compile(args[2], names | {name})
    return lambda scope: body(scope.with_names({name: value(scope)}))


def _loop(name: str, loop: Loop, items: Run, names: frozenset[str]) -> Run:
    inner = names.union(loop.variables)
    return loop.run(name, items, [_compile(body, inner) for body in loop.bodies])


_MAPPED: Final = frozenset({"optFlatMap", "optMap"})


def _optional_map(name: str, target: Run, args: tuple[Node, ...], names: frozenset[str]) -> Run:
    """What is made of an optional value, where there is one."""
    if len(args) != 2 or not isinstance(args[0], Name):
        raise CelSyntaxError(f"{name}() takes a name and an expression; example: {name}(x, x + 1)")
    variable, flat = args[0].name, name == "optFlatMap"
    body = _compile(args[1], names | {variable})

    def run(scope: Scope) -> Optional:
        scope.steps.spend()
        optional = _optional(target(scope))
        if not optional.present:
            return NOTHING
        made = body(scope.with_names({variable: optional.value}))
        return _optional(made) if flat else Optional(made)

    return run


def _or_value(target: Run, instead: Run) -> Run:
    def run(scope: Scope) -> Value:
        optional = _optional(target(scope))
        return optional.value if optional.present else instead(scope)

    return run


def _or(target: Run, instead: Run) -> Run:
    def run(scope: Scope) -> Optional:
        optional = _optional(target(scope))
        return optional if optional.present else _optional(instead(scope))

    return run


_INSTEAD: Final[Mapping[str, Callable[[Run, Run], Run]]] = {"or": _or, "orValue": _or_value}


def _optional(value: Value) -> Optional:
    """Raises CelError."""
    if not isinstance(value, Optional):
        raise CelError(f"an optional is needed, not a {kind_of(value)}")
    return value


def _choice(condition: Run, then: Run, otherwise: Run) -> Run:
    return lambda scope: then(scope) if truth(condition(scope)) else otherwise(scope)


def _not(value: Run) -> Run:
    return lambda scope: not truth(value(scope))


def _negate(value: Run) -> Run:
    def run(scope: Scope) -> Value:
        number = value(scope)
        if kind_of(number) not in ("int", "double"):
            raise CelError(f"- is not for {kind_of(number)}")
        return -number

    return run


def _either(decisive: bool) -> Callable[[Run, Run], Run]:
    """``||`` and ``&&``: an error on one side does not matter where the other side decides."""

    def make(left: Run, right: Run) -> Run:
        def run(scope: Scope) -> bool:
            try:
                if truth(left(scope)) is decisive:
                    return decisive
            except CelError:
                if truth(right(scope)) is decisive:
                    return decisive
                raise
            return truth(right(scope))

        return run

    return make


_LAZY: Final[Mapping[str, Callable[..., Run]]] = {
    "!": _not,
    "&&": _either(decisive=False),
    "?:": _choice,
    "negate": _negate,
    "||": _either(decisive=True),
}
_SIGNS: Final = {"__dash__": "-", "__dot__": ".", "__slash__": "/", "__underscores__": "__"}
_RESERVED: Final = frozenset(
    {"true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function"}
    | {"if", "import", "let", "loop", "package", "namespace", "return", "var", "void", "while"}
)


def unescaped(name: str) -> str:
    """A field's name as objects have it: ``x__dash__y`` is ``x-y``."""
    if "__" not in name:
        return name
    if name.startswith("__") and name.endswith("__") and name[2:-2] in _RESERVED:
        return name[2:-2]
    for written, meant in _SIGNS.items():
        name = name.replace(written, meant)
    return name
