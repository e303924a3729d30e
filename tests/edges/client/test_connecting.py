"""Addresses and settings to connect with, and nobody, or somebody else, at the other end."""

from __future__ import annotations

import asyncio
import math
import socket
import ssl
from typing import Any

import pytest

from tidings.client.connecting import connect, connect_sync
from tidings.client.transports.http.transport import HttpTransport, checked_url
from tidings.client.transports.iiop.transport import callback_address
from tidings.errors import InvalidUsage, Unreachable
from tidings.events.reference import Reference
from tidings.orb.ior import make_reference


@pytest.mark.parametrize(
    "url",
    [
        *("", "h:80", "ftp://h", "http://", "http://h:x", "http://h?q", "http://u:p@h"),
        *("http://[h", "http://a b", "http://h/\x7f", None, 8080),
    ],
)
def test_what_is_no_address_of_the_web_is_refused(url: Any) -> None:
    with pytest.raises(InvalidUsage, match="is no address of a service"):
        checked_url(url)


@pytest.mark.parametrize(
    ("url", "settings", "why"),
    [
        *(
            (url, {}, "is no address of a service")
            for url in ("iiop:", "iiop://", "corbaloc::/x", "IOR:00zz", "iiop://h:1/%zz")
        ),
        *(
            ("iiop://localhost", settings, "a CORBA address, over which there is no token")
            for settings in ({"token": "x"}, {"on_connection": print})
        ),
        ("http://localhost:1", {"listen": "127.0.0.1:0"}, "only a CORBA service calls back"),
    ],
)
async def test_wrong_settings_are_refused(url: str, settings: dict[str, Any], why: str) -> None:
    with pytest.raises(InvalidUsage, match=why):
        await connect(url, **settings)


@pytest.mark.parametrize("patience", [-1, math.nan, "5", None])
def test_patience_is_a_time(patience: Any) -> None:
    with pytest.raises(InvalidUsage, match="patience is a number of seconds"):
        HttpTransport("http://h", patience=patience)


async def test_nobody_there_is_told_after_patience() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = "http://{}:{}".format(*taken.getsockname())
    with pytest.raises(Unreachable, match="cannot be reached"):
        await connect(url, patience=0.05)
    with pytest.raises(Unreachable, match="cannot be reached"):
        connect_sync(url, patience=0.05)


@pytest.mark.parametrize(
    "url",
    [
        *("http://127.0.0.1:{}", "iiop://127.0.0.1:{}"),
        "corbaloc::127.0.0.1:{}/NotificationService",
        "corbaname::127.0.0.1:{}#NotificationService",
    ],
)
async def test_who_is_there_and_never_answers_is_waited_for_as_long_as_patience_says(
    url: str,
) -> None:
    # Whoever connects is taken by the system, and nobody ever reads what it sends.
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(Unreachable) as told:
        async with asyncio.timeout(25):  # the time an answer may take is 30 s and more
            await connect(url.format(silent.getsockname()[1]), patience=0.1)
    assert "gave no answer within 1 s" in str(told.value)


async def test_a_service_to_which_no_way_leads_is_told() -> None:
    with pytest.raises(InvalidUsage, match="has no address"):
        await callback_address(None, Reference())
    nowhere = make_reference("IDL:x:1.0", "no.such.host.invalid", 2809, b"x")
    with pytest.raises(Unreachable, match="there is no way to"):
        await callback_address(None, nowhere)


async def test_whom_https_trusts_is_never_everybody() -> None:
    transport = HttpTransport("https://localhost:1")
    assert transport._tls is not None
    assert transport._tls.verify_mode is ssl.CERT_REQUIRED
    await transport.close()
