"""Questions that are posted and answered, and never stored: who am I, and may one do this."""

from typing import Any, Final

from shoal.apiserver.registry import Resource
from shoal.dialect.document import Document

AUTHENTICATION: Final = "authentication.k8s.io"
AUTHORIZATION: Final = "authorization.k8s.io"


def _no_cells(document: Document, now: int) -> list[Any]:
    return []


def _review(group: str, kind: str, *, namespaced: bool = False) -> Resource:
    return Resource(
        group=group,
        kind=kind,
        plural=f"{kind.lower()}s",
        namespaced=namespaced,
        stored=False,
        columns=(),
        cells=_no_cells,
    )


SELF_SUBJECT_REVIEW: Final = _review(AUTHENTICATION, "SelfSubjectReview")
TOKEN_REVIEW: Final = _review(AUTHENTICATION, "TokenReview")
SUBJECT_ACCESS_REVIEW: Final = _review(AUTHORIZATION, "SubjectAccessReview")
SELF_SUBJECT_ACCESS_REVIEW: Final = _review(AUTHORIZATION, "SelfSubjectAccessReview")
SELF_SUBJECT_RULES_REVIEW: Final = _review(AUTHORIZATION, "SelfSubjectRulesReview")
LOCAL_SUBJECT_ACCESS_REVIEW: Final = _review(
    AUTHORIZATION, "LocalSubjectAccessReview", namespaced=True
)
REVIEWS: Final = (
    SELF_SUBJECT_REVIEW,
    TOKEN_REVIEW,
    SUBJECT_ACCESS_REVIEW,
    SELF_SUBJECT_ACCESS_REVIEW,
    SELF_SUBJECT_RULES_REVIEW,
    LOCAL_SUBJECT_ACCESS_REVIEW,
)
