"""Lists: selection, pages, the past, and the forms in which they are given."""

import gzip
import json

import pytest

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"


@pytest.fixture
def maps(api, ns):
    """A collection of four config maps."""
    path = f"/api/v1/namespaces/{ns}/configmaps"
    for name in "abcd":
        api.create(path, {"metadata": {"name": name, "labels": {"odd": str(name in "ac").lower()}}})
    return path


def names(listing):
    return [item["metadata"]["name"] for item in listing["items"]]


def test_a_list_is_in_order_of_names_and_selected_by_labels_and_fields(api, maps):
    assert names(api.get(maps)) == ["a", "b", "c", "d"]
    assert names(api.get(maps, labelSelector="odd=true")) == ["a", "c"]
    assert names(api.get(maps, fieldSelector="metadata.name!=a,metadata.name!=b")) == ["c", "d"]
    assert api.call("GET", maps, fieldSelector="data.k=v")[0] == 400
    assert api.call("GET", maps, labelSelector="a b c")[0] == 400


def test_later_pages_show_the_state_of_the_first(api, maps):
    first = api.get(maps, limit="2")
    assert names(first) == ["a", "b"]
    assert first["metadata"]["remainingItemCount"] == 2
    api.call("DELETE", f"{maps}/c")
    api.create(maps, {"metadata": {"name": "bb"}})
    rest = api.get(maps, limit="5", **{"continue": first["metadata"]["continue"]})
    assert names(rest) == ["c", "d"]
    assert rest["metadata"]["resourceVersion"] == first["metadata"]["resourceVersion"]
    assert names(api.get(maps)) == ["a", "b", "bb", "d"]


def test_an_exact_version_gives_the_past(api, maps):
    version = api.get(maps)["metadata"]["resourceVersion"]
    api.call("DELETE", f"{maps}/a")
    past = api.get(maps, resourceVersion=version, resourceVersionMatch="Exact")
    assert names(past) == ["a", "b", "c", "d"]


def test_a_version_not_reached_yet_is_a_timeout_to_retry(api, maps):
    status, refusal = api.call(
        "GET", maps, resourceVersion="9000000000000", resourceVersionMatch="NotOlderThan"
    )
    assert (status, refusal["details"]["retryAfterSeconds"]) == (504, 1)


def test_a_continue_token_of_somebody_else_is_refused(api, maps):
    assert api.call("GET", maps, limit="1", **{"continue": "garbage"})[0] == 400


def test_tables_carry_columns_and_cells(api, maps):
    status, table = api.call("GET", maps, headers={"Accept": TABLE})
    assert (status, table["kind"]) == (200, "Table")
    assert [column["name"] for column in table["columnDefinitions"]] == ["Name", "Data", "Age"]
    assert [row["cells"][:2] for row in table["rows"]] == [[name, 0] for name in "abcd"]
    assert table["rows"][0]["object"]["kind"] == "PartialObjectMetadata"


def test_metadata_alone_can_be_asked_for(api, maps):
    accept = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
    _, listing = api.call("GET", maps, headers={"Accept": accept})
    assert listing["kind"] == "PartialObjectMetadataList"
    assert "data" not in listing["items"][0]


def test_a_form_that_cannot_be_given_is_refused(api, maps):
    assert api.call("GET", maps, headers={"Accept": "text/html"})[0] == 406


def test_a_large_answer_is_compressed_for_who_takes_it(api, ns):
    path = f"/api/v1/namespaces/{ns}/configmaps"
    api.create(path, {"metadata": {"name": "big"}, "data": {"k": "x" * 200_000}})
    _, headers, body = api.send("GET", f"{path}/big", headers={"Accept-Encoding": "gzip"})
    assert headers["Content-Encoding"] == "gzip"
    assert json.loads(gzip.decompress(body))["metadata"]["name"] == "big"
    assert api.get(f"{path}/big")["metadata"]["name"] == "big"
