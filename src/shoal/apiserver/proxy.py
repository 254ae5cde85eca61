"""Passing requests on to the unix sockets of the home: pods' logs and components' services.

An agent serves ``sock/node-<node>.sock`` (``GET /logs/<namespace>/<pod>/<container>``), a
component ``sock/svc-<service>.sock``.
"""

import os
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlencode

import msgspec

from shoal.apiserver.http import Answer, Request, Response, Stream
from shoal.apiserver.render import decode
from shoal.apiserver.server import Server, Target
from shoal.dialect.document import Document
from shoal.dialect.names import wrong_label, wrong_subdomain
from shoal.dialect.status import (
    Details,
    StatusError,
    bad_request,
    not_found,
)

if TYPE_CHECKING:
    import aiohttp

SERVICE_NAMESPACE: Final = "shoal-system"
_LOG_OPTIONS: Final = (
    "follow",
    "limitBytes",
    "previous",
    "sinceSeconds",
    "sinceTime",
    "tailLines",
    "timestamps",
)
_CONNECT_S: Final = 5
_MOST_REFUSAL: Final = 256 * 1024


class Forward(msgspec.Struct, frozen=True):
    """A request as it goes to a socket. ``what`` names who should answer."""

    socket: Path
    method: str
    path: str
    query: str
    what: str
    content_type: str = ""
    body: bytes = b""


async def pod_log(server: Server, request: Request, target: Target) -> Answer:
    """GET pods/log: the output of a container. 204 while the pod has no node."""
    entry = server.store.get(target.key)
    if entry is None:
        raise not_found("", "pods", target.name)
    pod = decode(entry.raw)
    container = _container(pod, request.query.get("container", ""))
    node = pod["spec"].get("nodeName") or ""
    if not node:
        return Response(204, b"", "text/plain")
    socket = server.home / "sock" / f"node-{node}.sock"
    if wrong_subdomain(node) or not socket.exists():
        raise _no_agent(node)
    options = {name: request.query[name] for name in _LOG_OPTIONS if name in request.query}
    path = "/".join(("/logs", *map(quote, (target.namespace, target.name, container))))
    what = f"the agent of node {node}"
    told = await _relay(Forward(socket, "GET", path, urlencode(options), what))
    if isinstance(told, Response):
        raise _no_log(told, what, target.name)
    return told


async def service(server: Server, request: Request, namespace: str, name: str, tail: str) -> Answer:
    """…/services/<name>/proxy/<tail>: whatever a component of shoal serves there."""
    plain = name.removeprefix("http:").partition(":")[0]
    if namespace != SERVICE_NAMESPACE or wrong_label(plain):
        raise not_found("", "services", name)
    forward = Forward(
        socket=server.home / "sock" / f"svc-{plain}.sock",
        method=request.method,
        path=quote(f"/{tail}"),
        query=request.query_string,
        what=plain,
        content_type=request.content_type,
        body=request.body,
    )
    return await _relay(forward)


def _container(pod: Document, asked: str) -> str:
    spec = pod["spec"]
    names = [c["name"] for part in ("containers", "initContainers") for c in spec.get(part) or ()]
    pod_name = pod["metadata"]["name"]
    if asked and asked not in names:
        raise bad_request(f"container {asked} is not in pod {pod_name}; it has {', '.join(names)}")
    if not asked and len(spec["containers"]) > 1:
        told = ", ".join(names)
        raise bad_request(f"a container name must be given for pod {pod_name}: one of {told}")
    return asked or str(names[0])


async def _relay(forward: Forward) -> Answer:
    """Send it and pass the answer on as it comes. Raises StatusError 503."""
    import aiohttp

    try:
        folder = os.open(forward.socket.parent, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise _unavailable(forward) from error
    # A socket's path may be longer than the 108 bytes that an address holds.
    short = f"/proc/self/fd/{folder}/{forward.socket.name}"
    session = aiohttp.ClientSession(
        connector=aiohttp.UnixConnector(path=short),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_S),
        auto_decompress=False,
    )
    try:
        response = await session.request(
            forward.method,
            f"http://socket{forward.path}?{forward.query}".rstrip("?"),
            data=forward.body or None,
            headers={"content-type": forward.content_type} if forward.content_type else None,
        )
    except (aiohttp.ClientError, OSError, TimeoutError) as error:
        await session.close()
        raise _unavailable(forward) from error
    finally:
        os.close(folder)
    return await _answer(session, response)


async def _answer(session: "aiohttp.ClientSession", response: "aiohttp.ClientResponse") -> Answer:
    content_type = response.headers.get("content-type", "text/plain")
    if response.status == 200:
        return Stream(_chunks(session, response), content_type)
    try:
        body = await response.content.read(_MOST_REFUSAL)
    finally:
        await session.close()
    return Response(response.status, body, content_type)


async def _chunks(
    session: "aiohttp.ClientSession", response: "aiohttp.ClientResponse"
) -> AsyncGenerator[bytes]:
    try:
        async for chunk in response.content.iter_any():
            yield chunk
    finally:
        response.close()
        await session.close()


def _no_log(refusal: Response, what: str, pod: str) -> StatusError:
    """The agent says in a line of text why there is no log."""
    told = refusal.body.decode(errors="replace").strip()
    if refusal.status == 400:
        return bad_request(told)
    if refusal.status == 404:
        return StatusError(404, "NotFound", told, Details(name=pod, kind="pods"))
    return StatusError(500, "InternalError", f"{what} cannot give the log: {told}")


def _no_agent(node: str) -> StatusError:
    message = f"node {node} has no agent on this machine that could give the log"
    return StatusError(404, "NotFound", message, Details(name=node, kind="pods"))


def _unavailable(forward: Forward) -> StatusError:
    message = f"{forward.what} does not answer; see what runs with: shoal status"
    return StatusError(503, "ServiceUnavailable", message, Details(retry_after_seconds=1))
