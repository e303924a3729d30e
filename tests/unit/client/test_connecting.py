from __future__ import annotations

import asyncio
import socket

import pytest

from tidings.client.connecting import connect, connect_sync
from tidings.errors import InvalidUsage, Unreachable


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def test_nobody_there_is_told_after_patience() -> None:
    url = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(Unreachable, match="cannot be reached"):
        asyncio.run(connect(url, patience=0.05))
    with pytest.raises(Unreachable, match="cannot be reached"):
        connect_sync(url, patience=0.05)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:{}",
        "iiop://127.0.0.1:{}",
        "corbaloc::127.0.0.1:{}/NotificationService",
        "corbaname::127.0.0.1:{}#NotificationService",
    ],
)
def test_who_is_there_and_never_answers_is_waited_for_as_long_as_patience_says(url: str) -> None:
    async def scene() -> None:
        # Whoever connects is taken by the system, and nobody ever reads what it sends.
        with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(Unreachable) as told:
            async with asyncio.timeout(8):  # the time an answer may take is 30 s and more
                await connect(url.format(silent.getsockname()[1]), patience=0.1)
        assert "gave no answer within 1 s" in str(told.value)

    asyncio.run(scene())


def test_what_is_no_address_is_told() -> None:
    with pytest.raises(InvalidUsage):
        connect_sync("nowhere")
