"""Claims come from templates, and are released when their pods have ended."""

from shoal.api.claim import DELETE_PROTECTION
from shoal.api.kinds import PODS, RESOURCE_CLAIM_TEMPLATES, RESOURCE_CLAIMS
from shoal.api.meta import DRIVER

DEVICES = {"requests": [{"name": "gpu", "exactly": {"deviceClassName": DRIVER}}]}


async def pod(hand, name, **claim):
    container = {"name": "main", "image": "host", "command": ["true"]}
    claims = [{"name": "gpu", **claim}]
    return await hand.make(PODS, name, spec={"containers": [container], "resourceClaims": claims})


async def test_a_claim_is_cleared_when_its_pod_has_ended(hand):
    await hand.make(RESOURCE_CLAIMS, "card", spec={"devices": DEVICES})
    await pod(hand, "user", resourceClaimName="card")
    await hand.allocate("card", "user")
    await hand.bind("user")
    await hand.end("user")

    async def cleared():
        claim = await hand.client.get(RESOURCE_CLAIMS, "card", hand.namespace)
        held = claim.status.allocation or claim.status.reserved_for
        return not held and DELETE_PROTECTION not in claim.metadata.finalizers

    await hand.until(cleared)


async def test_a_claim_goes_on_while_another_pod_uses_it(hand):
    await hand.make(RESOURCE_CLAIMS, "card", spec={"devices": DEVICES})
    one = await pod(hand, "one", resourceClaimName="card")
    two = await pod(hand, "two", resourceClaimName="card")
    await hand.allocate("card", "one")
    consumers = [
        {"resource": "pods", "name": each.metadata.name, "uid": each.metadata.uid}
        for each in (one, two)
    ]
    await hand.client.patch(
        RESOURCE_CLAIMS,
        "card",
        hand.namespace,
        patch={"status": {"reservedFor": consumers}},
        subresource="status",
    )
    await hand.client.delete(PODS, "one", hand.namespace)

    async def only_two():
        claim = await hand.client.get(RESOURCE_CLAIMS, "card", hand.namespace)
        return [consumer.name for consumer in claim.status.reserved_for] == ["two"]

    await hand.until(only_two)
    claim = await hand.there(RESOURCE_CLAIMS, "card")
    assert claim.status.allocation is not None


async def test_a_claim_deleted_under_a_pod_goes_when_the_pod_has_ended(hand):
    await hand.make(RESOURCE_CLAIMS, "card", spec={"devices": DEVICES})
    await pod(hand, "user", resourceClaimName="card")
    await hand.allocate("card", "user")
    await hand.bind("user")
    await hand.client.delete(RESOURCE_CLAIMS, "card", hand.namespace)
    assert (await hand.there(RESOURCE_CLAIMS, "card")).status.allocation is not None
    await hand.end("user")
    await hand.gone(RESOURCE_CLAIMS, "card")


async def test_a_guarded_claim_that_is_about_to_be_allocated_is_not_touched(hand):
    guard = {"finalizers": [DELETE_PROTECTION]}
    await hand.make(RESOURCE_CLAIMS, "card", spec={"devices": DEVICES}, metadata=guard)
    await hand.make(RESOURCE_CLAIMS, "old", spec={"devices": DEVICES}, metadata=guard)
    await hand.client.delete(RESOURCE_CLAIMS, "old", hand.namespace)
    await hand.gone(RESOURCE_CLAIMS, "old")
    claim = await hand.there(RESOURCE_CLAIMS, "card")
    assert claim.metadata.finalizers == [DELETE_PROTECTION]


async def test_a_template_makes_a_claim_of_its_own_for_each_pod(hand):
    template = {"metadata": {"labels": {"team": "vision"}}, "spec": {"devices": DEVICES}}
    await hand.make(RESOURCE_CLAIM_TEMPLATES, "half", spec=template)
    made = await pod(hand, "user", resourceClaimTemplateName="half")

    async def named():
        user = await hand.client.get(PODS, "user", hand.namespace)
        return user.claim_name(user.spec.resource_claims[0])

    claim = await hand.there(RESOURCE_CLAIMS, await hand.until(named))
    assert claim.metadata.name.startswith("user-gpu-")
    assert claim.metadata.labels == {"team": "vision"}
    assert claim.metadata.owner_references[0].uid == made.metadata.uid
    assert claim.spec.devices.requests[0].exactly.device_class_name == DRIVER
    claims = await hand.client.list(RESOURCE_CLAIMS, hand.namespace)
    assert len(claims.items) == 1


async def test_a_template_that_comes_after_its_pod_is_found(hand):
    await pod(hand, "user", resourceClaimTemplateName="late")
    await hand.make(RESOURCE_CLAIM_TEMPLATES, "late", spec={"spec": {"devices": DEVICES}})

    async def named():
        user = await hand.client.get(PODS, "user", hand.namespace)
        return user.claim_name(user.spec.resource_claims[0])

    await hand.there(RESOURCE_CLAIMS, await hand.until(named))


async def test_a_claim_made_for_a_pod_goes_when_the_pod_has_ended(hand):
    await hand.make(RESOURCE_CLAIM_TEMPLATES, "half", spec={"spec": {"devices": DEVICES}})
    await pod(hand, "user", resourceClaimTemplateName="half")

    async def named():
        user = await hand.client.get(PODS, "user", hand.namespace)
        return user.claim_name(user.spec.resource_claims[0])

    name = await hand.until(named)
    await hand.allocate(name, "user")
    await hand.bind("user")
    await hand.end("user")
    await hand.gone(RESOURCE_CLAIMS, name)
