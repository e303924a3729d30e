"""What goes out over a connection: calls that wait for answers, and when octets leave."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from tidings.orb import connection as sans_io
from tidings.orb import giop
from tidings.orb.aio.hub import LinkLost
from tidings.orb.aio.options import Bidirectional, Options
from tidings.orb.connection import Connection

if TYPE_CHECKING:
    from tidings.orb.aio.repeated import RepeatedCall
    from tidings.orb.destination import Destination
    from tidings.orb.stubs import Operation


class Outgoing(asyncio.Protocol, ABC):
    """The part of a connection that sends.

    Args:
        options: Times and limits.
        opener: Whether the connection was opened from here.
    """

    def __init__(self, options: Options, *, opener: bool) -> None:
        self.closed = False
        self._options = options
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._waiting: dict[int, asyncio.Future[sans_io.Answer] | RepeatedCall] = {}
        self._places = asyncio.Semaphore(options.max_calls)
        self._writable = asyncio.Event()
        self._writable.set()
        self._flushing = False  # what is ready is about to be sent
        self._suspect = False  # the peer may be gone without a word
        self._last_sent = self._loop.time()
        self.connection = Connection(
            opener=opener,
            little=options.little,
            limits=options.limits,
            accept_points=options.accept_bidirectional is not Bidirectional.NEVER,
        )

    # ------------------------------------------------------------ calls

    async def call(
        self,
        destination: Destination,
        target: giop.Target,
        operation: Operation,
        write_body: giop.WriteBody,
    ) -> sans_io.Answer | None:
        """Sends a request and waits for the answer; None to a oneway operation.

        Raises:
            LinkLost: The connection ended first.
        """
        async with self._places:
            await self._room()
            request_id = self.connection.call(
                target,
                operation.name,
                write_body,
                minor=destination.minor,
                response_flags=0 if operation.oneway else giop.ORDINARY,
                codesets=destination.codesets,
                contexts=operation.contexts,
            )
            if operation.oneway:
                self._flush()
                return None
            return await self._answer(request_id)

    async def locate(self, destination: Destination) -> sans_io.Answer:
        """Asks whether the object is there.

        Raises:
            LinkLost: The connection ended first.
        """
        async with self._places:
            await self._room()
            request_id = self.connection.locate(destination.key, minor=destination.minor)
            return await self._answer(request_id)

    async def _room(self) -> None:
        while not self._writable.is_set() and not self.closed:
            await self._writable.wait()
        if self.closed:
            raise LinkLost("the connection was closed before the call was sent", unseen=True)

    async def _answer(self, request_id: int) -> sans_io.Answer:
        waiting: asyncio.Future[sans_io.Answer] = self._loop.create_future()
        sent = self._loop.time()
        self._wait(request_id, waiting)
        try:
            return await waiting
        finally:
            # Still there only if the caller gave up.
            self.give_up_on(request_id, sent)

    def takes(self, mould: giop.RequestMould) -> bool:
        """Whether a request from this mould can be sent at once."""
        if self.closed or self._suspect or not self._writable.is_set():
            return False
        return len(self._waiting) < self._options.max_calls and self.connection.fits_mould(mould)

    def begin(self, mould: giop.RequestMould, body: bytes, waiting: RepeatedCall) -> int:
        """Sends a request that can be sent at once; its id, by which it can be given up."""
        request_id = self.connection.call_again(mould, body)
        self._wait(request_id, waiting)
        return request_id

    def _wait(
        self, request_id: int, waiting: asyncio.Future[sans_io.Answer] | RepeatedCall
    ) -> None:
        """Sends a call and waits for its answer."""
        alone = not self._waiting and not self._flushing
        self._waiting[request_id] = waiting
        if alone:
            self._flush()
        else:  # others are likely to call at the same moment
            self._flush_soon()

    def give_up_on(self, request_id: int, sent: float) -> None:
        """Waits no more for an answer, if it has not come: the peer need not go on.

        Args:
            request_id: Whose answer.
            sent: When the request was sent, in the time of the loop.
        """
        if self._waiting.pop(request_id, None) is not None and not self.closed:
            self.connection.cancel(request_id)
            self._flush()
            self._doubt(sent)

    @abstractmethod
    def _doubt(self, sent: float) -> None:
        """Nothing was heard about a call that was sent then."""

    # ------------------------------------------------------------ octets

    def _flush_soon(self) -> None:
        """Has what is ready at the same moment leave together: each write costs a system call."""
        if not self._flushing:
            self._flushing = True
            self._loop.call_soon(self._flush_and_gate)

    @abstractmethod
    def _flush_and_gate(self) -> None:
        """Sends what is ready, and looks whether to read on."""

    def _flush(self) -> None:
        octets = self.connection.data_to_send()
        if not octets or self._transport is None or self._transport.is_closing():
            return
        self._transport.write(octets)
        self._last_sent = self._loop.time()
        if self._unsent > self._options.max_output:
            self._cut(f"it does not read, and {self._unsent} octets wait for it")

    @property
    def _unsent(self) -> int:
        return self._transport.get_write_buffer_size() if self._transport else 0

    @abstractmethod
    def _cut(self, why: str) -> None:
        """Ends the connection without waiting for what is unsent."""
