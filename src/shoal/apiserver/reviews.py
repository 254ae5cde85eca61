"""POST of a question about users: it is answered at once and nothing is stored.

There is one user, the holder of the home's token, and that user may do everything.
"""

from collections.abc import Mapping
from typing import Any, Final

from shoal.apiserver import meta
from shoal.apiserver.fields import receive
from shoal.apiserver.http import Request, Response, answer
from shoal.apiserver.kinds.reviews import AUTHORIZATION
from shoal.apiserver.options import is_dry_run
from shoal.apiserver.rules import own_rules
from shoal.apiserver.server import Server, Target
from shoal.dialect.document import Document
from shoal.dialect.paths import dig
from shoal.dialect.status import INVALID, Cause, bad_request, invalid

USER: Final = "admin"
GROUPS: Final = ("system:masters", "system:authenticated")


async def self_subject(server: Server, request: Request, target: Target) -> Response:
    """Who asks."""
    review, warnings = _question(request, target)
    review["metadata"]["creationTimestamp"] = meta.rfc3339()
    return _answered(review, {"userInfo": _user()}, warnings)


async def token(server: Server, request: Request, target: Target) -> Response:
    """Whose a token is. Raises StatusError 400 where none is given."""
    review, warnings = _question(request, target)
    given = review["spec"].get("token")
    if not given:
        raise bad_request("spec.token is empty; it holds the token to look at")
    status: Document = {"user": {}, "error": "the token is not the one of this home"}
    if server.guard.knows(given):
        status = {"authenticated": True, "user": _user()}
    return _answered(review, status, warnings)


async def self_access(server: Server, request: Request, target: Target) -> Response:
    """Whether the asker may do something. Raises StatusError 422 where nothing is named."""
    review, warnings = _question(request, target)
    _check(_attribute_causes(review["spec"]))
    return _answered(review, {"allowed": True}, warnings)


async def access(server: Server, request: Request, target: Target) -> Response:
    """Whether some user may do something. Raises StatusError 422 or 400."""
    review, warnings = _question(request, target)
    spec = review["spec"]
    _check([*_attribute_causes(spec), *_user_causes(spec)])
    if target.namespace and dig(spec, "resourceAttributes", "namespace") != target.namespace:
        raise bad_request(f"spec.resourceAttributes.namespace is not {target.namespace}")
    return _answered(review, _judged(spec), warnings)


async def self_rules(server: Server, request: Request, target: Target) -> Response:
    """What the asker may do in a namespace. Raises StatusError 400 where none is named."""
    review, warnings = _question(request, target)
    if not review["spec"].get("namespace"):
        raise bad_request("spec.namespace is empty; it names the namespace to tell the rules of")
    return _answered(review, own_rules(), warnings)


def _question(request: Request, target: Target) -> tuple[Document, list[str]]:
    is_dry_run(request)
    review, warnings = receive(request, target.resource)
    meta.settle(target.resource, target.namespace, "", review)
    review.setdefault("spec", {})
    return review, warnings


def _answered(review: Document, status: Document, warnings: list[str]) -> Response:
    return answer({**review, "status": status}, 201, tuple(warnings))


def _user() -> Document:
    return {"username": USER, "groups": list(GROUPS)}


def _judged(spec: Mapping[str, Any]) -> Document:
    if spec.get("user") == USER or GROUPS[0] in (spec.get("groups") or ()):
        return {"allowed": True}
    return {"allowed": False, "reason": f"only {USER}, who holds the home's token, is let in"}


def _attribute_causes(spec: Mapping[str, Any]) -> list[Cause]:
    both = [n for n in ("resourceAttributes", "nonResourceAttributes") if spec.get(n) is not None]
    if len(both) == 1:
        return []
    field = "spec.nonResourceAttributes" if both else "spec.resourceAttributes"
    return [Cause(INVALID, "takes one of resourceAttributes and nonResourceAttributes", field)]


def _user_causes(spec: Mapping[str, Any]) -> list[Cause]:
    if spec.get("user") or spec.get("groups"):
        return []
    return [Cause(INVALID, "takes a user, or at least one of groups", "spec.user")]


def _check(causes: list[Cause]) -> None:
    if causes:
        raise invalid(AUTHORIZATION, "", "", causes)
