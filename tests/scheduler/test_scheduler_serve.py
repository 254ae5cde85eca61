"""What the scheduler answers over its socket."""

import aiohttp
import pytest

from shoal.api import kinds
from shoal.kube.sockets import serve_unix, short_path
from shoal.scheduler.serve import application


class Asking:
    """A program at the other end of the socket."""

    def __init__(self, session):
        self.session = session

    async def get(self, path):
        async with self.session.get(f"http://scheduler{path}") as answer:
            return answer.status, await answer.json()

    async def plan(self, body):
        async with self.session.post("http://scheduler/plan", json=body) as answer:
            return answer.status, await answer.json()


@pytest.fixture
async def asking(box, tmp_path, tools):
    """A scheduler with one pod on all three cards and one that waits."""
    socket = tmp_path / "scheduler.sock"
    async with box.scheduled() as loop:
        await box.add_pod("a", "3")
        await tools.wait_until(lambda: bound(box, "a"), "a has a node")
        await box.add_pod("b", "2")
        await tools.wait_until(waiting(loop, f"{box.namespace}/b"), "b waits")
        runner = await serve_unix(socket, application(loop))
        try:
            with short_path(socket) as path:
                connector = aiohttp.UnixConnector(path)
                async with aiohttp.ClientSession(connector=connector) as session:
                    yield Asking(session)
        finally:
            await runner.cleanup()


async def bound(box, pod):
    return bool((await box.client.get(kinds.PODS, pod, box.namespace)).spec.node_name)


def waiting(loop, key):
    async def is_told():
        return key in loop.state.line and loop.state.line[key].told is not None

    return is_told


def run(**spec):
    return {
        "apiVersion": "shoal.dev/v1alpha1",
        "kind": "Run",
        "metadata": {"name": "r", "namespace": "default"},
        "spec": {"run": "true", **spec},
    }


async def test_every_waiting_group_has_a_line_with_its_reason(asking, box):
    status, answer = await asking.get("/explain")
    assert status == 200
    (line,) = answer["items"]
    assert (line["key"], line["owner"]) == (f"{box.namespace}/b", "b")
    assert line["reason"]["code"] == "CardsBusy"
    assert line["message"].startswith("2 whole cards; 0 free")


async def test_one_group_is_explained_with_the_cards_and_who_holds_them(asking, box):
    status, answer = await asking.get(f"/explain/{box.namespace}/b")
    assert status == 200
    assert (answer["key"], answer["reason"]["asked"]) == (f"{box.namespace}/b", 2)
    assert {holder["owner"] for card in answer["cards"] for holder in card["holders"]} == {"a"}


async def test_what_does_not_wait_is_said_to_do_so(asking, box):
    status, answer = await asking.get(f"/explain/{box.namespace}/a")
    assert status == 404
    assert answer["message"] == f"a does not wait for a place in namespace {box.namespace}"


async def test_the_board_shows_every_card_and_what_is_free_of_it(asking, box):
    status, answer = await asking.get("/board")
    (node,) = answer["nodes"]
    assert (status, node["name"], answer["waiting"]) == (200, box.node, 1)
    assert [card["milliFree"] for card in node["cards"]] == [0, 0, 0]


@pytest.mark.parametrize(
    ("spec", "verdict"),
    [
        ({"cpu": "1"}, "now"),
        ({"gpu": "1/2"}, "waits"),
        ({"gpu": "4"}, "never"),
        ({"gpu": "1/2", "replicas": 3}, "waits"),
        ({"gpu": "1/2", "replicas": 4}, "never"),
        ({"gpu": "1/2", "replicas": 4, "pack": True}, "waits"),
    ],
)
async def test_a_plan_says_what_would_become_of_a_run(asking, spec, verdict):
    status, answer = await asking.plan(run(**spec))
    assert (status, answer["verdict"]) == (200, verdict)


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        ("x", 400, "the body is not a Run"),
        (run(gpus="1/2"), 400, "gpus"),
        (run(gpu="1.5"), 422, "spec.gpu: "),
        (run(replicas=1001), 422, "spec.replicas: got 1001, takes 1 to 1000; example: replicas: 4"),
        (run(replicas=0), 422, "spec.replicas: got 0, takes 1 to 1000"),
    ],
)
async def test_what_is_no_run_is_refused_in_a_sentence(asking, body, status, says):
    code, answer = await asking.plan(body)
    assert code == status
    assert says in answer["message"]
