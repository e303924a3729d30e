"""The past of a channel by HTTP, page by page."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from tests.unit.engine.hosts import run
from tests.unit.web.served import PERSISTENT, priced, served


def test_the_past_page_by_page(tmp_path: Path) -> None:
    async def work() -> None:
        async with served(folder=tmp_path) as door:
            channel = await door.channel(**PERSISTENT)
            path = f"/v1/channels/{channel}/events"
            empty = await door.ask("GET", path)
            assert (empty["events"], empty["end"], empty["last"]) == ([], True, 0)
            await door.publish(channel, *range(1, 7))
            await door.publish(channel, 7)
            first = await door.ask("GET", f"{path}?most=3")
            assert [one["seq"] for one in first["events"]] == [1, 2, 3]
            assert first["events"][0]["event"] == priced(1)
            assert "redelivered" not in first["events"][0]
            assert (first["next"], first["end"], first["last"]) == (3, False, 7)
            assert first["origin"] == door.host.factory.channel(channel).origin
            rest = await door.ask("GET", f"{path}?after=3")
            assert [one["seq"] for one in rest["events"]] == [4, 5, 6, 7]
            assert rest["end"] is True
            wanted = quote("$price > 5")
            some = await door.ask("GET", f"{path}?filter={wanted}&types=Auction::books")
            assert [one["seq"] for one in some["events"]] == [6, 7]
            none = await door.ask("GET", f"{path}?types=Auction::cars")
            assert none["events"] == []
            since = rest["events"][-1]["arrival"]
            late = await door.ask("GET", f"{path}?since={since}")
            assert [one["seq"] for one in late["events"]] == [7]
            long_ago = quote("1999-12-31T23:59:59.5+01:00")
            assert len((await door.ask("GET", f"{path}?since={long_ago}"))["events"]) == 7

    run(work())


def test_what_cannot_be_asked(tmp_path: Path) -> None:
    async def work() -> None:
        async with served(folder=tmp_path) as door:
            channel = await door.channel(**PERSISTENT)
            path = f"/v1/channels/{channel}/events"
            await door.ask("GET", f"{path}?most=0", status=422)
            await door.ask("GET", f"{path}?most=1001", status=422)
            await door.ask("GET", f"{path}?after=-1", status=422)
            await door.refused("GET", f"{path}?since=soon", None, 400, "invalid_usage")
            await door.refused("GET", f"{path}?filter=(", None, 422, "invalid_constraint")
            response = await door.client.get(f"{path}?after=5")
            assert response.json()["code"] == "cursor_not_found"
            await door.refused("GET", "/v1/channels/77/events", None, 404, "channel_not_found")

    run(work())
