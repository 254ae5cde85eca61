"""A client without manners, and one with them that looks what the first one did."""

import http.client
import json
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PATIENCE_S = 60


@dataclass(frozen=True)
class Peer:
    """One server: its home, its process and the way in."""

    MOST_MEMORY_MB = 400
    """Proportional share of memory of the API server, whatever its clients do here."""

    home: Path
    pid: int
    port: int
    trust: ssl.SSLContext
    token: str

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        raw: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> tuple[int, Any]:
        """Status and document of a request that is well formed as HTTP."""
        connection = http.client.HTTPSConnection(
            "127.0.0.1", self.port, context=self.trust, timeout=PATIENCE_S
        )
        content = raw if raw is not None else None if body is None else json.dumps(body).encode()
        try:
            sent = {"Authorization": f"Bearer {self.token}"} | (headers or {})
            connection.request(method, path, content, sent)
            answer = connection.getresponse()
            return answer.status, _decoded(answer.read())
        finally:
            connection.close()

    @contextmanager
    def line(self) -> Iterator[ssl.SSLSocket]:
        """An open TLS connection."""
        with (
            socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S) as plain,
            self.trust.wrap_socket(plain, server_hostname="127.0.0.1") as secure,
        ):
            yield secure

    def head(self, method: str, path: str, **headers: str) -> bytes:
        """The head of a request as bytes."""
        given = {"Host": "x", "Authorization": f"Bearer {self.token}"} | headers
        lines = [f"{method} {path} HTTP/1.1", *(f"{k}: {v}" for k, v in given.items())]
        return "\r\n".join([*lines, "", ""]).encode()

    def memory_mb(self) -> int:
        """The server's proportional share of memory."""
        for line in Path(f"/proc/{self.pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) // 1024
        raise AssertionError("the kernel tells no share of memory")


def _decoded(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return content
