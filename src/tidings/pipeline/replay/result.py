"""What a replay is asked, and what it answers; plain data, ready for JSON."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """What is replayed, and where to."""

    archive: str  # the folder of the archive, or any place Spark reads
    into: str  # the channel that gets the events, by name or id
    url: str  # where its service is
    token: str | None = None  # the service's, if it wants one
    run: str = ""  # a name for the replay: one that was broken off goes on under it
    constraint: str = ""  # only events that match it; blank for all
    types: tuple[str, ...] = ()  # only events of these types, as ``Domain::Type``; empty for all
    # Only events of these channels, by name or origin; empty for all
    channels: tuple[str, ...] = ()
    since_us: int | None = None  # events that arrived from this moment on, microseconds since 1970
    until_us: int | None = None  # events that arrived before this moment
    # 1 for the speed they came with, 10 for ten times that; None for no pauses
    speed: float | None = 1.0
    stamp: bool = False  # whether each event's header tells which one it was
    patience: float = 30.0  # seconds to wait for a service that is away, or a channel that is full


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """What became of a replay."""

    run: str  # its name
    into: str  # the channel that got the events
    selected: int  # how many events were asked for
    before: int = 0  # how many of them the channel had from earlier runs of this name
    accepted: int = 0  # how many it has taken now
    stopped: int = 0  # how many a filter on the supplier's side stopped
    refused: int = 0  # how many it did not take
    reasons: tuple[str, ...] = ()  # Why, of the first few
    behind_ms: float = 0.0  # how far the replay was behind its own pace at most, in milliseconds
    first_us: int | None = None  # when the first of the events arrived; None if there are none
    last_us: int | None = None  # when the last of them arrived
    how: str = "native"  # how Spark judged the constraint
    problems: tuple[str, ...] = ()  # what could not be read
    seconds: float = 0.0  # how long it took
