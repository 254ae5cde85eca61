"""What can go wrong between a client and an API server."""

import msgspec


class KubeconfigError(Exception):
    """No usable kubeconfig: one sentence with the remedy."""


class Cause(msgspec.Struct, rename="camel"):
    """One entry of ``details.causes``."""

    reason: str = ""
    message: str = ""
    field: str = ""


class _Details(msgspec.Struct):
    causes: list[Cause] = []


class _Status(msgspec.Struct):
    message: str = ""
    reason: str = ""
    code: int = 0
    details: _Details | None = None


class ApiError(Exception):
    """The server refused: its Status object.

    ``code`` is the HTTP code (0 where no server answered), ``reason`` the machine's word.
    """

    def __init__(
        self, code: int, reason: str, message: str, causes: list[Cause] | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.causes = causes or []

    @property
    def not_found(self) -> bool:
        """The object, or what it is made in, does not exist."""
        return self.code == 404

    @property
    def already_exists(self) -> bool:
        """An object of that name exists."""
        return self.reason == "AlreadyExists"

    @property
    def conflict(self) -> bool:
        """The object was changed since it was read."""
        return self.code == 409 and not self.already_exists

    @property
    def gone(self) -> bool:
        """The resource version is too old to go on from."""
        return self.code == 410 or self.reason == "Expired"

    @property
    def namespace_ends(self) -> bool:
        """Nothing new is taken in, since the namespace is being deleted."""
        return any(cause.reason == "NamespaceTerminating" for cause in self.causes)

    @property
    def passing(self) -> bool:
        """Whether the same request may be answered a little later."""
        return self.code in (0, 429, 500, 502, 503, 504, 507)


class Unreachable(ApiError):
    """No server answers."""

    def __init__(self, server: str, cause: object) -> None:
        super().__init__(0, "Unreachable", f"no API server answers at {server}: {cause}")


def error_from(code: int, body: bytes) -> ApiError:
    """The error that a refusing answer carries."""
    try:
        status = msgspec.json.decode(body, type=_Status)
    except msgspec.DecodeError:
        return ApiError(code, "", body[:300].decode(errors="replace").strip() or f"HTTP {code}")
    causes = status.details.causes if status.details else []
    return ApiError(code or status.code, status.reason, status.message, causes)
