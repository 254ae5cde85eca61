import contextlib
import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.dialect.jsonpatch import JsonPatchError, json_patch
from shoal.dialect.merge import merge_patch
from shoal.dialect.strategic import PatchError, UnknownDirective, strategic_patch

KEYS = st.sampled_from("abcd")
SCALARS = st.integers(0, 3) | st.text("xy", max_size=2) | st.booleans()
DOCUMENTS = st.recursive(
    st.dictionaries(KEYS, SCALARS, max_size=3),
    lambda inner: st.dictionaries(KEYS, SCALARS | inner | st.lists(SCALARS, max_size=2)),
    max_leaves=8,
)


def difference(old, new):
    """The merge patch that turns one document into the other."""
    patch = {key: None for key in old if key not in new}
    for key, value in new.items():
        if key not in old or not (isinstance(value, dict) and isinstance(old[key], dict)):
            if key not in old or old[key] != value or type(old[key]) is not type(value):
                patch[key] = value
        elif inner := difference(old[key], value):
            patch[key] = inner
    return patch


@given(DOCUMENTS, DOCUMENTS)
def test_a_merge_patch_leads_from_any_document_to_any_other(old, new):
    assert merge_patch(old, difference(old, new)) == new


@given(DOCUMENTS, DOCUMENTS)
def test_a_merge_patch_leaves_what_it_was_given_alone(old, patch):
    before = copy.deepcopy((old, patch))
    merge_patch(old, patch)
    assert (old, patch) == before


@given(DOCUMENTS, DOCUMENTS)
def test_applying_a_merge_patch_twice_is_applying_it_once(old, patch):
    once = merge_patch(old, patch)
    assert merge_patch(once, patch) == once


def test_null_deletes_at_any_depth_even_in_what_is_new():
    assert merge_patch({"a": {"b": 1}}, {"a": {"b": None}, "c": {"d": None}}) == {"a": {}, "c": {}}


def pod(**spec):
    return {"metadata": {"name": "p"}, "spec": spec}


def test_containers_merge_by_name_and_their_variables_too():
    old = pod(containers=[{"name": "a", "image": "1", "env": [{"name": "X", "value": "1"}]}])
    patch = {"spec": {"containers": [{"name": "a", "env": [{"name": "Y", "value": "2"}]}]}}
    container = strategic_patch(old, patch, "core.v1.Pod")["spec"]["containers"][0]
    assert container["image"] == "1"
    assert [variable["name"] for variable in container["env"]] == ["Y", "X"]


def test_a_list_without_a_merge_key_is_replaced():
    old = pod(containers=[{"name": "a", "args": ["1", "2"]}])
    patch = {"spec": {"containers": [{"name": "a", "args": ["3"]}]}}
    assert strategic_patch(old, patch, "core.v1.Pod")["spec"]["containers"][0]["args"] == ["3"]


def test_conditions_merge_by_type_and_delete_by_directive():
    old = {"status": {"conditions": [{"type": "A", "status": "True"}, {"type": "B"}]}}
    patch = {
        "status": {
            "$setElementOrder/conditions": [{"type": "C"}, {"type": "A"}],
            "conditions": [
                {"type": "A", "status": "False"},
                {"type": "B", "$patch": "delete"},
                {"type": "C"},
            ],
        }
    }
    assert strategic_patch(old, patch, "core.v1.Pod")["status"]["conditions"] == [
        {"type": "C"},
        {"type": "A", "status": "False"},
    ]


def test_what_the_order_does_not_name_stays_before_what_it_stood_before():
    old = pod(containers=[{"name": "theirs"}, {"name": "a"}, {"name": "b"}])
    patch = {"spec": {"$setElementOrder/containers": [{"name": "b"}, {"name": "a"}]}}
    names = [c["name"] for c in strategic_patch(old, patch, "core.v1.Pod")["spec"]["containers"]]
    assert names == ["theirs", "b", "a"]


def test_retain_keys_drops_the_other_sources_of_a_volume():
    old = pod(volumes=[{"name": "v", "emptyDir": {}}])
    change = {"name": "v", "$retainKeys": ["name", "hostPath"], "hostPath": {"path": "/x"}}
    patch = {"spec": {"volumes": [change]}}
    volumes = strategic_patch(old, patch, "core.v1.Pod")["spec"]["volumes"]
    assert volumes == [{"name": "v", "hostPath": {"path": "/x"}}]


def test_finalizers_are_a_set_with_deletions():
    old = {"metadata": {"finalizers": ["a/1", "a/2"]}}
    added = strategic_patch(old, {"metadata": {"finalizers": ["a/2", "a/3"]}}, "core.v1.ConfigMap")
    assert sorted(added["metadata"]["finalizers"]) == ["a/1", "a/2", "a/3"]
    patch = {"metadata": {"$deleteFromPrimitiveList/finalizers": ["a/1"]}}
    assert strategic_patch(old, patch, "core.v1.ConfigMap")["metadata"]["finalizers"] == ["a/2"]


@pytest.mark.parametrize(("directive", "left"), [("replace", {"b": 2}), ("delete", {})])
def test_a_map_can_be_replaced_or_emptied(directive, left):
    patch = {"data": {"$patch": directive, "b": 2}}
    assert strategic_patch({"data": {"a": 1}}, patch, "core.v1.ConfigMap")["data"] == left


def test_a_whole_merging_list_can_be_replaced():
    patch = {"spec": {"containers": [{"$patch": "replace"}, {"name": "b"}]}}
    patched = strategic_patch(pod(containers=[{"name": "a"}]), patch, "core.v1.Pod")
    assert patched["spec"]["containers"] == [{"name": "b"}]


