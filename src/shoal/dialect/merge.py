"""JSON merge patch (RFC 7386): objects merge, null deletes, everything else replaces."""

from collections.abc import Mapping

from shoal.dialect.document import Json


def merge_patch(target: Json, patch: Json) -> Json:
    """The document after the patch. Neither argument is changed."""
    if not isinstance(patch, Mapping):
        return patch
    merged = dict(target) if isinstance(target, Mapping) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key), value)
    return merged
