"""Following objects in a thread of its own: every change into one queue."""

import queue
import threading
import time
from typing import Any, Final, Generic, TypeVar

import msgspec

from shoal.api.kinds import Kind
from shoal.api.meta import Object
from shoal.cli.attached.contact import fresh
from shoal.kube.blocking import BlockingClient
from shoal.kube.errors import ApiError

T = TypeVar("T", bound=Object)

_FIRST_WAIT: Final = 0.1
_LONGEST_WAIT: Final = 2.0
PATIENCE: Final = 60
"""Seconds that the box may be away before watching is given up."""


class Changed(msgspec.Struct, Generic[T]):
    """An object as it is now, or as it was when it was deleted."""

    object: T
    deleted: bool = False


class Away(msgspec.Struct):
    """The box does not answer whoever follows these objects; it is asked again."""

    plural: str


class Back(msgspec.Struct):
    """The box answers again."""

    plural: str


class Lost(msgspec.Struct):
    """The box has not answered for too long, or answered that there is nothing to watch."""

    error: ApiError


class Broken(msgspec.Struct):
    """Nobody reads the output any more."""


class Interrupted(msgspec.Struct):
    """Ctrl-C was pressed."""


News = Changed[Any] | Away | Back | Lost | Broken | Interrupted
Inbox = queue.SimpleQueue[News]
"""Unlike ``queue.Queue`` it may be written to by a signal handler."""


class Follower(threading.Thread, Generic[T]):
    """Follows the objects that a selector lets through, across restarts of the box.

    With ``since`` it starts there; without, it begins with all objects there are.
    """

    def __init__(
        self,
        client: BlockingClient,
        kind: Kind[T],
        namespace: str,
        inbox: Inbox,
        *,
        labels: str = "",
        fields: str = "",
        since: str = "",
    ) -> None:
        super().__init__(name=f"follow-{kind.plural}", daemon=True)
        self._client = client
        self._kind = kind
        self._namespace = namespace
        self._inbox = inbox
        self._labels = labels
        self._fields = fields
        self._version = since
        self._heard = time.monotonic()
        self._away = False

    def run(self) -> None:
        """Until the process ends or the box is lost."""
        wait = _FIRST_WAIT
        while True:
            before = self._heard
            try:
                self._once()
                self._heard = time.monotonic()
            except ApiError as error:
                if error.gone:
                    self._version = ""
                elif not error.passing or time.monotonic() - self._heard > PATIENCE:
                    self._inbox.put(Lost(error))
                    return
                else:
                    self._away = True
                    self._inbox.put(Away(self._kind.plural))
            wait = _FIRST_WAIT if self._heard != before else min(wait * 2, _LONGEST_WAIT)
            time.sleep(wait)

    def _once(self) -> None:
        if self._away:
            self._come_back()
        if not self._version:
            self._list()
        events = self._client.watch(
            self._kind,
            self._namespace,
            resource_version=self._version,
            labels=self._labels,
            fields=self._fields,
        )
        for event in events:
            self._heard = time.monotonic()
            self._version = event.object.metadata.resource_version
            if event.type != "BOOKMARK":
                self._inbox.put(Changed(event.object, event.type == "DELETED"))

    def _come_back(self) -> None:
        self._client = fresh(self._client)
        self._client.request("GET", "/version")
        self._away = False
        self._inbox.put(Back(self._kind.plural))

    def _list(self) -> None:
        # A client of its own: the one that was given may be in use by another thread.
        listing = fresh(self._client).list(
            self._kind, self._namespace, labels=self._labels, fields=self._fields
        )
        for item in listing.items:
            self._inbox.put(Changed(item))
        self._version = listing.resource_version
