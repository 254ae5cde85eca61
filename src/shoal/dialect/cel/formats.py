"""Formats that texts may have: ``format.dns1123Label().validate(text)`` tells what is wrong."""

from collections.abc import Callable, Mapping
from typing import Final

from shoal.dialect.cel.function import Functions, taking
from shoal.dialect.cel.values import NOTHING, Format, Optional, Steps
from shoal.dialect.names import (
    wrong_label,
    wrong_label_1035,
    wrong_label_value,
    wrong_qualified,
    wrong_subdomain,
)
from shoal.dialect.structural.formats import wrong_format


def _named(name: str, steps: Steps) -> Optional:
    return Optional(Format(name)) if name in _WRONG else NOTHING


def _validate(form: Format, text: str, steps: Steps) -> Optional:
    wrong = _WRONG[form.name](text)
    return Optional([wrong]) if wrong else NOTHING


def _prefix(wrong: Callable[[str], str]) -> Callable[[str], str]:
    """A name to which letters will be added may end in a dash."""
    return lambda text: wrong(text.removesuffix("-") if len(text) > 1 else text)


def _schema(name: str) -> Callable[[str], str]:
    return lambda text: wrong_format(name, text)


_WRONG: Final[Mapping[str, Callable[[str], str]]] = {
    "byte": _schema("byte"),
    "date": _schema("date"),
    "datetime": _schema("datetime"),
    "dns1035Label": wrong_label_1035,
    "dns1035LabelPrefix": _prefix(wrong_label_1035),
    "dns1123Label": wrong_label,
    "dns1123LabelPrefix": _prefix(wrong_label),
    "dns1123Subdomain": wrong_subdomain,
    "dns1123SubdomainPrefix": _prefix(wrong_subdomain),
    "labelValue": wrong_label_value,
    "qualifiedName": wrong_qualified,
    "uri": _schema("uri"),
    "uuid": _schema("uuid"),
}


def _maker(name: str) -> Callable[[Steps], Format]:
    return lambda steps: Format(name)


FUNCTIONS: Final[Functions] = {
    ("format.named", 1): taking("string", "optional:format", _named),
    **{(f"format.{name}", 0): taking("", "format", _maker(name)) for name in _WRONG},
}
METHODS: Final[Functions] = {
    ("validate", 2): taking("format string", "optional:list", _validate),
}
