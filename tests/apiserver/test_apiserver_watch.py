"""Watches: nothing missed, nothing twice, nothing from the future."""

import itertools

import pytest

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"


@pytest.fixture
def maps(ns):
    return f"/api/v1/namespaces/{ns}/configmaps"


def put(api, maps, name, **labels):
    return api.create(maps, {"metadata": {"name": name, "labels": labels}})


def told(events, count):
    """The next events as (type, name)."""
    taken = itertools.islice(events, count)
    return [(event["type"], event["object"]["metadata"].get("name")) for event in taken]


def test_a_watch_shows_what_exists_then_every_change_in_order(api, maps):
    put(api, maps, "a")
    with api.watch(maps) as events:
        assert told(events, 1) == [("ADDED", "a")]
        put(api, maps, "b")
        api.patch(f"{maps}/a", {"data": {"k": "v"}})
        api.call("DELETE", f"{maps}/b")
        assert told(events, 3) == [("ADDED", "b"), ("MODIFIED", "a"), ("DELETED", "b")]


def test_a_watch_resumes_after_the_version_it_saw_last(api, maps):
    put(api, maps, "a")
    version = api.get(maps)["metadata"]["resourceVersion"]
    put(api, maps, "b")
    put(api, maps, "c")
    with api.watch(maps, resourceVersion=version) as events:
        assert told(events, 2) == [("ADDED", "b"), ("ADDED", "c")]


def test_versions_only_rise(api, maps):
    with api.watch(maps, resourceVersion=api.get(maps)["metadata"]["resourceVersion"]) as events:
        for name in "abc":
            put(api, maps, name)
        seen = [
            int(e["object"]["metadata"]["resourceVersion"]) for e in itertools.islice(events, 3)
        ]
    assert seen == sorted(set(seen))


def test_an_object_comes_and_goes_through_a_selector(api, maps):
    put(api, maps, "a")
    version = api.get(maps)["metadata"]["resourceVersion"]
    with api.watch(maps, labelSelector="w=1", resourceVersion=version) as events:
        api.patch(f"{maps}/a", {"metadata": {"labels": {"w": "1"}}})
        api.patch(f"{maps}/a", {"data": {"k": "v"}})
        api.patch(f"{maps}/a", {"metadata": {"labels": {"w": "2"}}})
        put(api, maps, "b", w="1")
        assert told(events, 4) == [
            ("ADDED", "a"),
            ("MODIFIED", "a"),
            ("DELETED", "a"),
            ("ADDED", "b"),
        ]


def test_a_field_selector_follows_one_object(api, maps):
    put(api, maps, "a")
    with api.watch(maps, fieldSelector="metadata.name=b", resourceVersion="0") as events:
        put(api, maps, "b")
        assert told(events, 1) == [("ADDED", "b")]


def test_a_watch_ignores_other_namespaces(api, maps):
    with api.watch(maps, resourceVersion=api.get(maps)["metadata"]["resourceVersion"]) as events:
        api.call(
            "POST", "/api/v1/namespaces/default/configmaps", {"metadata": {"generateName": "x-"}}
        )
        put(api, maps, "mine")
        assert told(events, 1) == [("ADDED", "mine")]


def test_initial_events_end_with_a_marked_bookmark(api, maps):
    put(api, maps, "a")
    asked = {
        "sendInitialEvents": "true",
        "resourceVersionMatch": "NotOlderThan",
        "allowWatchBookmarks": "true",
    }
    with api.watch(maps, **asked) as events:
        assert told(events, 1) == [("ADDED", "a")]
        bookmark = next(events)
    assert bookmark["type"] == "BOOKMARK"
    metadata = bookmark["object"]["metadata"]
    assert metadata["annotations"] == {"k8s.io/initial-events-end": "true"}
    assert int(metadata["resourceVersion"]) > 0


def test_a_watch_ends_after_its_time_with_a_bookmark(api, maps):
    version = api.get(maps)["metadata"]["resourceVersion"]
    asked = {"timeoutSeconds": "1", "allowWatchBookmarks": "true", "resourceVersion": version}
    with api.watch(maps, **asked) as events:
        assert [event["type"] for event in events] == ["BOOKMARK"]


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"resourceVersion": "banana"}, 500),
        ({"labelSelector": "a b c"}, 400),
        ({"sendInitialEvents": "true"}, 422),
    ],
)
def test_a_watch_that_makes_no_sense_is_refused(api, maps, query, status):
    assert api.call("GET", maps, watch="true", **query)[0] == status


def test_a_watch_can_be_of_table_rows(api, maps):
    put(api, maps, "a")
    with api.watch(maps, headers={"Accept": TABLE}) as events:
        first = next(events)["object"]
        api.patch(f"{maps}/a", {"data": {"k": "v"}})
        second = next(events)["object"]
    assert [column["name"] for column in first["columnDefinitions"]] == ["Name", "Data", "Age"]
    assert second["columnDefinitions"] == []
    assert second["rows"][0]["cells"][:2] == ["a", 1]


def test_forcing_a_bound_pod_shows_its_last_grace_before_its_end(api, ns):
    pods = f"/api/v1/namespaces/{ns}/pods"
    spec = {"containers": [{"name": "c", "image": "host"}], "nodeName": "box"}
    made = api.create(pods, {"metadata": {"name": "p"}, "spec": spec})
    with api.watch(pods, resourceVersion=made["metadata"]["resourceVersion"]) as events:
        api.call("DELETE", f"{pods}/p")
        api.call("DELETE", f"{pods}/p", gracePeriodSeconds="0")
        seen = [
            (event["type"], event["object"]["metadata"]["deletionGracePeriodSeconds"])
            for event in itertools.islice(events, 3)
        ]
    assert seen == [("MODIFIED", 30), ("MODIFIED", 0), ("DELETED", 0)]
