"""Time: the only place that reads it, and how durations and moments are written.

What decides is handed ``now`` as an argument: microseconds since 1970, UTC.
"""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple, Protocol

from tidings.errors import InvalidUsage

# TimeBase::TimeT counts units of 100 ns from 15 October 1582.
_UNITS_PER_MICROSECOND = 10
_UNITS_BEFORE_1970 = 122_192_928_000_000_000

_MICROSECONDS: Final = {
    "us": 1,
    "ms": 1_000,
    "s": 1_000_000,
    "m": 60_000_000,
    "min": 60_000_000,
    "h": 3_600_000_000,
    "d": 86_400_000_000,
    "w": 604_800_000_000,
}
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DURATION: Final = re.compile(rf"([0-9]{{1,9}})({'|'.join(_MICROSECONDS)})", re.ASCII)


class Clock(Protocol):
    """Whatever tells the time."""

    def now(self) -> int:
        """Microseconds since 1970, UTC."""
        ...


class SystemClock:
    """The time of the machine."""

    def now(self) -> int:
        """Microseconds since 1970, UTC."""
        return time.time_ns() // 1_000


class ManualClock:
    """Time that moves only when told to; for tests and dry runs."""

    def __init__(self, now: int = 0) -> None:
        self._now = now

    def now(self) -> int:
        """Microseconds since 1970, UTC."""
        return self._now

    def advance(self, microseconds: int) -> None:
        """Move on (or, with a negative number, back)."""
        self._now += microseconds


def monotonic_microseconds() -> int:
    """Microseconds since some moment; never set, so differences are true durations."""
    return time.monotonic_ns() // 1_000


def processor_seconds() -> float:
    """The processor time that this process has used, in seconds."""
    return time.process_time()


def utc_now() -> datetime:
    """The time of the machine, for calendars."""
    return datetime.now(UTC)


def to_timebase(microseconds: int) -> int:
    """Microseconds since 1970 as TimeBase::TimeT."""
    return microseconds * _UNITS_PER_MICROSECOND + _UNITS_BEFORE_1970


def from_timebase(units: int) -> int:
    """TimeBase::TimeT as microseconds since 1970, rounded down."""
    return (units - _UNITS_BEFORE_1970) // _UNITS_PER_MICROSECOND


def duration_us(text: str) -> int | None:
    """Microseconds of a duration such as `250ms`, `90s`, `2h`, `7d`; None for other texts."""
    found = _DURATION.fullmatch(text.strip())
    return None if found is None else int(found[1]) * _MICROSECONDS[found[2]]


class Span(NamedTuple):
    """A time range, in microseconds since 1970."""

    since_us: int | None = None  # inclusive; None for the beginning
    until_us: int | None = None  # exclusive; None for no end


def moment_us(text: str, now_us: int) -> int:
    """Parse a time to microseconds since 1970.

    `text` is ISO 8601, such as `2026-11-15T08:30:00Z` or `2026-11-15`, in UTC if it has no zone; or
    a duration such as `2h`, which means that long before `now_us`.
    """
    told = text.strip()
    ago = duration_us(told)
    if ago is not None:
        return max(0, now_us - ago)
    try:
        found = datetime.fromisoformat(told)
        if found.tzinfo is None:
            found = found.replace(tzinfo=UTC)
        return (found - _EPOCH) // timedelta(microseconds=1)
    except (ValueError, OverflowError) as error:
        raise InvalidUsage(
            f"{text!r} is no time; write 2026-11-15T08:30:00Z (UTC if no zone is named), "
            "or 2h for two hours ago (s, m, h, d, w)"
        ) from error


def span(since: str | None, until: str | None, now_us: int) -> Span:
    """Parse the start and end of a time range, as `moment_us` does."""
    first = None if since is None else moment_us(since, now_us)
    end = None if until is None else moment_us(until, now_us)
    if first is not None and end is not None and end <= first:
        raise InvalidUsage(
            f"nothing lies between {since} and {until}: "
            f"{moment_text(first)} is not before {moment_text(end)}"
        )
    return Span(first, end)


def moment_text(microseconds: int) -> str:
    """Format a time in UTC so that `moment_us` can parse it, with fractions only if needed."""
    moment = _EPOCH + timedelta(microseconds=microseconds)
    unit = "microseconds" if microseconds % 1_000 else "milliseconds"
    unit = unit if microseconds % 1_000_000 else "seconds"
    return moment.isoformat(timespec=unit).replace("+00:00", "Z")
