"""What a backtest is asked, and what it answers; plain data, ready for JSON."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BacktestOptions:
    """What is asked of history.

    Attributes:
        archive: The folder of the archive, or any place Spark reads.
        constraint: The constraint, as in a filter.
        event_types: Event types it is asked of, as ``Domain::Type``; empty for all.
        channels: Names or origins of channels; empty for all.
        since_us: Events that arrived from this moment on, microseconds since 1970.
        until_us: Events that arrived before this moment.
        samples: At most this many matching events are shown.
        live: Whether all present subscriptions are asked of the same history, side by side.
        url: Of a service whose present rules are asked; None for the last ones in the archive.
        token: For that service.
    """

    archive: str
    constraint: str
    event_types: tuple[str, ...] = ()
    channels: tuple[str, ...] = ()
    since_us: int | None = None
    until_us: int | None = None
    samples: int = 10
    live: bool = False
    url: str | None = None
    token: str | None = None


@dataclass(frozen=True, slots=True)
class HourCount:
    """Events of one hour and one type.

    Attributes:
        hour_us: When the hour begins, microseconds since 1970.
        domain: Of the event type.
        type: Of the event type.
        events: How many there were.
        matched: How many of them match.
    """

    hour_us: int
    domain: str
    type: str
    events: int
    matched: int


@dataclass(frozen=True, slots=True)
class Sample:
    """An event that matches.

    Attributes:
        channel: The name of its channel.
        seq: Its number there.
        arrival_us: When it arrived.
        event: The event in plain JSON.
    """

    channel: str
    seq: int
    arrival_us: int
    event: str


@dataclass(frozen=True, slots=True)
class LiveSubscription:
    """What a present subscription would have got of the same history.

    Attributes:
        channel: The name of its channel.
        proxy: Its id there.
        name: Its name, if it has one.
        matched: How many events it would have got.
        both: How many of them the new constraint matches, too.
        hours: Matches by the hour: when it begins, and how many.
    """

    channel: str
    proxy: int
    name: str | None
    matched: int
    both: int
    hours: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class BacktestResult:
    """What a constraint would have matched.

    Attributes:
        constraint: The constraint as it was understood.
        event_types: The event types it was asked of.
        seal: As of which seal of the archive.
        since_us: As asked.
        until_us: As asked.
        events: How many events were asked.
        matched: How many of them match.
        first_us: When the first of the events arrived; None if there are none.
        last_us: When the last of them arrived.
        hours: By hour and event type.
        samples: Some that match, the newest first.
        how: How Spark did it: natively, or in Arrow batches, and why.
        live: The present subscriptions, those with the most matches first; None if not asked.
        live_from: Where their rules come from.
        problems: What could not be read.
        seconds: How long it took.
    """

    constraint: str
    event_types: tuple[str, ...]
    seal: int
    since_us: int | None
    until_us: int | None
    events: int
    matched: int
    first_us: int | None
    last_us: int | None
    hours: tuple[HourCount, ...]
    samples: tuple[Sample, ...]
    how: str
    live: tuple[LiveSubscription, ...] | None = None
    live_from: str | None = None
    problems: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def share(self) -> float:
        """Which part of the events matches, from 0 to 1."""
        return self.matched / self.events if self.events else 0.0
