"""The bases by which the loops of this boot have written times, kept for the loops to come.

They lie in a config map, with the boot that they are of: those of another boot tell nothing.
"""

import asyncio
import logging
from typing import Any, Final

import msgspec

from shoal.api.kinds import CONFIG_MAPS
from shoal.controllers.builtin.jobs.bases import Base, with_base
from shoal.kube.client import Client
from shoal.kube.errors import ApiError
from shoal.units.steady import boot_id, boot_ns, offset_ms

_NAMESPACE: Final = "shoal-system"
NAME: Final = "loops-clock"
_PAUSE_S: Final = 0.5
_log = logging.getLogger(__name__)


async def take_down(
    client: Client, boot: str = "", namespace: str = _NAMESPACE
) -> tuple[Base, ...]:
    """The bases of this boot, that of this process the last, once all of them are kept.

    Where they cannot be kept, that of this process alone.
    """
    own = Base(since_ms=boot_ns() // 1_000_000, offset_ms=offset_ms())
    while True:
        try:
            return await _merge(client, boot or boot_id(), namespace, own)
        except ApiError as error:
            if not (error.passing or error.conflict or error.already_exists):
                _log.warning("the clock is not noted", extra={"error": error.message})
                return (own,)
        await asyncio.sleep(_PAUSE_S)


async def _merge(client: Client, boot: str, namespace: str, own: Base) -> tuple[Base, ...]:
    found = await _read(client, namespace)
    known = _bases(found, boot)
    bases = with_base(known, own)
    data = {"data": {"boot": boot, "bases": msgspec.json.encode(bases).decode()}}
    if found is None:
        await client.create(CONFIG_MAPS, {"metadata": {"name": NAME}} | data, namespace)
    elif bases != known:
        await client.replace(CONFIG_MAPS, found | data)
    return bases


async def _read(client: Client, namespace: str) -> dict[str, Any] | None:
    try:
        return await client.get_raw(CONFIG_MAPS, NAME, namespace)
    except ApiError as error:
        if error.not_found:
            return None
        raise


def _bases(found: dict[str, Any] | None, boot: str) -> tuple[Base, ...]:
    """What is kept of this boot; nothing where somebody has written something else there."""
    data = (found or {}).get("data") or {}
    if data.get("boot") != boot:
        return ()
    try:
        return msgspec.json.decode(data.get("bases") or "", type=tuple[Base, ...])
    except msgspec.DecodeError:
        return ()
