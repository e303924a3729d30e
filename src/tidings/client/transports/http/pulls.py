"""Pull consumers over HTTP: nothing is lost with an answer that does not arrive.

Over a network there is no pull without a lease: events that count as delivered at once are leased,
and acknowledged as soon as they are here.
"""

from __future__ import annotations

import asyncio
from array import array
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

from tidings.api.delivered import DeliveredEvent
from tidings.api.pulling import PullForm, pull
from tidings.channel.commands import Ack, Command
from tidings.client.transport import Message
from tidings.client.transports.http.calls import CLOSED, Caller
from tidings.errors import Disconnected, InvalidUsage, Stopping, TidingsError, Unreachable
from tidings.events.codecs.json_codec import event_from_plain
from tidings.events.envelope import ProducerMark
from tidings.events.texts import shortened

_SECOND: Final = 1_000_000
# Waits are asked for in pieces: the service lets nobody wait longer than 60 seconds.
_PIECE: Final = 50 * _SECOND
# How long an event may be on its way to us before it comes again to whoever asks.
_ON_THE_WAY: Final = 30 * _SECOND
_LONGEST_LEASE: Final = 366 * 86_400 * _SECOND
_MOST: Final = 1_000
# Acknowledged numbers that are remembered for each consumer.
_REMEMBERED: Final = 8_192


class PulledEvents(NamedTuple):
    """What a pull was answered with.

    Attributes:
        messages: The events, in order.
        again: Numbers of those that may have been handed over before.
    """

    messages: Sequence[Message]
    again: frozenset[int]


