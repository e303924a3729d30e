"""One STOMP 1.2 connection: frames out, receipts and messages in, heart-beats both ways.

The client of `stompman` connects again by itself and runs handlers side by side; a gateway must
know when a connection is lost, and take messages in order. So this uses its frames and its parser.
"""

from __future__ import annotations

import asyncio
import itertools
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from stompman import (
    ConnectedFrame,
    ConnectFrame,
    DisconnectFrame,
    ErrorFrame,
    FrameParser,
    HeartbeatFrame,
    MessageFrame,
    ReceiptFrame,
    dump_frame,
)

PATIENCE: Final = 30.0
"""Seconds until an answer that does not come counts as lost."""
_CONNECTING: Final = 10.0
_CLOSING: Final = 2.0
_CHUNK: Final = 65_536
_MOST_WORDS: Final = 300


class StompLost(Exception):
    """The connection is lost, or was never made; the text says why."""


class StompRefused(Exception):
    """The broker refuses one frame, with its words; the connection goes on."""


class StompLine:
    """A connection; `open` makes one.

    Attributes:
        lost: The cause, once the connection is lost.
    """

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        heard: Callable[[MessageFrame], None],
    ) -> None:
        self.lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._reader = reader
        self._writer = writer
        self._heard = heard
        self._parser = FrameParser()
        self._receipts: dict[str, asyncio.Future[None]] = {}
        self._numbers = itertools.count(1)
        self._tasks: list[asyncio.Task[None]] = []

    @classmethod
    async def open(
        cls,
        host: str,
        port: int,
        context: ssl.SSLContext | None,
        headers: Mapping[str, str],
        heartbeat: int,
        heard: Callable[[MessageFrame], None],
    ) -> StompLine:
        """Connect; `headers` are those of CONNECT, which has no escapes."""
        if any(sign in value for value in headers.values() for sign in "\r\n\0"):
            raise StompLost("a name or a password with a line break cannot be sent")
        try:
            async with asyncio.timeout(_CONNECTING):
                line = cls(*await asyncio.open_connection(host, port, ssl=context), heard)
                try:
                    beats = f"{heartbeat * 1_000},{heartbeat * 1_000}"
                    await line._greet({**headers, "host": host, "heart-beat": beats})
                except BaseException:
                    line._writer.close()
                    raise
        except TimeoutError as error:
            raise StompLost(f"no answer for {_CONNECTING:.0f} s") from error
        except OSError as error:
            raise StompLost(str(error)) from error
        return line

    async def _greet(self, headers: Mapping[str, str]) -> None:
        given: Any = {"accept-version": "1.2", **headers}
        self._writer.write(dump_frame(ConnectFrame(headers=given)))
        frame: object = HeartbeatFrame()
        while isinstance(frame, HeartbeatFrame):
            [frame, *_] = await self._frames() or [frame]
        if isinstance(frame, ErrorFrame):
            raise StompLost(_words(frame))
        if not isinstance(frame, ConnectedFrame):
            raise StompLost("it does not speak STOMP")
        sends, wants = (
            int(one) / 1_000 for one in frame.headers.get("heart-beat", "0,0").split(",")
        )
        self._tasks = [asyncio.create_task(self._listen(2 * sends or None))]
        if wants:
            self._tasks.append(asyncio.create_task(self._beat(wants / 2)))

    async def _frames(self) -> list[Any]:
        octets = await self._reader.read(_CHUNK)
        if not octets:
            raise ConnectionResetError("the broker has closed the connection")
        return list(self._parser.parse_frames_from_chunk(octets))

    async def _listen(self, silence: float | None) -> None:
        try:
            while True:
                async with asyncio.timeout(silence):
                    frames = await self._frames()
                for frame in frames:
                    self._take(frame)
                await asyncio.sleep(0)  # reading takes time: others have turns
        except TimeoutError:
            self.lose("the broker's heart-beat has stopped")
        except (OSError, StompLost) as error:
            self.lose(str(error))
        except Exception as fault:  # noqa: BLE001 -- whatever the parser makes of hostile octets
            self.lose(f"its frames cannot be read: {fault!r:.200}")

    def _take(self, frame: object) -> None:
        if isinstance(frame, MessageFrame):
            self._heard(frame)
        elif isinstance(frame, ReceiptFrame):
            self._settle(frame.headers["receipt-id"], None)
        elif isinstance(frame, ErrorFrame):
            refused = StompRefused(_words(frame))
            if not self._settle(frame.headers.get("receipt-id", ""), refused):
                raise StompLost(str(refused))

    def _settle(self, receipt: str, error: Exception | None) -> bool:
        future = self._receipts.pop(receipt, None)
        if future is not None and not future.done():
            if error is None:
                future.set_result(None)
            else:
                future.set_exception(error)
        return future is not None

    async def _beat(self, pause: float) -> None:
        while not self.lost.done():
            self._writer.write(b"\n")
            await asyncio.sleep(pause)

    def lose(self, cause: str) -> None:
        """Let whoever waits know that the connection is of no use any more, and why."""
        if not self.lost.done():
            self.lost.set_result(cause)
        for future in self._receipts.values():
            if not future.done():
                future.set_exception(StompLost(cause))
        self._receipts.clear()

    def send(self, frame: type[Any], headers: Mapping[str, str], **parts: bytes) -> None:
        """Send a frame and wait for nothing."""
        if not self.lost.done():
            self._writer.write(dump_frame(frame(headers=dict(headers), **parts)))

    async def drain(self) -> None:
        """Wait until the broker takes more octets."""
        try:
            async with asyncio.timeout(PATIENCE):
                await self._writer.drain()
        except TimeoutError as error:
            raise StompLost(f"the broker has taken nothing for {PATIENCE:.0f} s") from error
        except OSError as error:
            raise StompLost(str(error)) from error

    async def request(self, frame: type[Any], headers: Mapping[str, str], **parts: bytes) -> None:
        """Send a frame, and wait until it is confirmed; StompRefused or StompLost if it is not."""
        if self.lost.done():
            raise StompLost(self.lost.result())
        receipt = str(next(self._numbers))
        future = self._receipts[receipt] = asyncio.get_running_loop().create_future()
        self.send(frame, {**headers, "receipt": receipt}, **parts)
        try:
            async with asyncio.timeout(PATIENCE):
                await future
        except TimeoutError as error:
            raise StompLost(f"the broker has confirmed nothing for {PATIENCE:.0f} s") from error
        finally:
            self._receipts.pop(receipt, None)

    async def close(self) -> None:
        """Say good-bye, so that the broker has all frames sent before; raises nothing."""
        with suppress(StompLost, StompRefused, TimeoutError):
            async with asyncio.timeout(_CLOSING):
                await self.request(DisconnectFrame, {})
        self.lose("the connection was closed")
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)
        self._writer.close()
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(_CLOSING):
                await self._writer.wait_closed()


def _words(frame: ErrorFrame) -> str:
    """Return what the broker says: its message, or the first line of its long account."""
    line = frame.body.decode(errors="replace").strip().partition("\n")[0]
    message = frame.headers.get("message", "")
    words = line if message in line else f"{message}: {line}" if line else message
    return words[:_MOST_WORDS]
