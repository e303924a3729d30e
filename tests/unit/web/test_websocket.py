"""Subscriptions that a WebSocket's query makes, resumes, and begins in the past."""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.parse import quote

import pytest
from websockets.exceptions import InvalidStatus

from tests.unit.engine.hosts import run, until
from tests.unit.web.served import PERSISTENT, ServedDoor, priced, served
from tidings.web.options import WebOptions


def _path(channel: int, **query: object) -> str:
    asked = "&".join(f"{name}={quote(str(value), safe='/&=')}" for name, value in query.items())
    return f"/v1/channels/{channel}/subscribe?{asked}"


async def _refused(door: ServedDoor, path: str) -> int:
    with pytest.raises(InvalidStatus) as caught:
        async with door.wire(path):
            pass
    return caught.value.response.status_code


def test_a_query_subscribes() -> None:
    async def work() -> None:
        async with served() as door:
            channel = await door.channel()
            path = _path(channel, filter="$price > 10", types="Auction::*", window=5)
            async with door.wire(path, subprotocols=["tidings.v1"]) as wire:
                assert wire.connection.subprotocol == "tidings.v1"
                hello = await wire.receive("connected")
                assert (hello["line"], hello["channel"], hello["name"]) == (0, channel, "")
                await door.publish(channel, 5, 15)
                (found,) = await wire.events(1)
                assert found["event"] == priced(15)
                await wire.send(op="ack", line=0, seqs=[2])
                proxy = hello["proxy"]
                await until(lambda: door.seen(channel, proxy).in_flight == 0)
            # A client that says good-bye needs it no more.
            await until(lambda: proxy not in door.host.factory.channel(channel).proxies)

    run(work())


def test_one_without_a_name_stays_a_while_after_a_cut() -> None:
    async def work() -> None:
        async with served(WebOptions(unnamed_lifetime=0.05)) as door:
            channel = await door.channel()
            async with door.wire(_path(channel)) as wire:
                proxy = (await wire.receive("connected"))["proxy"]
                await wire.cut()
            await until(lambda: not door.seen(channel, proxy).attached)
            await until(lambda: proxy not in door.host.factory.channel(channel).proxies)

    run(work())


def test_a_name_resumes_what_was_there() -> None:
    async def work() -> None:
        async with served() as door:
            channel = await door.channel()
            path = _path(channel, name="hall", filter="$price > 0")
            async with door.wire(path) as wire:
                first = await wire.receive("connected")
                await door.publish(channel, 1)
                await wire.events(1)
            await door.publish(channel, 2)
            async with door.wire(_path(channel, name="hall", since=0)) as wire:
                assert await wire.receive("connected") == first
                found = await wire.receive("events")
                assert [one["seq"] for one in found["events"]] == [1, 2]
                assert found["again"] == [1]
                assert "replayed" not in found
            assert await _refused(door, _path(channel, name="hall", filter="$price > 1")) == 409
            await door.proxy(channel, side="supplier", name="desk")
            assert await _refused(door, _path(channel, name="desk")) == 409

    run(work())


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"filter": "$price >"}, 422),
        ({"window": 0}, 422),
        ({"window": "many"}, 422),
        ({"fitler": "$price > 1"}, 400),
        ({"name": "x&name=y"}, 400),
        ({"since": "yesterday"}, 400),
        ({"after": 7}, 410),
        ({"name": "x" * 300}, 422),
    ],
)
def test_a_bad_query_makes_nothing(query: dict[str, object], status: int, tmp_path: Path) -> None:
    async def work() -> None:
        async with served(folder=tmp_path) as door:
            channel = await door.channel()
            assert await _refused(door, _path(channel, **query)) == status
            await until(lambda: not door.host.factory.channel(channel).proxies)
            assert len(door.state.lifetimes) == 0
            assert await _refused(door, _path(99)) == 404

    run(work())


def test_the_past_comes_first_and_then_what_goes_on_without_a_gap(tmp_path: Path) -> None:
    async def work() -> None:
        async with served(folder=tmp_path) as door:
            channel = await door.channel(**PERSISTENT)
            await door.publish(channel, *range(1, 450))

            async def go_on() -> None:
                for price in range(450, 480):
                    await door.publish(channel, price)

            going = asyncio.ensure_future(go_on())
            async with door.wire(_path(channel, after=5, filter="$price >= 0")) as wire:
                await wire.receive("connected")
                seen: list[int] = []
                replayed: set[int] = set()
                while len(seen) < 474:
                    frame = await wire.receive("events")
                    seqs = [one["seq"] for one in frame["events"]]
                    seen += seqs
                    if frame.get("replayed"):
                        replayed.update(seqs)
                    else:
                        await wire.send(op="ack", line=0, seqs=seqs)
                await going
            assert seen == list(range(6, 480))
            assert replayed >= set(range(6, 450))

    run(work())


def test_the_past_from_a_time_on(tmp_path: Path) -> None:
    async def work() -> None:
        async with served(folder=tmp_path) as door:
            channel = await door.channel(**PERSISTENT)
            await door.publish(channel, 1)
            await door.publish(channel, 2)
            page = await door.ask("GET", f"/v1/channels/{channel}/events")
            since = page["events"][1]["arrival"]
            door.host.losses.add_events(channel, [1])  # as if its record were damaged
            async with door.wire(_path(channel, since=since)) as wire:
                await wire.receive("connected")
                frame = await wire.receive("events")
                assert (frame["events"], frame["lost"]) == ([], [[1, 1]])
                frame = await wire.receive("events")
                assert frame["replayed"] is True
                assert [one["seq"] for one in frame["events"]] == [2]
                await door.publish(channel, 3)
                assert (await wire.events(1))[0]["seq"] == 3

    run(work())
