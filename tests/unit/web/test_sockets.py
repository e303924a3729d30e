"""One WebSocket: frames in order, lines that come and go, peers that do not read."""

from __future__ import annotations

import asyncio
import socket as sockets
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosedError

from tests.unit.engine.hosts import run, until
from tests.unit.web.served import EVENT, Wire, priced, served
from tidings.api.frames import MAX_FRAME_EVENTS
from tidings.channel.management import Connect
from tidings.engine.endpoints import BufferEndpoint
from tidings.web.options import WebOptions


async def _pushed(wire: Wire, id: int, channel: int, proxy: int, **more: Any) -> Any:
    return await wire.ask(op="push", id=id, channel=channel, proxy=proxy, **more)


def test_what_is_pushed_is_answered_and_delivered() -> None:
    async def work() -> None:
        async with served() as door, door.wire() as wire:
            channel = await door.channel()
            supplier = await door.proxy(channel, side="supplier")
            consumer = await door.proxy(channel)
            await wire.connect(1, channel, supplier)
            await wire.connect(2, channel, consumer)
            await wire.send(op="push", id=9, channel=channel, proxy=supplier, events=[EVENT],
                            producer="me", number=4)  # fmt: skip
            frames = {frame["op"]: frame for frame in [await wire.receive() for _ in range(2)]}
            assert frames["pushed"] == {"op": "pushed", "id": 9, "results": [1]}
            events = frames["events"]
            (event,) = events["events"]
            assert (events["line"], event["event"], event["seq"]) == (2, EVENT, 1)
            assert (event["producer"], event["number"]) == ("me", 4)
            assert events["origin"] == door.host.factory.channel(channel).origin
            view = f"/v1/channels/{channel}/proxies/{consumer}"
            assert (await door.ask("GET", view))["in_flight"] == 1
            await wire.send(op="ack", line=2, seqs=[1])
            again = await _pushed(wire, 10, channel, supplier, events=[EVENT], producer="me",
                                  number=4)  # fmt: skip
            assert again["results"] == [1]  # the first answer once more
            assert (await door.ask("GET", view))["in_flight"] == 0

    run(work())


def test_a_bad_event_spoils_only_its_own_place() -> None:
    async def work() -> None:
        async with served() as door, door.wire() as wire:
            channel = await door.channel()
            supplier = await door.proxy(channel, side="supplier")
            await wire.connect(1, channel, supplier)
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

    run(work())


def test_a_push_that_cannot_be_done_is_an_error_and_the_socket_stays() -> None:
    async def work() -> None:
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

    run(work())


def test_a_push_can_tell_how_events_were_judged() -> None:
    async def work() -> None:
        async with served() as door, door.wire() as wire:
            channel = await door.channel()
            supplier = await door.proxy(channel, side="supplier")
            await wire.connect(1, channel, supplier)
            found = await _pushed(wire, 2, channel, supplier, events=[EVENT], trail=True)
            (result,) = found["results"]
            assert result["seq"] == 1
            assert result["trail"]["accepted"]

    run(work())


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
        (
            '{"op":"push","id":7,"channel":1,"proxy":1,"events":['
            + ",".join(["1"] * (MAX_FRAME_EVENTS + 1))
            + "]}",
            1008,
            "events",
            7,
        ),
    ],
)
def test_a_frame_that_cannot_be_understood_closes_the_socket(
    text: str | bytes, code: int, problem: str, id: int | None
) -> None:
    async def work() -> None:
        async with served() as door, door.wire() as wire:
            await wire.connection.send(text)
            found = await wire.receive("error")
            assert found["id"] == id
            assert problem in found["problem"]["detail"]
            assert (await wire.closed())[0] == code

    run(work())


def test_a_frame_that_is_too_long_closes_the_socket() -> None:
    async def work() -> None:
        async with served() as door, door.wire() as wire:
            with suppress(ConnectionClosedError):  # it is refused before it is all sent
                await wire.connection.send('{"op":"' + "x" * (17 * 1024 * 1024))
            assert (await wire.closed())[0] == 1009
            await until(lambda: door.state.counts.websockets == 0)

    run(work())


def test_what_was_in_flight_when_the_socket_was_cut_comes_again() -> None:
    async def work() -> None:
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

    run(work())


def test_who_takes_a_line_over_has_the_other_told() -> None:
    async def work() -> None:
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

    run(work())


