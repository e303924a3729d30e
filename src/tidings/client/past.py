"""Past events of a channel, and replay into the present without a gap."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, TypeAlias

from tidings.channel.effects import Message
from tidings.channel.questions import SeeAdmin, SeeFilter, SeeProxy
from tidings.channel.views import FilterInfo
from tidings.channel.vocabulary import Side
from tidings.client.managing import Wanted, constraints
from tidings.client.transport import Transport
from tidings.errors import CursorNotFound, Disconnected, InvalidUsage, NotFound, Stopping
from tidings.events.fields import fields_for
from tidings.filters.constraint import Constraint, constraint
from tidings.filters.plan import AdminRule, Plan, ProxyRule, Rule
from tidings.inbox import Inbox

log = logging.getLogger(__name__)

Moment: TypeAlias = int | datetime
"""Microseconds since 1970, or a datetime with a time zone."""

Wish: TypeAlias = tuple[str | None, Callable[[Message], bool] | None]
"""A constraint for the service to evaluate, and a predicate evaluated here."""

PAGE: Final = 1_000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
# Pause before a retried past event comes again, in seconds.
_PAUSE: Final = 0.1


def microseconds(since: Moment | None) -> int | None:
    """Convert a moment to microseconds since 1970; earlier moments become 0.

    Raises:
        InvalidUsage: The value is not a moment or has no time zone.
    """
    if since is None or type(since) is int:
        return since if since is None else max(0, since)
    if not isinstance(since, datetime):
        raise InvalidUsage(
            f"since is a datetime, or microseconds since 1970, or None, not {since!r:.60}"
        )
    if since.utcoffset() is None:
        raise InvalidUsage(f"{since} has no time zone: give it one, as in datetime.now(UTC)")
    return max(0, (since - _EPOCH) // _MICROSECOND)


def wish_of(wanted: Wanted) -> Wish:
    """Build the wish for a constraint, or for several of which one must match."""
    asked = constraints(wanted)
    if len(asked) == 1 and not asked[0].event_types:
        return asked[0].text, None
    if not asked:
        return None, None

    def wants(message: Message) -> bool:
        fields = fields_for(message.event, message.arrival)
        return any(one.matches(fields) for one in asked)

    return None, wants


def judge(wish: Wish) -> Callable[[Message], bool]:
    """Return a predicate that evaluates the whole wish here."""
    text, wants = wish
    if text is None:
        return wants or (lambda message: True)
    asked = constraint(text)
    return lambda message: asked.matches(fields_for(message.event, message.arrival))


async def wish_of_proxy(transport: Transport, channel: int, proxy: int) -> Wish:
    """Build the wish from the filters and types of a consumer's proxy and its admin."""
    info = await transport.request(SeeProxy(channel, proxy))
    admin = await transport.request(SeeAdmin(channel, Side.CONSUMER, info.admin))
    own = [await _asked(transport, filter) for filter in info.filters.values()]
    shared = [await _asked(transport, filter) for filter in admin.filters.values()]
    if not (shared or admin.types or info.types):
        if not own:
            return None, None
        if len(own) == 1 and len(own[0]) == 1 and not own[0][0].event_types:
            return own[0][0].text, None
    above = AdminRule(Side.CONSUMER, admin.id, admin.operator, Rule(tuple(shared), admin.types))
    rule = ProxyRule(Side.CONSUMER, proxy, admin.id, Rule(tuple(own), info.types))
    plan, _ = Plan().changed({(Side.CONSUMER, admin.id): above}, {proxy: rule})

    def wants(message: Message) -> bool:
        return plan.verdict(fields_for(message.event, message.arrival), proxy).passed

    return None, wants


async def _asked(transport: Transport, filter: int) -> tuple[Constraint, ...]:
    found = await transport.request(SeeFilter(filter))
    return tuple(found.constraints.values()) if isinstance(found, FilterInfo) else ()


class Past:
    """Past events of a channel in pages; made by `Client.past`.

    Attributes:
        end: Whether the last page reached the present. Later pages continue from there.
        lost: First and last numbers of ranges of events lost to journal damage.
    """

    def __init__(
        self,
        transport: Transport,
        channel: int,
        wish: Wish,
        *,
        after: int | None = None,
        since: int | None = None,
    ) -> None:
        if after is not None and (type(after) is not int or after < 0):
            raise InvalidUsage(f"after is a whole number from 0 on, or None, not {after!r:.60}")
        self.end = False
        self.lost: list[tuple[int, int]] = []
        self._transport = transport
        self._channel = channel
        self._text, self._wants = wish
        self._after = after
        self._since = since

    async def page(self, most: int = PAGE) -> Sequence[Message]:
        """Return the next events; an empty page is not necessarily the end.

        Raises:
            CursorNotFound: Retention has removed them; the message names the oldest kept number.
        """
        page = await self._transport.history(
            self._channel, self._after, self._since, most, self._text
        )
        self._after = page.next
        self.end = page.end
        self.lost += page.lost
        for first, last in page.lost:
            log.warning("events %d to %d of channel %d are lost: the service's journal is damaged",
                        first, last, self._channel)  # fmt: skip
        wants = self._wants
        if wants is None:
            return page.messages
        return [message for message in page.messages if wants(message)]


