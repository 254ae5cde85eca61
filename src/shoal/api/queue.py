"""Queue: for now a name that runs are handed in to."""

from shoal.api.meta import Object


class Queue(Object):
    """A line in which runs wait."""
