"""WebSockets and tails: frames in order, lines that come and go, slow peers, and the past."""

from __future__ import annotations

import asyncio
import json
import socket as sockets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from websockets.exceptions import InvalidStatus

from tests.edges.engine.hosts import until
from tests.edges.engine.recorded_answers import RecordedAnswers, delivery
from tests.edges.web.served import EVENT, PERSISTENT, ServedDoor, Wire, priced, served
from tests.patience import PATIENCE
from tidings.api.frames import MAX_FRAME_EVENTS
from tidings.engine import turns
from tidings.engine.turns import Turns
from tidings.web.options import WebOptions
from tidings.web.tail import TailBuffer


async def _pushed(wire: Wire, id: int, channel: int, proxy: int, **more: Any) -> Any:
    return await wire.ask(op="push", id=id, channel=channel, proxy=proxy, **more)


async def _supplier(door: ServedDoor, wire: Wire) -> tuple[int, int]:
    """A channel, and a supplier's proxy that is connected as line 1."""
    channel = await door.channel()
    proxy = await door.proxy(channel, side="supplier")
    await wire.connect(1, channel, proxy)
    return channel, proxy


async def test_a_bad_event_spoils_only_its_own_place() -> None:
    async with served() as door, door.wire() as wire:
        channel, supplier = await _supplier(door, wire)
        bad = {"domain": "Auction"}
        marks = [["me", 1], ["me", 2], ["me", 3]]
        found = await _pushed(wire, 5, channel, supplier, events=[EVENT, bad, EVENT],
                              marks=marks)  # fmt: skip
        first, second, third = found["results"]
        assert (first, third) == (1, 2)
        assert second["error"]["code"] == "invalid_event"
        assert door.state.counts.rejected == 1
        later = await _pushed(wire, 6, channel, supplier, events=[EVENT], producer="me",
                              number=2)  # fmt: skip
        assert later["results"] == [3]  # its number was not used up


async def test_a_push_that_cannot_be_done_is_an_error_and_the_socket_stays() -> None:
    async with served(WebOptions(max_batch=2)) as door, door.wire() as wire:
        channel = await door.channel()
        supplier = await door.proxy(channel, side="supplier")
        refused = await _pushed(wire, 1, channel, 99, events=[EVENT])
        assert (refused["op"], refused["problem"]["code"]) == ("error", "proxy_not_found")
        refused = await _pushed(wire, 2, channel, supplier, events=[EVENT])
        assert refused["problem"]["code"] == "disconnected"
        await wire.connect(3, channel, supplier)
        refused = await _pushed(wire, 4, channel, supplier, events=[EVENT] * 3)
        assert refused["problem"]["code"] == "limit_exceeded"
        refused = await _pushed(wire, 5, channel, supplier, events=[EVENT], producer="",
                                number=1)  # fmt: skip
        assert refused["problem"]["code"] == "invalid_event"
        assert (await _pushed(wire, 6, channel, supplier, events=[EVENT]))["results"] == [1]


MANY = f'"events":[{",".join(["1"] * (MAX_FRAME_EVENTS + 1))}]'


@pytest.mark.parametrize(
    ("text", "code", "problem", "id"),
    [
        ('{"op":"dance","id":3}', 1008, "dance", 3),
        ('{"op":"ack","line":1,"seqs":[1],"colour":"red"}', 1008, "colour", None),
        ('{"op":"ack","line":"one","seqs":[1]}', 1008, "line", None),
        ('{"op":"ack","line":1,"line":2,"seqs":[]}', 1007, "twice", None),
        ("[1,2]", 1008, "object", None),
        ('{"op":', 1007, "ends too early", None),
        (b"\x00", 1003, "text", None),
        ('{"op":"push","id":7,"channel":1,"proxy":1,' + MANY + "}", 1008, "events", 7),
    ],
)
async def test_a_frame_that_cannot_be_understood_closes_the_socket(
    text: str | bytes, code: int, problem: str, id: int | None
) -> None:
    async with served() as door, door.wire() as wire:
        await wire.connection.send(text)
        found = await wire.receive("error")
        assert found["id"] == id
        assert problem in found["problem"]["detail"]
        assert (await wire.closed())[0] == code