@pytest.mark.parametrize(
    "patch", [{"data": {"$patch": "explode"}}, {"metadata": {"ownerReferences": [{"name": "x"}]}}]
)
def test_a_strategic_patch_that_makes_no_sense_is_refused(patch):
    with pytest.raises(PatchError):
        strategic_patch({}, patch, "core.v1.ConfigMap")


def named(*names):
    return [{"name": name} for name in names]


def names_after(live, patched, order=None):
    """The order of volumes after a patch of some of them."""
    spec = {"volumes": named(*patched)}
    if order is not None:
        spec["$setElementOrder/volumes"] = named(*order)
    old = pod(volumes=named(*live))
    merged = strategic_patch(old, {"spec": spec}, "core.v1.Pod")["spec"]["volumes"]
    return "".join(volume["name"] for volume in merged)


@pytest.mark.parametrize(
    ("live", "patched", "order", "after"),
    [
        ("v", "w", None, "wv"),
        ("ab", "bc", None, "abc"),
        ("abc", "d", "dca", "dbca"),
        ("abc", "", "cba", "cba"),
        ("", "ba", None, "ba"),
        ("abcd", "db", None, "acdb"),
    ],
)
def test_where_the_items_of_a_merged_list_stand(live, patched, order, after):
    assert names_after(live, patched, order) == after


NAMES = st.lists(st.sampled_from("abcdefg"), unique=True)


@given(NAMES, NAMES)
def test_a_merged_list_keeps_both_orders_and_every_item_once(live, patched):
    after = names_after(live, patched)
    assert sorted(after) == sorted({*live, *patched})
    assert [name for name in after if name in patched] == patched
    others = [name for name in live if name not in patched]
    assert [name for name in after if name in others] == others


@given(NAMES, NAMES)
def test_applying_a_strategic_patch_twice_is_applying_it_once(live, patched):
    once = names_after(live, patched)
    assert names_after(once, patched) == once


@given(NAMES, NAMES)
def test_an_order_of_all_items_is_obeyed(live, patched):
    order = sorted({*live, *patched}, reverse=True)
    assert names_after(live, patched, order) == "".join(order)


HOSTILE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("ab$", max_size=2),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "metadata",
                    "spec",
                    "finalizers",
                    "containers",
                    "env",
                    "name",
                    "volumes",
                    "$patch",
                    "$retainKeys",
                    "$setElementOrder/containers",
                    "$setElementOrder/finalizers",
                    "$deleteFromPrimitiveList/finalizers",
                    "$deleteFromPrimitiveList/containers",
                ]
            ),
            inner,
        )
    ),
    max_leaves=15,
)


@given(st.dictionaries(st.sampled_from(["metadata", "spec", "$patch"]), HOSTILE))
def test_a_patch_of_anything_is_applied_or_refused_and_changes_nothing_given(patch):
    old = {"metadata": {"finalizers": ["a"]}, "spec": {"containers": [{"name": "a", "env": []}]}}
    before = copy.deepcopy((old, patch))
    with contextlib.suppress(PatchError):
        strategic_patch(old, patch, "core.v1.Pod")
    assert (old, patch) == before


@pytest.mark.parametrize("directive", ["explode", 1, None, ["delete"]])
def test_a_directive_that_is_none_is_told_apart(directive):
    with pytest.raises(UnknownDirective):
        strategic_patch({}, {"data": {"$patch": directive}}, "core.v1.ConfigMap")


def test_pull_secrets_of_an_account_are_replaced_and_its_secrets_merge():
    old = {"imagePullSecrets": named("a"), "secrets": named("a")}
    patch = {"imagePullSecrets": named("b"), "secrets": named("b")}
    merged = strategic_patch(old, patch, "core.v1.ServiceAccount")
    assert merged == {"imagePullSecrets": named("b"), "secrets": named("b", "a")}


@given(DOCUMENTS, DOCUMENTS)
def test_without_lists_and_directives_it_is_a_merge_patch(old, new):
    patch = difference(old, new)
    assert strategic_patch(old, patch, "Other") == merge_patch(old, patch)


def test_all_operations_of_a_json_patch():
    old = {"a": {"x/y": 1, "gone": 2}, "l": ["one"]}
    patched = json_patch(
        old,
        [
            {"op": "test", "path": "/a/x~1y", "value": 1},
            {"op": "add", "path": "/l/-", "value": "last"},
            {"op": "add", "path": "/l/0", "value": "first"},
            {"op": "replace", "path": "/a/x~1y", "value": 3},
            {"op": "move", "from": "/a/gone", "path": "/moved"},
            {"op": "copy", "from": "/moved", "path": "/copied"},
            {"op": "remove", "path": "/l/1"},
        ],
    )
    assert patched == {"a": {"x/y": 3}, "l": ["first", "last"], "moved": 2, "copied": 2}
    assert old == {"a": {"x/y": 1, "gone": 2}, "l": ["one"]}


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "dance", "path": "/a"},
        {"op": "remove", "path": "/none"},
        {"op": "replace", "path": "/no/such/path", "value": 1},
        {"op": "test", "path": "/a", "value": 2},
        {"op": "add", "path": "/l/5", "value": 1},
        {"op": "add", "path": "/l/01", "value": 1},
        {"op": "add", "path": "/a"},
        {"op": "remove", "path": "relative"},
    ],
)
def test_an_operation_that_cannot_apply_is_refused(operation):
    with pytest.raises(JsonPatchError):
        json_patch({"a": 1, "l": []}, [operation])
