"""Formats of texts and numbers. A format that is not known says nothing."""

import base64
import binascii
import datetime
import ipaddress
import re
import urllib.parse
from collections.abc import Callable, Mapping
from typing import Final

from shoal.dialect.document import Json
from shoal.dialect.names import wrong_label, wrong_subdomain

_DATE_TIME: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)\Z", re.ASCII
)
_DURATION: Final = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h)", re.ASCII)
_EMAIL: Final = re.compile(r"[^@\s]+@[^@\s]+\Z")
_MAC: Final = re.compile(r"[0-9A-Fa-f]{2}([:-][0-9A-Fa-f]{2}){5,7}\Z", re.ASCII)
_UUID: Final = re.compile(r"(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}\Z")
_COLOR: Final = re.compile(r"#?([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})\Z", re.ASCII)
_RANGES: Final = {"int32": 1 << 31, "int64": 1 << 63}


def wrong_format(name: str, value: Json) -> str:
    """Why a value is not of a format; empty where it is, or the format is not for it."""
    if isinstance(value, str):
        reads = _TEXTS.get(name)
        if reads is not None and not reads(value):
            return f"{value[:60]!r} is no {name}"
    elif isinstance(value, int | float) and name in _RANGES:
        bound = _RANGES[name]
        return "" if -bound <= value < bound else f"{value} does not fit {name}"
    return ""


def _is_date_time(text: str) -> bool:
    match = _DATE_TIME.match(text)
    if match is None:
        return False
    year, month, day, hour, minute, second = map(int, match.groups())
    return _is_day(year, month, day) and hour < 24 and minute < 60 and second <= 60


def _is_day(year: int, month: int, day: int) -> bool:
    try:
        datetime.date(year or 1, month, day)
    except ValueError:
        return False
    return True


def _is_date(text: str) -> bool:
    match = re.match(r"(\d{4})-(\d\d)-(\d\d)\Z", text, re.ASCII)
    return match is not None and _is_day(*map(int, match.groups()))


def _is_duration(text: str) -> bool:
    return text == "0" or (bool(text) and not _DURATION.sub("", text))


def _is_uri(text: str) -> bool:
    try:
        parts = urllib.parse.urlsplit(text)
    except ValueError:
        return False
    return bool(parts.scheme) or text.startswith("/")


def _is_bytes(text: str) -> bool:
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def _is_address(*kinds: type) -> Callable[[str], bool]:
    def reads(text: str) -> bool:
        for kind in kinds:
            try:
                kind(text)
            except ValueError:
                continue
            return True
        return False

    return reads


def _is_network(text: str) -> bool:
    try:
        ipaddress.ip_network(text, strict=False)
    except ValueError:
        return False
    return "/" in text


_TEXTS: Final[Mapping[str, Callable[[str], bool]]] = {
    "byte": _is_bytes,
    "cidr": _is_network,
    "date": _is_date,
    "date-time": _is_date_time,
    "datetime": _is_date_time,
    "duration": _is_duration,
    "email": lambda text: _EMAIL.match(text) is not None,
    "hexcolor": lambda text: _COLOR.match(text) is not None,
    "hostname": lambda text: not wrong_subdomain(text.lower().removesuffix(".")),
    "ipv4": _is_address(ipaddress.IPv4Address),
    "ipv6": _is_address(ipaddress.IPv6Address),
    "k8s-long-name": lambda text: not wrong_subdomain(text),
    "k8s-short-name": lambda text: not wrong_label(text),
    "mac": lambda text: _MAC.match(text) is not None,
    "uri": _is_uri,
    "uuid": lambda text: _UUID.match(text) is not None,
}
