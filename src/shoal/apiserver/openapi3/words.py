"""What Kubernetes' own kinds are, in a sentence each, for ``kubectl explain``."""

from collections.abc import Mapping
from typing import Final

WORDS: Final[Mapping[str, str]] = {
    "apiextensions.v1.CustomResourceDefinition": "A kind of one's own: its names, its schema "
    "and its versions.",
    "authentication.v1.SelfSubjectReview": "Asks who sends the request.",
    "authentication.v1.TokenReview": "Asks whose a token is.",
    "authorization.v1.LocalSubjectAccessReview": "Asks what a user may do in one namespace.",
    "authorization.v1.SelfSubjectAccessReview": "Asks whether the sender may do something.",
    "authorization.v1.SelfSubjectRulesReview": "Asks for all that the sender may do in a "
    "namespace.",
    "authorization.v1.SubjectAccessReview": "Asks whether some user may do something.",
    "batch.v1.Job": "Work that is done once: pods are started until enough of them succeeded.",
    "coordination.v1.Lease": "A right that one holder has until it is no longer renewed.",
    "core.v1.Binding": "Puts a pod on a node.",
    "core.v1.ConfigMap": "Texts and bytes by key, for programs to read.",
    "core.v1.Container": "One program of a pod and what it is given.",
    "core.v1.Event": "Something that happened to an object, told for a while.",
    "core.v1.Namespace": "A room for names: a project's objects lie in one.",
    "core.v1.Node": "A machine that runs pods.",
    "core.v1.PersistentVolume": "A piece of storage.",
    "core.v1.PersistentVolumeClaim": "A wish for storage, and what it was given.",
    "core.v1.Pod": "Programs that run together on one node, from their start to their end.",
    "core.v1.PodSpec": "What is to run, with what, and where.",
    "core.v1.PodStatus": "What became of the pod, as its node tells it.",
    "core.v1.PodTemplate": "A pattern that pods are made from.",
    "core.v1.Secret": "The same as a ConfigMap for what others should not see.",
    "core.v1.Service": "A name for pods that answer together.",
    "core.v1.ServiceAccount": "An identity for the programs in pods.",
    "events.v1.Event": "Something that happened to an object, told for a while.",
    "meta.v1.DeleteOptions": "How an object is to be deleted.",
    "meta.v1.ObjectMeta": "Names, labels, owners and times that every object has.",
    "meta.v1.Status": "The answer where there is no object to give, such as a refusal.",
    "policy.v1.Eviction": "Asks for a pod to leave its node.",
    "resource.v1.DeviceClass": "A sort of devices, and how they are chosen and set up.",
    "resource.v1.ResourceClaim": "A wish for devices, and which of them it was given.",
    "resource.v1.ResourceClaimTemplate": "A pattern that a claim is made from for each pod.",
    "resource.v1.ResourceSlice": "Devices that a node offers.",
    "scheduling.v1.PriorityClass": "A name for a priority.",
}
"""By the type's name in the schema table."""
IDENTITY: Final[Mapping[str, str]] = {
    "apiVersion": "Group and version of the kind, such as batch/v1.",
    "kind": "The name of the kind.",
    "metadata": "Its name, labels and owners.",
}
"""What every object begins with, also one of a user's kind."""
HEAD: Final[Mapping[str, str]] = {
    **IDENTITY,
    "spec": "What is wanted.",
    "status": "What there is, as the server or a controller tells it.",
}
"""What objects of Kubernetes' kinds begin with."""
