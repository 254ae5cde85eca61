"""Status errors: how the dialect refuses. One exception that both ends use.

Source: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

REQUIRED: Final = "FieldValueRequired"
INVALID: Final = "FieldValueInvalid"
FORBIDDEN: Final = "FieldValueForbidden"
DUPLICATE: Final = "FieldValueDuplicate"
NOT_SUPPORTED: Final = "FieldValueNotSupported"
TOO_LONG: Final = "FieldValueTooLong"
TOO_MANY: Final = "FieldValueTooMany"
TYPE_INVALID: Final = "FieldValueTypeInvalid"


class Cause(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that was wrong. ``field`` is a path such as ``spec.containers[0].name``."""

    reason: str = ""
    message: str = ""
    field: str = ""


class Details(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Which object the refusal is about. ``kind`` is a kind or a plural, as upstream has it."""

    name: str = ""
    group: str = ""
    kind: str = ""
    uid: str = ""
    causes: tuple[Cause, ...] = ()
    retry_after_seconds: int = 0


class StatusError(Exception):
    """A refused request. ``code`` is the HTTP status; ``reason`` is empty for bare 500s."""

    def __init__(
        self,
        code: int,
        reason: str,
        message: str,
        details: Details | None = None,
        continue_token: str = "",
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.details = details
        self.continue_token = continue_token

    @property
    def causes(self) -> tuple[Cause, ...]:
        """What was wrong, field by field."""
        return self.details.causes if self.details else ()

    def to_object(self) -> dict[str, Any]:
        """The Status object as it goes over the wire."""
        status: dict[str, Any] = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {"continue": self.continue_token} if self.continue_token else {},
            "status": "Failure",
            "message": self.message,
        }
        if self.reason:
            status["reason"] = self.reason
        if self.details is not None:
            status["details"] = msgspec.to_builtins(self.details)
        status["code"] = self.code
        return status

    @classmethod
    def from_object(cls, code: int, status: Mapping[str, Any]) -> "StatusError":
        """The error that a Status object tells of; ``code`` is used where it names none."""
        details = status.get("details")
        return cls(
            status.get("code") or code,
            status.get("reason") or "",
            status.get("message") or f"the server answered {code}",
            msgspec.convert(details, Details) if details else None,
        )


def success(details: Details, code: int = 0) -> dict[str, Any]:
    """The Status object of a deletion or a binding that was carried out."""
    status: dict[str, Any] = {"kind": "Status", "apiVersion": "v1", "metadata": {}}
    status["status"] = "Success"
    if details != Details():
        status["details"] = msgspec.to_builtins(details)
    if code:
        status["code"] = code
    return status


def bad_request(message: str) -> StatusError:
    """400: the request makes no sense as it was sent."""
    return StatusError(400, "BadRequest", message)


def forbidden(
    group: str, plural: str, name: str, why: str, causes: Sequence[Cause] = ()
) -> StatusError:
    """403: admission refuses it."""
    message = f'{_resource(group, plural)} "{name}" is forbidden: {why}'
    details = Details(name=name, group=group, kind=plural, causes=tuple(causes))
    return StatusError(403, "Forbidden", message, details)


def not_found(group: str, plural: str, name: str) -> StatusError:
    """404: no such object."""
    message = f'{_resource(group, plural)} "{name}" not found'
    return StatusError(404, "NotFound", message, Details(name=name, group=group, kind=plural))


def no_such_path() -> StatusError:
    """404: nothing is served here."""
    message = "the server could not find the requested resource"
    return StatusError(404, "NotFound", message, Details())


def method_not_allowed(group: str, plural: str, verb: str) -> StatusError:
    """405: the resource is there but not this verb."""
    message = f"{verb} is not supported on resources of kind {_resource(group, plural)!r}"
    return StatusError(405, "MethodNotAllowed", message, Details())


def already_exists(group: str, plural: str, name: str) -> StatusError:
    """409: there is one of that name."""
    message = f'{_resource(group, plural)} "{name}" already exists'
    return StatusError(409, "AlreadyExists", message, Details(name=name, group=group, kind=plural))


def conflict(group: str, plural: str, name: str, why: str) -> StatusError:
    """409: the object is no longer what the caller took it for."""
    message = f'operation on {_resource(group, plural)} "{name}" refused: {why}'
    return StatusError(409, "Conflict", message, Details(name=name, group=group, kind=plural))


def expired(message: str, continue_token: str = "") -> StatusError:
    """410: the version asked for is no longer kept."""
    return StatusError(410, "Expired", message, continue_token=continue_token)


def invalid(group: str, kind: str, name: str, causes: Sequence[Cause]) -> StatusError:
    """422: fields hold what they may not."""
    told = "; ".join(f"{cause.field}: {cause.message}" for cause in causes)
    message = f'{_resource(group, kind)} "{name}" is invalid: {told}'
    details = Details(name=name, group=group, kind=kind, causes=tuple(causes))
    return StatusError(422, "Invalid", message, details)


def _resource(group: str, plural: str) -> str:
    return f"{plural}.{group}" if group else plural
