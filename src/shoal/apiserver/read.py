"""GET: one object, or a list of them as of one revision."""

import base64
from typing import Any, Final

import msgspec

from shoal.apiserver import render
from shoal.apiserver.history import Entry, Key
from shoal.apiserver.http import Request, Response
from shoal.apiserver.select import Selection, selection_of
from shoal.apiserver.server import Server, Target
from shoal.dialect.status import (
    FORBIDDEN,
    NOT_SUPPORTED,
    Cause,
    Details,
    StatusError,
    bad_request,
    expired,
    invalid,
    not_found,
)


async def get(server: Server, request: Request, target: Target) -> Response:
    """One object. Raises StatusError 404, or 504 for a revision that is not reached yet."""
    _check_reached(server, _revision(request))
    entry = server.store.get(target.key)
    if entry is None:
        raise not_found(target.resource.group, target.resource.plural, target.name)
    return render.one(request, target.resource, entry.raw)


async def list_(server: Server, request: Request, target: Target) -> Response:
    """The selected objects, a page of them when ``limit`` says so. Raises StatusError."""
    selection = selection_of(request, target.resource, target.namespace)
    page = _page(server, request, target.resource.key)
    request.number("timeoutSeconds")
    entries = _entries(server, selection, page)
    chosen, token = _cut(entries, selection, page)
    metadata: dict[str, Any] = {"resourceVersion": str(page.shown)}
    if target.resource.custom:
        metadata["continue"] = ""
    if token is not None:
        metadata["continue"] = token.text()
        if selection.everything:
            metadata["remainingItemCount"] = len(entries) - len(chosen)
    return render.many(request, target.resource, [entry.raw for _, entry in chosen], metadata)


class Token(msgspec.Struct, frozen=True):
    """Where the next page begins: after this name, as of this revision (0: as of now)."""

    revision: int
    namespace: str
    name: str

    def text(self) -> str:
        """The token as clients carry it."""
        return base64.urlsafe_b64encode(msgspec.json.encode(self)).decode()


class Page(msgspec.Struct, frozen=True):
    """What part of which state is asked for. ``revision`` None: the newest; ``limit`` 0: all."""

    shown: int
    revision: int | None = None
    limit: int = 0
    after: Token | None = None


def _page(server: Server, request: Request, resource: str) -> Page:
    limit = max(request.number("limit") or 0, 0)
    match = request.query.get("resourceVersionMatch", "")
    version = request.query.get("resourceVersion", "")
    token = request.query.get("continue", "")
    _check_match(match, version, token)
    if token:
        return _next_page(server, resource, _read_token(token), version, limit)
    revision = _revision(request)
    _check_reached(server, revision)
    if revision and (match == "Exact" or (limit and not match)):
        _check_kept(server, resource, revision)
        return Page(revision, revision, limit)
    newest = server.store.revision
    return Page(newest, None, 0 if version == "0" else limit)


def _next_page(server: Server, resource: str, token: Token, version: str, limit: int) -> Page:
    if version not in ("", "0"):
        raise bad_request("resourceVersion cannot be given together with continue")
    if token.revision == 0:
        return Page(server.store.revision, None, limit, token)
    if token.revision < server.store.history.begins(resource):
        restart = msgspec.structs.replace(token, revision=0)
        message = (
            "the continue token is too old for a consistent list; start again, or go on with the "
            "token given here, which shows the present state"
        )
        raise expired(message, restart.text())
    _check_reached(server, token.revision)
    return Page(token.revision, token.revision, limit, token)


def _entries(server: Server, selection: Selection, page: Page) -> list[tuple[Key, Entry]]:
    """The selected objects from the page's beginning on."""
    store, plural = server.store, selection.resource.key
    if page.revision is None or page.revision == store.revision:
        entries = store.present(plural, selection.namespace)
    else:
        entries = store.past(plural, selection.namespace, page.revision)
    if page.after is not None:
        begin = Key(plural, page.after.namespace, page.after.name)
        entries = [pair for pair in entries if pair[0] > begin]
    if selection.everything:
        return entries
    return [pair for pair in entries if selection.takes(pair[0], pair[1].raw)]


def _cut(
    entries: list[tuple[Key, Entry]], selection: Selection, page: Page
) -> tuple[list[tuple[Key, Entry]], Token | None]:
    if not page.limit or len(entries) <= page.limit:
        return entries, None
    last = entries[page.limit - 1][0]
    return entries[: page.limit], Token(page.shown, last.namespace, last.name)


_MATCHES: Final = ("", "Exact", "NotOlderThan")


def _check_match(match: str, version: str, token: str) -> None:
    if match not in _MATCHES:
        told = f"{match!r} is not one of Exact, NotOlderThan"
        raise _refused(Cause(NOT_SUPPORTED, told, "resourceVersionMatch"))
    if not match:
        return
    why = ""
    if token:
        why = "cannot be given together with continue"
    elif not version:
        why = "cannot be given without resourceVersion"
    elif match == "Exact" and version == "0":
        why = "Exact cannot be asked of version 0"
    if why:
        raise _refused(Cause(FORBIDDEN, why, "resourceVersionMatch"))


def _refused(cause: Cause) -> StatusError:
    return invalid("meta.k8s.io", "ListOptions", "", [cause])


def _read_token(text: str) -> Token:
    try:
        return msgspec.json.decode(base64.urlsafe_b64decode(text), type=Token)
    except (ValueError, msgspec.DecodeError) as error:
        raise bad_request("the continue token is not one that this server gave") from error


def _revision(request: Request) -> int:
    """The version asked for; 0 for any. Raises StatusError 400."""
    text = request.query.get("resourceVersion", "")
    if not text:
        return 0
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise bad_request(f"resourceVersion={text[:40]} is not a version")
    return int(text)


def _check_reached(server: Server, revision: int) -> None:
    if revision <= server.store.revision:
        return
    message = f"resource version {revision} is not reached yet; this is {server.store.revision}"
    causes = (Cause("ResourceVersionTooLarge", "Too large resource version"),)
    details = Details(causes=causes, retry_after_seconds=1)
    raise StatusError(504, "Timeout", message, details)


def _check_kept(server: Server, resource: str, revision: int) -> None:
    if revision < server.store.history.begins(resource):
        raise expired(f"resource version {revision} is too old; list again without one")
