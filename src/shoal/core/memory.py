"""Memory: what steps remember so as not to work twice. Losing it costs time, not decisions."""

from dataclasses import dataclass, field

from shoal.core.reason import Reason
from shoal.core.shape import GroupShape


@dataclass(slots=True)
class Memory:
    """What was tried and told, and up to which state.

    ``fresh`` groups were not tried since they changed; ``stale`` ones are to be looked at one by
    one, since they changed or their claims or pods did. ``later`` is a heap of when groups were
    told, of those to be told again once enough time passed. ``failed`` shapes fit nowhere until
    something is freed; ``reasons`` hold until something changes, ``lasting`` ones until a node
    does (None: no such reason). The numbers are the state's counters for which these are right;
    ``stepped_at`` is the time of the last step.
    """

    fresh: dict[str, None] = field(default_factory=dict)
    stale: dict[str, None] = field(default_factory=dict)
    later: list[tuple[int, str]] = field(default_factory=list)
    failed: dict[GroupShape, None] = field(default_factory=dict)
    failed_at: int = -1
    reasons: dict[GroupShape, Reason] = field(default_factory=dict)
    reasons_at: int = -1
    lasting: dict[GroupShape, Reason | None] = field(default_factory=dict)
    stepped_at: int = 0
