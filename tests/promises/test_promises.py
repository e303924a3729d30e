"""Each promise of docs/promises.md has its test; and what survives what.

The tests of the rows are in `test_promises_out.py` and `test_promises_in.py`, each with the words
of its row: a row without a test, or with other words, fails here.
"""

from __future__ import annotations

import pytest

from tests.patience import PATIENCE
from tests.promises import test_promises_in, test_promises_out
from tests.promises.services import Service, bid, eventually, known, seqs
from tests.real.docs.pages import page, tables
from tidings import Any, event
from tidings.channel.effects import Message
from tidings.client.transports.iiop.values import UNKNOWN
from tidings.errors import ProxyNotFound, UnsupportedQoS
from tidings.events import typecode as tc


def test_each_row_has_its_test() -> None:
    tests = {**vars(test_promises_out), **vars(test_promises_in)}
    tested = [
        " ".join((test.__doc__ or name).split())
        for name, test in tests.items()
        if name.startswith("test_")
    ]
    found = tables(page("docs/promises.md"))
    assert [" | ".join(cells) for table in found for _, cells in table.rows] == tested


async def test_in_process_push_redelivery_is_retried_by_connection_reliability_persistent(
    service: Service,
) -> None:
    """A Persistent connection is retried without end, in order."""
    client = await service.client()
    channel = await client.create_channel(persistent=True)
    calls: list[int] = []

    def handler(message: Message) -> None:
        calls.append(message.seq)
        if len(calls) <= 8:  # the limit of BestEffort connections is 3 here
            raise ConnectionError("away")

    await client.handle(channel, handler, qos={"ConnectionReliability": 1})
    await (await client.publisher(channel)).publish_many([bid(1), bid(2), bid(3)])
    await eventually(lambda: len(calls) == 11)
    assert calls == [1] * 9 + [2, 3]


async def test_in_process_push_redelivery_is_retried_by_connection_reliability_best_effort(
    service: Service,
) -> None:
    """A BestEffort connection is given up after `Settings.retry_limit` failures in a row."""
    client = await service.client()
    channel = await client.create_channel(persistent=True)
    calls: list[int] = []

    def handler(message: Message) -> None:
        calls.append(message.seq)
        raise ConnectionError("away")

    handled = await client.handle(channel, handler)
    await (await client.publisher(channel)).publish_many([bid(1), bid(2)])
    with pytest.raises(ProxyNotFound):
        await known(handled, lambda info: False)
    assert calls == [1] * 3


async def test_an_unnamed_subscription_ends_with_its_connection(service: Service) -> None:
    client, other = await service.client(), await service.client()
    channel = await client.create_channel()
    await client.subscribe(channel)
    await client.close()
    assert await (await other.channel(channel.id)).proxies() == []


# What survives a crash of the service (Notification Service 10).


async def test_without_a_name_nothing_survives(lasting: Service) -> None:
    client = await lasting.client()
    channel = await client.create_channel(persistent=True)
    await client.subscribe(channel)
    await client.puller(channel)
    await client.publish(channel, bid(1))
    await lasting.restart(kill=True)
    client = await lasting.client()
    info = await (await client.channel(channel.id)).info()
    waiting = 0 if lasting.tells_state else UNKNOWN
    assert (info.consumers, info.suppliers, info.waiting) == (0, 0, waiting)


@pytest.mark.not_over_corba("names")
@pytest.mark.parametrize("kill", [False, True])
async def test_best_effort_events_and_connections_are_lost(lasting: Service, kill: bool) -> None:
    client = await lasting.client()
    channel = await client.create_channel("auction", persistent=False)
    await client.subscribe(channel, name="bidder")
    await client.publish(channel, bid(1))
    await lasting.restart(kill=kill)
    channel = await (await lasting.client()).channel("auction")
    assert await channel.proxies() == []
    assert (await channel.info()).waiting == 0


@pytest.mark.not_over_corba("names")
@pytest.mark.parametrize("kill", [False, True])
async def test_best_effort_events_are_lost_and_persistent_connections_stay(
    lasting: Service, kill: bool
) -> None:
    client = await lasting.client()
    channel = await client.create_channel("auction", qos={"EventReliability": 0})
    await client.subscribe(channel, "$price > 1", name="bidder")
    await client.publish(channel, bid(2))
    await lasting.restart(kill=kill)
    client = await lasting.client()
    subscription = await client.subscribe("auction", name="bidder")
    assert await subscription.next(0.01) is None
    for price in (1, 2):
        await client.publish("auction", bid(price))
    delivery = await subscription.next(PATIENCE)
    assert delivery is not None
    assert delivery.event == bid(2)


async def test_persistent_events_without_persistent_connections_are_refused(
    lasting: Service,
) -> None:
    client = await lasting.client()
    with pytest.raises(UnsupportedQoS):
        await client.create_channel(qos={"EventReliability": 1, "ConnectionReliability": 0})


@pytest.mark.not_over_corba("names")
async def test_persistent_events_are_delivered_across_crashes(lasting: Service) -> None:
    client = await lasting.client()
    channel = await client.create_channel("auction", persistent=True)
    for name in ("one", "two"):
        await (await client.subscribe(channel, name=name)).close()
    publisher = await client.publisher(channel)
    receipts = await publisher.publish_many(bid(at) for at in range(50))
    await lasting.restart(kill=True)
    client = await lasting.client()
    for name in ("one", "two"):
        subscription = await client.subscribe("auction", name=name)
        assert await seqs(subscription, 50) == [
            r.seq for r in receipts if not isinstance(r, Exception)
        ]


@pytest.mark.not_over_corba("names")
async def test_an_event_may_be_less_reliable_than_its_channel(lasting: Service) -> None:
    client = await lasting.client()
    channel = await client.create_channel("auction", persistent=True)
    await (await client.subscribe(channel, name="bidder")).close()
    header = {"EventReliability": Any(tc.SHORT, 0)}
    await client.publish(channel, event("Auction", "hint", header=header))
    await client.publish(channel, bid(1))
    await lasting.restart(kill=True)
    subscription = await (await lasting.client()).subscribe("auction", name="bidder")
    delivery = await subscription.next(PATIENCE)
    assert delivery is not None
    assert delivery.event == bid(1)
