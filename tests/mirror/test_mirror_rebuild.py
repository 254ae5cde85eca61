"""A mirror built anew tells what a mirror that lived through it all has told."""

import random

from hypothesis import given
from hypothesis import strategies as st

from shoal.core import event

NODES = ("box1", "box2")
NAMES = ("a", "b", "c")


class Known:
    """What events add up to."""

    def __init__(self):
        self.facts = {}

    def take(self, events):
        for told in events:
            match told:
                case event.NodeChanged():
                    self.facts["node", told.name] = told
                case event.HoldChanged():
                    self.facts["hold", told.hold.claim] = told
                case event.PodPlaced():
                    self.facts["pod", told.placed.pod] = told
                case event.GroupChanged():
                    self.facts["group", told.group.key] = told
                case event.NodeGone():
                    del self.facts["node", told.name]
                case event.HoldGone():
                    del self.facts["hold", told.claim]
                case event.PodGone():
                    del self.facts["pod", told.pod]
                case event.GroupGone():
                    del self.facts["group", told.key]


def draw_state(data, make):
    """One state of one object, or its absence."""
    place = st.sampled_from(("", *NODES))
    name = data.draw(st.sampled_from(NAMES))
    match data.draw(st.sampled_from(["node", "slice", "claim", "pod", "gang", "run"])):
        case "node":
            node = data.draw(st.sampled_from(NODES))
            return make.node(node, unschedulable=data.draw(st.booleans()))
        case "slice":
            return make.slice(data.draw(st.sampled_from(NODES)), data.draw(st.integers(0, 3)))
        case "claim":
            labels = {"labels": {"shoal.dev/run": data.draw(st.sampled_from(NAMES))}}
            return make.claim(name, on=data.draw(place), metadata=labels)
        case "pod":
            return make.pod(
                name,
                claim=data.draw(st.sampled_from(("", *NAMES))),
                gang=data.draw(st.sampled_from(("", "g", "a"))),
                phase=data.draw(st.sampled_from(("Pending", "Running", "Failed"))),
                on=data.draw(place),
            )
        case "gang":
            plan = [{"podUid": "pod-a", "node": "box1"}]
            phase = data.draw(st.sampled_from(("Waiting", "Placing", "Placed")))
            gang = data.draw(st.sampled_from(("g", "a")))
            return make.gang(gang, data.draw(st.integers(1, 3)), phase=phase, plan=plan)
        case _:
            return make.run(name, started="2026-12-24T08:00:00Z", limit="1h")


def identity(obj):
    return type(obj), obj.metadata.namespace, obj.metadata.name


@given(st.data(), st.randoms(use_true_random=False))
def test_rebuild_equals_live(make, new_mirror, data, order: random.Random):
    live, known = new_mirror(), Known()
    there = {}
    for version in range(data.draw(st.integers(0, 25))):
        obj = draw_state(data, make)
        obj.metadata.resource_version = str(version)
        before = there.get(identity(obj))
        if is_unbinding(before, obj):
            continue
        if data.draw(st.integers(0, 3)) == 0:
            there.pop(identity(obj), None)
            known.take(live.lose(obj))
        else:
            there[identity(obj)] = obj
            known.take(live.see(obj, obj))
    settle(live, known)

    rebuilt, fresh = Known(), new_mirror()
    objects = list(there.values()) * 2
    order.shuffle(objects)
    rebuilt.take(fresh.see(*objects))
    assert rebuilt.facts == known.facts


def is_unbinding(before, after):
    """A server never takes a node back from a pod, nor gives it another."""
    bound = getattr(getattr(before, "spec", None), "node_name", "")
    return bool(bound) and bound != after.spec.node_name


def settle(mirror, known):
    """No agent holds anything, and says so when asked."""
    while questions := mirror.questions():
        for uids in questions.values():
            mirror.answer(uids, None)
        known.take(mirror.drain())
