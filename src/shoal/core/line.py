"""Line: the groups that wait, by key, by what they ask for, and by their claims and pods."""

from bisect import bisect_left, insort
from dataclasses import dataclass, field

from shoal.core.event import Group, Member
from shoal.core.reason import Reason
from shoal.core.shape import GroupShape, group_shape

Turn = tuple[int, int, str]
"""Where a group stands in the line: by priority, then age, then key."""


@dataclass(slots=True)
class Waiting:
    """A group in the line, and what was last told about it.

    ``put_off`` while it is to be told again later.
    """

    group: Group
    shape: GroupShape
    retry_at: int = 0
    refusal: str = ""
    told: Reason | None = None
    told_at: int = 0
    put_off: bool = False

    @property
    def turn(self) -> Turn:
        """The order of the line: priority, then age, then key."""
        return (-self.group.priority, self.group.created, self.group.key)


@dataclass(slots=True)
class Alike:
    """The groups of one shape, and why it was found not to fit when last looked at.

    ``turns`` has the turns of the groups in order.
    """

    groups: dict[str, Waiting] = field(default_factory=dict)
    turns: list[Turn] = field(default_factory=list)
    reason: Reason | None = None
    looked_at: int = -1


class Line(dict[str, Waiting]):
    """The groups by key.

    ``alike`` has them by shape, the shape first that was looked at least recently; ``asked``
    names the groups that a claim or pod belongs to.
    """

    __slots__ = ("alike", "asked")

    def __init__(self) -> None:
        super().__init__()
        self.alike: dict[GroupShape, Alike] = {}
        self.asked: dict[str, tuple[str, ...]] = {}

    def put(self, group: Group) -> bool:
        """A group waits, with these members; whether that is news."""
        key, known = group.key, self.get(group.key)
        if known is not None and known.group == group:
            return False
        shape = group_shape(group)
        if known is None:
            known = self[key] = Waiting(group, shape)
        else:
            self._leave(known)
            known.group, known.shape = group, shape
        alike = self.alike.get(shape)
        if alike is None:
            alike = self.alike[shape] = Alike()
        alike.groups[key] = known
        insort(alike.turns, known.turn)
        for member in group.members:
            for uid in _uids(member):
                others = self.asked.get(uid, ())
                self.asked[uid] = (*others, key)
        return True

    def drop(self, key: str) -> Group:
        """A group waits no longer."""
        known = self.pop(key)
        self._leave(known)
        return known.group

    def _leave(self, known: Waiting) -> None:
        key, alike = known.group.key, self.alike[known.shape]
        del alike.groups[key]
        del alike.turns[bisect_left(alike.turns, known.turn)]
        if not alike.groups:
            del self.alike[known.shape]
        for member in known.group.members:
            for uid in _uids(member):
                others = tuple(other for other in self.asked.pop(uid, ()) if other != key)
                if others:
                    self.asked[uid] = others


def _uids(member: Member) -> tuple[str, ...]:
    if not member.claims:
        return (member.pod,)
    return (member.pod, *[claim.uid for claim in member.claims])
