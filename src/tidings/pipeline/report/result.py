"""Options and results of a report, as plain data for JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tidings.pipeline.archive import Selection


@dataclass(frozen=True, slots=True)
class ReportOptions(Selection):
    """What a report covers."""

    top: int = 20  # most entries of long lists


@dataclass(frozen=True, slots=True)
class ArchiveFacts:
    """Contents of the whole archive."""

    seals: int  # number of the last seal
    sealed_us: int | None  # time of the last seal
    segments: int
    octets: int
    rows: Mapping[str, int]  # by kind
    dropped: int  # files dropped by retention
    first_us: int | None  # earliest time in it
    last_us: int | None  # latest time in it


@dataclass(frozen=True, slots=True)
class Volume:
    """Events of one type in one channel."""

    channel: str
    domain: str
    type: str
    events: int
    octets: int  # size as typed JSON


@dataclass(frozen=True, slots=True)
class Slice:
    """Events of a channel and type in a slice of time."""

    from_us: int  # start, microseconds since 1970
    channel: str
    domain: str  # empty for the smaller types, which are combined
    type: str  # `the rest` for the smaller types
    events: int


@dataclass(frozen=True, slots=True)
class FanOut:
    """Number of durable consumers per event of a channel."""

    channel: str
    events: int
    copies: int  # pairs of event and consumer
    mean: float  # consumers per event
    p50: int  # median
    p99: int  # 99th percentile
    most: int  # maximum
    to_nobody: int  # events without a durable consumer


@dataclass(frozen=True, slots=True)
class Latency:
    """Time from an event's arrival to its delivery, in milliseconds."""

    measured: int  # deliveries with a time
    p50: float  # median
    p90: float  # 90th percentile
    p99: float  # 99th percentile
    most: float  # maximum


@dataclass(frozen=True, slots=True)
class Consumer:
    """A durable consumer."""

    channel: str  # channel name
    origin: str
    proxy: int
    name: str | None
    copies: int  # number of events for it
    # Fraction of the channel's events that it receives, from 0 to 1
    share: float
    # Copies by last outcome; `redriven` counts those redriven before, whatever their outcome
    outcomes: Mapping[str, int]
    latency: Latency | None  # None if no delivery has a time

    @property
    def label(self) -> str:
        """Channel and name, or id."""
        return f"{self.channel}/{self.name or self.proxy}"


@dataclass(frozen=True, slots=True)
class Supplier:
    """A producer of events."""

    producer: str | None  # None for events without a mark
    events: int
    channels: int  # number of channels it published to
    last_us: int  # arrival of the latest event


@dataclass(frozen=True, slots=True)
class DeadLetters:
    """Dead letters of one consumer and cause."""

    channel: str
    proxy: int
    name: str | None
    outcome: str  # `dead-lettered` or `rejected`
    cause: str | None  # last cause; None if not recorded
    count: int
    last_us: int | None  # time of the latest; None if not recorded


@dataclass(frozen=True, slots=True)
class Report:
    """Result of a report."""

    archive: str
    since_us: int | None  # as requested
    until_us: int | None  # as requested
    channels: tuple[str, ...]  # as requested; empty for all
    facts: ArchiveFacts
    events: int = 0
    octets: int = 0  # size as typed JSON
    first_us: int | None = None  # arrival of the first event; None if there are no events
    last_us: int | None = None  # arrival of the last event
    slice_us: int = 3_600_000_000  # length of a slice
    slices: tuple[Slice, ...] = ()  # events over time, by channel and type
    volumes: tuple[Volume, ...] = ()  # by channel and type, the largest first
    types: int = 0  # number of types, including those not listed
    fan_out: tuple[FanOut, ...] = ()  # by channel
    # Copies by last outcome; `redriven` counts those redriven before, whatever their outcome
    outcomes: Mapping[str, int] = field(default_factory=dict)
    latency: Latency | None = None  # of all deliveries; None if none has a time
    consumers: tuple[Consumer, ...] = ()  # those with the most events
    slowest: tuple[Consumer, ...] = ()  # those with the highest latency
    consumers_in_all: int = 0  # number of consumers, including those not listed
    suppliers: tuple[Supplier, ...] = ()  # those with the most events
    suppliers_in_all: int = 0  # number of suppliers, including those not listed
    dead_letters: tuple[DeadLetters, ...] = ()  # by consumer and cause, the most frequent first
    problems: tuple[str, ...] = ()  # what could not be read
    seconds: float = 0.0  # duration

    @property
    def rate(self) -> float:
        """Events per second, over the whole slices from the first to the last event."""
        first, last = self.first_us or 0, self.last_us or 0
        slices = last // self.slice_us - first // self.slice_us + 1
        return self.events * 1_000_000 / (slices * self.slice_us)
