"""A client on omniORB that does what it is told, and a service for it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from tests.edges.server.serving import serving, sources
from tests.patience import PATIENCE
from tests.real.interop.omni import LOCAL


class Client:
    """The program `notify`: a line goes in, and what came of it comes out.

    Attributes:
        heard: What the clients that live in it were called with, in order.
    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.heard: list[str] = []
        self._process = process
        self._answers: asyncio.Queue[str] = asyncio.Queue()
        self._reading = asyncio.create_task(self._read())
        self._came = asyncio.Event()

    async def _read(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            text = line.decode("latin-1").rstrip("\n")
            if text.startswith("* "):
                self.heard.append(text[2:])
                self._came.set()
            else:
                self._answers.put_nowait(text)
        for text in ("? the program has ended", "."):
            self._answers.put_nowait(text)

    async def do(self, *words: str) -> list[str]:
        """Has a command carried out; the lines of its answer."""
        assert self._process.stdin is not None
        self._process.stdin.write("\t".join(words).encode("latin-1") + b"\n")
        lines: list[str] = []
        while True:
            async with asyncio.timeout(PATIENCE):
                line = await self._answers.get()
            if line == ".":
                break
            lines.append(line)
        assert not any(line.startswith("? ") for line in lines), (words, lines)
        return lines

    async def done(self, *words: str) -> None:
        """Has a command carried out that must have no answer."""
        assert await self.do(*words) == [], words

    async def one(self, *words: str) -> str:
        """The one line that answers a command."""
        lines = await self.do(*words)
        assert len(lines) == 1, (words, lines)
        return lines[0]

    async def id(self, *words: str) -> int:
        """The id that answers a command."""
        found = re.fullmatch(r"id (\d+)", line := await self.one(*words))
        assert found is not None, (words, line)
        return int(found[1])

    async def until(self, fits: Callable[[list[str]], object]) -> list[str]:
        """Waits until what was heard is as it should be."""
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                while not fits(self.heard):
                    self._came.clear()
                    await self._came.wait()
        assert fits(self.heard), self.heard
        return self.heard

    async def hears(self, *lines: str) -> None:
        """Waits for calls, in any order among those of other clients; no more of them came."""
        wanted = sorted(lines)
        await self.until(lambda heard: len(heard) >= len(wanted))
        await asyncio.sleep(0.05)
        assert sorted(self.heard) == wanted
        self.heard.clear()

    async def end(self) -> None:
        """Ends the program."""
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()
        self._reading.cancel()


@asynccontextmanager
async def client(program: Path, *options: str) -> AsyncIterator[Client]:
    """The program, while the block lasts."""
    process = await asyncio.create_subprocess_exec(
        *(str(program), *(options or LOCAL)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=16 * 1024 * 1024,
    )
    made = Client(process)
    try:
        yield made
    finally:
        await made.end()


def plain_url(begin: str, key: str) -> str:
    """The URL of another well-known object of the same service."""
    return begin.replace("/NameService", f"/{key}")


class Scene:
    """A client of a service, with a channel and its default admins.

    The names in the client are `factory`, `filters`, `channel`, `consumers` and `suppliers`.

    Attributes:
        client: The client.
        url: Where the service begins.
    """

    def __init__(self, made: Client, url: str) -> None:
        self.client = made
        self.url = url
        self.do, self.done, self.one, self.id = made.do, made.done, made.one, made.id
        self.hears = made.hears

    async def begin(self, qos: str = "", admin: str = "") -> None:
        """Makes the channel."""
        url = plain_url(self.url, "NotificationService")
        await self.done("url", "factory", url)
        await self.id("create_channel", "channel", "factory", qos, admin)
        for name, what in (("consumers", "consumer"), ("suppliers", "supplier")):
            await self.do("get", name, "channel", f"default_{what}_admin")
        await self.do("get", "filters", "channel", "default_filter_factory")

    async def proxy(self, name: str, admin: str, style: str, form: str) -> None:
        """Obtains a proxy under a name, and connects a client called by it."""
        assert (await self.do("obtain", name, admin, style, form))[0].startswith("id ")
        await self.done("connect", name, f"{name}-client")


@asynccontextmanager
async def scene(
    program: Path, *options: str, qos: str = "", admin: str = "", **settings: object
) -> AsyncIterator[Scene]:
    """A service in this process, a client of it, and a channel."""
    flags: dict[str, object] = {
        "store__memory": True,
        "iiop__enabled": True,
        "iiop__port": 0,
        "rules__poll_interval": "50 ms",
        **settings,
    }
    async with serving(sources(None, **flags)) as (service, _), client(program, *options) as made:
        found = Scene(made, service.corba_url)
        await found.begin(qos, admin)
        yield found
