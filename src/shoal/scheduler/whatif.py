"""A run that does not exist, as the group that it would be.

Takes the way that a real run takes: the objects that the run controller would make, seen by the
mirror's own eyes.
"""

from typing import Any, TypeVar

import msgspec

from shoal.api.claim import ResourceClaim
from shoal.api.gang import Gang
from shoal.api.meta import Object
from shoal.api.pod import Pod
from shoal.api.run import MOST_REPLICAS, Run
from shoal.core.event import Group
from shoal.core.replica import claim_of, gang_object, pod_object, problem
from shoal.mirror.groups import group_of
from shoal.mirror.objects import Objects, group_key, key_of

T = TypeVar("T", bound=Object)


class NotPlannableError(Exception):
    """A run of which no group can be made: one sentence that names the field."""


def group_of_run(run: Run) -> Group:
    """The group of a run's first attempt. Raises NotPlannableError."""
    replicas = run.spec.replicas
    if not 1 <= replicas <= MOST_REPLICAS:
        takes = f"takes 1 to {MOST_REPLICAS}; example: replicas: 4"
        raise NotPlannableError(f"spec.replicas: got {replicas}, {takes}")
    if wrong := problem(run.spec):
        raise NotPlannableError(wrong)
    objects = Objects()
    for rank in range(run.spec.replicas):
        if run.spec.gpu:
            objects.put_claim(_made(claim_of(run, rank), ResourceClaim))
        objects.put_pod(_made(pod_object(run, rank), Pod))
    if run.spec.replicas > 1:
        gang = _made(gang_object(run), Gang)
        objects.gangs[key_of(gang)] = gang
    group = group_of(objects, group_key(next(iter(objects.pods.values()))), {})
    assert group is not None, "pods that were just made wait for a node"
    return group


def _made(raw: dict[str, Any], kind: type[T]) -> T:
    """The object as the server would hand it out; its name serves as uid."""
    raw["metadata"]["uid"] = f"{raw['kind']}/{raw['metadata']['name']}"
    return msgspec.json.decode(msgspec.json.encode(raw), type=kind)
