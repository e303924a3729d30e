"""Programs on omniORB, run beside the tests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

LOCAL = ("-ORBendPoint", "giop:tcp:127.0.0.1:")
# One connection, and one thread for it: otherwise oneways may overtake each other.
IN_ORDER = ("-ORBmaxGIOPConnectionPerServer", "1", "-ORBmaxServerThreadPerConnection", "1")


class Server:
    """The server in C++."""

    def __init__(self, process: asyncio.subprocess.Process, reference: str) -> None:
        self._process = process
        self.reference = reference

    async def said(self) -> list[str]:
        """What it has said by its end, which comes with that of its input."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        out, _ = await self._process.communicate()
        return out.decode("latin-1").splitlines()


@asynccontextmanager
async def server(programs: Path, *options: str) -> AsyncIterator[Server]:
    """The server in C++, while the block lasts."""
    process = await asyncio.create_subprocess_exec(
        *(str(programs / "server"), *LOCAL, *IN_ORDER, *options),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        line = await process.stdout.readline()
        yield Server(process, line.decode().strip())
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()


async def client(programs: Path, *arguments: str) -> list[str]:
    """What the client in C++ says."""
    process = await asyncio.create_subprocess_exec(
        *(str(programs / "client"), *IN_ORDER, *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, faults = await process.communicate()
    assert process.returncode == 0, faults.decode()
    return out.decode("latin-1").splitlines()
