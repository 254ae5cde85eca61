"""A tree to a closure. Names, functions and their arguments are known before anything runs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import msgspec

from shoal.dialect.cel.errors import CelError, CelSyntaxError
from shoal.dialect.cel.functions import FUNCTIONS, METHODS
from shoal.dialect.cel.operators import OPERATORS, field
from shoal.dialect.cel.syntax import Call, ListOf, Literal, MapOf, Name, Node, Select, parse
from shoal.dialect.cel.values import Steps, Value, kind_of


class Scope(msgspec.Struct, frozen=True):
    """The values of the names, and the steps that are left."""

    names: Mapping[str, Value]
    steps: Steps


Run = Callable[[Scope], Value]
Scopes = Iterable[Scope]
"""One scope for each item that a loop looks at."""


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
            return lambda scope: value
        case Name(name):
            return _name(name, names)
        case Select(target, name):
            return _select(_compile(target, names), unescaped(name))
        case ListOf(items):
            return _list([_compile(item, names) for item in items])
        case MapOf(entries):
            return _map([(_compile(k, names), _compile(v, names)) for k, v in entries])
        case Call(name, args, target):
            return _call(name, args, target, names)


def _name(name: str, names: frozenset[str]) -> Run:
    if name not in names:
        raise CelSyntaxError(f"uses {name}, which is not known here")
    return lambda scope: scope.names[name]


def _select(target: Run, name: str) -> Run:
    def run(scope: Scope) -> Value:
        scope.steps.spend()
        return field(target(scope), name)

    return run


def _list(items: Sequence[Run]) -> Run:
    def run(scope: Scope) -> Value:
        scope.steps.spend(len(items))
        return [item(scope) for item in items]

    return run


def _map(entries: Sequence[tuple[Run, Run]]) -> Run:
    def run(scope: Scope) -> Value:
        scope.steps.spend(len(entries))
        found = {key(scope): value(scope) for key, value in entries}
        if not all(isinstance(key, str) for key in found):
            raise CelError("the keys of a map are texts")
        return found

    return run


def _call(name: str, args: tuple[Node, ...], target: Node | None, names: frozenset[str]) -> Run:
    if target is None and name == "has":
        return _has(args, names)
    if target is not None and name in _LOOPS and len(args) >= 2:
        return _loop(name, args, target, names)
    inside = [_compile(part, names) for part in (args if target is None else (target, *args))]
    if target is None and name in _LAZY:
        return _LAZY[name](*inside)
    table = FUNCTIONS if target is None else METHODS
    function = (OPERATORS.get(name) if target is None else None) or table.get((name, len(inside)))
    if function is None:
        raise CelSyntaxError(f"uses {name}() in a way that is not known here")
    return _eager(function, inside)


def _eager(function: Callable[..., Value], args: Sequence[Run]) -> Run:
    def run(scope: Scope) -> Value:
        scope.steps.spend()
        return function(*[arg(scope) for arg in args], scope.steps)

    return run


def _has(args: tuple[Node, ...], names: frozenset[str]) -> Run:
    if len(args) != 1 or not isinstance(args[0], Select):
        raise CelSyntaxError("has() takes one field; example: has(self.name)")
    target, name = _compile(args[0].target, names), unescaped(args[0].field)

    def run(scope: Scope) -> bool:
        scope.steps.spend()
        value = target(scope)
        if not isinstance(value, dict):
            raise CelError(f"there is no field {name} in a {kind_of(value)}")
        return name in value

    return run


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


def truth(value: Value) -> bool:
    """A value that must be true or false. Raises CelError."""
    if not isinstance(value, bool):
        raise CelError(f"true or false is needed, not a {kind_of(value)}")
    return value


def _loop(name: str, args: tuple[Node, ...], target: Node, names: frozenset[str]) -> Run:
    if not isinstance(args[0], Name) or len(args) > (3 if name == "map" else 2):
        raise CelSyntaxError(f"{name}() takes a name and an expression; example: {name}(x, x > 0)")
    variable = args[0].name
    items = _compile(target, names)
    bodies = [_compile(body, names | {variable}) for body in args[1:]]
    finish = _LOOPS[name]

    def run(scope: Scope) -> Value:
        found = items(scope)
        if not isinstance(found, list | dict):
            raise CelError(f"{name}() is not for {kind_of(found)}")
        scopes = (Scope({**scope.names, variable: item}, scope.steps) for item in found)
        return finish(variable, scopes, *bodies)

    return run


def _decided(scopes: Scopes, body: Run, *, decisive: bool) -> bool:
    """Whether one item decides; an error counts only where none does."""
    failed: CelError | None = None
    for scope in scopes:
        scope.steps.spend()
        try:
            if truth(body(scope)) is decisive:
                return True
        except CelError as error:
            failed = error
    if failed is not None:
        raise failed
    return False


def _all(variable: str, scopes: Scopes, body: Run) -> bool:
    return not _decided(scopes, body, decisive=False)


def _exists(variable: str, scopes: Scopes, body: Run) -> bool:
    return _decided(scopes, body, decisive=True)


def _exists_one(variable: str, scopes: Scopes, body: Run) -> bool:
    return len(_filtered(scopes, body)) == 1


def _filtered(scopes: Scopes, body: Run) -> list[Scope]:
    kept: list[Scope] = []
    for scope in scopes:
        scope.steps.spend()
        if truth(body(scope)):
            kept.append(scope)
    return kept


def _kept(variable: str, scopes: Scopes, body: Run) -> list[Value]:
    return [scope.names[variable] for scope in _filtered(scopes, body)]


def _mapped(variable: str, scopes: Scopes, *bodies: Run) -> list[Value]:
    *conditions, body = bodies
    found: list[Value] = []
    for scope in scopes:
        scope.steps.spend()
        if all(truth(condition(scope)) for condition in conditions):
            found.append(body(scope))
    return found


_LOOPS: Final[Mapping[str, Callable[..., Value]]] = {
    "all": _all,
    "exists": _exists,
    "exists_one": _exists_one,
    "filter": _kept,
    "map": _mapped,
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
