"""The transport inside one process: it is handed a host, and imports none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tidings.channel.commands import Command
from tidings.channel.management import Connect
from tidings.channel.settings import Settings
from tidings.channel.views import (
    AdminInfo,
    Advertisement,
    ChannelInfo,
    DeadLetterInfo,
    FilterInfo,
    MappingInfo,
    ProxyInfo,
)
from tidings.channel.vocabulary import Side
from tidings.client.transport import (
    HistoryPage,
    PulledMessages,
    Source,
    Stream,
    TypesChanged,
)
from tidings.filters.constraint import constraint


class InProcess:
    """Talks to a host in this process.

    Args:
        door: A `tidings.engine.door.LocalDoor`.
    """

    def __init__(self, door: Any) -> None:  # noqa: ANN401 -- clients know no engine
        self._door = door

    async def ask(self, command: Command) -> Any:  # noqa: ANN401 -- see the command
        """Has a command carried out."""
        return await self._door.ask(command)

    def tell(self, command: Command) -> None:
        """Has a command carried out before what is asked later; nobody hears its answer."""
        self._door.tell(command)

    async def receive(self, connect: Connect, on_offers: TypesChanged | None) -> Stream:
        """Connects a push consumer that takes events from a stream."""
        stream: Stream = self._door.buffer(on_offers)
        await self._door.connect(connect, stream)
        return stream

    async def handle(self, connect: Connect, handler: Callable[..., object]) -> object:
        """Connects a push consumer whose function is called with each event, or batch."""
        return await self._connected(connect, self._door.handler(handler))

    async def supply(
        self, connect: Connect, on_wanted: TypesChanged | None, source: Source | None
    ) -> object:
        """Connects a supplier; one with a source is asked for events."""
        return await self._connected(connect, self._door.supplier(on_wanted, source))

    async def listen(self, connect: Connect, on_offers: TypesChanged | None) -> object:
        """Connects a pull consumer."""
        return await self._connected(connect, self._door.buffer(on_offers))

    async def _connected(self, connect: Connect, endpoint: object) -> object:
        await self._door.connect(connect, endpoint)
        return endpoint

    async def release(self, channel: int, proxy: int, line: object, *, end: bool) -> None:
        """Cuts a line; the proxy ends, too, or stays."""
        await self._door.release(channel, proxy, line, end=end)

    async def pull(
        self, channel: int, proxy: int, most: int, wait: int | None, lease: int | None
    ) -> PulledMessages:
        """Asks for events as a pull consumer."""
        found: PulledMessages = await self._door.pull(channel, proxy, most, wait, lease)
        return found

    async def channels(self) -> Sequence[ChannelInfo]:
        """All channels."""
        found: Sequence[ChannelInfo] = self._door.views.channels()
        return found

    async def channel(self, id_or_name: int | str) -> ChannelInfo:
        """One channel."""
        named = isinstance(id_or_name, str)
        look = self._door.views.channel_named if named else self._door.views.channel
        found: ChannelInfo = look(id_or_name)
        return found

    async def admin(self, channel: int, side: Side, id: int) -> AdminInfo:
        """One admin."""
        found: AdminInfo = self._door.views.admin(channel, side, id)
        return found

    async def proxies(self, channel: int) -> Sequence[ProxyInfo]:
        """All proxies of a channel."""
        found: Sequence[ProxyInfo] = self._door.views.proxies(channel)
        return found

    async def proxy(self, channel: int, id_or_name: int | str) -> ProxyInfo:
        """One proxy."""
        named = isinstance(id_or_name, str)
        look = self._door.views.proxy_named if named else self._door.views.proxy
        found: ProxyInfo = look(channel, id_or_name)
        return found

    async def filter(self, id: int) -> FilterInfo | MappingInfo:
        """One filter."""
        found: FilterInfo | MappingInfo = self._door.views.filter(id)
        return found

    async def rules(self) -> Settings:
        """The settings of the service that decide what is allowed."""
        found: Settings = self._door.views.rules()
        return found

    async def filters(self, after: int, most: int) -> Sequence[FilterInfo | MappingInfo]:
        """Filters by rising ids."""
        found: Sequence[FilterInfo | MappingInfo] = self._door.views.filters(after, most)
        return found

    async def advertisement(self, channel: int) -> Advertisement:
        """What is offered and wanted in a channel, and by whom."""
        found: Advertisement = self._door.views.advertisement(channel)
        return found

    async def highest_number(self, channel: int, producer: str) -> int | None:
        """The highest number a producer's accepted events had."""
        found: int | None = self._door.views.highest_number(channel, producer)
        return found

    async def history(
        self,
        channel: int,
        after: int | None,
        since: int | None,
        most: int,
        constraint_text: str | None,
    ) -> HistoryPage:
        """Past events of a channel, as far as its journal has them."""
        wanted = None if constraint_text is None else constraint(constraint_text)
        found: HistoryPage = await self._door.history(channel, after, since, most, wanted)
        return found

    async def dead_letters(
        self, channel: int | None, proxy: int | None, after: int, most: int
    ) -> Sequence[DeadLetterInfo]:
        """Dead letters in the order they came."""
        found: Sequence[DeadLetterInfo] = await self._door.dead_letters(channel, proxy, after, most)
        return found

    async def redrive(self, id: int) -> None:
        """Delivers a dead letter again."""
        await self._door.redrive(id)

    async def drop_dead_letter(self, id: int) -> None:
        """Forgets a dead letter."""
        await self._door.drop_dead_letter(id)

    async def close(self) -> None:
        """Lets go of the host, and closes it if it is the client's own."""
        await self._door.close()
