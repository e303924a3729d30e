"""The client for programs without a loop: calls from plain threads, and how they end."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.promises.services import SETTINGS, bid
from tidings.client.client import Client
from tidings.client.sync import SyncClient
from tidings.errors import ChannelNotFound, InvalidUsage, JournalInUse, Stopping
from tidings.server.embedded import embedded_sync


@pytest.fixture
def client() -> Iterator[SyncClient]:
    with embedded_sync(settings=SETTINGS) as made:
        yield made


def _loops() -> int:
    return sum(thread.name == "tidings-client" for thread in threading.enumerate())


def test_the_basics_from_a_plain_thread(client: SyncClient) -> None:
    for _ in range(2):
        with pytest.raises(ChannelNotFound, match="no such"):
            client.publish("no such", bid(1))
    channel = client.create_channel("auction")
    assert (channel.name, client.channel("auction").id) == ("auction", channel.id)
    with (
        client.subscribe(channel, "$price > 1") as subscription,
        client.puller(channel) as puller,
        client.publisher(channel, "house") as publisher,
    ):
        assert publisher.publish(bid(1)).seq == 1
        receipts = publisher.publish_many([bid(2), bid(3)])
        assert receipts == [(channel.origin, 2), (channel.origin, 3)]
        assert publisher.number == 3
        assert client.publish(channel, bid(4)).seq == 4
        assert [subscription.next(PATIENCE).seq for _ in range(3)] == [2, 3, 4]  # type: ignore[union-attr]
        assert subscription.next(0) is None
        assert [delivery.seq for delivery in puller.pull(9)] == [1, 2, 3, 4]
    assert client.call(channel.info).consumers == 0
    assert [info.name for info in client.call(client.asynchronous.channels)] == ["auction"]


def test_the_past_from_a_plain_thread(tmp_path: Path) -> None:
    with embedded_sync(tmp_path / "data") as client:
        channel = client.create_channel(persistent=True)
        for price in (1, 2, 3):
            client.publish(channel, bid(price))
        assert [message.seq for message in client.peek(channel, "$price > 1", most=1)] == [2]
        assert [message.seq for message in client.history(channel, after=1)] == [2, 3]
        with client.subscribe(channel, since=0) as subscription:
            client.publish(channel, bid(4))
            found = [next(subscription) for _ in range(4)]
            client.publish(channel, bid(5))
            found.append(next(subscription))
        assert [delivery.seq for delivery in found] == [1, 2, 3, 4, 5]
        assert [delivery.replayed for delivery in found][::4] == [True, False]
        puller = client.puller(channel)
        client.publish(channel, bid(6))
        assert not puller.pull(seconds=5)[0].replayed


def test_events_are_answered_from_any_thread(client: SyncClient) -> None:
    channel = client.create_channel()
    subscription = client.subscribe(channel, name="bidder", manual_ack=True)
    puller = client.puller(channel)
    for price in (1, 2):
        client.publish(channel, bid(price))
    first = subscription.next(PATIENCE)
    assert first is not None
    first.retry("not now")
    first = subscription.next(PATIENCE)
    assert first is not None
    assert (first.seq, first.redelivered) == (1, True)
    second = subscription.next(PATIENCE)
    assert second is not None
    first.ack()
    second.reject("no")
    for pulled in puller.pull(9, lease=30):
        pulled.ack()
    subscription.close()
    again = client.subscribe(channel, name="bidder")
    assert again.next(0.01) is None
    info = client.call(again.asynchronous.info)
    assert (info.counts["delivered"], info.counts["rejected"]) == (1, 1)
    again.delete()
    assert client.call(channel.info).consumers == 1


def test_what_an_error_came_from_comes_again(client: SyncClient) -> None:
    channel = client.create_channel()
    for price in (1, 2):
        client.subscribe(channel, name="bidder").close()
        client.publish(channel, bid(price))

    def take() -> None:
        with client.subscribe(channel, name="bidder") as subscription:
            for _ in subscription:
                raise RuntimeError

    with pytest.raises(RuntimeError):
        take()
    with client.subscribe(channel, name="bidder") as subscription:
        for delivery in subscription:
            assert (delivery.seq, delivery.redelivered) == (1, True)
            break
    assert client.subscribe(channel, name="bidder").next(PATIENCE).seq == 2  # type: ignore[union-attr]


def test_many_threads_use_one_client(client: SyncClient) -> None:
    channel = client.create_channel()
    subscription = client.subscribe(channel)

    def publish(price: int) -> int:
        return client.publish(channel, bid(price)).seq

    with ThreadPoolExecutor(8) as pool:
        seqs = list(pool.map(publish, range(200)))
    assert sorted(seqs) == list(range(1, 201))
    assert [subscription.next(PATIENCE).seq for _ in range(200)] == list(range(1, 201))  # type: ignore[union-attr]
    assert client.call(channel.info).suppliers == 1


def test_closing_ends_calls_that_would_wait_for_ever(client: SyncClient) -> None:
    begun = threading.Event()

    async def for_ever() -> None:
        begun.set()
        await asyncio.Event().wait()

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(client.call, for_ever)
        begun.wait(PATIENCE)
        client.close()
        with pytest.raises(Stopping, match="closed while this call waited"):
            waiting.result(5)


def test_a_closed_client_says_so_and_leaves_no_thread() -> None:
    before = _loops()
    client = embedded_sync()
    channel = client.create_channel()
    subscription, publisher = client.subscribe(channel), client.publisher(channel)
    assert _loops() == before + 1
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: client.close(), range(4)))
    assert _loops() == before
    for call in (client.create_channel, subscription.next, lambda: publisher.publish(bid(1))):
        with pytest.raises(Stopping, match="the client is closed"):
            call()
    subscription.close()
    publisher.close()
    with subscription:
        assert list(subscription) == []


def test_no_thread_is_left_where_a_client_cannot_be_made_or_closed(tmp_path: Path) -> None:
    class Broken:
        async def close(self) -> None:
            raise OSError("the disk is gone")

    async def connect() -> Client:
        return Broken()  # type: ignore[return-value]

    before = _loops()
    with embedded_sync(tmp_path / "data"), pytest.raises(JournalInUse):
        embedded_sync(tmp_path / "data")
    assert _loops() == before
    client = SyncClient(connect)
    with pytest.raises(OSError, match="the disk is gone"):
        client.close()
    assert _loops() == before


def test_waiting_on_the_clients_own_loop_is_refused(client: SyncClient) -> None:
    channel = client.create_channel()
    refused: list[BaseException] = []
    called = threading.Event()

    def handler(message: object) -> None:
        try:
            client.publish(channel, bid(2))
        except InvalidUsage as error:
            refused.append(error)
        called.set()

    client.call(client.asynchronous.handle, channel, handler)
    client.publish(channel, bid(1))
    assert called.wait(PATIENCE)
    assert "own loop" in str(refused[0])


def test_a_forked_process_is_told_that_it_has_no_client(
    client: SyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    channel = client.create_channel()
    here = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: here + 1)
    for forbidden in (lambda: client.publish(channel, bid(1)), client.close):
        with pytest.raises(InvalidUsage, match="forked"):
            forbidden()
    monkeypatch.undo()
    assert client.publish(channel, bid(1)).seq == 1
