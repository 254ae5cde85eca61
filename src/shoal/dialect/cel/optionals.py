"""Optional values: those that may not be there."""

from typing import Final

from shoal.dialect.cel.errors import CelError
from shoal.dialect.cel.function import Functions, taking
from shoal.dialect.cel.values import NOTHING, Optional, Steps, Value


def _value(optional: Optional, steps: Steps) -> Value:
    if not optional.present:
        raise CelError("there is no value")
    return optional.value


def _of_non_zero(value: Value, steps: Steps) -> Optional:
    zero = value is None or value in (0, "") or (isinstance(value, list | dict) and not value)
    return NOTHING if zero else Optional(value)


FUNCTIONS: Final[Functions] = {
    ("optional.none", 0): taking("", "optional", lambda steps: NOTHING),
    ("optional.of", 1): taking("any", "optional", lambda value, steps: Optional(value)),
    ("optional.ofNonZeroValue", 1): taking("any", "optional", _of_non_zero),
}
METHODS: Final[Functions] = {
    ("hasValue", 1): taking("optional", "bool", lambda optional, steps: optional.present),
    ("value", 1): taking("optional", "item", _value),
}
