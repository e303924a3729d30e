"""What a backtest is asked, and what it answers; plain data, ready for JSON."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BacktestOptions:
    """What is asked of history."""

    archive: str  # the folder of the archive
    constraint: str  # the constraint, as in a filter
    # Event types it is asked of, as ``Domain::Type``; empty for all
    event_types: tuple[str, ...] = ()
    channels: tuple[str, ...] = ()  # names or origins of channels; empty for all
    since_us: int | None = None  # events that arrived from this moment on, microseconds since 1970
    until_us: int | None = None  # events that arrived before this moment
    samples: int = 10  # at most this many matching events are shown
    # Whether all present subscriptions are asked of the same history, side by side
    live: bool = False
    # Of a service whose present rules are asked; None for the last ones in the archive
    url: str | None = None
    token: str | None = None  # for that service


@dataclass(frozen=True, slots=True)
class HourCount:
    """Events of one hour and one type."""

    hour_us: int  # when the hour begins, microseconds since 1970
    domain: str  # of the event type
    type: str  # of the event type
    events: int  # how many there were
    matched: int  # how many of them match


@dataclass(frozen=True, slots=True)
class Sample:
    """An event that matches."""

    channel: str  # the name of its channel
    seq: int  # its number there
    arrival_us: int  # when it arrived
    event: str  # the event in plain JSON


@dataclass(frozen=True, slots=True)
class LiveSubscription:
    """What a present subscription would have got of the same history."""

    channel: str  # the name of its channel
    proxy: int  # its id there
    name: str | None  # its name, if it has one
    matched: int  # how many events it would have got
    both: int  # how many of them the new constraint matches, too
    hours: tuple[tuple[int, int], ...]  # matches by the hour: when it begins, and how many


@dataclass(frozen=True, slots=True)
class BacktestResult:
    """What a constraint would have matched."""

    constraint: str  # the constraint as it was understood
    event_types: tuple[str, ...]  # the event types it was asked of
    seal: int  # as of which seal of the archive
    since_us: int | None  # as asked
    until_us: int | None  # as asked
    events: int  # how many events were asked
    matched: int  # how many of them match
    first_us: int | None  # when the first of the events arrived; None if there are none
    last_us: int | None  # when the last of them arrived
    hours: tuple[HourCount, ...]  # by hour and event type
    samples: tuple[Sample, ...]  # some that match, the newest first
    how: str  # how Spark did it: natively, or in Arrow batches, and why
    # The present subscriptions, those with the most matches first; None if not asked
    live: tuple[LiveSubscription, ...] | None = None
    live_from: str | None = None  # where their rules come from
    problems: tuple[str, ...] = ()  # what could not be read
    seconds: float = 0.0  # how long it took

    @property
    def share(self) -> float:
        """Which part of the events matches, from 0 to 1."""
        return self.matched / self.events if self.events else 0.0
