"""Values as expressions see them: numbers that may be broken, times and durations."""

from collections.abc import Callable, Mapping

from shoal.dialect.document import Document, Json

View = Callable[[Json], Json]


def viewer(schema: Document) -> View | None:
    """A copy of a value in the types of its schema; None where that changes nothing."""
    from shoal.dialect.cel.times import duration, timestamp
    from shoal.dialect.cel.values import Steps

    match schema.get("type"), schema.get("format"):
        case "number", _:
            return lambda value: float(value) if isinstance(value, int) else value
        case "string", "date-time" | "date":
            return lambda value: timestamp(value, Steps())
        case "string", "duration":
            return lambda value: duration(value, Steps())
        case "array", _:
            items = schema.get("items")
            item = viewer(items) if isinstance(items, dict) else None
            return None if item is None else lambda value: [item(one) for one in value]
    return _fields(schema)


def _fields(schema: Document) -> View | None:
    found = {name: viewer(inside) for name, inside in (schema.get("properties") or {}).items()}
    named = {name: view for name, view in found.items() if view is not None}
    further = schema.get("additionalProperties")
    other = viewer(further) if isinstance(further, dict) else None
    if not named and other is None:
        return None
    return lambda value: _seen(value, named, other)


def _seen(value: Json, named: Mapping[str, View], other: View | None) -> Json:
    if not isinstance(value, dict):
        return value
    seen = {}
    for name, inside in value.items():
        view = named.get(name, other)
        seen[name] = inside if view is None or inside is None else view(inside)
    return seen
