"""Field paths: ``spec.nodeName`` into a decoded object."""

from shoal.dialect.document import Json


def dig(document: Json, *keys: str) -> Json:
    """The value under these keys; None where one of them is missing."""
    for key in keys:
        if not isinstance(document, dict):
            return None
        document = document.get(key)
    return document


def field_text(document: Json, path: str) -> str:
    """The value at a dotted path as a field selector compares it; empty when absent."""
    value = dig(document, *path.split("."))
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
