"""What a report is asked, and what it answers; plain data, ready for JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """What a report is about.

    Attributes:
        archive: The folder of the archive, or any place Spark reads.
        channels: Names or origins of channels; empty for all.
        since_us: Events that arrived from this moment on, microseconds since 1970.
        until_us: Events that arrived before this moment.
        top: At most this many of those lists that could be long.
    """

    archive: str
    channels: tuple[str, ...] = ()
    since_us: int | None = None
    until_us: int | None = None
    top: int = 20


@dataclass(frozen=True, slots=True)
class ArchiveFacts:
    """What the archive has, whatever the report is about.

    Attributes:
        seals: Number of the last seal.
        sealed_us: When that was; None if there is none.
        segments: How many files.
        octets: Their size.
        rows: How many rows, by kind.
        dropped: How many files retention has dropped.
        first_us: The earliest time in it.
        last_us: The latest.
    """

    seals: int
    sealed_us: int | None
    segments: int
    octets: int
    rows: Mapping[str, int]
    dropped: int
    first_us: int | None
    last_us: int | None


@dataclass(frozen=True, slots=True)
class Volume:
    """Events of one type in one channel.

    Attributes:
        channel: The channel's name.
        domain: Of the event type.
        type: Of the event type.
        events: How many.
        octets: Their size as typed JSON.
    """

    channel: str
    domain: str
    type: str
    events: int
    octets: int


@dataclass(frozen=True, slots=True)
class Slice:
    """Events of a channel in a stretch of time.

    Attributes:
        from_us: When it begins, microseconds since 1970.
        channel: The channel's name.
        domain: Of the event type; empty for the smaller types, which stand together.
        type: Of the event type; `the rest` for the smaller ones.
        events: How many.
    """

    from_us: int
    channel: str
    domain: str
    type: str
    events: int


@dataclass(frozen=True, slots=True)
class FanOut:
    """To how many durable consumers the events of a channel go.

    Attributes:
        channel: Its name.
        events: How many events.
        copies: How many pairs of event and consumer.
        mean: Consumers per event.
        p50: Half of the events go to at most so many.
        p99: Nearly all do.
        most: The most that one event goes to.
        to_nobody: How many events go to none.
    """

    channel: str
    events: int
    copies: int
    mean: float
    p50: int
    p99: int
    most: int
    to_nobody: int


@dataclass(frozen=True, slots=True)
class Latency:
    """From the arrival of an event to its delivery, in milliseconds.

    Attributes:
        measured: How many deliveries have a time.
        p50: Half took at most so long.
        p90: Nine of ten did.
        p99: 99 of 100 did.
        most: The longest.
    """

    measured: int
    p50: float
    p90: float
    p99: float
    most: float


@dataclass(frozen=True, slots=True)
class Consumer:
    """A durable consumer.

    Attributes:
        channel: Of which channel.
        origin: The channel's origin.
        proxy: Its id there.
        name: What it is called; None if nothing.
        copies: How many events were for it.
        share: Which part of the channel's events that is, from 0 to 1: what its filters let pass.
        outcomes: How many of them, by last outcome; `redriven` of all were redriven before.
        latency: How long deliveries took; None if none has a time.
    """

    channel: str
    origin: str
    proxy: int
    name: str | None
    copies: int
    share: float
    outcomes: Mapping[str, int]
    latency: Latency | None

    @property
    def label(self) -> str:
        """Channel and name, or id."""
        return f"{self.channel}/{self.name or self.proxy}"


@dataclass(frozen=True, slots=True)
class Supplier:
    """Who sent events.

    Attributes:
        producer: The name it marks them with; None for those without a mark.
        events: How many.
        channels: Into how many channels.
        last_us: When the latest came.
    """

    producer: str | None
    events: int
    channels: int
    last_us: int


@dataclass(frozen=True, slots=True)
class DeadLetters:
    """Events that could not be delivered, by cause.

    Attributes:
        channel: The channel's name.
        proxy: The consumer's id.
        name: Its name; None if it has none.
        outcome: `dead-lettered` or `rejected`.
        cause: The last one; None if none was written down.
        count: How many.
        last_us: When the latest was given up; None if that was not written down.
    """

    channel: str
    proxy: int
    name: str | None
    outcome: str
    cause: str | None
    count: int
    last_us: int | None


@dataclass(frozen=True, slots=True)
class Report:
    """What happened, in numbers.

    Attributes:
        archive: Which archive.
        since_us: As asked.
        until_us: As asked.
        channels: As asked; empty for all.
        facts: What the archive has.
        events: How many events.
        octets: Their size as typed JSON.
        first_us: When the first of them arrived; None if there are none.
        last_us: When the last of them arrived.
        slice_us: How long each of the slices is.
        slices: Events over time, by channel and type.
        volumes: By channel and type, the largest first.
        types: How many there are, also those that are not listed.
        fan_out: By channel.
        outcomes: How many of all copies, by last outcome; `redriven` of all were redriven before.
        latency: Of all deliveries; None if none has a time.
        consumers: Those that most events were for.
        slowest: Those whose deliveries take longest.
        consumers_in_all: How many there are, also those that are not listed.
        suppliers: Those with the most events.
        suppliers_in_all: How many there are.
        dead_letters: By consumer and cause, the most frequent first.
        problems: What could not be read.
        seconds: How long it took.
    """

    archive: str
    since_us: int | None
    until_us: int | None
    channels: tuple[str, ...]
    facts: ArchiveFacts
    events: int = 0
    octets: int = 0
    first_us: int | None = None
    last_us: int | None = None
    slice_us: int = 3_600_000_000
    slices: tuple[Slice, ...] = ()
    volumes: tuple[Volume, ...] = ()
    types: int = 0
    fan_out: tuple[FanOut, ...] = ()
    outcomes: Mapping[str, int] = field(default_factory=dict)
    latency: Latency | None = None
    consumers: tuple[Consumer, ...] = ()
    slowest: tuple[Consumer, ...] = ()
    consumers_in_all: int = 0
    suppliers: tuple[Supplier, ...] = ()
    suppliers_in_all: int = 0
    dead_letters: tuple[DeadLetters, ...] = ()
    problems: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Events a second, over the slices in which they lie."""
        first, last = self.first_us or 0, self.last_us or 0
        slices = last // self.slice_us - first // self.slice_us + 1
        return self.events * 1_000_000 / (slices * self.slice_us)
