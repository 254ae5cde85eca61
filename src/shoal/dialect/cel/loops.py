"""Loops over the items of a list or the keys of a map, with one or two names for each.

With one name it stands for the item or key; with two, for index and item or for key and value.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, TypeAlias

import msgspec

from shoal.dialect.cel.errors import CelError, CelSyntaxError
from shoal.dialect.cel.scope import Run, Scope, truth
from shoal.dialect.cel.syntax import Name, Node
from shoal.dialect.cel.values import Value, kind_of

Scopes: TypeAlias = Iterable[Scope]
"""One scope for each item that a loop looks at."""
_Finish: TypeAlias = Callable[..., Value]


class Loop(msgspec.Struct, frozen=True):
    """A loop as written: its names, and its bodies, of which the last decides."""

    variables: tuple[str, ...]
    bodies: tuple[Node, ...]
    gives: str
    finish: _Finish

    def run(self, name: str, items: Run, bodies: list[Run]) -> Run:
        """The loop over what ``items`` gives."""

        def run(scope: Scope) -> Value:
            found = items(scope)
            if not isinstance(found, list | dict):
                raise CelError(f"{name}() is not for {kind_of(found)}")
            return self.finish(self.variables, self._scopes(scope, found), *bodies)

        return run

    def _scopes(self, scope: Scope, found: Value) -> Iterator[Scope]:
        if len(self.variables) == 1:
            for item in found:
                yield scope.with_names({self.variables[0]: item})
            return
        pairs = found.items() if isinstance(found, dict) else enumerate(found)
        for pair in pairs:
            yield scope.with_names(dict(zip(self.variables, pair, strict=True)))


def loop_of(name: str, args: tuple[Node, ...]) -> Loop | None:
    """The loop that a call on a value is; None for other calls. Raises CelSyntaxError."""
    kind = _KINDS.get(name)
    if kind is None or len(args) < 2:
        return None
    variables = _variables(kind, args)
    bodies = args[len(variables) :]
    fits = len(variables) in kind.names and 1 <= len(bodies) <= kind.most_bodies
    if not fits or len(set(variables)) < len(variables):
        example = ", ".join(("i", "x")[-kind.names[0] :])
        told = f"takes a name and an expression; example: {name}({example}, x > 0)"
        raise CelSyntaxError(f"{name}() {told}")
    return Loop(variables, bodies, kind.gives, kind.finish)


class _Kind(msgspec.Struct, frozen=True):
    names: tuple[int, ...]
    most_bodies: int
    gives: str
    finish: _Finish


def _variables(kind: _Kind, args: tuple[Node, ...]) -> tuple[str, ...]:
    """The names at the beginning; a second one only where a body is left."""
    most = max(kind.names) if len(args) > 2 else 1
    found: list[str] = []
    for arg in args[:most]:
        if not isinstance(arg, Name):
            break
        found.append(arg.name)
    return tuple(found)


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


def _all(variables: tuple[str, ...], scopes: Scopes, body: Run) -> bool:
    return not _decided(scopes, body, decisive=False)


def _exists(variables: tuple[str, ...], scopes: Scopes, body: Run) -> bool:
    return _decided(scopes, body, decisive=True)


def _exists_one(variables: tuple[str, ...], scopes: Scopes, body: Run) -> bool:
    return sum(1 for _ in _filtered(scopes, [body])) == 1


def _filtered(scopes: Scopes, conditions: Iterable[Run]) -> Iterator[Scope]:
    for scope in scopes:
        scope.steps.spend()
        if all(truth(condition(scope)) for condition in conditions):
            yield scope


def _kept(variables: tuple[str, ...], scopes: Scopes, body: Run) -> list[Value]:
    return [scope.names[variables[0]] for scope in _filtered(scopes, [body])]


def _mapped(variables: tuple[str, ...], scopes: Scopes, *bodies: Run) -> list[Value]:
    *conditions, body = bodies
    return [body(scope) for scope in _filtered(scopes, conditions)]


def _map_of(variables: tuple[str, ...], scopes: Scopes, *bodies: Run) -> dict[str, Value]:
    *conditions, body = bodies
    found: dict[str, Value] = {}
    for scope in _filtered(scopes, conditions):
        key = scope.names[variables[0]]
        if not isinstance(key, str):
            raise CelError("the keys of a map are texts")
        found[key] = body(scope)
    return found


_KINDS: Final[Mapping[str, _Kind]] = {
    "all": _Kind((1, 2), 1, "bool", _all),
    "exists": _Kind((1, 2), 1, "bool", _exists),
    "existsOne": _Kind((1, 2), 1, "bool", _exists_one),
    "exists_one": _Kind((1, 2), 1, "bool", _exists_one),
    "filter": _Kind((1,), 1, "same", _kept),
    "map": _Kind((1,), 2, "list", _mapped),
    "transformList": _Kind((2,), 2, "list", _mapped),
    "transformMap": _Kind((2,), 2, "map", _map_of),
}
