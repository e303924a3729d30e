"""Connections that are slow, read nothing, or bring what is no HTTP."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.parse import urlsplit

import pytest
from websockets.asyncio.client import connect

from tests.unit.server.serving import TOKEN, scene, serving, sources
from tidings.server.connections import MOST_HEAD, Unread
from tidings.server.lifecycle import Service

CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"
SWIFT = sources(store__memory=True, http__read_patience=0.05)


async def said(service: Service, octets: bytes) -> bytes:
    """All that comes back."""
    host, _, port = service.url.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(octets)
    found = await reader.read()
    writer.close()
    return found


@pytest.mark.parametrize(
    ("octets", "status"),
    [
        (b"hello\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n" + CHUNKED, 400),
        (b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * (MOST_HEAD + 1), 431),
        (b"GET / HT", 408),
    ],
)  # fmt: skip
def test_what_is_no_request_is_answered_with_a_problem(octets: bytes, status: int) -> None:
    async def play() -> None:
        async with serving(SWIFT) as (service, _):
            head, _, body = (await said(service, octets)).partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 %d " % status)
            assert json.loads(body)["status"] == status

    scene(play)


def test_where_nothing_came_nothing_is_said() -> None:
    async def play() -> None:
        async with serving(SWIFT) as (service, _):
            assert await said(service, b"") == b""

    scene(play)


def test_an_answer_may_take_longer_than_a_request() -> None:
    async def play() -> None:
        async with serving(SWIFT) as (_, client):
            made = {"name": "x", "style": "pull"}
            (await client.post("/v1/channels", json={"name": "x"})).raise_for_status()
            (await client.post("/v1/channels/x/proxies", json=made)).raise_for_status()
            path = "/v1/channels/x/proxies/x/pull"
            assert (await client.post(path, json={"wait": 0.2})).status_code == 200

    scene(play)


@pytest.mark.parametrize(("token", "proof", "stays"), [
    (None, b"", True), (TOKEN, b"", False), (TOKEN, b"Authorization: Bearer wrong\r\n", False),
    (TOKEN, b"Authorization: Bearer " + TOKEN.encode() + b"\r\n", True),
])  # fmt: skip
def test_who_has_shown_no_token_gives_way(token: str | None, proof: bytes, stays: bool) -> None:
    given = sources(store__memory=True, http__max_unauthenticated=2, http__token=token)
    head = b"GET /v1/channels HTTP/1.1\r\nHost: localhost\r\n%s\r\n"

    async def play() -> None:
        async with serving(given) as (service, _):
            place = urlsplit(service.url)
            reader, writer = await asyncio.open_connection(place.hostname, place.port)
            writer.write(head % proof)
            await reader.readuntil(b"}")
            others = [await asyncio.open_connection(place.hostname, place.port) for _ in range(3)]
            if not stays:
                assert await reader.read() == b""
                assert service._web.counts.admissions["http"].gave_way == 2
            else:
                assert await others[0][0].read() == b""
                writer.write(head % proof)
                assert await reader.readuntil(b"}")
            for _, each in (*others, (reader, writer)):
                each.close()

    scene(play)


def test_a_websocket_keeps_its_place_until_it_ends() -> None:
    async def play() -> None:
        given = sources(store__memory=True, http__max_connections=2)
        async with serving(given) as (service, client):
            (await client.post("/v1/channels", json={"name": "x"})).raise_for_status()
            await client.aclose()
            url = service.url.replace("http:", "ws:") + "/v1/ws"
            options: dict[str, Any] = {"subprotocols": ["tidings.v1"], "proxy": None}
            async with connect(url, **options), connect(url, **options):
                assert b" 503 " in await said(service, b"")
            async with connect(url, **options):
                pass

    scene(play)


class _Closing:
    """A connection that is closed, but has something left."""

    def __init__(self, *sizes: int) -> None:
        self.transport = self
        self.aborted = False
        self.closing = True
        self._sizes = list(sizes)

    def get_write_buffer_size(self) -> int:
        return self._sizes.pop(0)

    def is_closing(self) -> bool:
        return self.closing

    def abort(self) -> None:
        self.aborted = True


def test_only_what_is_not_read_is_cut() -> None:
    stuck, slow, busy, done = (_Closing(9, 9), _Closing(9, 8, 8), _Closing(9, 9), _Closing(9, 0))
    busy.closing = False
    unread = Unread()
    connections: list[Any] = [stuck, slow, busy, done]
    unread.look(connections)
    assert not any(one.aborted for one in connections)
    unread.look(connections)
    assert [one.aborted for one in connections] == [True, False, False, False]
    unread.look([slow])
    assert slow.aborted
