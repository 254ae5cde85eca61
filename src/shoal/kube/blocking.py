"""The blocking client for one-shot commands: the standard library only, so it starts fast."""

import http.client
import select
import socket
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar
from urllib.parse import quote, urlencode, urlsplit

import msgspec

from shoal.api.kinds import Kind
from shoal.api.meta import Object
from shoal.kube import wire
from shoal.kube.config import Config, tls_context
from shoal.kube.errors import Unreachable

T = TypeVar("T", bound=Object)

TIMEOUT = 30
"""Seconds after which a request that is not a stream is given up."""
_CONNECT_TIMEOUT = 5
"""Seconds after which a server that takes no connection is given up: a person waits."""
_CHUNK = 65536


class BlockingClient:
    """Reads and writes objects over one kept connection; streams open their own.

    Every method raises ApiError where the server refuses and Unreachable where none answers.
    ``warn`` is given each warning that comes with an answer.
    """

    def __init__(self, config: Config, warn: Callable[[str], None] = lambda _: None) -> None:
        self.config = config
        self._warn = warn
        self._tls = tls_context(config)
        self._kept: http.client.HTTPSConnection | None = None

    def request(
        self,
        method: str,
        path: str,
        *,
        body: object = None,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> bytes:
        """One request with a JSON body; the body of the answer."""
        data = None if body is None else msgspec.json.encode(body)
        merged = self._headers() | dict(headers or {})
        if self._kept is None or _is_over(self._kept):
            self._kept = self._connect(TIMEOUT)
        try:
            self._kept.request(method, _target(path, query), body=data, headers=merged)
            answer = self._kept.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self._kept = None
            raise Unreachable(self.config.server, error) from None
        for header in answer.headers.get_all("Warning", []):
            self._warn(wire.warning_text(header))
        wire.refuse(answer.status, content)
        return content

    def get(self, kind: Kind[T], name: str, namespace: str = "") -> T:
        """One object as its view."""
        return wire.decode_object(kind, self.request("GET", kind.path(namespace, name)))

    def list(
        self, kind: Kind[T], namespace: str = "", *, labels: str = "", fields: str = ""
    ) -> wire.Listing[T]:
        """All objects, read page by page at one resource version."""
        items: list[T] = []
        token = ""
        while True:
            query = wire.list_query(labels, fields, wire.PAGE, token)
            page = wire.decode_list(kind, self.request("GET", kind.path(namespace), query=query))
            items += page.items
            token = page.metadata.continue_
            if not token:
                return wire.Listing(items, page.metadata)

    def create(
        self, kind: Kind[T], obj: Mapping[str, Any], namespace: str = "", *, dry_run: bool = False
    ) -> T:
        """Create an object, or have it checked only; what the server made of it."""
        query = {"dryRun": "All"} if dry_run else None
        body = self.request("POST", kind.path(namespace), body=obj, query=query)
        return wire.decode_object(kind, body)

    def replace(self, kind: Kind[T], obj: Mapping[str, Any], *, subresource: str = "") -> T:
        """PUT an object, or its status, at the resource version that it carries."""
        path = wire.object_path(kind, obj, subresource)
        return wire.decode_object(kind, self.request("PUT", path, body=obj))

    def patch(
        self, kind: Kind[T], name: str, namespace: str = "", *, patch: Mapping[str, Any]
    ) -> T:
        """Merge patch."""
        headers = {"Content-Type": wire.MERGE_PATCH}
        body = self.request("PATCH", kind.path(namespace, name), body=patch, headers=headers)
        return wire.decode_object(kind, body)

    def delete(
        self,
        kind: Kind[Any],
        name: str,
        namespace: str = "",
        *,
        grace: int | None = None,
        propagation: str = "",
    ) -> None:
        """Delete an object."""
        options = wire.delete_body("", grace, propagation)
        self.request("DELETE", kind.path(namespace, name), body=options)

    def stream(self, path: str, query: Mapping[str, str] | None = None) -> Iterator[bytes]:
        """The body of an answer as it comes, until the server ends it."""
        connection = self._connect(None)
        try:
            connection.request("GET", _target(path, query), headers=self._headers())
            answer = connection.getresponse()
            if answer.status >= 400:
                wire.refuse(answer.status, answer.read())
            while chunk := answer.read1(_CHUNK):
                yield chunk
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(self.config.server, error) from None
        finally:
            connection.close()

    def watch(
        self,
        kind: Kind[T],
        namespace: str = "",
        *,
        resource_version: str,
        labels: str = "",
        fields: str = "",
    ) -> Iterator[wire.WatchEvent[T]]:
        """What changes after a resource version, until the server ends the stream."""
        query = wire.watch_query(resource_version, labels, fields)
        rest = b""
        for chunk in self.stream(kind.path(namespace), query):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                yield wire.decode_event(kind, line)

    def _connect(self, timeout: float | None) -> http.client.HTTPSConnection:
        url = urlsplit(self.config.server)
        assert url.hostname is not None, "a kubeconfig names its server by URL"
        connection = http.client.HTTPSConnection(
            url.hostname, url.port, context=self._tls, timeout=_CONNECT_TIMEOUT
        )
        try:
            connection.connect()
        except OSError as error:
            raise Unreachable(self.config.server, error) from None
        assert isinstance(connection.sock, socket.socket)
        connection.sock.settimeout(timeout)
        return connection

    def _headers(self) -> dict[str, str]:
        return {
            "Authorization": f"Bearer {self.config.token}",
            "Accept": "application/json",
            "Content-Type": "application/json",
        }


def _is_over(kept: http.client.HTTPSConnection) -> bool:
    """Whether the server has closed a connection on which nothing is awaited.

    It does so when nothing was asked for a while, or when it was started again.
    """
    if kept.sock is None:
        return False  # it connects by itself
    waiting = select.poll()
    waiting.register(kept.sock, select.POLLIN)
    return bool(waiting.poll(0))


def _target(path: str, query: Mapping[str, str] | None) -> str:
    return quote(path) + (f"?{urlencode(query)}" if query else "")
