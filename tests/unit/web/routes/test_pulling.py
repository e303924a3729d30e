"""Pulling by HTTP: leases, waiting, and clients that go away."""

from __future__ import annotations

import asyncio
import json

from tests.unit.engine.hosts import run, until
from tests.unit.web.doors import web_door
from tests.unit.web.served import PERSISTENT, served
from tidings.web.options import WebOptions


def test_events_are_pulled_and_acknowledged(tmp_path: object) -> None:
    async def work() -> None:
        async with served() as door:
            channel = await door.channel()
            proxy = await door.proxy(channel, style="pull", form="sequence")
            path = f"/v1/channels/{channel}/proxies/{proxy}"
            assert (await door.ask("POST", f"{path}/pull", {}))["events"] == []
            await door.publish(channel, 1, 2, 3)
            found = await door.ask("POST", f"{path}/pull", {"most": 2})
            assert [one["seq"] for one in found["events"]] == [1, 2]
            assert [one["redelivered"] for one in found["events"]] == [False, False]
            assert found["origin"] == door.host.factory.channel(channel).origin
            assert found["leased_until"] > found["events"][0]["arrival"]
            await door.ask("POST", f"{path}/ack", {"seqs": [1, 999]}, 204)
            await door.ask("POST", f"{path}/retry", {"seqs": [2], "reason": "busy"}, 204)
            await until(lambda: door.seen(channel, proxy).waiting == 2)
            found = await door.ask("POST", f"{path}/pull", {"most": 10, "wait": 2})
            seen = {one["seq"]: one["redelivered"] for one in found["events"]}
            assert seen[2] is True
            await door.ask("POST", f"{path}/ack", {"seqs": list(seen)}, 204)

    run(work())


def test_a_lease_that_is_over_brings_events_again() -> None:
    async def work() -> None:
        async with served() as door:
            channel = await door.channel()
            proxy = await door.proxy(channel, style="pull")
            path = f"/v1/channels/{channel}/proxies/{proxy}/pull"
            await door.ask("POST", path, {})
            await door.publish(channel, 1)
            first = await door.ask("POST", path, {"lease": 0.02})
            second = await door.ask("POST", path, {"wait": 5, "lease": None})
            assert [one["redelivered"] for one in first["events"]] == [False]
            assert [one["redelivered"] for one in second["events"]] == [True]
            assert "leased_until" not in second
            assert door.seen(channel, proxy).in_flight == 0

    run(work())


def test_rejected_events_become_dead_letters(tmp_path: object) -> None:
    async def work() -> None:
        async with served(folder=tmp_path) as door:  # type: ignore[arg-type]
            channel = await door.channel(**PERSISTENT)
            proxy = await door.proxy(channel, style="pull", name="p")
            path = f"/v1/channels/{channel}/proxies/p"
            await door.ask("POST", f"{path}/pull", {})
            await door.publish(channel, 1)
            await door.ask("POST", f"{path}/pull", {})
            await door.ask("POST", f"{path}/reject", {"seqs": [1], "reason": "odd"}, 204)
            (letter,) = (await door.ask("GET", "/v1/dead-letters"))["dead_letters"]
            assert letter["proxy"] == proxy

    run(work())


def test_a_pull_waits_for_the_first_event() -> None:
    async def work() -> None:
        async with served() as door:
            channel = await door.channel()
            proxy = await door.proxy(channel, style="pull")
            path = f"/v1/channels/{channel}/proxies/{proxy}/pull"
            waiting = asyncio.ensure_future(door.ask("POST", path, {"wait": 5}))
            await until(lambda: door.seen(channel, proxy).connected)
            await door.publish(channel, 1)
            assert len((await waiting)["events"]) == 1

    run(work())


def test_nobody_waits_longer_than_the_service_lets() -> None:
    async def work() -> None:
        async with web_door(WebOptions(max_wait=0.02)) as door:
            made = await door.ask("POST", "/v1/channels", {"name": "a"}, 201)
            path = f"/v1/channels/{made['id']}/proxies"
            proxy = (await door.ask("POST", path, {"style": "pull"}, 201))["id"]
            for wait in (None, 1000):
                found = await door.ask("POST", f"{path}/{proxy}/pull", {"wait": wait})
                assert found["events"] == []

    run(work())


def test_a_client_that_goes_away_while_it_waits_loses_nothing() -> None:
    async def work() -> None:
        async with served() as door:
            channel = await door.channel()
            proxy = await door.proxy(channel, style="pull")
            path = f"/v1/channels/{channel}/proxies/{proxy}/pull"
            await door.ask("POST", path, {})
            body = json.dumps({"wait": 30, "lease": None})
            _, writer = await asyncio.open_connection("127.0.0.1", door.port)
            head = (
                f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\n\r\n{body}"
            )
            writer.write(head.encode())
            await until(lambda: door.host.out.pulls)
            writer.transport.abort()
            await until(lambda: not door.host.out.pulls)
            await door.publish(channel, 1)
            assert len((await door.ask("POST", path, {"wait": 1}))["events"]) == 1

    run(work())


def test_only_a_pull_consumer_can_be_asked() -> None:
    async def work() -> None:
        async with web_door() as door:
            made = await door.ask("POST", "/v1/channels", {"name": "a"}, 201)
            path = f"/v1/channels/{made['id']}/proxies"
            supplier = (await door.ask("POST", path, {"side": "supplier", "style": "pull"}, 201))[
                "id"
            ]
            consumer = (await door.ask("POST", path, {"keep": False}, 201))["id"]
            for proxy in (supplier, consumer):
                await door.refused("POST", f"{path}/{proxy}/pull", {}, 400, "invalid_usage")
                view = await door.ask("GET", f"{path}/{proxy}")
                assert view["connected"] is False
            await door.refused("POST", f"{path}/99/pull", {}, 404, "proxy_not_found")
            for bad in ({"most": 0}, {"most": 1001}, {"wait": -1}, {"lease": "x"}, {"colour": 1}):
                await door.ask("POST", f"{path}/{consumer}/pull", bad, 422)

    run(work())
