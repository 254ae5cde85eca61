"""What the scheduler answers, read-only and from its live state: why, what is free, what if.

JSON of the core's own structs over a unix socket; times are ms since the epoch. Reached through
the API server's service proxy as ``shoal-scheduler``:

- ``GET /explain``: every waiting group in a line
- ``GET /explain/NAMESPACE/NAME``: all about one, by the name of its run, gang or pod
- ``GET /board``: every node and card, and who holds them
- ``POST /plan``: what would become of the Run in the body; changes nothing
- ``GET /healthz``
"""

from collections.abc import Iterator
from typing import Final

import msgspec
from aiohttp import web

from shoal.api.run import Run
from shoal.core.board import board
from shoal.core.explain import explain
from shoal.core.line import Waiting
from shoal.core.plan import plan
from shoal.core.reason import Reason
from shoal.core.words import say_wait
from shoal.mirror.objects import group_key
from shoal.scheduler.clock import now_ms, say_time
from shoal.scheduler.loop import Loop
from shoal.scheduler.whatif import NotPlannableError, group_of_run

_MOST_BODY: Final = 3 * 1024 * 1024
"""Bytes of a run that is asked about: as many as the API server takes."""


class WaitLine(msgspec.Struct, rename="camel", omit_defaults=True):
    """A waiting group in a line. ``placing``: it has a place that is being written just now."""

    key: str
    owner: str
    placing: bool = False
    reason: Reason | None = None
    message: str = ""


class WaitList(msgspec.Struct):
    """All waiting groups, in the order of the line."""

    items: list[WaitLine]


def application(loop: Loop) -> web.Application:
    """The endpoints over one scheduler's state."""
    app = web.Application(client_max_size=_MOST_BODY)
    answers = Answers(loop)
    app.router.add_get("/explain", answers.explain_all)
    app.router.add_get("/explain/{namespace}/{name}", answers.explain_one)
    app.router.add_get("/board", answers.board)
    app.router.add_post("/plan", answers.plan)
    app.router.add_get("/healthz", answers.healthz)
    return app


class Answers:
    """The handlers."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._state = loop.state

    async def explain_all(self, _: web.Request) -> web.Response:
        """``GET /explain``."""
        line = sorted(self._state.line.values(), key=lambda waiting: waiting.turn)
        return _json(WaitList([self._wait_line(waiting) for waiting in line]))

    async def explain_one(self, request: web.Request) -> web.Response:
        """``GET /explain/{namespace}/{name}``: 404 for what does not wait."""
        namespace, name = request.match_info["namespace"], request.match_info["name"]
        for key in self._keys(namespace, name):
            if found := explain(self._state, key, now_ms()):
                return _json(found)
        return _refusal(404, f"{name} does not wait for a place in namespace {namespace}")

    async def board(self, _: web.Request) -> web.Response:
        """``GET /board``."""
        return _json(board(self._state))

    async def plan(self, request: web.Request) -> web.Response:
        """``POST /plan``: 400 or 422 for what is no run."""
        try:
            run = msgspec.json.decode(await request.read(), type=Run)
            group = group_of_run(run)
        except msgspec.DecodeError as error:
            return _refusal(400, f"the body is not a Run: {error}")
        except NotPlannableError as error:
            return _refusal(422, str(error))
        return _json(plan(self._state, group, now_ms()))

    async def healthz(self, _: web.Request) -> web.Response:
        """``GET /healthz``."""
        return web.Response(text="ok")

    def _wait_line(self, waiting: Waiting) -> WaitLine:
        group, reason = waiting.group, waiting.told
        several = len(self._state.cluster.nodes) > 1
        return WaitLine(
            key=group.key,
            owner=group.owner,
            placing=self._state.placing(group),
            reason=reason,
            message=say_wait(reason, say_time, cluster=several) if reason is not None else "",
        )

    def _keys(self, namespace: str, name: str) -> Iterator[str]:
        """The keys that a name may stand for: a gang or pod itself, a member's gang, a run's."""
        yield f"{namespace}/{name}"
        pod = self._loop.mirror.objects.pods.get((namespace, name))
        if pod is not None:
            yield group_key(pod)
        for waiting in self._state.line.values():
            if (waiting.group.namespace, waiting.group.owner) == (namespace, name):
                yield waiting.group.key


def _json(answer: object) -> web.Response:
    return web.Response(body=msgspec.json.encode(answer), content_type="application/json")


def _refusal(status: int, message: str) -> web.Response:
    body = msgspec.json.encode({"message": message})
    return web.Response(status=status, body=body, content_type="application/json")
