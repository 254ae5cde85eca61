"""Memory: what steps remember so as not to work twice. Losing it costs time, not decisions."""

from dataclasses import dataclass, field

from shoal.core.reason import Reason
from shoal.core.shape import GroupShape


@dataclass(slots=True)
class Memory:
    """What was tried and told, and up to which state.

    ``fresh`` groups were not tried since they changed; ``stale`` ones may have another reason
    by now. ``failed`` shapes fit nowhere until something is freed; ``reasons`` hold until
    something changes. The numbers are the state's counters for which these are right.
    """

    fresh: dict[str, None] = field(default_factory=dict)
    stale: dict[str, None] = field(default_factory=dict)
    failed: dict[GroupShape, None] = field(default_factory=dict)
    failed_at: int = -1
    reasons: dict[GroupShape, Reason] = field(default_factory=dict)
    reasons_at: int = -1
    told_at: int = 0
