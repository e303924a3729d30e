"""Reading a channel's past without subscribing."""

from __future__ import annotations

from collections.abc import AsyncIterator

from tidings.channel.questions import SeeChannel
from tidings.channel.views import ChannelInfo
from tidings.client.managing import Channel, Wanted
from tidings.client.past import PAGE, Moment, Past, microseconds, wish_of
from tidings.client.transport import Message, Transport
from tidings.errors import InvalidUsage


class LooksBack:
    """The part of a client that reads journals."""

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
        """Read past events in pages; arguments as in `history`."""
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
        """Yield the events in a channel's journal by sequence number.

        The journal holds only Persistent events, as long as retention keeps them; a service in
        memory has none.

        Args:
            channel: The channel to read from.
            wanted: A constraint, or several of which one must match; None for all events.
            after: Only events with larger numbers; None begins at the oldest kept.
            since: Only events accepted at or after this time.

        Raises:
            CursorNotFound: Retention has removed events after `after` (the message names the oldest
                number kept), or no event has that number yet.
            InvalidConstraint: A constraint is invalid.
            InvalidUsage: `after` is not a sequence number, or `since` has no time zone.
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
        """Return the first events of `history`."""
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
