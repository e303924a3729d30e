"""What was before: from a number or a time on, and without a gap until now."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Final

from fastapi import Depends, Query

from tidings.channel.effects import Message
from tidings.engine.door import LocalDoor
from tidings.engine.history import HistoryPage
from tidings.errors import InvalidUsage
from tidings.events.codecs.cloudevents_codec import is_time
from tidings.events.texts import shortened
from tidings.filters.constraint import Constraint, constraint

# Events read at once: some are written while the next are looked for.
_PAGE: Final = 200
_MOST_FILTER: Final = 65_536
_MICROSECOND: Final = 1_000_000


def microseconds(text: str) -> int:
    """A time in a query, RFC 3339 or microseconds since 1970, as the latter."""
    if text.isascii() and text.isdigit() and len(text) < 18:
        return int(text)
    problem = (
        f"{shortened(text)} is no time: write 2026-01-31T12:00:00Z, or microseconds since 1970"
    )
    if not is_time(text):
        raise InvalidUsage(problem)
    try:
        found = datetime.fromisoformat(text.upper())
        return max(0, round((found - _EPOCH).total_seconds() * _MICROSECOND))
    except (ValueError, OverflowError) as error:
        raise InvalidUsage(problem) from error


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def _since(
    since: Annotated[
        str | None,
        Query(
            description="Events that came then or later: RFC 3339, or microseconds since 1970.",
            examples=["2026-01-31T12:00:00Z"],
        ),
    ] = None,
) -> int | None:
    return None if since is None else microseconds(since)


Since = Annotated[int | None, Depends(_since)]
"""From when on, microseconds since 1970; None if it was left out."""


@dataclass(frozen=True, slots=True)
class WantedEvents:
    """Which events a query asks for: by a filter and types, or both as one constraint."""

    filter: str
    types: tuple[str, ...]
    constraint: Constraint | None

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """What a consumer's proxy that gets them is made with."""
        return () if self.constraint is None else (self.constraint,)


def _wanted(
    filter: Annotated[
        str,
        Query(
            max_length=_MOST_FILTER,
            description="A constraint; all if empty.",
            examples=["$price > 100"],
        ),
    ] = "",
    types: Annotated[
        list[str] | None,
        Query(description="Event types, each `Domain::Type`.", examples=[["Auction::books"]]),
    ] = None,
) -> WantedEvents:
    listed = tuple(types or ())
    found = constraint(filter, listed) if filter.strip() or listed else None
    return WantedEvents(filter, listed, found)


Wanted = Annotated[WantedEvents, Depends(_wanted)]
"""Which events a query asks for."""


class Replay:
    """Past events of a channel up to now, page by page.

    Made after a live consumer was connected, it covers all that the consumer does not get. `after`
    and `since` say where to begin; None is the oldest event kept. `lost` has first and last numbers
    of runs of events that damage destroyed, and that were not reported yet.
    """

    def __init__(
        self,
        door: LocalDoor,
        channel: int,
        wanted: WantedEvents,
        after: int | None,
        since: int | None,
    ) -> None:
        self._door = door
        self._channel = channel
        self._wanted = wanted
        self._since = since
        self._after = after
        self._first: HistoryPage | None = None
        self.lost: list[tuple[int, int]] = []

    async def begin(self) -> None:
        """Read the first page, so that a wrong question fails now."""
        self._first = await self._page()

    async def pages(self) -> AsyncIterator[list[Message]]:
        """The events in order; CursorNotFound if what comes next is not kept any more."""
        page = self._first or await self._page()
        upto = page.last
        while True:
            self.lost += page.lost
            if page.messages or page.lost:
                yield page.messages
            if page.end or page.next >= upto:
                return
            self._after = page.next
            page = await self._page()

    async def _page(self) -> HistoryPage:
        return await self._door.history(
            self._channel, self._after, self._since, _PAGE, self._wanted.constraint
        )
