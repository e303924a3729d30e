"""Event channels, the calendar that reserves the bus for the hard ones, and their samples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from math import gcd
from typing import Final, NamedTuple, Protocol

from tidings.errors import InvalidUsage
from tidings.events.structured import StructuredEvent
from tidings.services.cosmic.frames import (
    HARD_PRIORITY,
    HIGHEST_TAG,
    PRIORITY_SHIFT,
    SHORT_PRIORITY_SHIFT,
    Id,
    Timing,
)

MOST_HARD: Final = 256
"""Hard channels of one bus; a new one is tried against the gaps between all others."""


class ChannelKind(StrEnum):
    """What a channel promises about time."""

    HARD = "hard"
    SOFT = "soft"
    NON_REAL_TIME = "non-real-time"


class Codec(Protocol):
    """What the octets of a channel's events mean."""

    @property
    def whole(self) -> bool:
        """Whether events are octets of any length, which go in fragments."""
        ...

    def encode(self, event: StructuredEvent) -> bytes:
        """Write an event; InvalidEvent says which part does not fit, and what would."""
        ...

    def decode(self, octets: bytes) -> StructuredEvent:
        """Read an event; InvalidEvent if the octets are none."""
        ...


class Channel(NamedTuple):
    """One event channel.

    Attributes:
        subject: Whose events it carries.
        kind: What it promises.
        id: Its tag, or its identifier if it is `plain`.
        codec: What its octets mean.
        octets: The data of its frames.
        plain: Whether `id` is the whole identifier.
        extended: Whether a plain identifier has 29 bits.
        node: The only node that sends hard events; 0 for any node.
        period: Of a hard channel: the least time between two events, in microseconds.
        deadline: Within which time an event is at its consumers; of a non real-time channel, how
            long it waits at most.
        sample: The least time between two events that the federation gets; 0 for all.
    """

    subject: str
    kind: ChannelKind
    id: int
    codec: Codec
    octets: int = 8
    plain: bool = False
    extended: bool = True
    node: int = 0
    period: int = 0
    deadline: int = 0
    sample: int = 0

    def sent_as(self, priority: int, node: int) -> int:
        """The identifier of a frame that a node sends."""
        return self.id if self.plain else Id(priority, node, self.id).number

    @property
    def priority(self) -> int:
        """What a plain identifier is among priorities."""
        return self.id >> (PRIORITY_SHIFT if self.extended else SHORT_PRIORITY_SHIFT)

    @property
    def words(self) -> str:
        """Its identifier for people."""
        return f"id {self.id}" if self.plain else f"tag {self.id}"


class Slot(NamedTuple):
    """The reservation of a hard channel: `offset + k × period`, for `length`; microseconds."""

    offset: int
    period: int
    length: int

    def begin(self, now: int) -> int:
        """When the latest slot has begun."""
        return now - (now - self.offset) % self.period

    def overlaps(self, other: Slot) -> bool:
        """Whether two reservations ever meet."""
        common = gcd(self.period, other.period)
        apart = (other.offset - self.offset) % common
        return apart < self.length or common - apart < other.length


class Calendar:
    """Which times of the bus are whose: all nodes work it out alike from the same channels.

    Attributes:
        slots: The reservations, by subject.
    """

    def __init__(self, timing: Timing) -> None:
        self.timing = timing
        self.slots: dict[str, Slot] = {}

    def admit(self, channel: Channel) -> Slot:
        """Reserve the slots of a hard channel.

        Raises:
            InvalidUsage: Its deadlines could not be met beside the channels there are.
        """
        length = self.timing.slot_time(channel.octets)
        where = f"the hard channel {channel.subject!r}"
        if channel.period < length:
            raise InvalidUsage(
                f"{where}: its period is {channel.period} µs, but a slot takes {length} µs at "
                f"{self.timing.bit_rate} bit/s with a guard of {self.timing.guard} µs and "
                f"{self.timing.faults} repeated frames"
            )
        if channel.deadline < channel.period + length:
            raise InvalidUsage(
                f"{where}: an event may wait a period of {channel.period} µs for a slot of "
                f"{length} µs: the deadline is at least {channel.period + length} µs, not "
                f"{channel.deadline}"
            )
        if len(self.slots) >= MOST_HARD:
            raise InvalidUsage(f"{where}: a bus has at most {MOST_HARD} hard channels")
        slot = self._gap(channel.period, length)
        if slot is None:
            raise InvalidUsage(
                f"{where}: no {length} µs every {channel.period} µs are free beside "
                f"{', '.join(sorted(self.slots))}: give it a longer period, or one that has a "
                "common factor with theirs"
            )
        self.slots[channel.subject] = slot
        return slot

    def _gap(self, period: int, length: int) -> Slot | None:
        """The first free place, going from the end of one reservation to that of the next."""
        others = tuple(self.slots.values())
        if any(gcd(period, other.period) < length + other.length for other in others):
            return None
        slot = Slot(0, period, length)
        while slot.offset < period:
            other = next((one for one in others if slot.overlaps(one)), None)
            if other is None:
                return slot
            past = (other.offset + other.length - slot.offset) % gcd(period, other.period)
            slot = slot._replace(offset=slot.offset + past)
        return None


