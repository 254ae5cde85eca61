"""What this node still holds, told to the scheduler: the agent's word on "released means dead".

Many pods start and end at once, so their changes share a write: one is in flight, everything
that comes meanwhile goes into the next.
"""

import asyncio
from typing import Any

import msgspec

from shoal.agent.persist import persist
from shoal.api.kinds import NODE_USES
from shoal.api.meta import API_VERSION
from shoal.api.nodeuse import HeldClaim, NodeUse
from shoal.kube.client import Client
from shoal.kube.errors import ApiError


class NodeUses:
    """Writes the NodeUse of one node; nobody else does."""

    def __init__(self, client: Client, node: str, boot_id: str) -> None:
        self._client = client
        self._node = node
        self._boot_id = boot_id
        self._held: dict[tuple[str, str], HeldClaim] = {}
        self._object: dict[str, Any] = {}
        self._wanted = 0
        self._written = 0
        self._writing = asyncio.Lock()

    async def load(self, known: dict[str, list[HeldClaim]]) -> None:
        """Starts from what pods' folders say, by pod uid; after a new boot nothing is held.

        What the server has on record stays held, even where somebody removed the folder that
        told of it: the pod's programs may live.
        """
        before = await self._read()
        if before.status.boot_id == self._boot_id:
            told = {(c.pod_uid, c.uid): c for c in before.status.held if c.pod_uid}
            ours = {(pod, c.uid): c for pod, claims in known.items() for c in claims}
            self._held = told | ours
        await self._write()

    async def hold(self, pod_uid: str, claims: list[HeldClaim]) -> None:
        """Returns once the server has on record that these claims are held for a pod."""
        fresh = {(pod_uid, c.uid): c for c in claims if (pod_uid, c.uid) not in self._held}
        self._held |= fresh
        if fresh:
            await self._tell()

    async def drop(self, pod_uid: str) -> None:
        """Returns once the server has on record that a pod holds nothing any more."""
        gone = [key for key in self._held if key[0] == pod_uid]
        for key in gone:
            del self._held[key]
        if gone:
            await self._tell()

    async def tell_again(self) -> None:
        """Returns once the server has on record what is held, even if that was removed there."""
        await self._tell()

    @property
    def pods(self) -> set[str]:
        """The uids of the pods that hold something."""
        return {pod for pod, _ in self._held}

    def holds(self, pod_uid: str) -> bool:
        """Whether a pod holds anything."""
        return any(key[0] == pod_uid for key in self._held)

    async def _tell(self) -> None:
        self._wanted += 1
        mine = self._wanted
        async with self._writing:
            if self._written < mine:
                upto = self._wanted
                await self._write()
                self._written = upto

    async def _write(self) -> None:
        await persist("node use", self._replace)

    async def _replace(self) -> None:
        status = {
            "bootID": self._boot_id,
            "held": [msgspec.to_builtins(c) for c in self._held.values()],
        }
        while True:
            wanted = self._object | {"status": status}
            try:
                done = await self._client.replace(NODE_USES, wanted, subresource="status")
            except ApiError as error:
                if not (error.conflict or error.not_found):
                    raise
                await self._read()
                continue
            self._object["metadata"]["resourceVersion"] = done.metadata.resource_version
            return

    async def _read(self) -> NodeUse:
        """The object as it is, made first if it is not there."""
        empty = {
            "apiVersion": API_VERSION,
            "kind": "NodeUse",
            "metadata": {"name": self._node},
        }
        try:
            await persist("create node use", lambda: self._client.create(NODE_USES, empty))
        except ApiError as error:
            if not error.already_exists:
                raise
        found = await persist("read node use", lambda: self._client.get(NODE_USES, self._node))
        version = found.metadata.resource_version
        self._object = empty | {"metadata": {"name": self._node, "resourceVersion": version}}
        return found