class Pulls:
    """The pull consumers of a client.

    Args:
        caller: Makes requests.
        outward: The command with the ids the service has.
        patience: How long whoever asks waits until what was answered before is sent, in seconds.
        goes_on: Whether a consumer, whose connection the service says has ended, was only cut.
    """

    def __init__(
        self,
        caller: Caller,
        outward: Callable[[Command], Command],
        patience: float,
        goes_on: Callable[[tuple[int, int]], Awaitable[bool]],
    ) -> None:
        self._caller = caller
        self._outward = outward
        self._patience = patience
        self._goes_on = goes_on
        # Answers to be sent, and between them whoever waits until those before are.
        self._told: deque[Any] = deque()
        self._task: asyncio.Task[None] | None = None
        # By channel and proxy, what was acknowledged: its answer may have been lost.
        self._acked: dict[tuple[int, int], array[int]] = {}
        # And who waits for events.
        self._asking: dict[tuple[int, int], set[asyncio.Task[PulledEvents]]] = {}

    def end(self, key: tuple[int, int]) -> None:
        """A consumer is closed: pulls of its that wait end with `Disconnected`."""
        self._acked.pop(key, None)
        for task in self._asking.pop(key, ()):
            task.cancel()

    # What consumers answer.

    def tell(self, command: Command) -> None:
        """Has an answer sent, behind those before it; nobody hears what comes of it."""
        last = self._told[-1] if self._told else None
        if isinstance(command, Ack):
            known = self._acked.setdefault((command.channel, command.proxy), array("q"))
            known.extend(command.seqs)
            if len(known) > 2 * _REMEMBERED:
                del known[:-_REMEMBERED]
            if isinstance(last, Ack) and last[:2] == command[:2]:
                self._told[-1] = last._replace(seqs=(*last.seqs, *command.seqs))
                return
        self._told.append(command)
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._send())

    async def _send(self) -> None:
        try:
            while self._told:
                first = self._told.popleft()
                if isinstance(first, asyncio.Future):
                    if not first.done():
                        first.set_result(None)
                    continue
                with suppress(TidingsError):
                    await self._caller.ask(self._outward(first))
        finally:
            self._task = None

    async def told(self) -> None:
        """Waits until all answers of before are sent.

        Raises:
            Unreachable: They cannot be.
        """
        if self._task is None:
            return
        sent = asyncio.get_running_loop().create_future()
        self._told.append(sent)
        try:
            async with asyncio.timeout(self._patience):
                await sent
        except TimeoutError:
            told = f"acknowledgements could not be sent for {self._patience:g} s: nothing was asked"
            raise Unreachable(told) from None

    # What they ask.

    async def pull(
        self,
        key: tuple[int, int],
        most: int,
        wait: int | None,
        lease: int | None,
        *,
        single: bool,
    ) -> PulledEvents:
        """Asks for events.

        Args:
            key: Channel and proxy, as the program knows them.
            most: At most so many.
            wait: How long for the first, in microseconds; None for ever.
            lease: How long until they come again, in microseconds; None for never.
            single: Whether the form gives one at a time without a lease.

        Raises:
            InvalidUsage: Fewer than one are asked for.
            Disconnected: The consumer was closed, or its proxy has ended.
        """
        if most < 1:
            raise InvalidUsage(f"a pull asks for at least one event, not for {shortened(most)}")
        if lease is None and single:
            most = 1
        loop = asyncio.get_running_loop()
        until = None if wait is None else loop.time() + wait / _SECOND
        while True:
            left = _PIECE
            if until is not None:
                left = min(_PIECE, max(0, round((until - loop.time()) * _SECOND)))
            leased = _ON_THE_WAY if lease is None else min(lease, _LONGEST_LEASE)
            asking = self._once(key, min(most, _MOST), left, leased)
            try:
                found = await self._unless_ended(key, asking)
            except Disconnected:
                # The service may see that the socket was cut after this was asked over another.
                if not await self._goes_on(key):
                    raise
                continue
            if found.messages and lease is None:
                self.tell(Ack(*key, tuple(message.seq for message in found.messages)))
            if found.messages or (until is not None and loop.time() >= until):
                return found

    async def _unless_ended(
        self, key: tuple[int, int], work: Coroutine[Any, Any, PulledEvents]
    ) -> PulledEvents:
        """What a pull was answered with.

        Raises:
            Disconnected: Its consumer was closed meanwhile.
        """
        task = asyncio.get_running_loop().create_task(work)
        asking = self._asking.setdefault(key, set())
        asking.add(task)
        try:
            return await task
        except asyncio.CancelledError:
            if task in asking and key in self._asking:
                raise
            raise Disconnected("the connection was closed by its own client") from None
        finally:
            task.cancel()
            asking.discard(task)
            if not asking and self._asking.get(key) is asking:
                del self._asking[key]

    async def _once(self, key: tuple[int, int], most: int, wait: int, lease: int) -> PulledEvents:
        await self.told()
        channel, proxy = key
        now: Any = self._outward(Ack(channel, proxy, ()))
        call = pull(channel, now.proxy, PullForm.of(most, wait, lease))
        answer = await self._caller.call(call, safe=True, seconds=wait / _SECOND)
        origin = answer["origin"]
        messages = [message_of(origin, plain) for plain in answer["events"]]
        again = {plain["seq"] for plain in answer["events"] if plain.get("redelivered")}
        known = self._acked.get(key)
        if again and known:
            lost = again.intersection(known)
            if lost:  # the acknowledgement was lost, or came before the event was here again
                self.tell(Ack(channel, proxy, tuple(lost)))
                messages = [message for message in messages if message.seq not in lost]
                again -= lost
        return PulledEvents(messages, frozenset(again))

    async def close(self) -> None:
        """Sends no more; pulls that wait end with `Disconnected`, other calls with `Stopping`."""
        for key in list(self._asking):
            self.end(key)
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        for waiting in self._told:
            if isinstance(waiting, asyncio.Future) and not waiting.done():
                waiting.set_exception(Stopping(CLOSED))
        self._told.clear()


def message_of(origin: str, plain: dict[str, Any]) -> Message:
    """An event of a channel, from parsed JSON."""
    mark = None
    if plain.get("producer") is not None:
        mark = ProducerMark.trusted(plain["producer"], plain["number"])
    event = event_from_plain(plain["event"])
    return DeliveredEvent(event, origin, plain["seq"], plain["arrival"], plain["priority"], mark)
