"""Versions of a group in the order in which clients prefer them.

Source: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-priority
"""

import re
from typing import Final

_VERSION: Final = re.compile(r"v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?\Z")
_STABILITY: Final = {None: 0, "beta": 1, "alpha": 2}


def rank(version: str) -> tuple[int, int, int, str]:
    """A key that sorts ``v2`` before ``v1``, both before ``v1beta1``, and odd names last."""
    match = _VERSION.match(version)
    if match is None:
        return (len(_STABILITY), 0, 0, version)
    major, stability, minor = match.groups()
    return (_STABILITY[stability], -int(major), -int(minor or 0), version)
