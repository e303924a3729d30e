from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import NamedTuple, cast

import pytest

from tests.unit.engine.recorded_answers import message
from tidings.channel.views import ChannelInfo
from tidings.client.looking_back import LooksBack
from tidings.client.transport import Message, Transport
from tidings.errors import InvalidUsage


class Page(NamedTuple):
    messages: Sequence[Message]
    next: int
    end: bool
    last: int
    lost: Sequence[tuple[int, int]] = ()


class FivePages:
    """A transport to a channel of which each page has two events, and every second one none."""

    def __init__(self) -> None:
        self.asked: list[tuple[object, ...]] = []

    async def channel(self, id_or_name: int | str) -> ChannelInfo:
        assert id_or_name == "auction"
        return ChannelInfo(7, "auction", "", {}, {}, (), (), 0, 0, 10, 0, 1)

    async def history(
        self, channel: int, after: int | None, since: int | None, most: int, text: str | None
    ) -> Page:
        self.asked.append((channel, after, since, most, text))
        start = after or 0
        found = [message(start + 1), message(start + 2)] if start % 4 == 0 else []
        return Page(found[:most], start + 2, start + 2 == 10, 10)


def looking() -> tuple[LooksBack, FivePages]:
    transport = FivePages()
    return LooksBack(cast("Transport", transport)), transport


def test_history_goes_on_after_empty_pages_until_the_end() -> None:
    async def scene() -> None:
        client, transport = looking()
        found = [one.seq async for one in client.history("auction", "$a > 1", since=3)]
        assert found == [1, 2, 5, 6, 9, 10]
        assert transport.asked == [(7, after, 3, 1_000, "$a > 1") for after in (None, 2, 4, 6, 8)]

    asyncio.run(scene())


def test_peek_asks_for_no_more_than_it_gives() -> None:
    async def scene() -> None:
        client, transport = looking()
        assert [one.seq for one in await client.peek("auction", after=0, most=3)] == [1, 2, 5]
        assert [asked[1:4] for asked in transport.asked] == [
            (0, None, 3),
            (2, None, 1),
            (4, None, 1),
        ]
        assert len(await client.peek("auction")) == 6
        with pytest.raises(InvalidUsage, match="at least one event"):
            await client.peek("auction", most=0)

    asyncio.run(scene())