class Network:
    """The channels of a bus, checked together.

    Attributes:
        channels: By subject.
        calendar: The reservations of hard channels.
    """

    def __init__(self, channels: Iterable[Channel], timing: Timing) -> None:
        self.channels: dict[str, Channel] = {}
        self.calendar = Calendar(timing)
        self._plain: dict[tuple[int, bool], Channel] = {}
        self._tags: dict[int, Channel] = {}
        for channel in channels:
            self._add(channel)

    def _add(self, channel: Channel) -> None:
        if channel.subject in self.channels:
            raise InvalidUsage(f"the subject {channel.subject!r} has two channels")
        other = self._of_id(channel)
        if other is not None:
            raise InvalidUsage(
                f"{channel.subject!r} with {channel.words} cannot be told from "
                f"{other.subject!r} with {other.words}"
            )
        if channel.kind is ChannelKind.HARD:
            self.calendar.admit(channel)
        self._check_urgent((*self.channels.values(), channel))
        self.channels[channel.subject] = channel
        if channel.plain:
            self._plain[channel.id, channel.extended] = channel
        else:
            self._tags[channel.id] = channel

    def _check_urgent(self, channels: Iterable[Channel]) -> None:
        """Nothing may win the bus against hard channels."""
        for one in channels if self.calendar.slots else ():
            if one.plain and one.priority == HARD_PRIORITY:
                raise InvalidUsage(
                    f"{one.subject!r} with {one.words} would win the bus against the hard channels "
                    f"{', '.join(sorted(self.calendar.slots))}: give it a tag, or an id from "
                    f"{1 << PRIORITY_SHIFT} on"
                )

    def _of_id(self, channel: Channel) -> Channel | None:
        """A channel whose frames may look like those of another."""
        if not channel.plain:
            alike = (one for one in self._plain.values() if one.extended)
            near = (one for one in alike if one.id & HIGHEST_TAG == channel.id)
            return self._tags.get(channel.id) or next(near, None)
        found = self._plain.get((channel.id, channel.extended))
        if found is None and channel.extended:
            found = self._tags.get(channel.id & HIGHEST_TAG)
        return found

    def of_frame(self, id: int, *, extended: bool) -> Channel | None:
        """The channel of a frame; None if the frame is not of an event channel."""
        return self._plain.get((id, extended)) or (
            self._tags.get(id & HIGHEST_TAG) if extended else None
        )

    def with_subjects(self, subjects: Iterable[str] | None) -> Mapping[str, Channel]:
        """The channels of some subjects; of all for None."""
        if subjects is None:
            return self.channels
        return {one: self.channels[one] for one in subjects if one in self.channels}


class Sampler:
    """Lets one event of a channel pass in its time, the latest; a machine without a clock.

    Attributes:
        skipped: Events that a later one has replaced.
    """

    def __init__(self) -> None:
        self.skipped = 0
        self._next: dict[str, int] = {}
        self._held: dict[str, tuple[Channel, bytes]] = {}

    def passes(self, channel: Channel, octets: bytes, now: int) -> bool:
        """Whether an event passes at once; else it is held until its time, or a later one comes."""
        if not channel.sample:
            return True
        subject = channel.subject
        if now >= self._next.get(subject, now) and subject not in self._held:
            self._next[subject] = now + channel.sample
            return True
        self.skipped += subject in self._held
        self._held[subject] = channel, octets
        return False

    def due(self, now: int) -> list[tuple[Channel, bytes]]:
        """The events whose time has come."""
        found = [one for subject, one in self._held.items() if self._next[subject] <= now]
        for channel, _ in found:
            del self._held[channel.subject]
            self._next[channel.subject] = now + channel.sample
        return found

    @property
    def wake(self) -> int | None:
        """When the next one is due."""
        return min((self._next[subject] for subject in self._held), default=None)
