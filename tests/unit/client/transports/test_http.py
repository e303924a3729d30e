from __future__ import annotations

import asyncio
import math
import ssl
from typing import Any

import pytest

from tidings.channel.management import Connect, DestroyChannel
from tidings.client.transports.http import HttpTransport, checked_url
from tidings.errors import InvalidUsage, Stopping


@pytest.mark.parametrize("url", ["http://localhost:8080", "https://h", "http://[::1]:80/tidings"])
def test_addresses_are_roots_of_services(url: str) -> None:
    assert checked_url(f"{url}/") == checked_url(url) == url
    scheme, rest = url.split(":", 1)
    assert checked_url(f" {scheme.upper()}:{rest}") == url


@pytest.mark.parametrize(
    "url",
    [
        "",
        "h:80",
        "ftp://h",
        "http://",
        "http://h:x",
        "http://h?q",
        "http://u:p@h",
        "http://[h",
        "http://a b",
        "http://h/\x7f",
        None,
        8080,
    ],
)
def test_what_is_no_address_is_refused(url: Any) -> None:
    with pytest.raises(InvalidUsage, match="is no address of a service"):
        checked_url(url)


@pytest.mark.parametrize("patience", [-1, math.nan, "5", None])
def test_patience_is_a_time(patience: Any) -> None:
    with pytest.raises(InvalidUsage, match="patience is a number of seconds"):
        HttpTransport("http://h", patience=patience)


def test_a_closed_transport_does_nothing_any_more() -> None:
    async def scene() -> None:
        transport = HttpTransport("http://127.0.0.1:1", patience=0.1)
        await transport.close()
        await transport.close()
        for asking in (
            transport.ask(DestroyChannel(1)),
            transport.channels(),
            transport.receive(Connect(1, 2), None),
            transport.pull(1, 2, 1, 0, None),
        ):
            with pytest.raises(Stopping, match="the client is closed"):
                await asking

    asyncio.run(scene())


def test_a_window_holds_at_least_one_event() -> None:
    async def scene() -> None:
        transport = HttpTransport("http://127.0.0.1:1", patience=0.1)
        with pytest.raises(InvalidUsage, match="at least one event, not 0"):
            await transport.receive(Connect(1, 2, window=0), None)
        await transport.close()

    asyncio.run(scene())


def test_whom_https_trusts_is_never_everybody() -> None:
    async def scene() -> None:
        transport = HttpTransport("https://localhost:1")
        assert transport._tls is not None
        assert transport._tls.verify_mode is ssl.CERT_REQUIRED
        await transport.close()

    asyncio.run(scene())
