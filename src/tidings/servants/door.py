"""Access to the host for servants: gathers single pushes into batches.

Events that a client pushes without waiting for answers go into one command. Order is kept: any
other command runs after the events that came before it. Batches pushed by clients are not merged
with single events.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any, Final

from tidings.channel.commands import Command, Push
from tidings.channel.management import Connect
from tidings.engine.access import OWNER, Caller
from tidings.engine.door import LocalDoor
from tidings.engine.endpoints import Endpoint, EventBatch
from tidings.engine.host import Host
from tidings.errors import TidingsError
from tidings.events.structured import StructuredEvent
from tidings.orb.aio.later import Later
from tidings.orb.aio.targets import caller as peer_address

_log: Final = logging.getLogger(__name__)

# Most single events in one command.
_MOST: Final = 500


IIOP: Final = "IIOP"
"""The door of callers who use CORBA."""


class GatheringDoor(LocalDoor):
    """A host for one CORBA principal; `heard` gets the loop time of each push and pull."""

    def __init__(self, host: Host, principal: Caller, heard: dict[tuple[int, int], float]) -> None:
        super().__init__(host, principal)
        self._heard = heard
        self._loop = host.loop
        self._key = (0, 0)
        self._hops: tuple[str, ...] = ()
        self._events: list[StructuredEvent] = []
        self._waiting: list[Later[int]] = []
        self._pusher = principal

    @property
    def caller(self) -> Caller:
        """Return who makes the request in progress, with the address it came from."""
        return replace(self._principal, door=IIOP, peer=peer_address.get())

    def push(
        self, channel: int, proxy: int, event: StructuredEvent, hops: tuple[str, ...] = ()
    ) -> Later[int]:
        """Queue one event.

        The result is its sequence number once accepted, 0 if a filter stopped it, or the error.
        `hops` are the origins of the channels it has passed.
        """
        key = (channel, proxy)
        if self._events and (self._key != key or self._hops != hops or len(self._events) >= _MOST):
            self.send()
        if not self._events:
            self._key, self._hops = key, hops
            if self._principal is not OWNER:  # who is never refused
                self._pusher = self.caller
            self._host.before_drain(self.send)
        accepted: Later[int] = Later()
        self._events.append(event)
        self._waiting.append(accepted)
        return accepted

    def send(self) -> None:
        """Submit the gathered events, ahead of any later command."""
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
            self._host.post(push, gathered, self._pusher, self)

    def ask(self, command: Command, source: Hashable | None = None) -> asyncio.Future[Any]:
        """Run a command after the gathered events; see `Mailbox.post` for `source`."""
        if self._events:
            self.send()
        return super().ask(command, self if source is None else source)

    async def connect(self, connect: Connect, endpoint: Endpoint | None) -> None:
        """Connect a client to a proxy; endpoint None means it cannot be called."""
        self.send()
        if endpoint is not None:
            await super().connect(connect, endpoint)
        else:
            self._check_open()
            await self._host.connect(connect, None, self.caller)

    async def pull(
        self, channel: int, proxy: int, most: int, wait: int | None, lease: int | None
    ) -> EventBatch:
        """Pull events."""
        self.send()
        self._note((channel, proxy))
        self._check_open()
        return await self._host.pull(channel, proxy, most, wait, lease, self.caller)

    def _note(self, key: tuple[int, int]) -> None:
        """Record a sign of life, but only of clients that can be called."""
        if self._host.endpoint(*key) is not None:
            self._heard[key] = self._loop.time()


class _Gathered:
    """The pending answers to events submitted together, resolved without a loop turn."""

    __slots__ = ("_waiting",)

    def __init__(self, waiting: list[Later[int]]) -> None:
        self._waiting = waiting

    def done(self) -> bool:
        """Return whether the answers were given."""
        return not self._waiting

    def set_result(self, answers: Sequence[int | TidingsError]) -> None:
        """Give each event its own answer."""
        waiting, self._waiting = self._waiting, []
        for one, answer in zip(waiting, answers, strict=True):
            _tell(one, answer)

    def set_exception(self, error: BaseException) -> None:
        """Give all events the same error."""
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            _tell(one, error)


def _tell(one: Later[int], answer: int | BaseException) -> None:
    if one.done():  # the pusher has given up
        return
    try:
        if isinstance(answer, BaseException):
            one.set_exception(answer)
        else:
            one.set_result(answer)
    except Exception:  # noqa: BLE001 - a bug of ours: the others still need their answers
        _log.exception("who pushed could not be answered")
