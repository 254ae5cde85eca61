"""Opens many watches and keeps them: ``flood.py KUBECONFIG COUNT``.

Prints how many were answered with which status as a JSON object, then waits for a line, and
ends with how many of the open ones told of an object named ``flood``.
"""

import asyncio
import collections
import json
import ssl
import sys
from pathlib import Path

PATH = "/api/v1/namespaces/default/configmaps?watch=true&fieldSelector=metadata.name%3Dflood"
AT_ONCE = 20


async def main(kubeconfig: Path, count: int) -> None:
    config = json.loads(kubeconfig.read_text())
    port = int(config["clusters"][0]["cluster"]["server"].rpartition(":")[2])
    token = config["users"][0]["user"]["token"]
    trust = ssl.create_default_context(cafile=kubeconfig.parent / "tls" / "ca.crt")
    statuses: collections.Counter[str] = collections.Counter()
    kept: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
    left = iter(range(count))
    head = f"GET {PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n"

    async def watch() -> None:
        """Ask one after the other; a refusal leaves the connection for the next."""
        line = None
        for _ in left:
            line = line or await asyncio.open_connection("127.0.0.1", port, ssl=trust)
            line[1].write(head.encode())
            status = await _status(line[0])
            statuses[status] += 1
            if status == "200":
                kept.append(line)
                line = None

    await asyncio.gather(*(watch() for _ in range(AT_ONCE)))
    print(json.dumps(statuses), flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    told = await asyncio.gather(*(_told(reader) for reader, _ in kept))
    print(sum(told), flush=True)


async def _status(reader: asyncio.StreamReader) -> str:
    """The status of an answer; the body of a refusal is read with it."""
    answer = await reader.readuntil(b"\r\n\r\n")
    headers = dict(line.lower().split(b": ", 1) for line in answer.split(b"\r\n")[1:-2])
    await reader.readexactly(int(headers.get(b"content-length", 0)))
    return answer.split()[1].decode()


async def _told(reader: asyncio.StreamReader) -> bool:
    async with asyncio.timeout(30):
        return b"flood" in await reader.readuntil(b"\n\r\n")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
