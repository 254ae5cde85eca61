"""A typed view of Lease: who says that it lives, and for how long that word holds."""

import msgspec

from shoal.api.meta import Object, View


class LeaseSpec(View):
    """``renew_time`` is an RFC 3339 text that is new with each renewal; nobody compares it."""

    holder_identity: str = ""
    lease_duration_seconds: int | None = None
    renew_time: str | None = None


class Lease(Object):
    """A word that holds for a while unless it is given again."""

    spec: LeaseSpec = msgspec.field(default_factory=LeaseSpec)
