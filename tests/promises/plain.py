"""A service as programs without our client see it: plain HTTP, WebSockets, server-sent events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from websockets.asyncio.client import connect

from tests.edges.web.served import Wire, priced
from tests.patience import PATIENCE
from tests.promises.services import HttpService, seen

__all__ = ["CHANNEL", "PlainWeb", "Tail", "outline", "plain"]

CHANNEL = "auction"


def outline(events: Iterable[dict[str, Any]]) -> list[tuple[int, bool]]:
    """The numbers of events, and whether they came before."""
    return [(one["seq"], one["redelivered"]) for one in events]


class Tail:
    """Reads server-sent events."""

    def __init__(self, lines: AsyncIterator[str]) -> None:
        self._lines = lines

    async def events(self, count: int) -> list[int]:
        """The numbers of the next events."""
        found: list[int] = []
        async with asyncio.timeout(PATIENCE):
            while len(found) < count:
                line = await anext(self._lines)
                if line.startswith("id: "):
                    found.append(int(line.removeprefix("id: ")))
        return found


class PlainWeb:
    """HTTP and WebSockets to a service with one channel.

    Args:
        http: Asks the service.
        port: Where it is.
    """

    def __init__(self, http: httpx2.AsyncClient, port: int) -> None:
        self.http = http
        self.port = port

    async def ask(
        self, method: str, path: str, body: object = None, headers: dict[str, str] | None = None
    ) -> Any:
        """The answer to a request about the channel, which must be a good one."""
        place = f"/v1/channels/{CHANNEL}{path}"
        answer = await self.http.request(method, place, json=body, headers=headers)
        answer.raise_for_status()
        return answer.json() if answer.content else None

    async def create(self) -> int:
        """Makes the channel, whose events are Persistent; its id."""
        made = await self.http.post("/v1/channels", json={"name": CHANNEL})
        return int(made.raise_for_status().json()["id"])

    async def proxy(self, **given: Any) -> int:
        """A new proxy's id."""
        return int((await self.ask("POST", "/proxies", given))["id"])

    async def publish(self, *prices: int, **headers: str) -> list[int]:
        """Sends a batch; its numbers."""
        events = [priced(price) for price in prices]
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        found = await self.ask("POST", "/events", events, named)
        return [one["seq"] for one in found["results"]]

    async def pull(self, proxy: int | str, **asked: Any) -> list[tuple[int, bool]]:
        """What a pull consumer is given."""
        return outline((await self.ask("POST", f"/proxies/{proxy}/pull", asked))["events"])

    async def waits(self, proxy: int | str) -> tuple[int, int]:
        """How many events wait at a proxy, and how many are under way."""
        found = await self.ask("GET", f"/proxies/{proxy}")
        return found["waiting"], found["in_flight"]

    async def proxies(self) -> set[int]:
        """Those there are."""
        return {one["id"] for one in (await self.ask("GET", "/proxies"))["proxies"]}

    async def consumers(self) -> set[int]:
        """The consumers' among them."""
        found = (await self.ask("GET", "/proxies"))["proxies"]
        return {one["id"] for one in found if one["side"] == "consumer"}

    async def without(self, *gone: int) -> set[int]:
        """The proxies there are as soon as some are gone."""
        return await seen(self.proxies, lambda there: there.isdisjoint(gone))

    @asynccontextmanager
    async def wire(self, path: str = "/v1/ws") -> AsyncIterator[Wire]:
        """A WebSocket."""
        async with connect(f"ws://127.0.0.1:{self.port}{path}", compression=None) as connection:
            yield Wire(connection)

    @asynccontextmanager
    async def tail(self, **headers: str) -> AsyncIterator[Tail]:
        """A stream of events that has begun."""
        place = f"/v1/channels/{CHANNEL}/tail"
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        async with self.http.stream("GET", place, headers=named) as response:
            assert response.status_code == 200, await response.aread()
            yield Tail(response.aiter_lines())

    async def push_and_vanish(self, price: int, producer: str, number: int) -> None:
        """Sends an event, and goes away before there can be an answer."""
        body = json.dumps(priced(price)).encode()
        head = (
            f"POST /v1/channels/{CHANNEL}/events HTTP/1.1\r\nHost: localhost\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
            f"Tidings-Producer: {producer}\r\nTidings-Number: {number}\r\n\r\n"
        )
        _, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(head.encode() + body)
        await writer.drain()
        writer.transport.abort()


@asynccontextmanager
async def plain(service: HttpService) -> AsyncIterator[PlainWeb]:
    """Plain ways to a service, which is started if it does not run."""
    port = await service.start()
    base = f"http://127.0.0.1:{port}"
    async with httpx2.AsyncClient(base_url=base, timeout=PATIENCE, trust_env=False) as http:
        yield PlainWeb(http, port)
