"""Pull consumers over HTTP; a lost answer loses no events.

Every pull over the network takes a lease: events that the program pulls without one are leased and
acknowledged as soon as they arrive.
"""

from __future__ import annotations

import asyncio
from array import array
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, Final

from tidings.api.operations import pull
from tidings.channel.commands import Ack, Command
from tidings.channel.effects import Message
from tidings.client.transport import PulledEvents
from tidings.client.transports.backoff import CLOSED
from tidings.client.transports.http.calls import Caller
from tidings.errors import Disconnected, InvalidUsage, Stopping, TidingsError, Unreachable
from tidings.events.codecs.json_codec import event_from_plain
from tidings.events.envelope import ProducerMark
from tidings.events.texts import shortened

_SECOND: Final = 1_000_000
# Long waits are split: the service limits one wait to 60 seconds.
_PIECE: Final = 50 * _SECOND
# Time in transit after which the service redelivers an event.
_ON_THE_WAY: Final = 30 * _SECOND
_LONGEST_LEASE: Final = 366 * 86_400 * _SECOND
_MOST: Final = 1_000
# Acknowledged numbers remembered per consumer.
_REMEMBERED: Final = 8_192


class Pulls:
    """A client's pull consumers.

    `outward` translates a command into the service's ids; `goes_on` tells whether a consumer that
    is reported as disconnected was only cut off.
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
        # Acknowledgements to send, interleaved with futures of callers waiting for those before.
        self._told: deque[Any] = deque()
        self._task: asyncio.Task[None] | None = None
        # Acknowledged numbers by channel and proxy; the service may not have received them.
        self._acked: dict[tuple[int, int], array[int]] = {}
        # Waiting pulls.
        self._asking: dict[tuple[int, int], set[asyncio.Task[PulledEvents]]] = {}

    def end(self, key: tuple[int, int]) -> None:
        """Close a consumer: its waiting pulls raise `Disconnected`."""
        self._acked.pop(key, None)
        for task in self._asking.pop(key, ()):
            task.cancel()

    # Acknowledging.

    def tell(self, command: Command) -> None:
        """Queue an acknowledgement; its result is discarded."""
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
        """Wait until all earlier acknowledgements are sent, at most `patience` seconds."""
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

    # Pulling.

    async def pull(
        self, key: tuple[int, int], most: int, wait: int | None, lease: int | None, *, single: bool
    ) -> PulledEvents:
        """Pull events; times are in microseconds.

        Without a lease, events are acknowledged on arrival, and with `single` only one is pulled.
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
                # The service may notice the cut socket only after this request.
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
        """Run a pull; raise `Disconnected` if its consumer is closed meanwhile."""
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
        call = pull(channel, now.proxy, most, wait, lease)
        answer = await self._caller.call(call, safe=True, seconds=wait / _SECOND)
        origin = answer["origin"]
        messages = [message_of(origin, plain) for plain in answer["events"]]
        again = {plain["seq"] for plain in answer["events"] if plain.get("redelivered")}
        known = self._acked.get(key)
        if again and known:
            lost = again.intersection(known)
            if lost:  # the acknowledgement was lost, or crossed the redelivery
                self.tell(Ack(channel, proxy, tuple(lost)))
                messages = [message for message in messages if message.seq not in lost]
                again -= lost
        return PulledEvents(messages, frozenset(again))

    async def close(self) -> None:
        """Stop sending; waiting pulls raise `Disconnected`, other calls `Stopping`."""
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
    """Build an event from parsed JSON."""
    mark = None
    if plain.get("producer") is not None:
        mark = ProducerMark.trusted(plain["producer"], plain["number"])
    event = event_from_plain(plain["event"])
    return Message(event, origin, plain["seq"], plain["arrival"], 0, plain["priority"], mark)
