"""Objects that come late: the answer to a write may arrive before the watch tells of it.

So what is written is told to the mirror at once, and an older state that the watch brings
afterwards is known here and dropped.
"""

from shoal.api.claim import ResourceClaim
from shoal.api.pod import Pod


def is_older(new: ResourceClaim, known: ResourceClaim | None) -> bool:
    """Whether a claim comes late: the answer to a write may arrive before what was watched.

    Resource versions of one resource compare as integers:
    https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions
    """
    if known is None or known.metadata.uid != new.metadata.uid:
        return False
    versions = new.metadata.resource_version, known.metadata.resource_version
    return all(v.isdigit() for v in versions) and int(versions[0]) < int(versions[1])


def loses_its_node(new: Pod, known: Pod | None) -> bool:
    """Whether a pod comes late: a node that was once given is never taken back."""
    return (
        known is not None
        and known.metadata.uid == new.metadata.uid
        and bool(known.spec.node_name)
        and not new.spec.node_name
    )
