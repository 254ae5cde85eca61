"""What an object owned goes when it goes."""

import pytest

from shoal.api.kinds import CONFIG_MAPS, SECRETS, Kind
from shoal.api.meta import Object
from shoal.apiserver.kinds.builtin import BUILTIN
from shoal.controllers.builtin.added import DEFINITIONS
from shoal.controllers.builtin.garbage import KINDS

OWNED_BY_NOBODY = {"events", "customresourcedefinitions"}


def owned_by(owner, *, blocks=False, kind="ConfigMap"):
    reference = {
        "apiVersion": "v1",
        "kind": kind,
        "name": owner.metadata.name,
        "uid": owner.metadata.uid,
        "blockOwnerDeletion": blocks,
    }
    return {"ownerReferences": [reference]}


@pytest.fixture
async def family(hand):
    """An owner, its child and its grandchild; the child blocks the owner's deletion."""
    owner = await hand.make(CONFIG_MAPS, "owner")
    child = await hand.make(CONFIG_MAPS, "child", metadata=owned_by(owner, blocks=True))
    await hand.make(CONFIG_MAPS, "grandchild", metadata=owned_by(child, blocks=True))
    return owner


async def test_dependents_follow_an_owner_that_is_gone(hand, family):
    await hand.client.delete(CONFIG_MAPS, "owner", hand.namespace, propagation="Background")
    await hand.gone(CONFIG_MAPS, "child")
    await hand.gone(CONFIG_MAPS, "grandchild")


async def test_an_owner_deleted_in_the_foreground_goes_last(hand, family):
    hold = {"metadata": {"finalizers": ["example.com/hold"]}}
    await hand.client.patch(CONFIG_MAPS, "child", hand.namespace, patch=hold)
    await hand.client.delete(CONFIG_MAPS, "owner", hand.namespace, propagation="Foreground")
    await hand.gone(CONFIG_MAPS, "grandchild")
    owner = await hand.there(CONFIG_MAPS, "owner")
    assert owner.metadata.deletion_timestamp is not None
    await hand.client.patch(
        CONFIG_MAPS, "child", hand.namespace, patch={"metadata": {"finalizers": []}}
    )
    await hand.gone(CONFIG_MAPS, "owner")


async def test_orphans_go_on_without_their_owner(hand, family):
    await hand.client.delete(CONFIG_MAPS, "owner", hand.namespace, propagation="Orphan")
    await hand.gone(CONFIG_MAPS, "owner")
    child = await hand.there(CONFIG_MAPS, "child")
    assert child.metadata.owner_references == []


async def test_an_object_with_another_owner_stays_and_loses_the_reference(hand):
    one = await hand.make(CONFIG_MAPS, "one")
    two = await hand.make(SECRETS, "two")
    both = [
        *owned_by(one)["ownerReferences"],
        *owned_by(two, kind="Secret")["ownerReferences"],
    ]
    await hand.make(CONFIG_MAPS, "shared", metadata={"ownerReferences": both})
    await hand.client.delete(CONFIG_MAPS, "one", hand.namespace)

    async def only_two():
        shared = await hand.client.get(CONFIG_MAPS, "shared", hand.namespace)
        return [ref.name for ref in shared.metadata.owner_references] == ["two"]

    await hand.until(only_two)


async def test_an_object_made_for_an_owner_that_never_was_goes(hand):
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "nobody", "uid": "no-such-uid"}
    await hand.make(SECRETS, "lost", metadata={"ownerReferences": [reference]})
    await hand.gone(SECRETS, "lost")


async def test_an_owner_of_the_same_name_but_another_uid_is_another(hand):
    await hand.make(CONFIG_MAPS, "owner")
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": "another-uid"}
    await hand.make(SECRETS, "lost", metadata={"ownerReferences": [reference]})
    await hand.gone(SECRETS, "lost")


async def test_what_an_owner_of_an_unknown_kind_has_is_left_alone(hand):
    reference = {"apiVersion": "example.com/v1", "kind": "Thing", "name": "x", "uid": "x"}
    await hand.make(SECRETS, "foreign", metadata={"ownerReferences": [reference]})
    # Something that goes shows that the collector has passed by since.
    nobody = {"apiVersion": "v1", "kind": "ConfigMap", "name": "nobody", "uid": "none"}
    await hand.make(SECRETS, "lost", metadata={"ownerReferences": [nobody]})
    await hand.gone(SECRETS, "lost")
    await hand.there(SECRETS, "foreign")


def test_every_builtin_kind_that_is_stored_is_followed():
    stored = {(kind.api_version, kind.plural) for kind in BUILTIN if kind.stored}
    followed = {(kind.api_version, kind.plural) for kind in KINDS}
    assert {plural for _, plural in stored - followed} == OWNED_BY_NOBODY


@pytest.mark.parametrize("policy", ["Background", "Foreground", "Orphan"])
async def test_what_a_kind_of_a_users_own_owned_is_collected_too(hand, policy):
    group = f"{policy.lower()}.example.test"
    version = {"name": "v1", "served": True, "storage": True}
    spec = {
        "group": group,
        "scope": "Namespaced",
        "names": {"kind": "Widget", "plural": "widgets", "singular": "widget"},
        "versions": [version | {"schema": {"openAPIV3Schema": {"type": "object"}}}],
    }
    definition = {
        "apiVersion": DEFINITIONS.api_version,
        "kind": DEFINITIONS.name,
        "metadata": {"name": f"widgets.{group}"},
        "spec": spec,
    }
    await hand.client.create(DEFINITIONS, definition)
    widgets = Kind(f"{group}/v1", "Widget", "widgets", True, Object)
    owner = await hand.until(lambda: hand.make(widgets, "owner"))
    reference = owned_by(owner, blocks=True, kind="Widget")["ownerReferences"][0]
    owners = {"ownerReferences": [reference | {"apiVersion": widgets.api_version}]}
    await hand.make(CONFIG_MAPS, "child", metadata=owners)
    await hand.client.delete(widgets, "owner", hand.namespace, propagation=policy)
    await hand.gone(widgets, "owner")
    if policy == "Orphan":
        child = await hand.there(CONFIG_MAPS, "child")
        assert child.metadata.owner_references == []
    else:
        await hand.gone(CONFIG_MAPS, "child")
