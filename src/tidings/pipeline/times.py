"""Parse and format times of jobs: ISO 8601, or relative to now."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from tidings import clock
from tidings.errors import InvalidUsage

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class Span(NamedTuple):
    """A time range, in microseconds since 1970."""

    since_us: int | None = None  # inclusive; None for the beginning
    until_us: int | None = None  # exclusive; None for no end


def duration_us(text: str) -> int:
    """Parse a duration such as `90s`, `30m`, `2h`, `7d`, `2w` to microseconds."""
    found = clock.duration_us(text)
    if found is None:
        raise InvalidUsage(
            f"{text!r} is no length of time; write a whole number and s, m, h, d or w, such as 30m"
        )
    return found


def moment_us(text: str, now_us: int) -> int:
    """Parse a time to microseconds since 1970.

    `text` is ISO 8601, such as `2026-11-15T08:30:00Z` or `2026-11-15`, in UTC if it has no zone; or
    a duration such as `2h`, which means that long before `now_us`.
    """
    told = text.strip()
    ago = clock.duration_us(told)
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
