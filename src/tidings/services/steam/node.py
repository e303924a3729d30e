"""A STEAM node of this process: the client API.

For instance::

    async with SteamNode(position="53.34, -6.25") as node:
        speed = EventType("Speed", {"license_no": Kind.TEXT, "rate": Kind.DOUBLE})
        node.announce(speed, area_of_text("0, 1, 0, 0, 250"))      # 250 m around the node
        node.publish("Speed", {"license_no": "05-D-1", "rate": 62.0})
        async for event in node.subscribe("Speed", "$rate > 50"):
            ...

Best effort: an event reaches the nodes that are in its area when it is sent, each at most once. A
node does not hear itself.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping
from contextlib import suppress
from typing import Final

from tidings.clock import monotonic_microseconds
from tidings.errors import Unreachable
from tidings.events.fields import StructuredFields
from tidings.events.structured import StructuredEvent
from tidings.federation.proximity import Area, Position
from tidings.filters.constraint import constraint
from tidings.names import new_handle
from tidings.services.steam.datagrams import Announcement, EventType, SteamEvent, Value
from tidings.services.steam.location import Location, location_of
from tidings.services.steam.machine import (
    Effect,
    Hand,
    Join,
    Leave,
    Send,
    SteamConfig,
    SteamMachine,
)
from tidings.services.steam.radio import Radio, RadioConfig

MOST_WAITING: Final = 10_000
"""Events that wait for one subscriber; the oldest goes first."""
_SECOND: Final = 1_000_000


class SteamNode:
    """A node: its machine, its radio, and where it is.

    Attributes:
        machine: What decides; its `counts` say what was dropped.
        lost: The cause, once the interface is gone.
    """

    def __init__(
        self,
        config: SteamConfig | None = None,
        radio: RadioConfig | None = None,
        *,
        position: str | Location,
    ) -> None:
        self._config = config or SteamConfig()
        # Two handles: 62 random bits, so that no two nodes are the same.
        self.machine = SteamMachine(new_handle() << 31 | new_handle(), self._config)
        self._radio = Radio(
            radio or RadioConfig(), self._config.network, self._received, self._failed
        )
        self._locate = (
            location_of(position, monotonic_microseconds())
            if isinstance(position, str)
            else position
        )
        self._takers: dict[object, Callable[[SteamEvent], None]] = {}
        self._ticker: asyncio.Task[None] | None = None

    async def __aenter__(self) -> SteamNode:
        self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def open(self) -> None:
        """Take part; Unreachable if the interface cannot be used."""
        self.lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._radio.open()
        try:
            self._perform(self.machine.start())
        except Unreachable:
            self._radio.close()
            raise
        self._ticker = asyncio.create_task(self._tick())

    async def close(self) -> None:
        """Take part no longer; what was announced is withdrawn."""
        ticker, self._ticker = self._ticker, None
        if ticker is not None:
            ticker.cancel()
            await asyncio.wait((ticker,))
            with suppress(Unreachable):
                for subject in self.machine.subjects():
                    self.withdraw(subject)
        self._radio.close()

    def position(self) -> Position | None:
        """Return where the node is; None if nobody knows."""
        return self._locate(monotonic_microseconds())

    def move(self, position: Position) -> None:
        """Be at a place from now on, whatever the source said."""
        self._locate = lambda _: position

    def announce(self, what: EventType, area: Area) -> None:
        """Begin to produce events of a type, valid in an area unless one says otherwise.

        Raises:
            InvalidEvent: The type is none that STEAM can carry.
            Unreachable: The interface is gone.
        """
        self._perform(self.machine.announce(what, area, self.position()))

    def withdraw(self, subject: str) -> None:
        """Produce events of a subject no longer."""
        self._perform(self.machine.withdraw(subject))

    def publish(
        self,
        subject: str,
        values: Mapping[str, Value],
        *,
        area: Area | None = None,
        attributes: Mapping[str, Value] | None = None,
        position: Position | None = None,
    ) -> None:
        """Send an event to whoever is in its area now.

        Args:
            subject: What was announced.
            values: Its parameters, those of its type.
            area: Where it is valid; None for the announced area.
            attributes: What else is said about it.
            position: Where it was produced; None for where the node is.

        Raises:
            InvalidEvent: The event is not announced, or not of its type.
            Unreachable: The interface is gone.
        """
        self._perform(
            self.machine.publish(
                subject, values, position or self.position(), area=area, attributes=attributes
            )
        )

    def listen(
        self,
        key: object,
        subjects: Collection[str] | None,
        test: Callable[[SteamEvent], bool],
        take: Callable[[SteamEvent], None],
    ) -> None:
        """Call a function with events of some subjects, or of all announced ones, from now on.

        Replaces what the same key listened to.
        """
        self._takers[key] = take
        wanted = None if subjects is None else frozenset(subjects)
        self._perform(self.machine.subscribe(key, wanted, test))

    def unlisten(self, key: object) -> None:
        """Listen no longer."""
        self._takers.pop(key, None)
        self._perform(self.machine.unsubscribe(key))

    def subscribe(self, subject: str | None = None, where: str = "") -> Subscription:
        """Get events of a subject (None: of all announced ones) that match a constraint."""
        return Subscription(self, subject, where)

    def heard(self) -> list[Announcement]:
        """Return what other nodes announce within the discovery range."""
        return self.machine.heard()

    def _perform(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Send):
                self._radio.send(effect.group, effect.octets)
            elif isinstance(effect, Join):
                self._radio.join(effect.group)
            elif isinstance(effect, Leave):
                self._radio.leave(effect.group)
            else:
                self._hand(effect)

    def _hand(self, effect: Hand) -> None:
        take = self._takers.get(effect.key)
        if take is not None:
            take(effect.event)

    def _received(self, octets: bytes) -> None:
        now = monotonic_microseconds()
        with suppress(Unreachable):  # a group that was announced cannot be joined: it is lost
            self._perform(self.machine.receive(octets, self._locate(now), now))

    def _failed(self, cause: str) -> None:
        if not self.lost.done():
            self.lost.set_result(cause)

    async def _tick(self) -> None:
        while not self.lost.done():
            await asyncio.sleep(self._config.beacon / _SECOND)
            now = monotonic_microseconds()
            with suppress(Unreachable):
                self._perform(self.machine.tick(now, self._locate(now)))


class Subscription:
    """Events of a subscription, as they come; leave the loop and `close` to end it."""

    def __init__(self, node: SteamNode, subject: str | None, where: str) -> None:
        self._node = node
        self._waiting: deque[SteamEvent] = deque(maxlen=MOST_WAITING)
        self._come = asyncio.Event()
        wanted = constraint(where)
        subjects = None if subject is None else (subject,)
        node.listen(
            self, subjects, lambda event: wanted.matches(StructuredFields(plain(event))), self._take
        )

    def _take(self, event: SteamEvent) -> None:
        self._waiting.append(event)
        self._come.set()

    async def __aiter__(self) -> AsyncIterator[SteamEvent]:
        while True:
            while self._waiting:
                yield self._waiting.popleft()
            self._come.clear()
            await self._come.wait()

    def close(self) -> None:
        """Get no more events."""
        self._node.unlisten(self)


def plain(event: SteamEvent) -> StructuredEvent:
    """Return a STEAM event as filters see it: its subject is the name, parameters are the data."""
    return StructuredEvent(name=event.subject, header=event.attributes, data=event.values)
