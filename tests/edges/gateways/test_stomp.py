"""A STOMP connection to whatever answers: refusals, garbage, silence."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from stompman import SendFrame

from tests.patience import PATIENCE
from tidings.gateways.brokers.stomp import StompLine, StompLost, StompRefused

HELLO = b"CONNECTED\nversion:1.2\nheart-beat:%b\n\n\0"


@asynccontextmanager
async def answering(*answers: bytes) -> AsyncIterator[int]:
    """A server that says something after each frame it gets, and then waits."""
    done = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for answer in answers:
            await reader.readuntil(b"\0")
            writer.write(answer)
        await done.wait()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port: int = server.sockets[0].getsockname()[1]
    yield port
    done.set()
    server.close()
    await server.wait_closed()


async def opened(port: int) -> StompLine:
    return await StompLine.open("127.0.0.1", port, None, {"login": "me"}, 60, lambda _: None)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            b"ERROR\nmessage:no entry\n\njava.lang.SecurityException\n\tat x\n\0",
            "SecurityException",
        ),
        (b"MESSAGE\nsubscription:1\nmessage-id:1\ndestination:/x\n\n\0", "does not speak STOMP"),
    ],
)
async def test_who_does_not_greet_is_no_broker(answer: bytes, words: str) -> None:
    async with answering(answer) as port:
        with pytest.raises(StompLost, match=words):
            await opened(port)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"ERROR\nmessage:out of memory\n\n\0", "out of memory"),
        (b"RECEIPT\nfoo:bar\n\n\0", "cannot be read"),
        (b"MESSAGE\ncontent-length:5\n\n\xff\xff\0", "heart-beat has stopped"),
        (b"", "heart-beat has stopped"),
    ],
)
async def test_a_connection_that_is_of_no_use_is_lost_with_the_cause(
    answer: bytes, words: str
) -> None:
    async with answering(HELLO % b"50,0", answer) as port:
        line = await opened(port)
        with pytest.raises(StompLost, match=words):
            await line.request(SendFrame, {"destination": "/topic/x"}, body=b"x")
        async with asyncio.timeout(PATIENCE):
            assert words in await line.lost
        with pytest.raises(StompLost, match=words):
            await line.request(SendFrame, {"destination": "/topic/x"})
        await line.close()


async def test_a_refused_frame_leaves_the_connection_as_it_is() -> None:
    refusal = b"ERROR\nreceipt-id:1\nmessage:no such topic\n\n\0"
    receipts = [b"RECEIPT\nreceipt-id:%d\n\n\0" % number for number in (2, 3)]
    async with answering(HELLO % b"0,0", refusal, *receipts) as port:
        line = await opened(port)
        with pytest.raises(StompRefused, match="no such topic"):
            await line.request(SendFrame, {"destination": "/topic/x"}, body=b"x")
        await line.request(SendFrame, {"destination": "/topic/y"}, body=b"x")
        assert not line.lost.done()
        await line.close()
