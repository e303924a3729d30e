"""STEAM: events for whoever is near, over multicast groups.

The subject of a STEAM event is the event's name, its parameters are the data. Its proximity is the
`Proximity` of the event; what has none gets a circle around this node. Events that come have
`Proximity`, and the producer's `Position`. Control events are of a type with a fixed number of
texts, and go in chunks.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal, cast

import msgspec

from tidings.clock import SystemClock, monotonic_microseconds
from tidings.errors import InvalidEvent, TooManyObjects, Unreachable
from tidings.events.anyvalue import Value
from tidings.events.codecs.json_codec import decode_event, encode_event
from tidings.events.fields import StructuredFields
from tidings.events.structured import StructuredEvent
from tidings.federation.capabilities import Capabilities, Filtering, Survival
from tidings.federation.control import CONTROL_SUBJECT
from tidings.federation.marks import PROPERTY, Mark, mark_text, marked, unmarked
from tidings.federation.proximity import (
    MOST_METRES,
    POSITION,
    PROXIMITY,
    Area,
    Circle,
    Position,
    area_of,
    producer_of,
    square_around,
)
from tidings.filters.constraint import Constraint
from tidings.filters.dialects.proximity import Split
from tidings.filters.dialects.proximity import split as split_filter
from tidings.gateways.adapters.base import (
    Adapter,
    AdapterError,
    Arrival,
    Heard,
    Outgoing,
    Placed,
    Refused,
    Side,
    unreadable,
)
from tidings.services.steam.chunks import Joiner, chunk_type, split
from tidings.services.steam.datagrams import (
    MOST_NAME,
    MOST_OCTETS,
    EventType,
    Kind,
    SteamEvent,
    event_type_of,
)
from tidings.services.steam.datagrams import Value as SteamValue
from tidings.services.steam.machine import SteamConfig
from tidings.services.steam.node import SteamNode
from tidings.services.steam.radio import LOOPBACK, RadioConfig

MOST_WAITING: Final = 10_000
"""Events that wait for the gateway; the oldest goes first."""
# After so many datagrams others get their turn, so that receivers of this process keep up.
_BURST: Final = 32
_CONTROL: Final = chunk_type(CONTROL_SUBJECT)
# What STEAM does not have of an event's name; attributes carry it.
_PARTS: Final = ("Domain", "Type")
_PRIORITY: Final = "Priority"
_MOST_PRIORITY: Final = 32_767

_Metres = Annotated[float, msgspec.Meta(ge=0, le=MOST_METRES)]


class SteamParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A STEAM node.

    Attributes:
        position: Where the node is: `latitude, longitude`; `file:PATH`, a file that a location
            service appends to; or `track:PATH`, a simulated way.
        network: Which STEAM service; nodes of others are not heard.
        discovery_range: In metres: announcements from farther away are not heard; 0 for no limit.
        default_range: In metres, for events that name no proximity: valid so far around this node.
        default_type: The shape of that: 0 circle, 1 rectangle.
        types: The parameters of event types, `{"Speed": {"rate": "S_DBL"}}`: other events of the
            subject are refused. A subject without an entry has the parameters of its last event.
        beacon: Seconds between two announcements of one type.
        interface: The address of the interface for multicast.
        port: The port of all groups; 0 for one that follows from the network.
        ttl: Routers that a datagram may pass; 0 keeps it on this machine.
    """

    position: str
    network: Annotated[str, msgspec.Meta(min_length=1, max_length=MOST_NAME)] = "steam"
    discovery_range: _Metres = 0.0
    default_range: _Metres = 250.0
    default_type: Literal[0, 1] = 0
    types: Mapping[str, Mapping[str, Kind]] = {}
    beacon: Annotated[float, msgspec.Meta(gt=0, le=3_600)] = 1.0
    interface: str = LOOPBACK
    port: int = 0
    ttl: int = 0


