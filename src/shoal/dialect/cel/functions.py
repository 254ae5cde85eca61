"""All functions there are, by name and number of values.

What is not here is not known, and an expression that uses it is refused before it runs.
"""

from typing import Final

from shoal.dialect.cel import (
    addresses,
    conversions,
    formats,
    lists,
    numbers,
    optionals,
    quantities,
    texts,
    times,
    urls,
)
from shoal.dialect.cel.function import Functions

FUNCTIONS: Final[Functions] = {
    **addresses.FUNCTIONS,
    **conversions.FUNCTIONS,
    **formats.FUNCTIONS,
    **lists.FUNCTIONS,
    **numbers.FUNCTIONS,
    **optionals.FUNCTIONS,
    **quantities.FUNCTIONS,
    **texts.FUNCTIONS,
    **times.FUNCTIONS,
    **urls.FUNCTIONS,
}
"""Functions of values; those of a library have its name and a dot before theirs."""
METHODS: Final[Functions] = {
    **addresses.METHODS,
    **conversions.METHODS,
    **formats.METHODS,
    **lists.METHODS,
    **optionals.METHODS,
    **quantities.METHODS,
    **texts.METHODS,
    **times.METHODS,
    **urls.METHODS,
}
"""Functions called on a value, which counts with the others."""
