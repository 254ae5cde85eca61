"""Watches: the history of one kind as a stream, from any revision that is still kept.

A watch reads the shared history from its own place. It never misses, repeats out of order or
sees what is not durable; one that falls out of the history is ended with 410 and lists again.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Iterator
from typing import Any, Final

import msgspec

from shoal.apiserver.history import ADDED, DELETED, MODIFIED, Event
from shoal.apiserver.http import Request, Stream, encode_json
from shoal.apiserver.render import Form, Shape, decode, form_of, shaped, whole
from shoal.apiserver.select import Selection, selection_of
from shoal.apiserver.server import Server, Target
from shoal.dialect.status import FORBIDDEN, Cause, StatusError, expired, invalid
from shoal.dialect.table import table_object

_BOOKMARK_EVERY_S: Final = 60
_LONGEST_S: Final = 3600
_MOST_IN_A_CHUNK: Final = 64 * 1024
_PLAIN: Final = Form()
_INITIAL_END: Final = {"k8s.io/initial-events-end": "true"}


class Plan(msgspec.Struct, frozen=True):
    """A watch as asked for. ``start`` is the revision after which it begins."""

    selection: Selection
    form: Form
    start: int
    initial: bool
    initial_mark: bool
    bookmarks: bool
    seconds: int


async def watch(server: Server, request: Request, target: Target) -> Stream:
    """The stream of changes. Raises StatusError for a request that makes no sense."""
    selection = selection_of(request, target.resource, target.namespace)
    plan = _plan(server, request, selection)
    return Stream(_Watch(server, plan).chunks(), "application/json")


def _plan(server: Server, request: Request, selection: Selection) -> Plan:
    version = request.query.get("resourceVersion", "")
    if version and not (version.isascii() and version.isdigit() and len(version) <= 18):
        raise StatusError(500, "", f"resourceVersion={version[:40]} is not a version")
    bookmarks = request.flag("allowWatchBookmarks")
    asked = _asks_initial(request, bookmarks=bookmarks)
    initial = version in ("", "0") if asked is None else asked
    seconds = request.number("timeoutSeconds") or _LONGEST_S
    revision = int(version or 0)
    return Plan(
        selection=selection,
        form=form_of(request),
        start=server.store.revision if initial or not revision else revision,
        initial=initial,
        initial_mark=bookmarks and (bool(asked) or version == ""),
        bookmarks=bookmarks,
        seconds=min(seconds, _LONGEST_S),
    )


def _asks_initial(request: Request, *, bookmarks: bool) -> bool | None:
    """``sendInitialEvents`` with its rules; None when it is not given."""
    match = request.query.get("resourceVersionMatch", "")
    given = "sendInitialEvents" in request.query
    told = ""
    if given and match != "NotOlderThan":
        told = "resourceVersionMatch must be NotOlderThan together with sendInitialEvents"
    elif match and not given:
        told = "resourceVersionMatch is taken by a watch only together with sendInitialEvents"
    elif given and request.flag("sendInitialEvents") and not bookmarks:
        told = "sendInitialEvents needs allowWatchBookmarks=true"
    if told:
        cause = Cause(FORBIDDEN, told, "resourceVersionMatch" if match else "sendInitialEvents")
        raise invalid("meta.k8s.io", "ListOptions", "", [cause])
    return request.flag("sendInitialEvents") if given else None


class _Watch:
    """One stream: its place in the history and what wakes it."""

    def __init__(self, server: Server, plan: Plan) -> None:
        self._store = server.store
        self._registry = server.registry
        self._plan = plan
        self._place = plan.start
        self._woken = asyncio.Event()
        self._told_columns = False

    async def chunks(self) -> AsyncGenerator[bytes]:
        resource = self._plan.selection.resource.key
        self._store.wake_on(resource, self._woken.set)
        try:
            async for chunk in self._follow():
                yield chunk
        finally:
            self._store.forget(resource, self._woken.set)

    async def _follow(self) -> AsyncGenerator[bytes]:
        start = time.monotonic()
        deadline, mark_at = start + self._plan.seconds, start + _BOOKMARK_EVERY_S
        if self._place < self._store.history.begins(self._plan.selection.resource.key):
            yield self._too_old()
            return
        for chunk in _joined(self._initial()):
            yield chunk
        while (now := time.monotonic()) < deadline and self._is_served():
            if self._is_too_late():
                yield self._too_old()
                return
            self._woken.clear()
            for chunk in self._shared_news():
                yield chunk
            if now >= mark_at:
                mark_at = now + _BOOKMARK_EVERY_S
                for chunk in self._mark():
                    yield chunk
            await self._sleep(min(deadline, mark_at) - time.monotonic())
        for chunk in (*self._shared_news(), *self._mark()):
            yield chunk

    def _is_served(self) -> bool:
        """Whether the kind is still what it was when the watch began."""
        return self._registry.serves(self._plan.selection.resource)

    def _is_too_late(self) -> bool:
        """Whether something after the watch's place has left the history."""
        return self._place < self._store.history.lost(self._plan.selection.resource.key)

    async def _sleep(self, seconds: float) -> None:
        """Wait until something happens or the time is over."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._woken.wait()

    def _initial(self) -> Iterator[bytes]:
        """What exists, as ADDED, and the bookmark after it."""
        selection = self._plan.selection
        if self._plan.initial:
            self._place = self._store.revision
            for key, entry in self._store.present(selection.resource.key, selection.namespace):
                if selection.takes(key, entry.raw):
                    yield self._line(ADDED, entry.raw)
        if self._plan.initial_mark:
            yield self._bookmark(_INITIAL_END)

    def _shared_news(self) -> list[bytes]:
        """The news in chunks; made once for all watches that are at one place and ask alike."""
        plan = self._plan
        if not plan.selection.everything or plan.form != _PLAIN:
            return list(_joined(self._news()))
        rendered = self._store.rendered
        resource = plan.selection.resource
        asked = (resource.key, resource.api_version, plan.selection.namespace, self._place)
        if asked not in rendered:
            rendered[asked] = list(_joined(self._news()))
        self._place = max(self._place, self._store.revision)
        return rendered[asked]

    def _news(self) -> Iterator[bytes]:
        """Everything after the watch's place, which moves along."""
        place, self._place = self._place, max(self._place, self._store.revision)
        for event in self._store.history.since(self._plan.selection.resource.key, place):
            kind = self._seen_as(event)
            if kind == DELETED and event.type != DELETED:
                yield self._line(kind, _last_seen(event))
            elif kind:
                yield self._line(kind, event.entry.raw)

    def _seen_as(self, event: Event) -> str:
        """What the change is through the selectors; empty when it is nothing."""
        takes = self._plan.selection.takes
        if self._plan.selection.everything:
            namespace = self._plan.selection.namespace
            return event.type if namespace in ("", event.key.namespace) else ""
        was = event.before is not None and takes(event.key, event.before.raw)
        now = event.type != DELETED and takes(event.key, event.entry.raw)
        if now:
            return MODIFIED if was else ADDED
        return DELETED if was else ""

    def _line(self, kind: str, raw: bytes) -> bytes:
        if self._plan.form.shape is not Shape.WHOLE:
            raw = encode_json(self._shaped(decode(raw)))
        else:
            raw = whole(self._plan.selection.resource, raw)
        return b"".join((b'{"type":"', kind.encode(), b'","object":', raw, b"}\n"))

    def _mark(self) -> Iterator[bytes]:
        if self._plan.bookmarks:
            yield self._bookmark({})

    def _bookmark(self, annotations: dict[str, str]) -> bytes:
        resource = self._plan.selection.resource
        metadata: dict[str, Any] = {"resourceVersion": str(self._place)}
        if annotations:
            metadata["annotations"] = annotations
        document = {"kind": resource.kind, "apiVersion": resource.api_version, "metadata": metadata}
        if self._plan.form.shape is Shape.TABLE:
            document = table_object((), (), metadata)
        elif self._plan.form.shape is Shape.METADATA:
            document = self._shaped(document)
        return b'{"type":"BOOKMARK","object":' + encode_json(document) + b"}\n"

    def _shaped(self, document: dict[str, Any]) -> dict[str, Any]:
        columns = () if self._told_columns else None
        self._told_columns = True
        return shaped(self._plan.form, self._plan.selection.resource, document, columns)

    def _too_old(self) -> bytes:
        error = expired(f"too old resource version: {self._place}; list again")
        return b'{"type":"ERROR","object":' + encode_json(error.to_object()) + b"}\n"


def _last_seen(event: Event) -> bytes:
    """An object that stopped matching, as it was while it did, at the version of the change."""
    assert event.before is not None
    document = decode(event.before.raw)
    document["metadata"]["resourceVersion"] = str(event.revision)
    return encode_json(document)


def _joined(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Lines gathered into chunks of bounded size."""
    gathered: list[bytes] = []
    size = 0
    for line in lines:
        gathered.append(line)
        size += len(line)
        if size >= _MOST_IN_A_CHUNK:
            yield b"".join(gathered)
            gathered, size = [], 0
    if gathered:
        yield b"".join(gathered)
