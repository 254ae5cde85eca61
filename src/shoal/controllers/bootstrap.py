"""The objects that a box starts with, made where they are missing."""

import asyncio
import logging
from functools import partial
from typing import Any, Final

from shoal.api.kinds import DEVICE_CLASSES, NAMESPACES, PRIORITY_CLASSES, QUEUES, Kind
from shoal.api.meta import DRIVER
from shoal.controllers.loop import together
from shoal.kube.client import Client
from shoal.kube.errors import ApiError

_FIRST_WAIT_S: Final = 0.1
_LONGEST_WAIT_S: Final = 5.0
_PRIORITIES: Final = {"low": -1000, "normal": 0, "high": 1000}
_NAMESPACES: Final = ("default", "shoal-system", "kube-system")
_log = logging.getLogger(__name__)

Missing = tuple[Kind[Any], dict[str, Any]]


async def bootstrap(client: Client) -> None:
    """Make what is missing; waits for a server that does not answer yet. Raises ApiError."""
    wait = _FIRST_WAIT_S
    while (error := await _make_all(client)) is not None:
        _log.info("waiting for the API server", extra={"error": error.message})
        await asyncio.sleep(wait)
        wait = min(wait * 2, _LONGEST_WAIT_S)


async def _make_all(client: Client) -> ApiError | None:
    """Make what is missing; the error that may pass, if one was met. Raises all others."""
    try:
        await together(partial(_ensure, client, *item) for item in _first())
        await _ensure(client, QUEUES, _object(QUEUES, "default", namespace="default"))
    except ApiError as error:
        if not error.passing:
            raise
        return error
    return None


async def _ensure(client: Client, kind: Kind[Any], obj: dict[str, Any]) -> None:
    try:
        await client.create(kind, obj, obj["metadata"].get("namespace", ""))
    except ApiError as error:
        if not error.already_exists:
            raise


def _first() -> list[Missing]:
    """What needs nothing else to be there."""
    selector = {"cel": {"expression": f'device.driver == "{DRIVER}"'}}
    device_class = _object(DEVICE_CLASSES, DRIVER) | {"spec": {"selectors": [selector]}}
    namespaces = [(NAMESPACES, _object(NAMESPACES, name)) for name in _NAMESPACES]
    priorities = [
        (PRIORITY_CLASSES, _object(PRIORITY_CLASSES, name) | {"value": value})
        for name, value in _PRIORITIES.items()
    ]
    return [*namespaces, *priorities, (DEVICE_CLASSES, device_class)]


def _object(kind: Kind[Any], name: str, namespace: str = "") -> dict[str, Any]:
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    return {
        "apiVersion": kind.api_version,
        "kind": kind.name,
        "metadata": metadata,
    }
