"""Programs on omniORB, run beside the tests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

LOCAL = ("-ORBendPoint", "giop:tcp:127.0.0.1:")
LOCAL_TLS = ("-ORBendPoint", "giop:ssl:127.0.0.1:")
# One connection, and one thread for it: otherwise oneways may overtake each other.
IN_ORDER = ("-ORBmaxGIOPConnectionPerServer", "1", "-ORBmaxServerThreadPerConnection", "1")


def tls(certs: Path, name: str) -> tuple[str, ...]:
    """Options for the certificate of that name, which is in a file with its key."""
    both = certs / f"{name}-both.pem"
    both.write_bytes((certs / f"{name}.key").read_bytes() + (certs / f"{name}.pem").read_bytes())
    both.chmod(0o600)
    # The key has no password, and omniORB wants one.
    files = ("-ORBsslCAFile", str(certs / "ca.pem"), "-ORBsslKeyFile", str(both))
    return (*files, "-ORBsslKeyPassword", "-")


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
async def server(
    programs: Path, *options: str, local: tuple[str, ...] = LOCAL
) -> AsyncIterator[Server]:
    """The server in C++, while the block lasts."""
    process = await asyncio.create_subprocess_exec(
        *(str(programs / "server"), *local, *IN_ORDER, *options),
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
    code, said, faults = await _ran(programs, *arguments)
    assert code == 0, faults
    return said.splitlines()


async def failing(programs: Path, *arguments: str) -> str:
    """The exception that ends the client in C++."""
    code, said, faults = await _ran(programs, *arguments)
    assert code == 1, said
    return faults.splitlines()[-1]  # before it, omniORB says what is not set up


async def _ran(programs: Path, *arguments: str) -> tuple[int | None, str, str]:
    process = await asyncio.create_subprocess_exec(
        *(str(programs / "client"), *IN_ORDER, *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, faults = await process.communicate()
    return process.returncode, out.decode("latin-1"), faults.decode("latin-1")
