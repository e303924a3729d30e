"""Finding a service: addresses, tokens, threads; and what is there to see of it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.promises.services import HttpService, bid, seqs
from tidings import connect, connect_sync
from tidings.errors import Disconnected, InvalidUsage, Unauthenticated, Unreachable
from tidings.web.options import WebOptions


@pytest.fixture
def served(tmp_path: Path) -> HttpService:
    """A service with a disk, over HTTP."""
    return HttpService(tmp_path / "data")


@pytest.mark.parametrize(
    "url", ["", "localhost:8080", "ftp://localhost", "http://", "http://h:x", "http://h/?a=1"]
)
async def test_what_is_no_address_is_told(url: str) -> None:
    with pytest.raises(InvalidUsage, match="is no address of a service"):
        await connect(url)


@pytest.mark.parametrize("answer", ["404 Not Found", "200 OK", "301 Moved Permanently"])
@pytest.mark.parametrize("content", [b"<html>", b'{"a":1}', b""])
async def test_what_is_no_service_is_told(answer: str, content: bytes) -> None:
    async def page(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = f"HTTP/1.1 {answer}\r\ncontent-length: {len(content)}\r\n\r\n"
        writer.write(head.encode() + content)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(page, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with asyncio.timeout(20):  # at once, and not only when patience ends
            with pytest.raises(Unreachable, match="is no Tidings service"):
                await connect(f"http://127.0.0.1:{port}")


async def test_without_patience_one_try_is_made(served: HttpService) -> None:
    client = await served.client(patience=0)
    channel = await client.create_channel()
    subscription = await client.subscribe(channel)
    await client.publish(channel, bid(1))
    assert await seqs(subscription, 1) == [1]


async def test_a_token_shows_who_asks(served: HttpService) -> None:
    served.options = WebOptions(token="secret")
    client = await served.client(token="secret")
    channel = await client.create_channel()
    subscription = await client.subscribe(channel)
    await client.publish(channel, bid(1))
    assert await seqs(subscription, 1) == [1]
    for token in (None, "wrong"):
        with pytest.raises(Unauthenticated):
            await served.client(token=token)


async def test_plain_threads_use_it_too(served: HttpService) -> None:
    port = await served.start()

    def work() -> list[object]:
        found: list[object] = []
        with connect_sync(f"http://127.0.0.1:{port}/") as client:
            channel = client.create_channel("auction")
            with (
                client.subscribe(channel, "$price > 1") as subscription,
                client.puller(channel) as puller,
                client.publisher(channel) as publisher,
            ):
                publisher.publish_many([bid(1), bid(2)])
                found.append(client.publish("auction", bid(3)).seq)
                for delivery in subscription:
                    found.append(delivery.seq)
                    delivery.ack()
                    if delivery.seq == 3:
                        break
                for pulled in puller.pull(9, lease=5):
                    found.append(pulled.seq)
                    pulled.ack()
        return found

    assert await asyncio.to_thread(work) == [3, 2, 3, 1, 2, 3]


async def test_nothing_is_left_behind_by_a_client_that_is_closed(served: HttpService) -> None:
    client = await served.client()
    channel = await client.create_channel()
    for _ in range(5):
        await client.subscribe(channel, "$price > 1")
    await client.publish(channel, bid(1))
    waiting = asyncio.create_task((await client.puller(channel)).pull())
    await asyncio.sleep(0.01)
    await client.close()
    with pytest.raises(Disconnected):
        await waiting
    assert await (await (await served.client()).channel(channel.id)).proxies() == []
