"""What a report is asked, and what it answers; plain data, ready for JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """What a report is about."""

    archive: str  # the folder of the archive
    channels: tuple[str, ...] = ()  # names or origins of channels; empty for all
    since_us: int | None = None  # events that arrived from this moment on, microseconds since 1970
    until_us: int | None = None  # events that arrived before this moment
    top: int = 20  # at most this many of those lists that could be long


@dataclass(frozen=True, slots=True)
class ArchiveFacts:
    """What the archive has, whatever the report is about."""

    seals: int  # number of the last seal
    sealed_us: int | None  # when that was; None if there is none
    segments: int  # how many files
    octets: int  # their size
    rows: Mapping[str, int]  # how many rows, by kind
    dropped: int  # how many files retention has dropped
    first_us: int | None  # the earliest time in it
    last_us: int | None  # the latest


@dataclass(frozen=True, slots=True)
class Volume:
    """Events of one type in one channel."""

    channel: str  # the channel's name
    domain: str  # of the event type
    type: str  # of the event type
    events: int  # how many
    octets: int  # their size as typed JSON


@dataclass(frozen=True, slots=True)
class Slice:
    """Events of a channel in a stretch of time."""

    from_us: int  # when it begins, microseconds since 1970
    channel: str  # the channel's name
    domain: str  # of the event type; empty for the smaller types, which stand together
    type: str  # of the event type; `the rest` for the smaller ones
    events: int  # how many


@dataclass(frozen=True, slots=True)
class FanOut:
    """To how many durable consumers the events of a channel go."""

    channel: str  # its name
    events: int  # how many events
    copies: int  # how many pairs of event and consumer
    mean: float  # consumers per event
    p50: int  # half of the events go to at most so many
    p99: int  # nearly all do
    most: int  # the most that one event goes to
    to_nobody: int  # how many events go to none


@dataclass(frozen=True, slots=True)
class Latency:
    """From the arrival of an event to its delivery, in milliseconds."""

    measured: int  # how many deliveries have a time
    p50: float  # half took at most so long
    p90: float  # nine of ten did
    p99: float  # 99 of 100 did
    most: float  # the longest


@dataclass(frozen=True, slots=True)
class Consumer:
    """A durable consumer."""

    channel: str  # of which channel
    origin: str  # the channel's origin
    proxy: int  # its id there
    name: str | None  # what it is called; None if nothing
    copies: int  # how many events were for it
    # Which part of the channel's events that is, from 0 to 1: what its filters let pass
    share: float
    # How many of them, by last outcome; `redriven` of all were redriven before
    outcomes: Mapping[str, int]
    latency: Latency | None  # how long deliveries took; None if none has a time

    @property
    def label(self) -> str:
        """Channel and name, or id."""
        return f"{self.channel}/{self.name or self.proxy}"


@dataclass(frozen=True, slots=True)
class Supplier:
    """Who sent events."""

    producer: str | None  # the name it marks them with; None for those without a mark
    events: int  # how many
    channels: int  # into how many channels
    last_us: int  # when the latest came


@dataclass(frozen=True, slots=True)
class DeadLetters:
    """Events that could not be delivered, by cause."""

    channel: str  # the channel's name
    proxy: int  # the consumer's id
    name: str | None  # its name; None if it has none
    outcome: str  # `dead-lettered` or `rejected`
    cause: str | None  # the last one; None if none was written down
    count: int  # how many
    last_us: int | None  # when the latest was given up; None if that was not written down


@dataclass(frozen=True, slots=True)
class Report:
    """What happened, in numbers."""

    archive: str  # which archive
    since_us: int | None  # as asked
    until_us: int | None  # as asked
    channels: tuple[str, ...]  # as asked; empty for all
    facts: ArchiveFacts  # what the archive has
    events: int = 0  # how many events
    octets: int = 0  # their size as typed JSON
    first_us: int | None = None  # when the first of them arrived; None if there are none
    last_us: int | None = None  # when the last of them arrived
    slice_us: int = 3_600_000_000  # how long each of the slices is
    slices: tuple[Slice, ...] = ()  # events over time, by channel and type
    volumes: tuple[Volume, ...] = ()  # by channel and type, the largest first
    types: int = 0  # how many there are, also those that are not listed
    fan_out: tuple[FanOut, ...] = ()  # by channel
    # How many of all copies, by last outcome; `redriven` of all were redriven before
    outcomes: Mapping[str, int] = field(default_factory=dict)
    latency: Latency | None = None  # of all deliveries; None if none has a time
    consumers: tuple[Consumer, ...] = ()  # those that most events were for
    slowest: tuple[Consumer, ...] = ()  # those whose deliveries take longest
    consumers_in_all: int = 0  # how many there are, also those that are not listed
    suppliers: tuple[Supplier, ...] = ()  # those with the most events
    suppliers_in_all: int = 0  # how many there are
    dead_letters: tuple[DeadLetters, ...] = ()  # by consumer and cause, the most frequent first
    problems: tuple[str, ...] = ()  # what could not be read
    seconds: float = 0.0  # how long it took

    @property
    def rate(self) -> float:
        """Events a second, over the slices in which they lie."""
        first, last = self.first_us or 0, self.last_us or 0
        slices = last // self.slice_us - first // self.slice_us + 1
        return self.events * 1_000_000 / (slices * self.slice_us)