async def test_what_was_in_flight_when_the_socket_was_cut_comes_again() -> None:
    async with served() as door:
        channel = await door.channel()
        consumer = await door.proxy(channel, name="hall")
        async with door.wire() as wire:
            await wire.connect(1, channel, consumer, window=2)
            await door.publish(channel, 1, 2, 3)
            assert [one["seq"] for one in await wire.events(2)] == [1, 2]
            await wire.send(op="ack", line=1, seqs=[1])
            assert [one["seq"] for one in await wire.events(1)] == [3]
            await wire.cut()
        await until(lambda: not door.seen(channel, consumer).attached)
        async with door.wire() as wire:
            await wire.connect(2, channel, consumer)  # nobody is there who would be turned out
            async with door.wire() as other:
                refused = await other.ask(op="connect", id=1, line=1, channel=channel,
                                          proxy=consumer)  # fmt: skip
                assert refused["problem"]["code"] == "already_connected"
            found = await wire.receive("events")
            assert (found["line"], found["again"]) == (2, [2, 3])
            await wire.send(op="ack", line=2, seqs=[2, 3])
            await door.publish(channel, 4)
            later = await wire.receive("events")
            assert "again" not in later


async def test_who_takes_a_line_over_has_the_other_told() -> None:
    async with served() as door, door.wire() as first, door.wire() as second:
        channel = await door.channel()
        consumer = await door.proxy(channel, name="hall")
        await first.connect(1, channel, consumer)
        await second.connect(1, channel, consumer, again=True)
        gone = await first.receive("gone")
        assert (gone["line"], gone["problem"]["code"]) == (1, "disconnected")
        await door.publish(channel, 7)
        assert len(await second.events(1)) == 1
        await first.send(op="ack", line=1, seqs=[1])  # what it has no say in any more
        await first.connect(1, channel, consumer, again=True)
        assert (await first.receive("events"))["again"] == [1]


async def test_a_line_is_released_with_its_proxy_or_without() -> None:
    async with served() as door, door.wire() as wire:
        channel = await door.channel()
        consumer = await door.proxy(channel, name="hall")
        await wire.connect(1, channel, consumer)
        refused = await wire.ask(op="connect", id=8, line=1, channel=channel, proxy=consumer)
        assert "in use" in refused["problem"]["detail"]
        assert (await wire.ask(op="release", id=2, line=1))["op"] == "ok"
        view = f"/v1/channels/{channel}/proxies/{consumer}"
        assert (await door.ask("GET", view))["attached"] is False
        await wire.connect(1, channel, consumer, again=True)
        assert (await wire.ask(op="release", id=3, line=1, end=True))["op"] == "ok"
        await door.ask("GET", view, status=404)


async def test_a_pull_supplier_is_polled() -> None:
    async with served() as door, door.wire() as wire, door.wire() as other:
        channel = await door.channel()
        supplier = await door.proxy(channel, side="supplier", style="pull")
        consumer = await door.proxy(channel)
        await other.connect(1, channel, consumer)
        await wire.connect(1, channel, supplier)
        poll = await wire.receive("poll")
        assert (poll["line"], poll["most"]) == (1, 1)
        await wire.send(op="polled", line=1, poll=poll["poll"], events=[{"domain": 7}])
        refused = await wire.receive("error")
        assert (refused["id"], refused["problem"]["code"]) == (None, "invalid_event")
        poll = await wire.receive("poll")
        await wire.send(op="polled", line=1, poll=poll["poll"], events=[EVENT])
        assert (await other.events(1))[0]["event"] == EVENT
        poll = await wire.receive("poll")
        await wire.send(op="polled", line=1, poll=poll["poll"], reason="no more", gone=True)
        await until(lambda: supplier not in door.host.factory.channel(channel).proxies)


async def test_clients_hear_which_types_are_offered_and_wanted() -> None:
    async with served() as door, door.wire() as wire:
        channel = await door.channel()
        supplier = await door.proxy(channel, side="supplier")
        await wire.send(op="connect", id=1, line=1, channel=channel, proxy=supplier)
        assert (await wire.receive()) == {"op": "ok", "id": 1}
        consumer = await door.proxy(channel, types=["Auction::books"])
        await wire.send(op="connect", id=2, line=2, channel=channel, proxy=consumer)
        frames = [await wire.receive() for _ in range(2)]
        (found,) = [one for one in frames if one["op"] == "types"]
        assert (found["line"], found["added"]) == (1, ["Auction::books"])


