from __future__ import annotations

from pathlib import Path
from unittest import mock

import pytest

from tests.unit.engine.hosts import (
    collect,
    consumer,
    new_channel,
    publish,
    run,
    supplier,
    turns,
)
from tests.unit.web.doors import web_door
from tidings.channel.effects import Notice, NoticeKind


def test_the_tree_has_all_there_is() -> None:
    async def work() -> None:
        async with web_door() as door:
            assert await door.ask("GET", "/v1/tree") == {"channels": []}
            await door.ask("POST", "/v1/channels", {"name": "auctions"}, 201)
            admins = "/v1/channels/1/admins"
            admin = (await door.ask("POST", admins, {"side": "consumer"}, 201))["id"]
            proxies = "/v1/channels/1/proxies"
            await door.ask("POST", proxies, {"admin": admin, "name": "billing"}, 201)
            await door.ask("POST", proxies, {"side": "supplier", "name": "till"}, 201)
            await door.ask("POST", proxies, {"bare": True, "name": "old"}, 201)
            (found,) = (await door.ask("GET", "/v1/tree"))["channels"]
            assert found["channel"] == await door.ask("GET", "/v1/channels/1")
            assert [
                (one["admin"]["side"], one["admin"]["id"], [p["name"] for p in one["proxies"]])
                for one in found["admins"]
            ] == [
                ("supplier", 0, ["till"]),
                ("consumer", 0, ["old"]),
                ("consumer", admin, ["billing"]),
            ]

    run(work())


@pytest.mark.parametrize("by", ["waiting", "lag", "failures", "idle"])
@pytest.mark.parametrize("on_disk", [False, True])
def test_the_top_are_ranked(by: str, on_disk: bool, tmp_path: Path) -> None:
    async def work() -> None:
        async with web_door(folder=tmp_path if on_disk else None) as door:
            channel = await new_channel(door.host)
            quick, endpoint = await consumer(door.host, channel)
            slow, _ = await consumer(door.host, channel, window=1)
            await consumer(door.host, channel, text="$never")
            await publish(door.host, channel, await supplier(door.host, channel), *range(5))
            await collect(endpoint, 5)
            endpoint.flush()
            await turns()
            await door.ask("GET", f"/v1/top?by={by}")
            found = (await door.ask("GET", f"/v1/top?by={by}"))["proxies"]
            assert {one["proxy"] for one in found} == {quick, slow}
            shown = {one["proxy"]: one for one in found}
            assert (shown[slow]["waiting"], shown[slow]["in_flight"]) == (4, 1)
            assert (shown[slow]["behind"], shown[quick]["behind"]) == (5, 0)
            assert shown[slow]["lag"] >= 0
            assert shown[quick]["lag"] is None
            if by in {"waiting", "lag"}:
                assert [one["proxy"] for one in found] == [slow, quick]
            assert len((await door.ask("GET", f"/v1/top?by={by}&most=1"))["proxies"]) == 1

    run(work())


def test_who_takes_nothing_is_idle() -> None:
    async def work() -> None:
        async with web_door() as door:
            channel = await new_channel(door.host)
            proxy, endpoint = await consumer(door.host, channel)
            sends = await supplier(door.host, channel)
            await publish(door.host, channel, sends, 1, 2)
            await door.ask("GET", "/v1/top")
            loop = door.host.loop
            now = loop.time()
            loop.time = lambda: now + 3  # type: ignore[method-assign]
            try:
                (one,) = (await door.ask("GET", "/v1/top?by=idle"))["proxies"]
                assert (one["proxy"], round(one["idle"])) == (proxy, 3)
                await collect(endpoint, 1)
                endpoint.flush()
                await turns()
                (one,) = (await door.ask("GET", "/v1/top?by=idle"))["proxies"]
                assert one["idle"] == 0
            finally:
                del loop.time

    run(work())


@pytest.mark.parametrize("query", ["by=colour", "most=0", "most=1001", "most=ten"])
def test_a_bad_ranking_is_refused(query: str) -> None:
    async def work() -> None:
        async with web_door() as door:
            await door.refused("GET", f"/v1/top?{query}", None, 422, "bad_input")

    run(work())


def test_the_latest_notices_are_told_in_order() -> None:
    async def work() -> None:
        async with web_door() as door:
            assert await door.ask("GET", "/v1/notices") == {"notices": []}
            await door.ask("POST", "/v1/channels", {"name": "roads"}, 201)
            await door.ask("POST", "/v1/channels/roads/proxies", {"name": "billing"}, 201)
            for n in range(3):
                door.host.notice(Notice(NoticeKind.SLOW_CONSUMER, 1, n, f"{n} wait"))
            found = (await door.ask("GET", "/v1/notices?most=2"))["notices"]
            assert found == [
                {
                    "time": mock.ANY,
                    "kind": "slow consumer",
                    "channel": 1,
                    "channel_name": "roads",
                    "proxy": n,
                    "proxy_name": "billing" if n == 1 else "",
                    "detail": f"{n} wait",
                }
                for n in (1, 2)
            ]
            assert 1.7e15 < found[0]["time"] <= found[1]["time"]
            await door.refused("GET", "/v1/notices?most=0", None, 422, "bad_input")

    run(work())
