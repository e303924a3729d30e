"""What a replay is asked, and what it answers; plain data, ready for JSON."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """What is replayed, and where to.

    Attributes:
        archive: The folder of the archive, or any place Spark reads.
        into: The channel that gets the events, by name or id.
        url: Where its service is.
        token: The service's, if it wants one.
        run: A name for the replay: one that was broken off goes on under it.
        constraint: Only events that match it; blank for all.
        types: Only events of these types, as ``Domain::Type``; empty for all.
        channels: Only events of these channels, by name or origin; empty for all.
        since_us: Events that arrived from this moment on, microseconds since 1970.
        until_us: Events that arrived before this moment.
        speed: 1 for the speed they came with, 10 for ten times that; None for no pauses.
        stamp: Whether each event's header tells which one it was.
        patience: Seconds to wait for a service that is away, or a channel that is full.
    """

    archive: str
    into: str
    url: str
    token: str | None = None
    run: str = ""
    constraint: str = ""
    types: tuple[str, ...] = ()
    channels: tuple[str, ...] = ()
    since_us: int | None = None
    until_us: int | None = None
    speed: float | None = 1.0
    stamp: bool = False
    patience: float = 30.0


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """What became of a replay.

    Attributes:
        run: Its name.
        into: The channel that got the events.
        selected: How many events were asked for.
        before: How many of them the channel had from earlier runs of this name.
        accepted: How many it has taken now.
        stopped: How many a filter on the supplier's side stopped.
        refused: How many it did not take.
        reasons: Why, of the first few.
        behind_ms: How far the replay was behind its own pace at most, in milliseconds.
        first_us: When the first of the events arrived; None if there are none.
        last_us: When the last of them arrived.
        how: How Spark judged the constraint.
        problems: What could not be read.
        seconds: How long it took.
    """

    run: str
    into: str
    selected: int
    before: int = 0
    accepted: int = 0
    stopped: int = 0
    refused: int = 0
    reasons: tuple[str, ...] = ()
    behind_ms: float = 0.0
    first_us: int | None = None
    last_us: int | None = None
    how: str = "native"
    problems: tuple[str, ...] = ()
    seconds: float = 0.0
