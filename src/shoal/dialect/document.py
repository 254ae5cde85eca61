"""Decoded JSON as both ends pass it around."""

from typing import Any, TypeAlias

Json: TypeAlias = Any
"""A decoded JSON value: text, number, truth value, None, list or object."""
Document: TypeAlias = dict[str, Any]
"""A decoded JSON object."""
