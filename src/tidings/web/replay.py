"""What was before: from a number or a time on, and without a gap until now."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Final

import msgspec
from fastapi import APIRouter, Depends, Query, Response
from pydantic import Field

from tidings.api.forms import Answer, examples
from tidings.api.items import write_delivered
from tidings.channel.effects import Message
from tidings.engine.door import LocalDoor
from tidings.engine.history import HistoryPage
from tidings.engine.turns import Turns
from tidings.errors import InvalidUsage
from tidings.events.codecs.cloudevents_codec import is_time
from tidings.events.texts import shortened
from tidings.filters.constraint import Constraint, constraint
from tidings.web.bodies import StrictRoute
from tidings.web.paths import MOST_CONSTRAINT, ChannelId, Most, Number
from tidings.web.state import Door

router = APIRouter(tags=["events"], route_class=StrictRoute)

# Events read at once: some are written while the next are looked for.
_PAGE: Final = 200
_MICROSECOND: Final = 1_000_000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


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


def _wanted(
    filter: Annotated[
        str,
        Query(
            max_length=MOST_CONSTRAINT,
            description="A constraint; all if empty.",
            examples=["$price > 100"],
        ),
    ] = "",
    types: Annotated[
        list[str] | None,
        Query(description="Event types, each `Domain::Type`.", examples=[["Auction::books"]]),
    ] = None,
) -> Constraint | None:
    return constraint(filter, types or ()) if filter.strip() or types else None


Wanted = Annotated[Constraint | None, Depends(_wanted)]
"""Which events a query asks for, as one constraint; None for all."""


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
        wanted: Constraint | None,
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
            self._channel, self._after, self._since, _PAGE, self._wanted
        )


EVENT_EXAMPLE: Final = {
    "seq": 1041,
    "arrival": 1760000000000000,
    "priority": 0,
    "event": {"domain": "Auction", "type": "books"},
}


class PastEvents(Answer):
    """Past events, in the order of their numbers."""

    model_config = examples(
        {
            "origin": "0" * 31 + "1",
            "events": [EVENT_EXAMPLE],
            "next": 1041,
            "end": True,
            "last": 1041,
            "lost": [[1037, 1039]],
        }
    )

    origin: str
    events: list[dict[str, Any]]
    next: int = Field(description="Go on after this number.")
    end: bool = Field(description="Whether that was all.")
    last: int = Field(description="The channel's latest number.")
    lost: list[list[int]] = Field(
        description="First and last numbers of events up to `next` that damage has cost."
    )


@router.get("/channels/{channel}/events", summary="Past events", response_model=PastEvents)
async def past_events(
    door: Door,
    channel: ChannelId,
    wanted: Wanted,
    since: Since,
    after: Annotated[
        Number | None, Query(description="Events with larger numbers; all that are kept if not.")
    ] = None,
    most: Most = 100,
) -> Response:
    """Events that the channel took in before, as far as the journal keeps them.

    Page on with `after` until `end`. A page may have fewer events than asked for, or none,
    before that.
    """
    page = await door.history(channel, after, since, most, wanted)
    turns, texts = Turns(), []
    for one in page.messages:
        texts.append(write_delivered(one))
        await turns.give()
    rest = {"next": page.next, "end": page.end, "last": page.last, "lost": page.lost}
    return events_answer(door.views.channel(channel).origin, texts, rest)


def events_answer(origin: str, texts: Iterable[str], rest: Mapping[str, object]) -> Response:
    """The answer with events that are JSON already, and other members."""
    head = f'{{"origin":"{origin}","events":[{",".join(texts)}]'
    tail = msgspec.json.encode(rest).decode()[1:]
    return Response(f"{head},{tail}" if rest else f"{head}}}", media_type="application/json")
