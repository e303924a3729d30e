"""A client of SIENA servers: publishes, and pushes to a consumer what matches its filters."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, Self, TypeAlias

from tidings.errors import Unreachable
from tidings.filters.dialects.siena import SienaFilter
from tidings.services.siena.relations import Attribute, Notification
from tidings.services.siena.wire import (
    Advertise,
    Failed,
    Hello,
    Publish,
    Record,
    Refused,
    Role,
    Settle,
    Settled,
    SienaError,
    Splitter,
    Subscribe,
    Unadvertise,
    Unsubscribe,
    address,
    check_notification,
    encode,
)

Consumer: TypeAlias = Callable[[Sequence[Notification]], Awaitable[None]]
"""Takes notifications, in order; more come when it returns."""

MOST_WAITING: Final = 10_000
"""Notifications that wait for the consumer; the oldest goes first."""
_CHUNK: Final = 65_536
_PATIENCE: Final = 10.0
"""Seconds that a server may take to answer."""
_FAR_PATIENCE: Final = 5.0
"""Seconds that the servers behind it may take."""


class SienaClient:
    """A connection; make it with `connect`, use it as a context or `close` it.

    Attributes:
        dropped: Notifications that the consumer has missed, because it is too slow.
        cause: Why the connection has ended; empty until then.
    """

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, consumer: Consumer | None
    ) -> None:
        self.dropped = 0
        self.cause = ""
        self._ended = asyncio.get_running_loop().create_future()
        self._reader = reader
        self._writer = writer
        self._waiting: deque[Notification] = deque()
        self._come = asyncio.Event()
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[int]] = {}
        self._refused: dict[int, str] = {}
        self._tasks = [asyncio.create_task(self._read())]
        if consumer is not None:
            self._tasks.append(asyncio.create_task(self._consume(consumer)))
            self._tasks[-1].add_done_callback(lambda _: self._end("the consumer has failed"))

    @classmethod
    async def connect(cls, url: str, consumer: Consumer | None = None) -> Self:
        """Connect to a server.

        Raises:
            Unreachable: Nobody answers there, or not as a SIENA server.
        """
        host, port = address(url)
        try:
            async with asyncio.timeout(_PATIENCE):
                reader, writer = await asyncio.open_connection(host, port)
        except (OSError, TimeoutError) as error:
            raise Unreachable(
                f"the SIENA server at {host}:{port} cannot be reached: {str(error) or 'no answer'}"
            ) from error
        made = cls(reader, writer, consumer)
        made._send(Hello(Role.CLIENT))
        try:
            await made.settle(near=True)
        except BaseException:
            await made.close()
            raise
        return made

    async def close(self) -> None:
        """End the connection; raises nothing."""
        self._end("closed")
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()

    async def ended(self) -> None:
        """Wait until the connection has ended; `cause` says why."""
        await asyncio.wait((self._ended,))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def subscribe(self, wanted: SienaFilter) -> None:
        """Ask for what matches a filter; `settle` says when it is in force."""
        self._send(Subscribe.of(wanted))

    def unsubscribe(self, wanted: SienaFilter) -> None:
        """No longer ask for it."""
        self._send(Unsubscribe.of(wanted))

    def advertise(self, offered: SienaFilter) -> None:
        """Say what will be published; `settle` says when the network knows it."""
        self._send(Advertise.of(offered))

    def unadvertise(self, offered: SienaFilter) -> None:
        """No longer say so."""
        self._send(Unadvertise.of(offered))

    async def publish(self, notification: Mapping[str, Attribute]) -> None:
        """Publish a notification; return when the server has it.

        Raises:
            SienaError: The server, or the protocol, does not take it.
        """
        [cause] = await self.publish_all([notification])
        if cause:
            raise SienaError(cause)

    async def publish_all(self, notifications: Sequence[Mapping[str, Attribute]]) -> list[str]:
        """Publish notifications, in order; return for each why it was refused, or an empty text.

        Returns when the server has them; what it has and then loses is lost.
        """
        numbers, causes = [], {}
        for notification in notifications:
            number = next(self._numbers)
            numbers.append(number)
            try:
                check_notification(notification)
                self._send(Publish(dict(notification), number))
            except SienaError as error:
                causes[number] = str(error)
        await self.settle(near=True)
        return [causes.get(number) or self._refused.pop(number, "") for number in numbers]

    async def settle(self, *, near: bool = False) -> int:
        """Wait until everything asked for is in force in the network, or at this server alone.

        Returns:
            How many configured links of the network are down, as far as it was reached.

        Raises:
            Unreachable: There is no answer. If the server itself gives none, the connection ends.
        """
        token = next(self._numbers)
        answer = self._answers[token] = asyncio.get_running_loop().create_future()
        try:
            self._send(Settle(token, near))
            await asyncio.wait(
                (answer, self._ended),
                timeout=_PATIENCE if near else _FAR_PATIENCE,
                return_when=asyncio.FIRST_COMPLETED,
            )
        finally:
            del self._answers[token]
        if answer.done():
            missing: int = answer.result()
            return missing
        if near:
            self._end(f"the server does not answer within {_PATIENCE:g} seconds")
        raise Unreachable(f"SIENA: {self.cause or 'a server behind this one does not answer'}")

    def _send(self, record: Record) -> None:
        octets = encode(record)
        if self.cause:
            raise Unreachable(f"SIENA: {self.cause}")
        self._writer.write(octets)

    def _end(self, cause: str) -> None:
        if not self.cause:
            self.cause = cause
            self._ended.set_result(None)

    async def _read(self) -> None:
        splitter, cause = Splitter(), "the connection has ended"
        try:
            while octets := await self._reader.read(_CHUNK):
                for record in splitter.feed(octets):
                    self._take(record)
        except (OSError, SienaError) as error:
            cause = str(error)
        self._end(cause)

    def _take(self, record: Record) -> None:
        if isinstance(record, Publish):
            if len(self._waiting) >= MOST_WAITING:
                self._waiting.popleft()
                self.dropped += 1
            self._waiting.append(record.attributes)
            self._come.set()
        elif isinstance(record, Settled):
            answer = self._answers.get(record.token)
            if answer is not None and not answer.done():
                answer.set_result(record.missing)
        elif isinstance(record, Refused):
            self._refused[record.number] = record.cause
        elif isinstance(record, Failed):
            self._end(record.cause)
        elif not isinstance(record, Hello):
            self._end(f"the server has sent a {type(record).__name__}")

    async def _consume(self, consumer: Consumer) -> None:
        while True:
            await self._come.wait()
            self._come.clear()
            notifications = list(self._waiting)
            self._waiting.clear()
            if notifications:
                await consumer(notifications)
