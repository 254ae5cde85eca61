"""What the holder of the home's token may do: everything.

What upstream lets every user do is told beside it, since its lists of rules have both.
"""

from typing import Final

from shoal.dialect.document import Document

_ANY: Final = ["*"]
_ABOUT_ONESELF: Final = (
    ("authentication.k8s.io", ["selfsubjectreviews"]),
    ("authorization.k8s.io", ["selfsubjectaccessreviews", "selfsubjectrulesreviews"]),
)
_HEALTH: Final = ["/healthz", "/livez", "/readyz", "/version", "/version/"]
_DISCOVERY: Final = ["/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*"]


def own_rules() -> Document:
    """The status of a SelfSubjectRulesReview, in any namespace."""
    resources = [{"verbs": _ANY, "apiGroups": _ANY, "resources": _ANY}]
    resources += [
        {"verbs": ["create"], "apiGroups": [group], "resources": names}
        for group, names in _ABOUT_ONESELF
    ]
    paths = [{"verbs": _ANY, "nonResourceURLs": _ANY}]
    paths += [
        {"verbs": ["get"], "nonResourceURLs": urls} for urls in ([*_DISCOVERY, *_HEALTH], _HEALTH)
    ]
    return {"resourceRules": resources, "nonResourceRules": paths, "incomplete": False}
