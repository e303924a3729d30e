from __future__ import annotations

import asyncio

import pytest

from tests.doors.services import bid
from tests.unit.client.fake_transport import FakeTransport
from tidings.client.publishing import Publisher, patterns
from tidings.errors import ChannelNotFound, InvalidEvent, InvalidUsage
from tidings.filters.constraint import EventTypePattern


def _publisher(transport: FakeTransport, last: int = 0) -> Publisher:
    made = transport.as_transport()
    return Publisher(made, 1, 2, None, origin="ab", producer="house", last=last)


def test_numbers_rise_over_all_ways_to_publish() -> None:
    async def scene() -> None:
        transport = FakeTransport(Push=[[1], [2, 3], [4], [5]])
        publisher = _publisher(transport, last=10)
        await publisher.publish(bid(1))
        await publisher.publish_many([bid(2), bid(3)])
        await publisher.publish(bid(4), number=40)
        await publisher.publish(bid(5))
        marks = [(mark.producer, mark.number) for push in transport.asked for mark in push.marks]
        assert marks == [("house", number) for number in (11, 12, 13, 40, 41)]

    asyncio.run(scene())


def test_the_receipts_of_the_first_thousands_are_kept_when_a_later_push_fails() -> None:
    async def scene() -> None:
        gone = ChannelNotFound("gone")
        transport = FakeTransport(Push=[list(range(1, 1001)), gone])
        answers = await _publisher(transport).publish_many([bid(0)] * 2_500)
        assert answers[:1000] == [("ab", seq) for seq in range(1, 1001)]
        assert answers[1000:] == [gone] * 1_500
        assert [len(push.items) for push in transport.asked] == [1_000, 1_000]

    asyncio.run(scene())


def test_when_nothing_could_be_sent_the_error_is_raised() -> None:
    async def scene() -> None:
        with pytest.raises(ChannelNotFound):
            await _publisher(FakeTransport(Push=[ChannelNotFound("gone")])).publish_many([bid(0)])

    asyncio.run(scene())


@pytest.mark.parametrize("number", [-1, 2**63])
def test_numbers_of_ones_own_have_a_range(number: int) -> None:
    with pytest.raises(InvalidEvent, match="number"):
        asyncio.run(_publisher(FakeTransport()).publish(bid(0), number=number))


def test_patterns_come_as_patterns_or_texts() -> None:
    one = EventTypePattern("Auction", "bid")
    assert patterns([one, "Auction::bid"]) == (one, one)
    with pytest.raises(InvalidUsage, match="as a list, not as the one text 'Auction::bid'"):
        patterns("Auction::bid")
