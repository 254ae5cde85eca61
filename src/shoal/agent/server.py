"""The agent's HTTP interface on a unix socket: logs, for the API server to pass on.

``GET /logs/{namespace}/{pod}/{container}`` with the query of Kubernetes' ``pods/log``: follow,
tailLines, sinceSeconds, sinceTime, timestamps, limitBytes, previous. Errors are one line of text.
"""

import asyncio
import functools
from typing import Final

from aiohttp import web

from shoal.agent.before import first_reason
from shoal.agent.home import Attempt, Home
from shoal.agent.logs import LogQuery, read_log
from shoal.agent.machine import now_ns, stamp
from shoal.agent.pods import Pods
from shoal.agent.record import RecordError, read_record
from shoal.api.pod import Pod
from shoal.units.errors import UnitError
from shoal.units.instant import format_instant, parse_instant

_FIRST_PAUSE_S: Final = 0.005
_LONGEST_PAUSE_S: Final = 0.05
_LOOKS: Final = 400
_SECOND: Final = 1_000_000_000
_DIGITS: Final = 18
"""Of a number that a query may hold; all of these fit 64 bits."""
_TIME: Final = "example: sinceTime=2026-12-24T08:00:00Z"


def log_server(home: Home, pods: Pods) -> web.Application:
    """The application, to be served on the node's socket."""
    app = web.Application()
    app.router.add_get("/logs/{namespace}/{pod}/{container}", LogHandler(home, pods).get)
    return app


class LogHandler:
    """Answers requests for logs."""

    def __init__(self, home: Home, pods: Pods) -> None:
        self._home = home
        self._pods = pods

    async def get(self, request: web.Request) -> web.StreamResponse:
        """Streams the text of a container's log."""
        pod = await self._pod(request)
        container = _container(request, pod)
        query = log_query(request)
        attempt = await self._attempt(request, pod, container, query)
        response = web.StreamResponse(headers={"Content-Type": "text/plain"})
        await response.prepare(request)
        over = functools.partial(_over, request, attempt)
        async for piece in read_log(attempt.log, query, over):
            await response.write(piece)
        await response.write_eof()
        return response

    async def _pod(self, request: web.Request) -> Pod:
        """The pod; a follower may ask a moment before the agent hears of it."""
        namespace, name = request.match_info["namespace"], request.match_info["pod"]
        for _ in range(_LOOKS if _flag(request, "follow") else 1):
            pod = self._pods.find(namespace, name)
            if pod is not None:
                return pod
            await asyncio.sleep(_FIRST_PAUSE_S)
        raise web.HTTPNotFound(text=f"pod {namespace}/{name} is not on this node")

    async def _attempt(
        self, request: web.Request, pod: Pod, container: str, query: LogQuery
    ) -> Attempt:
        """The start that is asked for; a follower waits for it where it is still to come."""
        home = self._home.pod(pod.metadata.uid)
        back = 1 if _flag(request, "previous") else 0
        pause = _FIRST_PAUSE_S
        while True:
            last = home.last_attempt(container)
            if last is not None and last.number >= back:
                return home.attempt(container, last.number - back)
            if back or not query.follow or _left(request) or not self._may_start(pod):
                told = no_previous(pod, container) if back else not_started(pod, container)
                raise web.HTTPBadRequest(text=told)
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE_S)

    def _may_start(self, pod: Pod) -> bool:
        run = self._pods.runner(pod.metadata.uid)
        return run is not None and not run.blocked and not run.stop.asked


def no_previous(pod: Pod, container: str) -> str:
    """Why there is no log from before the container's last start."""
    name = pod.metadata.name
    return f'previous terminated container "{container}" in pod "{name}" not found'


def not_started(pod: Pod, container: str) -> str:
    """Why a container has no log: what it waits for, or what it was never started for."""
    status = pod.status
    told = (*status.init_container_statuses, *status.container_statuses)
    states = [one.state for one in told if one.name == container]
    where = f'container "{container}" in pod "{pod.metadata.name}"'
    if ended := next((state.terminated for state in states if state.terminated), None):
        return f"{where} was never started: {ended.message or ended.reason}"
    if waiting := next((state.waiting for state in states if state.waiting), None):
        words = filter(None, (waiting.reason, waiting.message))
        return f"{where} is waiting to start: {': '.join(words)}"
    return f"{where} is waiting to start: {first_reason(pod)}"


def log_query(request: web.Request) -> LogQuery:
    """The query's bounds. Raises HTTPBadRequest for a number or time that is none."""
    return LogQuery(
        follow=_flag(request, "follow"),
        tail_lines=_number(request, "tailLines"),
        since=_since(request),
        timestamps=_flag(request, "timestamps"),
        limit_bytes=_number(request, "limitBytes"),
    )


def _since(request: web.Request) -> str:
    """The time from which on is wanted; empty for all."""
    seconds, text = _number(request, "sinceSeconds"), request.query.get("sinceTime", "")
    if seconds >= 0 and text:
        raise web.HTTPBadRequest(text="sinceSeconds and sinceTime exclude each other")
    now = now_ns()
    if seconds > now // _SECOND:
        most = f"the most is {now // _SECOND}"
        raise web.HTTPBadRequest(text=f"sinceSeconds={seconds} is before all time; {most}")
    if seconds >= 0:
        return stamp(now - seconds * _SECOND)
    try:
        return format_instant(parse_instant(text.upper())) if text else ""
    except (UnitError, OverflowError):
        raise web.HTTPBadRequest(text=f"sinceTime={text[:40]} is not a time; {_TIME}") from None


def _container(request: web.Request, pod: Pod) -> str:
    name = request.match_info["container"]
    names = [c.name for c in (*pod.spec.init_containers, *pod.spec.containers)]
    if name not in names:
        known = ", ".join(names)
        raise web.HTTPBadRequest(text=f"pod {pod.metadata.name} has no container {name}; {known}")
    return name


def _over(request: web.Request, attempt: Attempt) -> bool:
    """Whether a follower need not wait for more."""
    if _left(request):
        return True
    try:
        return read_record(attempt.record).final
    except RecordError:
        return True  # the pod is being removed, or the start was not made


def _left(request: web.Request) -> bool:
    """Whether nobody reads the answer any more."""
    return request.transport is None or request.transport.is_closing()


def _flag(request: web.Request, name: str) -> bool:
    return request.query.get(name, "").lower() in ("true", "1")


def _number(request: web.Request, name: str) -> int:
    text = request.query.get(name, "")
    if not text:
        return -1
    if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS):
        raise web.HTTPBadRequest(text=f"{name}={text[:40]} is not a number; example: {name}=10")
    return int(text)
