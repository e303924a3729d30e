"""Events in by HTTP: one, batches, CloudEvents, JSON lines both ways."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.unit.engine.hosts import run, soon, until
from tests.unit.web.doors import WebDoor, check_problem, web_door
from tests.unit.web.served import EVENT, served
from tidings.channel.management import Disconnect
from tidings.web.options import WebOptions
from tidings.web.publishing import Suppliers

CLOUDEVENT = {"specversion": "1.0", "id": "7", "source": "/a", "type": "b", "data": {"x": 1}}


async def _channel(door: WebDoor) -> str:
    made = await door.ask("POST", "/v1/channels", {"name": "auctions"}, 201)
    return f"/v1/channels/{made['id']}"


async def _send(door: WebDoor, path: str, content: Any, kind: str, **headers: str) -> Any:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    given = {"content-type": kind, **headers}
    return await door.client.post(f"{path}/events", content=body, headers=given)


def test_one_event() -> None:
    async def work() -> None:
        async with web_door() as door:
            path = await _channel(door)
            origin = (await door.ask("GET", path))["origin"]
            found = await door.ask("POST", f"{path}/events", EVENT)
            assert found == {"origin": origin, "seq": 1}
            found = await door.ask("POST", f"{path}/events", {"any": 7})
            assert found["seq"] == 2
            found = await door.ask("POST", f"{path}/events?trail=true", EVENT)
            assert found["seq"] == 3
            assert found["trail"]["accepted"] is True

    run(work())


def test_an_event_that_comes_again_gets_the_first_answer() -> None:
    async def work() -> None:
        async with web_door() as door:
            path = await _channel(door)
            marks = {"Tidings-Producer": "hall", "Tidings-Number": "5"}
            for _ in range(2):
                found = await _send(door, path, EVENT, "application/json", **marks)
                assert found.json()["seq"] == 1
            marked = {"event": EVENT, "producer": "hall", "number": 5}
            assert (await door.ask("POST", f"{path}/events", marked))["seq"] == 1
            batch = await _send(door, path, [EVENT, EVENT], "application/json", **marks)
            assert [one["seq"] for one in batch.json()["results"]] == [1, 2]
            assert (await door.ask("GET", f"{path}/producers/hall"))["highest"] == 6

    run(work())


def test_a_batch_is_judged_event_by_event() -> None:
    async def work() -> None:
        async with web_door() as door:
            path = await _channel(door)
            batch = [EVENT, {"domain": 3}, {"event": EVENT, "producer": "a", "number": 1}, 7,
                     {"event": EVENT, "number": 1}, EVENT]  # fmt: skip
            found = (await door.ask("POST", f"{path}/events", batch))["results"]
            assert [one.get("seq") for one in found] == [1, None, 2, None, None, 3]
            assert found[1]["error"]["code"] == "invalid_event"
            assert found[1]["error"]["where"] == "domain"
            assert door.state.counts.rejected == 3
            assert (await door.ask("POST", f"{path}/events", []))["results"] == []

    run(work())


def test_cloudevents_structured_batched_and_binary() -> None:
    async def work() -> None:
        async with web_door() as door:
            path = await _channel(door)
            found = await _send(door, path, CLOUDEVENT, "application/cloudevents+json")
            assert found.json()["seq"] == 1
            batch = [CLOUDEVENT, {"specversion": "0.3"}, CLOUDEVENT]
            found = await _send(door, path, batch, "application/cloudevents-batch+json")
            assert [one.get("seq") for one in found.json()["results"]] == [2, None, 3]
            headers = {"ce-specversion": "1.0", "ce-id": "7", "ce-source": "/a", "ce-type": "b"}
            found = await _send(door, path, {"x": 1}, "application/json", **headers)
            assert found.json()["seq"] == 4
            found = await _send(door, path, b"\x00\x01", "image/png", **headers)
            assert found.json()["seq"] == 5
            found = await _send(door, path, [], "application/cloudevents+json")
            check_problem(found, 422)

    run(work())


@pytest.mark.parametrize(
    ("content", "kind", "headers", "status", "code"),
    [
        (EVENT, "text/plain", {}, 415, "unsupported_media"),
        (EVENT, "", {}, 415, "unsupported_media"),
        (b"{", "application/json", {}, 422, "invalid_event"),
        (b'{"domain":"a","domain":"b","type":"c"}', "application/json", {}, 422, "invalid_event"),
        ({"domain": "a"}, "application/json", {}, 422, "invalid_event"),
        ({**EVENT, "colour": 1}, "application/json", {}, 422, "invalid_event"),
        ([EVENT] * 4, "application/json", {}, 413, "limit_exceeded"),
        ({**EVENT, "body": "x" * 2000}, "application/json", {}, 413, "limit_exceeded"),
        (EVENT, "application/json", {"Tidings-Producer": "x"}, 400, "bad_input"),
        (EVENT, "application/json", {"Tidings-Number": "1"}, 400, "bad_input"),
        (
            EVENT,
            "application/json",
            {"Tidings-Producer": "x", "Tidings-Number": "-1"},
            400,
            "bad_input",
        ),
        (
            {"event": EVENT, "producer": "a", "number": 1},
            "application/json",
            {"Tidings-Producer": "x", "Tidings-Number": "1"},
            422,
            "invalid_event",
        ),
    ],
)
def test_what_is_refused(
    content: Any, kind: str, headers: dict[str, str], status: int, code: str
) -> None:
    async def work() -> None:
        async with web_door(WebOptions(max_batch=3, max_body=1_500)) as door:
            path = await _channel(door)
            found = await _send(door, path, content, kind, **headers)
            check_problem(found, status)
            assert found.json()["code"] == code
            assert (await door.ask("GET", path))["accepted"] == 0

    run(work())


def test_a_proxy_of_ones_own() -> None:
    async def work() -> None:
        async with web_door() as door:
            path = await _channel(door)
            asked = {"side": "supplier", "constraints": ["$price > 100"]}
            own = (await door.ask("POST", f"{path}/proxies", asked, 201))["id"]
            for _ in range(2):  # nobody else connects it
                found = await door.ask("POST", f"{path}/events?publisher={own}", EVENT)
                assert found["seq"] == 0
            consumer = (await door.ask("POST", f"{path}/proxies", {"keep": False}, 201))["id"]
            url = f"{path}/events?publisher={consumer}"
            await door.refused("POST", url, EVENT, 409, "wrong_client")
            assert (await door.ask("GET", f"{path}/proxies/{consumer}"))["connected"] is False
            await door.refused("POST", f"{path}/events?publisher=99", EVENT, 404,
                               "proxy_not_found")  # fmt: skip

    run(work())


def test_the_shared_proxy_is_made_once_and_again_when_it_has_ended() -> None:
    async def work() -> None:
        async with web_door() as door:
            path = await _channel(door)
            sent = [door.ask("POST", f"{path}/events", EVENT) for _ in range(5)]
            await asyncio.gather(*sent)
            (proxy,) = (await door.ask("GET", f"{path}/proxies"))["proxies"]
            channel = proxy["channel"]
            await door.host.ask(Disconnect(channel, proxy["id"]))
            assert (await door.ask("POST", f"{path}/events", EVENT))["seq"] == 6
            (other,) = (await door.ask("GET", f"{path}/proxies"))["proxies"]
            assert other["id"] != proxy["id"]
            suppliers = door.state.part(Suppliers)
            await door.ask("DELETE", path, status=204)
            await door.refused("POST", f"{path}/events", EVENT, 404, "channel_not_found")
            assert suppliers is door.state.part(Suppliers)

    run(work())


def test_lines_are_answered_line_by_line() -> None:
    async def work() -> None:
        async with web_door() as door:
            path = await _channel(door)
            one = json.dumps(EVENT).encode()
            marked = json.dumps({"event": EVENT, "producer": "a", "number": 3}).encode()
            body = b"\n".join([one, b"", b"{", marked, b"  ", b'"x"', one])
            found = await _send(door, path, body, "application/x-ndjson")
            assert found.headers["content-type"] == "application/x-ndjson"
            answers = [json.loads(line) for line in found.text.splitlines()]
            assert [(a["line"], a.get("seq")) for a in answers] == [
                (1, 1), (3, None), (4, 2), (6, None), (7, 3),
            ]  # fmt: skip
            assert answers[1]["error"]["code"] == "invalid_event"
            empty = await _send(door, path, b"", "application/jsonl")
            assert (empty.status_code, empty.text) == (200, "")
            many = await _send(door, path, b"\n".join([one] * 1_050) + b"\n", "application/jsonl",
                               **{"Tidings-Producer": "p", "Tidings-Number": "1"})  # fmt: skip
            numbers = [json.loads(line) for line in many.text.splitlines()]
            assert [a["seq"] for a in numbers] == list(range(4, 1_054))
            assert (await door.ask("GET", f"{path}/producers/p"))["highest"] == 1_050

    run(work())


def test_answers_come_while_lines_are_still_sent() -> None:
    async def work() -> None:
        async with served() as door:
            channel = await door.channel()
            heard = asyncio.Event()

            async def lines() -> AsyncIterator[bytes]:
                yield json.dumps(EVENT).encode() + b"\n" + b'{"domain":'
                await soon(heard.wait())
                yield b'"a","type":"b"}\n'

            headers = {"content-type": "application/x-ndjson"}
            path = f"/v1/channels/{channel}/events"
            # A plain client: others read no answer before all is sent.
            reader, writer = await asyncio.open_connection("127.0.0.1", door.port)
            head = (
                f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n"
                f"Content-Type: {headers['content-type']}\r\n\r\n"
            )
            writer.write(head.encode())
            async for part in lines():
                writer.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
                await writer.drain()
                if not heard.is_set():
                    await soon(reader.readuntil(b'"seq":1}\n'))
                    heard.set()
            writer.write(b"0\r\n\r\n")
            rest = await soon(reader.readuntil(b"0\r\n\r\n"))
            assert b'{"line":2,"seq":2}' in rest
            writer.close()

    run(work())


def test_a_client_that_vanishes_in_the_middle_ends_it() -> None:
    async def work() -> None:
        async with served() as door:
            channel = await door.channel()
            _, writer = await asyncio.open_connection("127.0.0.1", door.port)
            line = json.dumps(EVENT).encode() + b"\n"
            head = (
                f"POST /v1/channels/{channel}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                "Content-Length: 100000\r\nContent-Type: application/x-ndjson\r\n\r\n"
            )
            writer.write(head.encode() + line + b'{"half')
            await until(lambda: door.host.factory.channel(channel).seq == 1)
            before = len(asyncio.all_tasks())
            writer.transport.abort()
            await until(lambda: len(asyncio.all_tasks()) < before)
            assert door.host.factory.channel(channel).seq == 1

    run(work())
