"""Constraints are tried before they are filters: checked, explained, counted over past events."""

from __future__ import annotations

import random

import pytest

from tests.promises.services import Service
from tidings import constraint, event, fields_of
from tidings.errors import ChannelNotFound, InvalidConstraint, InvalidUsage, LimitExceeded
from tidings.events.structured import StructuredEvent

pytestmark = pytest.mark.not_over_corba("trials")

TEXTS = ("$price > 5", "exist $lot", "$lot == 'a' or $price < 3", "not ($price == 4)", "", "FALSE")


def bids(count: int, seed: int) -> list[StructuredEvent]:
    """Events, some of which lack a property."""
    drawn = random.Random(seed)
    return [
        event(
            "Auction",
            drawn.choice(("bid", "offer")),
            str(number),
            {"price": drawn.randrange(9)} | ({"lot": "a"} if drawn.random() < 0.5 else {}),
        )
        for number in range(count)
    ]


async def test_the_count_is_that_of_a_plain_loop(lasting: Service) -> None:
    client = await lasting.client()
    channel = await client.create_channel("auction")
    sent = bids(60, 7)
    async with await client.publisher(channel) as publisher:
        await publisher.publish_many(sent)
    for last, text, types in zip((60, 1, 17, 99, 59, 33), TEXTS, ((), ["bid"]) * 3, strict=True):
        asked = constraint(text, types)
        judged = {}
        for seq, one in list(enumerate(sent, 1))[-last:]:
            fields = fields_of(one)
            judged[seq] = asked.predicate(fields) if asked.is_tried(*fields.event_type) else False
        found = await channel.count_matching(text, types, last=last, most=5)
        matching = [seq for seq, answer in judged.items() if answer is True]
        others = [seq for seq in judged if seq not in matching]
        errors = sum(answer is None for answer in judged.values())
        assert (found.events, found.matched, found.errors) == (len(judged), len(matching), errors)
        assert [one.seq for one in found.matching] == matching[::-1][:5]
        assert [one.seq for one in found.others] == others[::-1][:5]
        assert all(one.name == sent[one.seq - 1].name for one in (*found.matching, *found.others))


async def test_the_properties_are_those_of_the_latest_events(lasting: Service) -> None:
    client = await lasting.client()
    channel = await client.create_channel("auction")
    odd = {"no name": 1, "in": True, "header": 2}
    await client.publish(channel, event("Auction", "bid", "", {"old": 1}))
    await client.publish(channel, event("Auction", "bid", "", odd, header={"Priority": 3}))
    await client.publish(channel, event("Auction", "bid", "", {"in": "x", "price": 2.5}))
    found = await channel.properties(last=2)
    shown = [(one.name, one.part, one.kinds, one.events) for one in found.properties]
    assert shown == [
        ("\\in", "data", ("boolean", "string"), 2),
        ("Priority", "header", ("number",), 1),
        ("price", "data", ("number",), 1),
    ]
    assert (found.events, found.complete) == (2, True)
    assert (await channel.properties()).events == 3


async def test_a_check_says_what_is_wrong_where_and_what_would_be_right(service: Service) -> None:
    client = await service.client()
    [error] = (await client.check_constraint("$price > 5\n  & $lot")).remarks
    assert (error.level, error.position, error.line, error.column) == ("error", 13, 2, 3)
    assert error.hint == "write 'and'"
    found = await client.check_constraint("((($prise > 5)))", {"price": ["number"]})
    assert (found.valid, found.printed) == (True, "$prise > 5")
    assert [(one.level, one.hint) for one in found.remarks] == [("warning", "did you mean $price?")]


async def test_an_explanation_has_the_value_of_every_part(service: Service) -> None:
    client = await service.client()
    bid = event("Auction", "bid", "", {"price": 4})
    text = "not exist $lot and ($price * 2 > 9 or $lot == 'a') and $price > 1"
    found = await client.explain_constraint(text, bid)
    assert (found.result, found.verdict) == ("error", "does not match: $lot is missing")
    assert [(one.depth, one.text, one.result, one.value, one.error) for one in found.parts] == [
        (0, "and", "error", "", ""),
        (1, "not", "true", "", ""),
        (2, "exist $lot", "false", "", ""),
        (1, "or", "error", "", ""),
        (2, "$price * 2 > 9", "false", "", ""),
        (3, "$price * 2", "value", "8", ""),
        (4, "$price", "value", "4", ""),
        (2, "$lot == 'a'", "error", "", ""),
        (3, "$lot", "error", "", "missing"),
        (1, "$price > 1", "skipped", "", ""),
    ]
    other = await client.explain_constraint("TRUE", bid, ["offer"])
    assert (other.result, other.parts) == ("false", ())
    assert other.verdict == "does not match: the event type Auction::bid is not *::offer"


async def test_what_cannot_be_tried_is_refused(service: Service) -> None:
    client = await service.client()
    channel = await client.create_channel("auction")
    with pytest.raises(InvalidConstraint):
        await channel.count_matching("$price >")
    with pytest.raises(InvalidConstraint):
        await client.explain_constraint("$price >", event("A", "b"))
    for last in (0, 10_001):
        with pytest.raises(InvalidUsage):
            await channel.count_matching("TRUE", last=last)
    with pytest.raises(LimitExceeded):
        await client.check_constraint("~" * 100_000)
    await channel.destroy()
    with pytest.raises(ChannelNotFound):
        await channel.properties()