class SteamAdapter(Adapter[SteamParameters]):
    """The adapter of a STEAM node of its own."""

    Parameters = SteamParameters
    capabilities = Capabilities(
        kind="steam",
        promise="at most once, to whoever is in the area when it is sent",
        filtering=Filtering.CONTENT,
        holds=False,
        confirms=False,
        marks=True,
        control=True,
        announces=True,
        nested=False,
        most_octets=MOST_OCTETS,
        priority=Survival.KEPT,
        order=Survival.PARTLY,
        lifetime=Survival.LOST,
        reliability=Survival.LOST,
        proximity=Survival.KEPT,
    )

    def __init__(self, side: Side, parameters: SteamParameters) -> None:
        super().__init__(side, parameters)
        self._types = {
            subject: EventType(subject, dict(kinds)) for subject, kinds in parameters.types.items()
        } | {CONTROL_SUBJECT: _CONTROL}
        self._node = self._new_node()
        self._wanted: Sequence[Split] = ()
        self._reader: asyncio.Task[None] | None = None

    def _new_node(self) -> SteamNode:
        given = self.parameters
        return SteamNode(
            SteamConfig(given.network, given.discovery_range, round(given.beacon * 1_000_000)),
            RadioConfig(given.interface, given.port, given.ttl),
            position=given.position,
        )

    async def connect(self, heard: Heard) -> None:
        """Take part as a new node."""
        self._node = self._new_node()
        self._waiting: deque[Arrival] = deque(maxlen=MOST_WAITING)
        self._come = asyncio.Event()
        self._joiner = Joiner()
        try:
            self._node.open()
        except Unreachable as error:
            raise AdapterError(str(error)) from error
        self._reader = asyncio.create_task(self._read(heard))

    async def disconnect(self) -> None:
        """Withdraw what was offered, and leave."""
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.cancel()
            await asyncio.wait((reader,))
            await self._node.close()

    async def lost(self) -> str:
        """Wait until the interface is gone."""
        return await asyncio.shield(self._node.lost)

    # From the service.

    async def want(self, filters: Sequence[Constraint]) -> Sequence[Placed]:
        """Be in the groups of the subjects, all if a filter names none; filter content here."""
        wanted = [split_filter(one) for one in filters]
        subjects: set[str] | None = set()
        for one in wanted:
            subjects = (
                None if subjects is None or one.subjects is None else subjects.union(one.subjects)
            )
        try:
            self._node.listen(self, subjects, lambda _: True, self._take)
        except (TooManyObjects, Unreachable) as error:
            raise AdapterError(str(error)) from error
        self._wanted = wanted
        return [Placed(_shown(one), exact=True) for one in wanted]

    def _take(self, event: SteamEvent) -> None:
        try:
            arrival = self._arrival(event)
        except InvalidEvent as error:
            self._node.machine.counts["broken"] += 1
            if event.subject != CONTROL_SUBJECT:
                came = repr(event.values).encode()
                self._waiting.append(unreadable(came, event.subject, str(error)))
                self._come.set()
            return
        if arrival is not None:
            fields = StructuredFields(arrival.event, SystemClock().now())
            if any(_passes(one, event.subject, fields) for one in self._wanted):
                self._waiting.append(arrival)
                self._come.set()

    def _arrival(self, event: SteamEvent) -> Arrival | None:
        """Return what has come; None if more of it must come first."""
        if event.subject != CONTROL_SUBJECT:
            stream = f"{event.node:016x}-{event.subject}"
            return Arrival(*unmarked(event_of(event)), stream, event.number)
        text = self._joiner.add(event.node, event.values, monotonic_microseconds())
        return None if text is None else Arrival(*unmarked(decode_event(text)))

    async def _read(self, heard: Heard) -> None:
        while True:
            await self._come.wait()
            self._come.clear()
            arrivals = list(self._waiting)
            self._waiting.clear()
            await heard(arrivals)

    # To the service.

    async def offer(self, subjects: Sequence[str]) -> None:
        """Announce subjects, and withdraw those that are offered no longer."""
        try:
            for subject in self._node.machine.subjects() - set(subjects):
                self._node.withdraw(subject)
            for subject in subjects:
                if self._node.machine.announced(subject) is None:
                    self._announce(self._types.get(subject, EventType(subject, {})))
        except (InvalidEvent, TooManyObjects, Unreachable) as error:
            raise AdapterError(str(error)) from error

    def _announce(self, what: EventType) -> None:
        """Announce events that are valid around the node, wherever it goes."""
        around = self._around(self._node.position() or Position(0, 0))
        self._node.announce(what, around._replace(middle=Position(0, 0), relative=True))

    def _around(self, middle: Position) -> Area:
        reach = self.parameters.default_range
        return (
            square_around(middle, reach) if self.parameters.default_type else Circle(middle, reach)
        )

    def _area(self, event: StructuredEvent) -> Area:
        """Return where an event is valid: by default around the place where the node is now."""
        area = area_of(event)
        if area is not None:
            return area
        middle = self._node.position()
        if middle is None:
            raise InvalidEvent(
                "nobody knows where the node is, and the event has no area", f"header.{PROXIMITY}"
            )
        return self._around(middle)

    async def publish(self, events: Sequence[Outgoing]) -> Sequence[Refused | None]:
        """Send events to whoever is in their areas."""
        answers: list[Refused | None] = []
        for at, (event, mark) in enumerate(events, 1):
            try:
                self._publish(event, mark)
                answers.append(None)
            except Unreachable as error:
                if None not in answers:
                    raise AdapterError(str(error)) from error
                # Tried again with those that were sent, it would let them come twice.
                answers.append(Refused(f"the network went before the event was sent: {error}"))
            except (InvalidEvent, TooManyObjects) as error:
                answers.append(Refused(str(error)))
            if at % _BURST == 0:
                await asyncio.sleep(0)
        return answers

    def _publish(self, event: StructuredEvent, mark: Mark) -> None:
        area, producer = self._area(event), producer_of(event)
        if event.name == CONTROL_SUBJECT:
            what = _CONTROL
            parts = split(encode_event(marked(event, mark)).decode())
            attributes: dict[str, SteamValue] = {}
        else:
            if event.body is not None:
                raise InvalidEvent("a STEAM event has parameters, and nothing else", "body")
            what = self._types.get(event.name) or event_type_of(event.name, event.data)
            parts = [cast("dict[str, SteamValue]", dict(event.data))]  # the node checks them
            attributes = attributes_of(event, mark)
        if self._node.machine.announced(event.name) != what:
            self._announce(what)
        for values in parts:
            self._node.publish(
                event.name, values, area=area, attributes=attributes, position=producer
            )


