"""Events are a diary, not a record: each goes an hour after it was written.

kube-apiserver does the same on a cluster (``--event-ttl``, one hour by default).
"""

import asyncio
import logging
import time
from functools import partial
from typing import Final

from shoal.api.kinds import EVENTS
from shoal.api.meta import Object
from shoal.controllers.loop import together
from shoal.kube.client import Client
from shoal.kube.errors import ApiError
from shoal.units.instant import parse_instant
from shoal.units.steady import steady_ms

KEPT_MS: Final = 3_600_000
_LOOK_AGAIN_S: Final = 300
_log = logging.getLogger(__name__)


class EventExpiry:
    """Looks for old events now and then; they are too many, and too dull, to be followed."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def run(self) -> None:
        """Work until cancelled."""
        while True:
            try:
                await expire_events(self._client, _now())
            except ApiError as error:
                _log.warning("events not expired", extra={"error": error.message})
            await asyncio.sleep(_LOOK_AGAIN_S)


def _now() -> int:
    """The earlier of two clocks, so that one that is set ends no event before its time."""
    return min(time.time_ns() // 1_000_000, steady_ms())


async def expire_events(client: Client, now: int) -> None:
    """Delete the events that are too old at ``now`` (ms since the epoch). Raises ApiError."""
    events = (await client.list(EVENTS)).items
    await together(partial(_delete, client, event) for event in events if _is_old(event, now))


def _is_old(event: Object, now: int) -> bool:
    created = event.metadata.creation_timestamp
    return created is not None and parse_instant(created) < now - KEPT_MS


async def _delete(client: Client, event: Object) -> None:
    try:
        await client.delete(EVENTS, event.metadata.name, event.metadata.namespace)
    except ApiError as error:
        if not error.not_found:
            raise