async def test_a_peer_that_does_not_read_is_closed_while_others_go_on() -> None:
    options = WebOptions(max_socket_octets=500_000, write_patience=0.2)
    async with served(options) as door, door.wire() as good:
        channel = await door.channel()
        slow_proxy = await door.proxy(channel, name="slow")
        good_proxy = await door.proxy(channel, name="good")
        supplier = await door.proxy(channel, side="supplier")
        await good.connect(1, channel, good_proxy, window=10_000)
        await good.connect(2, channel, supplier)
        small = sockets.socket()
        small.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4_096)
        small.setblocking(False)
        await asyncio.get_running_loop().sock_connect(small, ("127.0.0.1", door.port))
        async with door.wire(sock=small, max_queue=1) as slow:
            await slow.connect(1, channel, slow_proxy, window=100_000)
            large = {**priced(1), "body": "x" * 200_000}
            taken = 0
            for id in range(60):
                await good.send(op="push", id=id, channel=channel, proxy=supplier,
                                events=[large])  # fmt: skip
                for frame in [await good.receive() for _ in range(2)]:
                    if frame["op"] == "events":
                        taken += len(frame["events"])
            await until(lambda: door.state.counts.websockets == 1)
            assert taken == 60
            assert not door.seen(channel, slow_proxy).attached
            await slow.cut()
        async with door.wire() as back:  # nothing is lost for it
            await back.connect(1, channel, slow_proxy, window=2, again=True)
            came: list[int] = []
            while len(came) < 60:
                frame = await back.receive("events")
                came += (seqs := [one["seq"] for one in frame["events"]])
                await back.send(op="ack", line=1, seqs=seqs)
            assert came == list(range(1, 61))


async def test_pushes_under_way_are_bounded() -> None:
    options = WebOptions(max_socket_octets=100_000)
    async with served(options) as door, door.wire() as wire:
        channel, supplier = await _supplier(door, wire)
        large = {**priced(1), "body": "x" * 60_000}
        for id in range(20):
            await wire.send(op="push", id=id, channel=channel, proxy=supplier, events=[large])
        found = [(await wire.receive("pushed"))["id"] for _ in range(20)]
        assert found == list(range(20))


async def test_who_waited_for_a_frame_does_not_stand_behind_long_work() -> None:
    now, given = 0, 0

    async def give(self: Turns) -> None:
        nonlocal given
        given += 1

    async def work() -> None:
        nonlocal now
        async with served() as door, door.wire() as wire:
            channel, supplier = await _supplier(door, wire)
            for id in range(3):
                now += 1_000_000
                await _pushed(wire, id, channel, supplier, events=[EVENT])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(turns, "monotonic_microseconds", lambda: now)
        patch.setattr(Turns, "give", give)
        await work()
    assert not given


def _path(channel: int, **query: object) -> str:
    asked = "&".join(f"{name}={quote(str(value), safe='/&=')}" for name, value in query.items())
    return f"/v1/channels/{channel}/subscribe?{asked}"


async def _refused(door: ServedDoor, path: str) -> int:
    with pytest.raises(InvalidStatus) as caught:
        async with door.wire(path):
            pass
    return caught.value.response.status_code


async def test_a_name_resumes_what_was_there() -> None:
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


@pytest.mark.parametrize(
    ("query", "status"),
    [
        *(({"filter": "$price >"}, 422), ({"window": 0}, 422), ({"window": "many"}, 422)),
        *(({"fitler": "$price > 1"}, 400), ({"name": "x&name=y"}, 400)),
        *(({"since": "yesterday"}, 400), ({"after": 7}, 410), ({"name": "x" * 300}, 422)),
    ],
)
async def test_a_bad_query_makes_nothing(
    query: dict[str, object], status: int, tmp_path: Path
) -> None:
    async with served(folder=tmp_path) as door:
        channel = await door.channel()
        assert await _refused(door, _path(channel, **query)) == status
        await until(lambda: not door.host.factory.channel(channel).proxies)
        assert len(door.state.lifetimes) == 0
        assert await _refused(door, _path(99)) == 404


async def test_the_past_comes_first_and_then_what_goes_on_without_a_gap(tmp_path: Path) -> None:
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


async def test_the_past_from_a_time_on(tmp_path: Path) -> None:
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


async def test_there_are_as_many_tails_and_uploads_as_there_may_be() -> None:
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


async def test_a_reader_is_told_what_of_the_past_is_lost(tmp_path: Path) -> None:
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


async def test_a_number_that_is_not_kept_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    async with served(folder=tmp_path) as door:
        channel = await door.channel(**PERSISTENT)
        found = await door.client.get(f"/v1/channels/{channel}/tail?after=9")
        assert found.json()["code"] == "cursor_not_found"
        await until(lambda: not door.host.factory.channel(channel).proxies)


async def test_it_shows_that_it_is_still_there_and_says_when_it_ends() -> None:
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


async def test_a_reader_that_is_too_slow_gets_an_end() -> None:
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
