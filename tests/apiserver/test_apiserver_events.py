"""Events: one store that two groups of the API show."""

import pytest
from tests.apiserver.conftest import TABLE


@pytest.fixture
def core(ns):
    return f"/api/v1/namespaces/{ns}/events"


@pytest.fixture
def newer(ns):
    return f"/apis/events.k8s.io/v1/namespaces/{ns}/events"


def old_event(ns, name="e"):
    return {
        "metadata": {"name": name},
        "involvedObject": {"kind": "Pod", "name": "p", "namespace": ns},
        "reason": "Because",
        "message": "words",
        "type": "Normal",
        "source": {"component": "tester"},
        "count": 2,
    }


def new_event(ns, name="e"):
    return {
        "metadata": {"name": name},
        "regarding": {"kind": "Pod", "name": "p", "namespace": ns},
        "eventTime": "2026-01-31T12:00:00.000000Z",
        "reportingController": "example.com/tester",
        "reportingInstance": "tester-1",
        "action": "Testing",
        "reason": "Because",
        "note": "words",
        "type": "Normal",
    }


def test_what_one_face_writes_the_other_reads(api, ns, core, newer):
    made = api.create(newer, new_event(ns))
    assert (made["apiVersion"], made["note"]) == ("events.k8s.io/v1", "words")
    read = api.get(f"{core}/e")
    assert (read["apiVersion"], read["message"]) == ("v1", "words")
    assert read["involvedObject"]["name"] == "p"
    assert read["reportingComponent"] == "example.com/tester"
    assert "note" not in read


def test_a_list_and_its_selectors_speak_the_newer_names(api, ns, core, newer):
    api.create(core, old_event(ns))
    api.create(core, old_event(ns, "other") | {"reason": "Other"})
    found = api.get(newer, fieldSelector="regarding.name=p,reason=Because")
    assert (found["kind"], found["apiVersion"]) == ("EventList", "events.k8s.io/v1")
    (event,) = found["items"]
    assert (event["deprecatedCount"], event["deprecatedSource"]["component"]) == (2, "tester")
    assert "reportingController" not in event


def test_a_watch_speaks_them_too(api, ns, core, newer):
    with api.watch(newer) as events:
        api.create(core, old_event(ns))
        told = next(events)["object"]
    assert (told["apiVersion"], told["note"]) == ("events.k8s.io/v1", "words")


def test_a_table_tells_the_same_through_both(api, ns, core, newer):
    api.create(core, old_event(ns))
    rows = [
        api.get(path, headers={"Accept": TABLE}, includeObject="Object")["rows"][0]
        for path in (core, newer)
    ]
    assert rows[0]["cells"] == rows[1]["cells"]
    assert (rows[0]["object"]["message"], rows[1]["object"]["note"]) == ("words", "words")


def test_only_how_often_it_happened_changes_through_the_newer_face(api, ns, core, newer):
    api.create(newer, new_event(ns))
    series = {"count": 2, "lastObservedTime": "2026-01-31T12:00:01.000000Z"}
    assert api.patch(f"{newer}/e", {"series": series})[0] == 200
    assert api.get(f"{core}/e")["series"]["count"] == 2
    status, refusal = api.patch(f"{newer}/e", {"note": "other"})
    assert (status, refusal["details"]["causes"][0]["field"]) == (422, "note")


@pytest.mark.parametrize(
    "field", ["eventTime", "reportingController", "reportingInstance", "action", "reason"]
)
def test_the_newer_face_wants_to_know_more(api, ns, newer, field):
    event = new_event(ns)
    del event[field]
    status, refusal = api.call("POST", newer, event)
    assert status == 422
    assert field in {cause["field"] for cause in refusal["details"]["causes"]}


def test_a_deletion_through_one_face_is_one_through_both(api, ns, core, newer):
    api.create(core, old_event(ns))
    status, answer = api.call("DELETE", f"{newer}/e")
    assert (status, answer["details"]["group"]) == (200, "events.k8s.io")
    assert api.call("GET", f"{core}/e")[0] == 404
