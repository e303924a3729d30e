"""A SIENA server at work: its connections, and those it makes to its master and its peers."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import logging
import os
import signal
import socket
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from tidings.errors import InvalidUsage
from tidings.names import new_origin
from tidings.services.siena.server import Close, SienaServer
from tidings.services.siena.wire import (
    Failed,
    Publish,
    Record,
    Role,
    SienaError,
    Splitter,
    address,
    check_server_name,
    encode,
)

log = logging.getLogger(__name__)

MOST_CONNECTIONS: Final = 4_096
MOST_WAITING: Final = 8 * 2**20
"""Octets for a neighbour that reads too slowly: beyond, it misses notifications; beyond twice as
many, which are filters of servers, it is cut off."""
_CHUNK: Final = 16_384
# Seconds: for the first record, for connecting, until a closed connection is dropped, and between
# two attempts to connect.
_GREETING: Final = 10.0
_CONNECTING: Final = 5.0
_LAST_WORDS: Final = 1.0
_FIRST_PAUSE: Final = 0.1
_LONGEST_PAUSE: Final = 2.0


class SienaSettings(NamedTuple):
    """How a server is run.

    Attributes:
        listen: Where, `host:port`; port 0 for any.
        master: The server above, `senp://host:port`; empty for none.
        peers: The servers beside it that it connects to; one side of two does.
        name: Unique in the network; empty for a drawn one.
        advertised: Whether peers get only filters that their advertisements intersect.
        most_waiting: See `MOST_WAITING`.
    """

    listen: str = "127.0.0.1:0"
    master: str = ""
    peers: tuple[str, ...] = ()
    name: str = ""
    advertised: bool = False
    most_waiting: int = MOST_WAITING


class SienaService:
    """A server that listens between `start` and `stop`.

    Attributes:
        url: Where it listens.
        dropped: Notifications that neighbours have missed, because they read too slowly.
    """

    def __init__(self, settings: SienaSettings) -> None:
        self._settings = settings
        self._listen = address(settings.listen)
        ups = [(Role.MASTER, settings.master)] if settings.master else []
        ups += [(Role.PEER, url) for url in settings.peers]
        self._ups = [(role, address(url)) for role, url in ups]
        name = settings.name or new_origin()
        check_server_name(name)
        self._machine = SienaServer(
            name, advertised=settings.advertised, links=[role for role, _ in self._ups]
        )
        self._keys = itertools.count(1)
        self._writers: dict[int, asyncio.StreamWriter] = {}
        self._keeping: set[asyncio.Task[None]] = set()
        self._serving: set[asyncio.Task[None]] = set()
        self._listener: asyncio.Server | None = None
        self.url = ""
        self.dropped = 0

    async def start(self) -> None:
        """Listen, and connect to the master and the peers, again and again.

        Raises:
            InvalidUsage: The address cannot be listened at.
        """
        host, port = self._listen
        try:
            self._listener = await asyncio.start_server(self._accept, host, port)
        except OSError as error:
            raise InvalidUsage(f"a SIENA server cannot listen at {host}:{port}: {error}") from error
        self.url = f"senp://{host}:{self._listener.sockets[0].getsockname()[1]}"
        for role, place in self._ups:
            self._keeping.add(asyncio.create_task(self._keep_link(role, place)))

    async def stop(self) -> None:
        """Close everything."""
        if self._listener is not None:
            self._listener.close()
        for key in list(self._writers):
            self._machine.close(key, "the server is stopped")
        self._perform()
        for task in self._keeping:
            task.cancel()
        # Connections end by themselves, as they are closed.
        if tasks := self._keeping | self._serving:
            await asyncio.wait(tasks)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)
        if len(self._writers) >= MOST_CONNECTIONS:
            writer.write(encode(Failed(f"the server has {MOST_CONNECTIONS:,} connections")))
            writer.close()
            return
        key = self._opened(writer)
        self._machine.accepted(key)
        await self._read(key, reader)

    async def _keep_link(self, role: Role, place: tuple[str, int]) -> None:
        pause = _FIRST_PAUSE
        while True:
            try:
                async with asyncio.timeout(_CONNECTING):
                    reader, writer = await asyncio.open_connection(*place)
            except (OSError, TimeoutError) as error:
                log.info("%s %s:%d: %s", role, *place, str(error) or "no answer")
            else:
                key = self._opened(writer)
                self._machine.dialled(key, role)
                self._perform()
                if await self._read(key, reader):
                    pause = _FIRST_PAUSE
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _opened(self, writer: asyncio.StreamWriter) -> int:
        key = next(self._keys)
        self._writers[key] = writer
        found = writer.get_extra_info("socket")
        # A machine that is switched off says nothing: ask after 10 s, thrice.
        found.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in (("TCP_KEEPIDLE", 10), ("TCP_KEEPINTVL", 5), ("TCP_KEEPCNT", 3)):
            if hasattr(socket, option):
                found.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
        return key

    async def _read(self, key: int, reader: asyncio.StreamReader) -> bool:
        """Read until the connection ends; whether it was a neighbour, and not refused."""
        splitter, greeted = Splitter(), False
        try:
            async with asyncio.timeout(_GREETING) as limit:
                while octets := await reader.read(_CHUNK):
                    for record in splitter.feed(octets):
                        self._machine.handle(key, record)
                        greeted = True
                        limit.reschedule(None)
                    self._perform()
        except SienaError as error:
            self._machine.close(key, str(error))
        except TimeoutError:
            self._machine.close(key, f"no Hello within {_GREETING:g} seconds")
        except OSError as error:
            log.debug("connection %d: %s", key, error)
        finally:
            self._machine.closed(key)
            self._perform()
            ours = self._writers.pop(key, None)
            if ours is not None:
                _hang_up(ours)
        return greeted and ours is not None

    def _perform(self) -> None:
        """Do what the machine has decided; each neighbour gets its octets at once."""
        while effects := self._machine.take_effects():
            out: dict[int, list[bytes]] = defaultdict(list)
            for effect in effects:
                if isinstance(effect, Close):
                    self._close(effect, out.pop(effect.neighbour, []))
                else:
                    self._queue(effect.to, effect.record, out)
            for key, parts in out.items():
                self._write(key, b"".join(parts))

    def _queue(self, to: tuple[int, ...], record: Record, out: dict[int, list[bytes]]) -> None:
        try:
            octets = encode(record)
        except SienaError:  # it came with shorter doubles than we write
            self.dropped += len(to)
            return
        for key in to:
            writer = self._writers.get(key)
            if writer is None:
                continue
            waiting = writer.transport.get_write_buffer_size()
            if isinstance(record, Publish) and waiting > self._settings.most_waiting:
                self.dropped += 1
            else:
                out[key].append(octets)

    def _write(self, key: int, octets: bytes) -> None:
        writer = self._writers[key]
        writer.write(octets)
        if writer.transport.get_write_buffer_size() > 2 * self._settings.most_waiting:
            self._machine.close(key, "the neighbour reads too slowly")

    def _close(self, effect: Close, parts: list[bytes]) -> None:
        writer = self._writers.pop(effect.neighbour, None)
        if writer is not None:
            log.info("connection %d: %s", effect.neighbour, effect.cause)
            writer.write(b"".join(parts))
            _hang_up(writer)


def _hang_up(writer: asyncio.StreamWriter) -> None:
    """Close a connection; what its other side does not take soon is dropped."""
    writer.close()
    asyncio.get_running_loop().call_later(_LAST_WORDS, writer.transport.abort)


async def serve(settings: SienaSettings, port_file: Path | None = None) -> None:
    """Run a server until SIGTERM or SIGINT; the port file has its address, as JSON, meanwhile."""
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    service = SienaService(settings)
    await service.start()
    with contextlib.ExitStack() as stack:
        if port_file is not None:
            stack.enter_context(_announced(port_file, service.url))
        await ended.wait()
        await service.stop()


@contextlib.contextmanager
def _announced(port_file: Path, url: str) -> Iterator[None]:
    """Write the address; whoever sees the file sees all of it."""
    part = port_file.with_name(f"{port_file.name}.part")
    part.write_text(json.dumps({"url": url, "pid": os.getpid()}))
    part.replace(port_file)
    try:
        yield
    finally:
        port_file.unlink(missing_ok=True)
