"""Server-sent events: live, resumed, and for readers that are too slow."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.unit.engine.hosts import PATIENCE, run, until
from tests.unit.engine.recorded_answers import RecordedAnswers, delivery
from tests.unit.web.served import PERSISTENT, ServedDoor, priced, served
from tidings.web.options import WebOptions
from tidings.web.tail import TailBuffer


class Reader:
    """Reads a stream block by block."""

    def __init__(self, lines: AsyncIterator[str]) -> None:
        self._lines = lines

    async def block(self) -> dict[str, str]:
        """The next block: its fields; a comment is the field without a name."""
        found: dict[str, str] = {}
        while line := await asyncio.wait_for(anext(self._lines), PATIENCE):
            name, _, value = line.partition(":")
            found[name] = value.strip()
        return found

    async def events(self, count: int) -> list[Any]:
        """The next events; comments are passed over."""
        found: list[Any] = []
        while len(found) < count:
            block = await self.block()
            if "event" in block:
                assert block["event"] == "event", block
                data = json.loads(block["data"])
                assert str(data["seq"]) == block["id"]
                found.append(data)
        return found


@asynccontextmanager
async def _tail(door: ServedDoor, path: str, **headers: str) -> AsyncIterator[Reader]:
    async with door.client.stream("GET", path, headers=headers) as response:
        assert response.status_code == 200, await response.aread()
        assert response.headers["content-type"].startswith("text/event-stream")
        yield Reader(response.aiter_lines())


def test_events_come_as_they_are_accepted() -> None:
    async def work() -> None:
        async with served() as door:
            channel = await door.channel()
            path = f"/v1/channels/{channel}/tail?filter=%24price%20%3E%2010"
            async with _tail(door, path) as reader:
                assert door.state.counts.tails == 1
                await reader.block()
                await door.publish(channel, 5, 11, 12)
                found = await reader.events(2)
                assert [one["event"] for one in found] == [priced(11), priced(12)]
            await until(lambda: door.state.counts.tails == 0)
            # The one shared supplier is left.
            await until(lambda: len(door.host.factory.channel(channel).proxies) == 1)
            assert len(door.state.lifetimes) == 0

    run(work())


def test_there_are_as_many_tails_and_uploads_as_there_may_be() -> None:
    async def work() -> None:
        async with served(WebOptions(max_streams=1)) as door:
            path = f"/v1/channels/{await door.channel()}"
            lines = {"content-type": "application/x-ndjson"}
            async with _tail(door, f"{path}/tail"):
                assert (await door.client.get(f"{path}/tail")).status_code == 503
                answer = await door.client.post(f"{path}/events", content=b"{}", headers=lines)
                assert answer.status_code == 503
                assert "1 tails and uploads" in answer.json()["detail"]
            await until(lambda: door.state.counts.streams == 0)
            answer = await door.client.post(f"{path}/events", content=b"{}", headers=lines)
            assert answer.status_code == 200
            assert door.state.counts.streams == 0

    run(work())


def test_a_reader_comes_back_without_a_gap(tmp_path: Path) -> None:
    async def work() -> None:
        async with served(folder=tmp_path) as door:
            channel = await door.channel(**PERSISTENT)
            path = f"/v1/channels/{channel}/tail"
            await door.publish(channel, *range(1, 300))

            async def go_on() -> None:
                for price in range(300, 330):
                    await door.publish(channel, price)

            going = asyncio.ensure_future(go_on())
            async with _tail(door, path, **{"Last-Event-ID": "3"}) as reader:
                found = await reader.events(326)
                assert [one["seq"] for one in found] == list(range(4, 330))
            await going
            async with _tail(door, f"{path}?after=327") as reader:
                assert [one["seq"] for one in await reader.events(2)] == [328, 329]

    run(work())


def test_a_reader_is_told_what_of_the_past_is_lost(tmp_path: Path) -> None:
    async def work() -> None:
        async with served(folder=tmp_path) as door:
            channel = await door.channel(**PERSISTENT)
            await door.publish(channel, 1, 2, 3)
            door.host.losses.add_events(channel, [1, 2])  # as if their records were damaged
            page = await door.ask("GET", f"/v1/channels/{channel}/events?after=1")
            assert page["lost"] == [[2, 2]]
            async with _tail(door, f"/v1/channels/{channel}/tail?after=0") as reader:
                await reader.block()
                assert await reader.block() == {"event": "lost", "data": "[[1,2]]"}
                assert len(await reader.events(3)) == 3

    run(work())


def test_what_cannot_be_tailed() -> None:
    async def work() -> None:
        async with served() as door:
            channel = await door.channel()
            path = f"/v1/channels/{channel}/tail"
            await door.refused("GET", f"{path}?filter=(", None, 422, "invalid_constraint")
            bad = await door.client.get(path, headers={"Last-Event-ID": "x"})
            assert bad.status_code == 422
            assert not door.host.factory.channel(channel).proxies

    run(work())


def test_a_number_that_is_not_kept_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    async def work() -> None:
        async with served(folder=tmp_path) as door:
            channel = await door.channel(**PERSISTENT)
            found = await door.client.get(f"/v1/channels/{channel}/tail?after=9")
            assert found.json()["code"] == "cursor_not_found"
            await until(lambda: not door.host.factory.channel(channel).proxies)

    run(work())


def test_it_shows_that_it_is_still_there_and_says_when_it_ends() -> None:
    async def work() -> None:
        async with served(WebOptions(heart_beat=0.01)) as door:
            channel = await door.channel()
            async with _tail(door, f"/v1/channels/{channel}/tail") as reader:
                for _ in range(3):
                    assert "" in await reader.block()
                await door.ask("DELETE", f"/v1/channels/{channel}", status=204)
                while "event" not in (block := await reader.block()):
                    pass
                assert block["event"] == "gone"
                assert json.loads(block["data"])["code"] == "disconnected"

    run(work())


def test_a_reader_that_is_too_slow_gets_an_end() -> None:
    async def work() -> None:
        for buffer in (TailBuffer(events=3), TailBuffer(octets=300)):
            answers = RecordedAnswers()
            buffer.attach(answers)
            buffer.deliver(delivery(1, 2, 3))
            assert [one.seq for one in buffer.take()] == [1, 2, 3]
            assert not buffer.filled.is_set()
            buffer.deliver(delivery(4, 5))
            buffer.deliver(delivery(6, 7))
            assert buffer.take() == []
            assert buffer.end is not None
            assert buffer.end[0] == "overflow"
            assert buffer.filled.is_set()
            buffer.deliver(delivery(8))  # still taken from the channel
            assert buffer.take() == []

    run(work())
