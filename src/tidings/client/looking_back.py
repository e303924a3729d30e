"""What a client can see of a channel's past without subscribing to it."""

from __future__ import annotations

from collections.abc import AsyncIterator

from tidings.channel.questions import SeeChannel
from tidings.channel.views import ChannelInfo
from tidings.client.managing import Channel, Wanted
from tidings.client.past import PAGE, Moment, Past, microseconds, wish_of
from tidings.client.transport import Message, Transport
from tidings.errors import InvalidUsage


class LooksBack:
    """The part of a client that reads journals.

    Args:
        transport: The way to the service.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def past(
        self,
        channel: Channel | int | str,
        wanted: Wanted = None,
        *,
        after: int | None = None,
        since: Moment | None = None,
    ) -> Past:
        """Past events page by page; arguments as in `history`."""
        id = (await self._info(channel)).id
        return Past(self._transport, id, wish_of(wanted), after=after, since=microseconds(since))

    async def history(
        self,
        channel: Channel | int | str,
        wanted: Wanted = None,
        *,
        after: int | None = None,
        since: Moment | None = None,
    ) -> AsyncIterator[Message]:
        """All events of a channel that its journal has, in the order of their numbers.

        Only Persistent events are there, and only while retention keeps them; a service in
        memory has none.

        Args:
            channel: Where from.
            wanted: A constraint, or several of which one must match; None for everything.
            after: Only events with larger numbers; None begins at the oldest that is kept.
            since: Only events that came then or later.

        Raises:
            CursorNotFound: Events after `after` are not kept any more; the message names the
                oldest number that is. Or no event has that number yet.
        """
        past = await self.past(channel, wanted, after=after, since=since)
        while not past.end:
            for message in await past.page():
                yield message

    async def peek(
        self,
        channel: Channel | int | str,
        wanted: Wanted = None,
        *,
        after: int | None = None,
        since: Moment | None = None,
        most: int = 100,
    ) -> list[Message]:
        """The first events of `history`, at most so many."""
        if most < 1:
            raise InvalidUsage(f"at least one event is looked for, not {most}")
        past = await self.past(channel, wanted, after=after, since=since)
        found: list[Message] = []
        while not past.end and len(found) < most:
            found += await past.page(min(PAGE, most - len(found)))
        return found

    async def _info(self, channel: Channel | int | str) -> ChannelInfo:
        if isinstance(channel, Channel):
            return channel.made
        return await self._transport.request(SeeChannel(channel))
