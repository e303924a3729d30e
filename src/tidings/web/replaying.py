"""What was before: from a number or a time on, and without a gap until now."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Final

from fastapi import Depends, Query

from tidings.engine.bodies import Message
from tidings.engine.door import LocalDoor
from tidings.engine.history import HistoryPage
from tidings.errors import InvalidUsage
from tidings.events.codecs.cloudevents_model import is_time
from tidings.events.texts import shortened
from tidings.filters.constraint import Constraint, constraint

# Events read at once: some are written while the next are looked for.
_PAGE: Final = 200
_MOST_FILTER: Final = 65_536
_MICROSECOND: Final = 1_000_000


def microseconds(text: str) -> int:
    """A time in a query, microseconds since 1970: RFC 3339, or that number itself.

    Raises:
        InvalidUsage: It is none.
    """
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
    """Which events a query asks for.

    Attributes:
        filter: A constraint; empty for all.
        types: Event types; none for all.
        constraint: Both as one; None for all.
    """

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

    Made after a live consumer was connected, it covers all that one does not get.

    Args:
        door: The host as whoever asks may use it.
        channel: Which channel.
        wanted: Which events.
        after: Only those with larger numbers; None begins with the oldest kept.
        since: Only those that came then or later.

    Attributes:
        lost: First and last numbers of runs of events that are lost by damage, and that nobody
            was told of yet.
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
        """Reads the first page: what is wrong with the question shows now.

        Raises:
            CursorNotFound: What was asked for is not kept any more.
        """
        self._first = await self._page()

    async def pages(self) -> AsyncIterator[list[Message]]:
        """The events, in order.

        Raises:
            CursorNotFound: What comes next is not kept any more.
        """
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
