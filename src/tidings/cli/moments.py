"""Start positions in a channel's past: a time, a duration ago, or a sequence number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from tidings.cli.reading import moment
from tidings.clock import SystemClock, duration_us
from tidings.errors import InvalidUsage

if TYPE_CHECKING:
    from tidings.client.client import Client

Since = Annotated[
    str | None,
    typer.Option(
        "--since",
        metavar="TIME",
        help="Where to begin: 2026-11-15T08:30:00Z, or 10m ago (s, m, h, d), or an event's number.",
    ),
]


class Beginning(NamedTuple):
    """A start: microseconds since 1970 (None: everything), and lowest seq (0: all)."""

    since: int | None = None
    first: int = 0


def beginning(text: str | None) -> Beginning:
    """Parse a start position; raise InvalidUsage if it is invalid."""
    if text is None:
        return Beginning()
    if text.isascii() and text.isdecimal():
        return Beginning(first=int(text))
    ago = duration_us(text)
    if ago is not None:
        return Beginning(since=max(0, SystemClock().now() - ago))
    try:
        return Beginning(since=moment(text))
    except InvalidUsage as error:
        told = f"{error}, or 10m for ten minutes ago, or 17 for the event with that number"
        raise InvalidUsage(told) from error


async def arrival_of(client: Client, channel: int | str, first: int) -> int:
    """Return when the first event with this number or a higher one came; now if none yet."""
    found = await client.peek(channel, after=max(0, first - 1), most=1)
    return found[0].arrival if found else SystemClock().now()
