"""Query parameters that writes share."""

from shoal.apiserver.http import Request
from shoal.dialect.status import NOT_SUPPORTED, TOO_LONG, Cause, invalid

_LONGEST_MANAGER = 128


def is_dry_run(request: Request, kind: str = "CreateOptions") -> bool:
    """Whether nothing is to be stored. Checks the parameters beside it too; StatusError 422."""
    check_field_manager(request, kind)
    check_field_validation(request, kind)
    value = request.query.get("dryRun")
    if value is None:
        return False
    if value != "All":
        cause = Cause(NOT_SUPPORTED, f"{value!r} is not supported; only All is", "dryRun")
        raise invalid("meta.k8s.io", kind, "", [cause])
    return True


def check_field_manager(request: Request, kind: str) -> None:
    """Raises StatusError 422 for a manager's name that is too long."""
    if len(request.query.get("fieldManager", "")) > _LONGEST_MANAGER:
        cause = Cause(TOO_LONG, f"at most {_LONGEST_MANAGER} characters", "fieldManager")
        raise invalid("meta.k8s.io", kind, "", [cause])


def check_field_validation(request: Request, kind: str) -> None:
    """Raises StatusError 422 for an unknown mode."""
    mode = request.query.get("fieldValidation") or "Warn"
    if mode not in ("Strict", "Warn", "Ignore"):
        told = f"{mode!r} is not one of Strict, Warn, Ignore"
        raise invalid("meta.k8s.io", kind, "", [Cause(NOT_SUPPORTED, told, "fieldValidation")])