def test_a_client_hears_that_its_proxy_has_ended() -> None:
    async def work() -> None:
        async with served() as door, door.wire() as wire:
            channel = await door.channel()
            consumer = await door.proxy(channel)
            await wire.connect(1, channel, consumer)
            await door.ask("DELETE", f"/v1/channels/{channel}", status=204)
            gone = await wire.receive("gone")
            assert gone["problem"]["code"] == "disconnected"
            refused = await wire.ask(op="release", id=4, line=1)
            assert refused["problem"]["code"] == "invalid_usage"

    run(work())


def test_a_line_is_released_with_its_proxy_or_without() -> None:
    async def work() -> None:
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

    run(work())


def test_failed_events_come_again_and_rejected_ones_do_not(tmp_path: Path) -> None:
    async def work() -> None:
        async with served(folder=tmp_path) as door, door.wire() as wire:
            channel = await door.channel()
            consumer = await door.proxy(channel)
            await wire.connect(1, channel, consumer)
            await door.publish(channel, 1, 2)
            await wire.events(2)
            await wire.send(op="reject", line=1, seqs=[2], reason="never")
            await wire.send(op="fail", line=1, seqs=[1], reason="later")
            found = await wire.receive("events")
            assert [one["seq"] for one in found["events"]] == found["again"] == [1]
            (letter,) = (await door.ask("GET", "/v1/dead-letters"))["dead_letters"]
            assert letter["causes"][0]["reason"] == "never"

    run(work())


def test_a_pull_supplier_is_polled() -> None:
    async def work() -> None:
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

    run(work())


def test_clients_hear_which_types_are_offered_and_wanted() -> None:
    async def work() -> None:
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

    run(work())


def test_a_sequence_consumer_gets_batches() -> None:
    async def work() -> None:
        async with served() as door, door.wire() as wire:
            channel = await door.channel()
            consumer = await door.proxy(channel, form="sequence", qos={"MaximumBatchSize": 2})
            supplier = await door.proxy(channel, side="supplier", form="sequence")
            await wire.connect(1, channel, consumer, window=10)
            await wire.connect(2, channel, supplier)
            await wire.send(op="push", id=3, channel=channel, proxy=supplier, events=[EVENT] * 4)
            frames = [await wire.receive() for _ in range(3)]
            batches = [one for one in frames if one["op"] == "events"]
            assert [(len(one["events"]), one["batch"]) for one in batches] == [(2, True)] * 2

    run(work())


def test_a_peer_that_does_not_read_is_closed_while_others_go_on() -> None:
    async def work() -> None:
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
                    got = 0
                    while got < 2:
                        frame = await good.receive()
                        got += 1
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

    run(work())


def test_pushes_under_way_are_bounded() -> None:
    async def work() -> None:
        options = WebOptions(max_socket_octets=100_000)
        async with served(options) as door, door.wire() as wire:
            channel = await door.channel()
            supplier = await door.proxy(channel, side="supplier")
            await wire.connect(1, channel, supplier)
            large = {**priced(1), "body": "x" * 60_000}
            for id in range(20):
                await wire.send(op="push", id=id, channel=channel, proxy=supplier, events=[large])
            found = [(await wire.receive("pushed"))["id"] for _ in range(20)]
            assert found == list(range(20))

    run(work())


def test_a_proxy_without_a_name_ends_some_time_after_its_line() -> None:
    async def work() -> None:
        async with served(WebOptions(unnamed_lifetime=0.5)) as door:
            channel = await door.channel()
            consumer = await door.proxy(channel)
            async with door.wire() as wire:
                await wire.connect(1, channel, consumer)
                await asyncio.sleep(0.7)
                view = f"/v1/channels/{channel}/proxies/{consumer}"
                await door.ask("GET", view)
                await wire.cut()
            await until(lambda: consumer not in door.host.factory.channel(channel).proxies)

    run(work())


def test_a_line_may_be_taken_from_within_the_process() -> None:
    async def work() -> None:
        async with served() as door, door.wire() as wire:
            channel = await door.channel()
            consumer = await door.proxy(channel, name="hall")
            await wire.connect(1, channel, consumer)
            buffer = BufferEndpoint()
            await door.host.connect(Connect(channel, consumer, again=True), buffer)
            assert (await wire.receive("gone"))["line"] == 1
            await door.publish(channel, 3)
            assert (await buffer.get()).seq == 1

    run(work())