class _Numbers:
    """A set of integers that is compact for dense ranges."""

    def __init__(self) -> None:
        self._bits: dict[int, int] = {}

    def add(self, number: int) -> None:
        place, bit = divmod(number, 1_024)
        self._bits[place] = self._bits.get(place, 0) | 1 << bit

    def __contains__(self, number: int) -> bool:
        place, bit = divmod(number, 1_024)
        return bool(self._bits.get(place, 0) >> bit & 1)


def _retrieved(page: asyncio.Future[Sequence[Message]]) -> None:
    """Take note of a failure: when the client is closed, nobody may wait for the page."""
    if not page.cancelled():
        page.exception()


class Replay(Inbox):
    """An inbox of past events, then live ones, each event once.

    The live connection exists before the past is read, so no event falls in between. An event that
    comes both ways is taken from the past, and its live copy is acknowledged.
    """

    def __init__(self, live: Inbox, past: Past) -> None:
        super().__init__()
        self._live = live
        self._past: Past | None = past
        self._waiting = deque()
        self._seen = _Numbers()
        self._page: asyncio.Future[Sequence[Message]] | None = None  # being loaded
        self._pausing = False

    def __len__(self) -> int:
        return len(self._waiting) + len(self._live)

    def replayed(self, seq: int) -> bool:
        """Tell whether an event came from the past."""
        return seq in self._seen

    def stop(self) -> None:
        """Discard the rest of the past."""
        self._past = None
        self._waiting.clear()
        if self._page is not None:
            self._page.cancel()
            self._page = None

    async def get(self) -> Message:
        """Wait for the next event."""
        await self._fill()
        if self._waiting:
            return self._waiting.popleft()
        while (message := await self._live.get()).seq in self._seen:
            self._live.ack(message)
        return message

    def get_nowait(self) -> Message | None:
        """Return the next event if one is available."""
        if self._pausing or self._past is not None:
            return self._waiting.popleft() if self._waiting and not self._pausing else None
        if self._waiting:
            return self._waiting.popleft()
        while (message := self._live.get_nowait()) is not None and message.seq in self._seen:
            self._live.ack(message)
        return message

    async def batch(self, most: int) -> Sequence[Message]:
        """Wait for events and return up to `most`."""
        await self._fill()
        if self._waiting:
            take = self._waiting.popleft
            return [take() for _ in range(min(most, len(self._waiting)))]
        while True:
            found = await self._live.batch(most)
            self._live.ack_many([message for message in found if message.seq in self._seen])
            new = [message for message in found if message.seq not in self._seen]
            if new:
                return new

    async def _fill(self) -> None:
        """Read the next page if no past event is waiting."""
        if self._pausing:
            await asyncio.sleep(_PAUSE)
            self._pausing = False
        while not self._waiting and self._past is not None:
            page = self._page
            if page is None:
                page = self._page = asyncio.ensure_future(self._past.page())
                page.add_done_callback(_retrieved)
            # A caller that times out leaves the page loading; otherwise a slow page never arrives.
            await asyncio.wait({page})
            if page is self._page:  # one of several readers processes it
                self._page = None
                self._take_in(page)

    def _take_in(self, page: asyncio.Future[Sequence[Message]]) -> None:
        try:
            found = page.result()
        except CursorNotFound:
            raise
        except (NotFound, Stopping) as error:
            raise Disconnected(f"the past cannot be read on: {error}") from error
        for message in found:
            self._seen.add(message.seq)
        self._waiting.extend(found)
        if self._past is not None and self._past.end:
            self._past = None

    def ack(self, message: Message) -> None:
        """Acknowledge a live event; past ones need no acknowledgement."""
        if message.seq not in self._seen:
            self._live.ack(message)

    def ack_many(self, messages: Sequence[Message]) -> None:
        """Acknowledge the live ones among the events."""
        self._live.ack_many([message for message in messages if message.seq not in self._seen])

    def fail(self, message: Message, reason: str) -> None:
        """Have the event redelivered before those behind it."""
        if message.seq in self._seen:
            self._waiting.appendleft(message)
            self._pausing = True
        else:
            self._live.fail(message, reason)

    def reject(self, message: Message, reason: str) -> None:
        """Reject the event; a past one makes no dead letter."""
        if message.seq not in self._seen:
            self._live.reject(message, reason)

    def redelivered(self, seq: int) -> bool:
        """Tell whether an unacknowledged event may have been delivered before."""
        return seq not in self._seen and self._live.redelivered(seq)
