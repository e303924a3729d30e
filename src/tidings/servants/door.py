"""The door of servants: single pushes that come together are carried out together.

A client that pushes one event after the other without waiting for answers fills one command with
them. The order of all that is asked through one door is kept: anything else that is asked goes
behind the events that have come before it. A batch shares no turns with the single events.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Hashable, Sequence
from typing import Any, Final

from tidings.channel.commands import Command, Push
from tidings.channel.management import Connect
from tidings.engine.access import Principal
from tidings.engine.door import LocalDoor
from tidings.engine.endpoints import Endpoint, EventBatch
from tidings.engine.host import Host
from tidings.errors import TidingsError
from tidings.events.structured import StructuredEvent
from tidings.orb.aio.later import Later

_log: Final = logging.getLogger(__name__)

# More single events than this go in several commands.
_MOST: Final = 500


class GatheringDoor(LocalDoor):
    """A host as one principal may use it through CORBA.

    Args:
        host: The host.
        principal: Who asks.
        heard: By channel and proxy, told when events are sent or asked for, in the time of the
            loop.
    """

    def __init__(
        self, host: Host, principal: Principal, heard: dict[tuple[int, int], float]
    ) -> None:
        super().__init__(host, principal)
        self._heard = heard
        self._loop = host.loop
        self._key = (0, 0)
        self._hops: tuple[str, ...] = ()
        self._events: list[StructuredEvent] = []
        self._waiting: list[Later[int]] = []

    def push(
        self, channel: int, proxy: int, event: StructuredEvent, hops: tuple[str, ...] = ()
    ) -> Later[int]:
        """Takes one event in.

        Args:
            channel: Where.
            proxy: Through which proxy.
            event: The event.
            hops: Origins of the channels it has passed.

        Returns:
            The event's number when it is accepted, 0 if a filter stopped it, or the error.
        """
        key = (channel, proxy)
        if self._events and (self._key != key or self._hops != hops or len(self._events) >= _MOST):
            self.send()
        if not self._events:
            self._key, self._hops = key, hops
            self._host.before_drain(self.send)
        accepted: Later[int] = Later()
        self._events.append(event)
        self._waiting.append(accepted)
        return accepted

    def send(self) -> None:
        """Has the events that were gathered taken in, before anything that is asked later."""
        if not self._events:
            return
        events, waiting = self._events, self._waiting
        self._events, self._waiting = [], []
        self._note(self._key)
        gathered = _Gathered(waiting)
        try:
            self._check_open()
        except TidingsError as error:
            gathered.set_exception(error)
        else:
            push = Push(*self._key, events, hops=self._hops)
            self._host.post(push, gathered, self._principal, self)

    def ask(self, command: Command, source: Hashable | None = None) -> asyncio.Future[Any]:
        """Has a command carried out, behind the events that have come.

        Args:
            command: What to do.
            source: With whom events share their turns; see `Mailbox.post`.

        Raises:
            Stopping: The door is closed.
        """
        if self._events:
            self.send()
        return super().ask(command, self if source is None else source)

    async def connect(self, connect: Connect, endpoint: Endpoint | None) -> None:
        """Connects a client to a proxy; None for one that cannot be called."""
        self.send()
        if endpoint is not None:
            await super().connect(connect, endpoint)
        else:
            self._check_open()
            await self._host.connect(connect, None, self._principal)

    async def pull(
        self, channel: int, proxy: int, most: int, wait: int | None, lease: int | None
    ) -> EventBatch:
        """Asks for events as a pull consumer."""
        self.send()
        self._note((channel, proxy))
        return await super().pull(channel, proxy, most, wait, lease)

    def _note(self, key: tuple[int, int]) -> None:
        """A client is there; of those who cannot be called, nobody wants to know."""
        if self._host.endpoint(*key) is not None:
            self._heard[key] = self._loop.time()


class _Gathered:
    """Who waits for the answers to events that were taken in together.

    They are told in the moment the answers are there, and not in the next turn of the loop.
    """

    __slots__ = ("_waiting",)

    def __init__(self, waiting: list[Later[int]]) -> None:
        self._waiting = waiting

    def done(self) -> bool:
        """Whether they were told."""
        return not self._waiting

    def set_result(self, answers: Sequence[int | TidingsError]) -> None:
        """Each has an answer of its own."""
        waiting, self._waiting = self._waiting, []
        for one, answer in zip(waiting, answers, strict=True):
            _tell(one, answer)

    def set_exception(self, error: BaseException) -> None:
        """It is the same for all."""
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            _tell(one, error)


def _tell(one: Later[int], answer: int | BaseException) -> None:
    if one.done():  # who pushed waits no more
        return
    try:
        if isinstance(answer, BaseException):
            one.set_exception(answer)
        else:
            one.set_result(answer)
    except Exception:  # noqa: BLE001 - a fault of ours: the others must be told all the same
        _log.exception("who pushed could not be answered")