# Events.


def event_of(event: SteamEvent) -> StructuredEvent:
    """Return a STEAM event as the federation has it, its mark in the header."""
    said = event.attributes
    header: dict[str, Value] = {PROXIMITY: event.area}
    if event.position:
        header[POSITION] = event.position
    priority = said.get(_PRIORITY)
    if isinstance(priority, int) and abs(priority) <= _MOST_PRIORITY:
        header[_PRIORITY] = priority
    if PROPERTY in said:
        header[PROPERTY] = said[PROPERTY]
    domain, type_ = (str(said.get(name, "")) for name in _PARTS)
    return StructuredEvent(domain, type_, event.subject, header, event.values)


def attributes_of(event: StructuredEvent, mark: Mark) -> dict[str, SteamValue]:
    """Return what a STEAM event says of an event beside its parameters."""
    said: dict[str, SteamValue] = {PROPERTY: mark_text(mark)}
    said |= {name: text for name in _PARTS if (text := getattr(event, name.lower()))}
    priority = event.header.get(_PRIORITY)
    return {**said, _PRIORITY: priority} if isinstance(priority, int) else said


# Filters.


def _passes(wanted: Split, subject: str, fields: StructuredFields) -> bool:
    named = wanted.subjects is None or subject in wanted.subjects
    return named and wanted.content.matches(fields)


def _shown(wanted: Split) -> str:
    subjects = "all subjects" if wanted.subjects is None else ", ".join(wanted.subjects)
    return f"{subjects or 'no subject'}, with {wanted.content.text or 'any content'}"
