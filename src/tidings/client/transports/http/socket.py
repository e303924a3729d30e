"""A client's WebSocket, opened when needed and reopened after a cut."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import count
from typing import Final, TypeAlias

from tidings.api import frames as f
from tidings.api.problems import error_of
from tidings.client.transports.backoff import CLOSED, pauses
from tidings.client.transports.http.lines import Line
from tidings.client.transports.http.pushes import Pushes
from tidings.client.transports.http.recovery import ServiceRecovery
from tidings.client.transports.http.wire import Wire
from tidings.errors import (
    BadInput,
    Disconnected,
    Forbidden,
    Stopping,
    TidingsError,
    Unauthenticated,
    Unreachable,
)

OnConnection: TypeAlias = Callable[[bool, str], object]
"""Called with whether the service is connected, and why not."""

Opener: TypeAlias = Callable[[Callable[[bytes], None], Callable[[int, str], None]], Awaitable[Wire]]
"""Opens a WebSocket, given a frame reader and a callback for a cut."""

# Interval of checking for expired requests, in seconds.
_LOOK: Final = 0.25
# Close codes by which the service refuses what was sent; sending it again is useless.
_REFUSED: Final = frozenset({1002, 1003, 1007, 1008, 1009})
# Errors that retries cannot resolve.
HOPELESS: Final = (Unauthenticated, Forbidden)


class Cut(Exception):
    """The socket was cut before an answer came."""


class Socket:
    """Lines, by number, and pushes over successive WebSockets; `generation` counts these."""

    def __init__(
        self,
        opener: Opener,
        recovery: ServiceRecovery,
        *,
        patience: float,
        on_connection: OnConnection | None,
    ) -> None:
        self._opener = opener
        self._recovery = recovery
        self._patience = patience
        self._on_connection = on_connection
        self._ids = count(1)
        self._numbers = count(1)
        self.pushes = Pushes(self.send, self._ids, recovery.proxy_now)
        self.lines: dict[int, Line] = {}
        self.generation = 0
        self._asked: dict[int, asyncio.Future[None]] = {}
        self._wire: Wire | None = None
        self._task: asyncio.Task[None] | None = None
        self._closed = False
        # Whether the socket is open and all lines are connected, and who waits for that.
        self.ready = False
        self._waiters: set[asyncio.Future[None]] = set()
        self._cut: asyncio.Future[tuple[int, str]] | None = None
        self._why = "not tried yet"
        # Whether the current socket carried any events; if so, the back-off starts over.
        self._useful = False
        self._looking: asyncio.TimerHandle | None = None

    def need(self) -> None:
        """Open the socket if it is not open."""
        if self._task is None and not self._closed:
            self._task = asyncio.get_running_loop().create_task(self._run())

    def send(self, frame: bytes) -> None:
        """Send a frame; without a socket it is dropped."""
        if self._wire is not None:
            self._wire.send(frame)

    # Requests.

    async def connect(self, line: Line) -> None:
        """Connect a line for the first time."""
        again = line.connect.again
        line.number, line.send = next(self._numbers), self.send
        self.lines[line.number] = line
        try:
            while not line.established:
                await self.reached()
                try:
                    await self._connect(line, again)
                except Cut:
                    # The service may have connected it. If other clients can use the proxy, it is
                    # unclear who is connected now; do not take it over from them.
                    again = again or self._recovery.is_own(line)
        except BaseException:
            self.lines.pop(line.number, None)
            self._withdraw(line)
            raise

    def _withdraw(self, line: Line, *, end: bool = False) -> None:
        """Release a line that is no longer wanted, in case the service has connected it."""
        if self._wire is not None:
            self.send(f.write_frame(f.ReleaseFrame(next(self._ids), line.number, end)).encode())

    async def release(self, line: Line, *, end: bool) -> None:
        """End a line; raise `Cut` if it is unknown whether the service received the request."""
        self.lines.pop(line.number, None)
        live = line.live
        line.end(Disconnected("the connection was closed by its own client"))
        if not live:
            raise Cut
        await self._ask(lambda id: f.ReleaseFrame(id, line.number, end))

    async def reached(self) -> None:
        """Wait until the socket is open and all lines are connected; raise `Unreachable`."""
        if self._closed:
            raise Stopping(CLOSED)
        self.need()
        if self.ready:
            return
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.add(waiter)
        try:
            async with asyncio.timeout(self._patience):
                await waiter
        except TimeoutError:
            told = f"no connection for {self._patience:g} s ({self._why}): nothing was sent"
            raise Unreachable(told) from None
        finally:
            self._waiters.discard(waiter)

    def _wake(self, error: TidingsError | None = None) -> None:
        """Let those who wait for a connection go on, or raise an error in them."""
        for waiter in self._waiters:
            if not waiter.done():
                if error is None:
                    waiter.set_result(None)
                else:
                    waiter.set_exception(error)

    async def _connect(self, line: Line, again: bool) -> None:
        asked = line.connect
        proxy = self._recovery.proxy_now(asked.channel, asked.proxy)
        window = min(asked.window, f.MAX_WINDOW)
        await self._ask(
            lambda id: f.ConnectFrame(
                id, line.number, asked.channel, proxy, window, again, line.notices
            )
        )
        line.live = line.error is None
        line.established = True

    async def _ask(self, make: Callable[[int], f.ConnectFrame | f.ReleaseFrame]) -> None:
        if self._wire is None:
            raise Cut
        id = next(self._ids)
        future = self._asked[id] = asyncio.get_running_loop().create_future()
        self.send(f.write_frame(make(id)).encode())
        try:
            await future
        finally:
            self._asked.pop(id, None)

    # The life of sockets.

    async def _run(self) -> None:
        waits = pauses()
        try:
            while not self._closed and (self.lines or len(self.pushes) or self._waiters):
                cut = await self._open(waits)
                self._useful = False
                await self._restored()
                code, why = await cut
                if code in _REFUSED:
                    told = f"the service refuses what was sent ({code}): {why}"
                    self.pushes.fail(Unreachable(told))
                elif self._useful:
                    waits = pauses()
                await asyncio.sleep(next(waits))
        except TidingsError as error:
            self._give_up(error)
        finally:
            self._task = None

    async def _open(self, waits: Iterator[float]) -> asyncio.Future[tuple[int, str]]:
        """Open a socket; the returned future completes when it is cut."""
        loop = asyncio.get_running_loop()
        self._look(loop.time())
        try:
            while True:
                cut = self._cut = loop.create_future()
                try:
                    wire = await self._opener(self._read, partial(self._lost, cut))
                except HOPELESS:
                    raise
                except (OSError, TimeoutError, TidingsError) as error:
                    self._why = str(error) or type(error).__name__
                else:
                    if not cut.done():
                        self._wire = wire
                        self.generation += 1
                        return cut
                await asyncio.sleep(next(waits))
        finally:
            if self._looking is not None:
                self._looking.cancel()

    async def _restored(self) -> None:
        try:
            await self._restore()
        except* (Cut, TidingsError) as errors:
            self._abort(str(errors.exceptions[0]))
        else:
            if self._wire is not None:
                self.ready = True
                self._wake()
                self.pushes.up()
                self._tell(True, self._recovery.missed())

    def _look(self, since: float) -> None:
        loop = asyncio.get_running_loop()
        self.pushes.expire(since, self._patience, loop.time(), self._why)
        self._looking = loop.call_later(_LOOK, self._look, since)

    async def _restore(self) -> None:
        """Reconnect all established lines."""
        lines = [line for line in self.lines.values() if line.established]
        channels = {line.connect.channel for line in lines} | self.pushes.channels
        if self.generation > 1 and channels:
            for channel, error in (await self._recovery.lost_channels(channels)).items():
                self.pushes.fail(error, channel)
                for line in lines:
                    if line.connect.channel == channel:
                        self._ended(line, Disconnected(str(error)))
        async with asyncio.TaskGroup() as tasks:  # none outlives this socket
            for line in lines:
                if line.error is None:
                    tasks.create_task(self._reconnect(line))

    async def _reconnect(self, line: Line) -> None:
        own = self._recovery.is_own(line)
        try:
            await self._recovery.reconnect(line, self._connect)
        except (Stopping, Unreachable):
            raise
        except TidingsError as error:
            self._ended(line, Disconnected(str(error)))
        else:
            if line.error is not None:  # closed meanwhile
                self._withdraw(line, end=own)

    def _ended(self, line: Line, error: Disconnected) -> None:
        self.lines.pop(line.number, None)
        self._recovery.forget(line)
        line.end(error)

    def _abort(self, why: str) -> None:
        wire, cut = self._wire, self._cut
        if wire is not None and cut is not None:
            wire.abort()
            self._lost(cut, 1006, why)

    def _lost(self, cut: asyncio.Future[tuple[int, str]], code: int, why: str) -> None:
        """Handle the loss of the socket that `cut` belongs to."""
        if cut.done():
            return
        cut.set_result((code, why))
        self._why = why
        if self._wire is None:  # it was never used
            return
        self._wire = None
        self.pushes.down()
        for future in [one for one in self._asked.values() if not one.done()]:
            future.set_exception(Cut())
        for line in self.lines.values():
            line.cut()
        if self.ready:
            self.ready = False
            self._tell(False, why)

    def _give_up(self, error: TidingsError) -> None:
        """Fail everything after an error that retries cannot resolve."""
        self.pushes.fail(error)
        for line in list(self.lines.values()):
            if line.established:
                self._ended(line, Disconnected(str(error)))
        self._why = str(error)
        self._wake(error)
        self._tell(False, str(error))

    def _tell(self, up: bool, why: str) -> None:
        if self._on_connection is not None:
            asyncio.get_running_loop().call_soon(self._on_connection, up, why)

    # Frames from the service.

    def _read(self, data: bytes) -> None:
        try:
            frame = f.read_server_frame(data)
            if isinstance(frame, f.PushedFrame):
                self._useful = True
                self.pushes.pushed(frame)
            elif isinstance(frame, f.OkFrame):
                self._answered(frame.id, None)
            elif isinstance(frame, f.ErrorFrame):
                self._answered(frame.id, error_of(frame.problem, 500))
            else:
                line = self.lines.get(frame.line)
                if line is not None:
                    self._for_line(line, frame)
        except BadInput as error:
            self._abort(f"what the service sent cannot be read: {error}")

    def _for_line(self, line: Line, frame: object) -> None:
        if isinstance(frame, f.EventsFrame):
            self._useful = True
            line.deliver(frame)
        elif isinstance(frame, f.TypesFrame):
            line.types(*frame.patterns())
        elif isinstance(frame, f.PollFrame):
            line.poll(frame.poll, frame.most)
        elif isinstance(frame, f.GoneFrame):
            error = error_of(frame.problem, 500)
            told = error if isinstance(error, Disconnected) else Disconnected(str(error))
            self._ended(line, told)

    def _answered(self, id: int | None, error: TidingsError | None) -> None:
        if isinstance(error, Stopping):  # it accepted nothing; resend after its restart
            self._abort(str(error))
        elif id is not None and not (error is not None and self.pushes.refused(id, error)):
            future = self._asked.get(id)
            if future is not None and not future.done():
                if error is None:
                    future.set_result(None)
                else:
                    future.set_exception(error)

    async def close(self) -> None:
        """End everything; tell the service if connected."""
        self._closed = True
        self.pushes.fail(Stopping(CLOSED))
        self._wake(Stopping(CLOSED))
        for line in self.lines.values():
            line.end(Disconnected("the client was closed"))
        self.lines.clear()
        wire, self._wire = self._wire, None
        if wire is not None:
            await wire.close()
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
