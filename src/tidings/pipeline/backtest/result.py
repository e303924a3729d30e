"""Options and results of a backtest, as plain data for JSON."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BacktestOptions:
    """What a backtest evaluates."""

    archive: str  # the folder of the archive
    constraint: str
    # Event types such as ``Domain::Type``; empty for all
    event_types: tuple[str, ...] = ()
    channels: tuple[str, ...] = ()  # names or origins of channels; empty for all
    since_us: int | None = None  # arrival time, inclusive; microseconds since 1970
    until_us: int | None = None  # arrival time, exclusive
    samples: int = 10  # most matching events to return
    # Whether to evaluate all current subscriptions, too
    live: bool = False
    # Service whose current rules to use; None for the last archived ones
    url: str | None = None
    token: str | None = None  # access token of that service


@dataclass(frozen=True, slots=True)
class HourCount:
    """Events of one hour and one type."""

    hour_us: int  # start of the hour, microseconds since 1970
    domain: str
    type: str
    events: int
    matched: int


@dataclass(frozen=True, slots=True)
class Sample:
    """A matching event."""

    channel: str  # channel name
    seq: int  # sequence number
    arrival_us: int  # microseconds since 1970
    event: str  # plain JSON


@dataclass(frozen=True, slots=True)
class LiveSubscription:
    """What a current subscription would have received."""

    channel: str  # channel name
    proxy: int
    name: str | None
    matched: int  # number of events
    both: int  # number of events that the new constraint matches, too
    hours: tuple[tuple[int, int], ...]  # start of each hour and number of matches


@dataclass(frozen=True, slots=True)
class BacktestResult:
    """Result of a backtest."""

    constraint: str  # as parsed
    event_types: tuple[str, ...]
    seal: int  # last seal covered
    since_us: int | None  # as requested
    until_us: int | None  # as requested
    events: int  # number of events evaluated
    matched: int
    first_us: int | None  # arrival of the first event; None if there are no events
    last_us: int | None  # arrival of the last event
    hours: tuple[HourCount, ...]  # by hour and event type
    samples: tuple[Sample, ...]  # newest first
    how: str  # how Spark evaluated it: natively, or in Arrow batches and why
    # Current subscriptions, most matches first; None if not requested
    live: tuple[LiveSubscription, ...] | None = None
    live_from: str | None = None  # source of their rules
    problems: tuple[str, ...] = ()  # what could not be read
    seconds: float = 0.0  # duration

    @property
    def share(self) -> float:
        """Fraction of events that match, from 0 to 1."""
        return self.matched / self.events if self.events else 0.0
