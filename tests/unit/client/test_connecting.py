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


def test_what_is_no_address_is_told() -> None:
    with pytest.raises(InvalidUsage):
        connect_sync("nowhere")
