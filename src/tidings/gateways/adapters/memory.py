"""An event service within the process: always there, for tests and as the model of an adapter."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from tidings.events.fields import StructuredFields
from tidings.events.structured import StructuredEvent
from tidings.federation.capabilities import Capabilities, Filtering, Survival
from tidings.federation.marks import marked, unmarked
from tidings.filters.constraint import Constraint
from tidings.gateways.adapters.base import (
    Adapter,
    AdapterError,
    Arrival,
    Heard,
    Outgoing,
    Placed,
    Refused,
    Side,
)

MOST_WAITING: Final = 10_000
"""Events that wait for one subscriber; the oldest goes first."""


class Bus:
    """The service: whatever is published reaches whoever listens; it can be cut off.

    Attributes:
        published: How many events were published.
    """

    def __init__(self) -> None:
        self.published = 0
        self._listeners: dict[object, Callable[[StructuredEvent], None]] = {}
        self._hang_ups: dict[object, Callable[[str], None]] = {}
        self._down = ""

    def publish(self, event: StructuredEvent) -> None:
        """Publish an event; AdapterError while the service is down."""
        self.check()
        self.published += 1
        for listener in tuple(self._listeners.values()):
            listener(event)

    def listen(
        self, listener: Callable[[StructuredEvent], None], hang_up: Callable[[str], None]
    ) -> object:
        """Call a function with every event until `leave`, and another when the service goes."""
        self.check()
        key = object()
        self._listeners[key] = listener
        self._hang_ups[key] = hang_up
        return key

    def leave(self, key: object) -> None:
        """End what `listen` began."""
        self._listeners.pop(key, None)
        self._hang_ups.pop(key, None)

    def check(self) -> None:
        """Raise AdapterError while the service is down."""
        if self._down:
            raise AdapterError(self._down)

    def go(self, cause: str) -> None:
        """Cut everybody off, and take nothing until `come_back`."""
        self._down = cause
        hang_ups = tuple(self._hang_ups.values())
        self._listeners.clear()
        self._hang_ups.clear()
        for hang_up in hang_ups:
            hang_up(cause)

    def come_back(self) -> None:
        """Work again."""
        self._down = ""


_BUSES: dict[str, Bus] = {}


def bus(name: str) -> Bus:
    """Return the service of a name, the same one for everybody in the process."""
    return _BUSES.setdefault(name, Bus())


class MemoryParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which service.

    Attributes:
        name: Its name in the process.
    """

    name: str = "memory"


class MemoryAdapter(Adapter[MemoryParameters]):
    """The adapter of a `Bus`."""

    Parameters = MemoryParameters
    capabilities = Capabilities(
        kind="memory",
        promise="at most once: what waits in the process ends with it",
        filtering=Filtering.CONTENT,
        holds=False,
        confirms=True,
        marks=True,
        control=True,
        nested=True,
        priority=Survival.KEPT,
        order=Survival.KEPT,
        lifetime=Survival.KEPT,
        reliability=Survival.LOST,
        proximity=Survival.KEPT,
    )

    def __init__(self, side: Side, parameters: MemoryParameters) -> None:
        super().__init__(side, parameters)
        self._bus = bus(parameters.name)
        self._filters: tuple[Constraint, ...] = ()
        self._key: object = None
        self._reader: asyncio.Task[None] | None = None

    async def connect(self, heard: Heard) -> None:
        """Listen at the service."""
        self._waiting: deque[StructuredEvent] = deque(maxlen=MOST_WAITING)
        self._come = asyncio.Event()
        self._lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._key = self._bus.listen(self._listen, self._hang_up)
        self._reader = asyncio.create_task(self._read(heard))

    async def disconnect(self) -> None:
        """Leave the service."""
        self._bus.leave(self._key)
        self._filters = ()
        if self._reader is not None:
            self._reader.cancel()
            await asyncio.wait((self._reader,))
            self._reader = None

    async def lost(self) -> str:
        """Wait until the service goes."""
        return await asyncio.shield(self._lost)

    def _hang_up(self, cause: str) -> None:
        if not self._lost.done():
            self._lost.set_result(cause)

    def _listen(self, event: StructuredEvent) -> None:
        fields = StructuredFields(event)
        if any(one.matches(fields) for one in self._filters):
            self._waiting.append(event)
            self._come.set()

    async def _read(self, heard: Heard) -> None:
        while True:
            await self._come.wait()
            self._come.clear()
            events = list(self._waiting)
            self._waiting.clear()
            await heard([Arrival(*unmarked(event)) for event in events])

    async def want(self, filters: Sequence[Constraint]) -> Sequence[Placed]:
        """Filter by these, exactly."""
        self._bus.check()
        self._filters = tuple(filters)
        return [Placed(one.text, exact=True) for one in filters]

    async def publish(self, events: Sequence[Outgoing]) -> Sequence[Refused | None]:
        """Publish events with their marks."""
        for event, mark in events:
            self._bus.publish(marked(event, mark))
        return [None] * len(events)
