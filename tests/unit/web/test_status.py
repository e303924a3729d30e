from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

from tests.unit.engine.hosts import run
from tests.unit.web.doors import web_door
from tidings.channel.effects import Notice, NoticeKind
from tidings.engine.archive_plan import ArchivePlan
from tidings.engine.archiving import Archiving
from tidings.web.pages import row


def test_the_page_shows_channels_and_notices_and_loads_nothing() -> None:
    async def work() -> None:
        async with web_door() as door:
            await door.ask("POST", "/v1/channels", {"name": "<script>alert(1)</script>"}, 201)
            door.host.notice(Notice(NoticeKind.LOST, 1, 2, "<b>gone</b>"))
            answer = await door.client.get("/")
            assert answer.headers["content-type"] == "text/html; charset=utf-8"
            assert answer.headers["content-security-policy"].startswith("default-src 'none'")
            page = answer.text
            assert "&lt;script&gt;alert(1)" in page
            assert "&lt;b&gt;gone" in page
            assert page.count("<script>") == page.count("<script") == 1
            assert not re.findall(r'(?:src|href)="(?!/|#|data:,")', page)
            [script] = re.findall(r"<script>(.*)</script>", page, re.DOTALL)
            digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
            policy = answer.headers["content-security-policy"]
            assert f"script-src 'sha256-{digest}';" in policy

    run(work())


def test_the_page_shows_who_is_behind() -> None:
    async def work() -> None:
        async with web_door() as door:
            await door.ask("POST", "/v1/channels", {"name": "roads"}, 201)
            assert "furthest behind" not in (await door.client.get("/")).text
            proxies = "/v1/channels/roads/proxies"
            for name in ("<late>", "later"):
                await door.ask("POST", proxies, {"style": "pull", "name": name}, 201)
            event = {"domain": "Traffic", "type": "Speed"}
            for _ in range(2):
                await door.ask("POST", "/v1/channels/roads/events", event)
            page = (await door.client.get("/")).text
            assert "<dt>Copies waiting</dt><dd>4</dd>" in page  # not 2, the events
            assert row("roads", "&lt;late&gt;", "away", 2, 0, 0).replace("&amp;", "&") in page
            assert row("roads", 1, 2, 2, 1, 2) in page or row("roads", 1, 2, 2, 0, 2) in page

    run(work())


def test_the_page_says_why_it_is_not_ready() -> None:
    async def work() -> None:
        async with web_door() as door:
            assert ">ready<" in (await door.client.get("/")).text
            door.state.readiness.phase, door.state.readiness.reason = "draining", "asked <to> stop"
            assert "not ready: asked &lt;to&gt; stop" in (await door.client.get("/")).text

    run(work())


def test_the_page_shows_the_archive(tmp_path: Path) -> None:
    async def work() -> None:
        async with web_door(folder=tmp_path) as door:
            assert "Archive" not in (await door.client.get("/")).text
            archiving = Archiving(door.host, ArchivePlan(tmp_path / "archive"))
            door.host.archiving = archiving
            archiving._heard(b'{"sealed": 1, "cursor": [1, 60], "rows": 7}')
            page = (await door.client.get("/")).text
            assert row(str(tmp_path / "archive"), 1, 7, 0, 0) in page
            assert "stands still" not in page
            archiving.error = "<no space>"
            assert "stands still: &lt;no space&gt;" in (await door.client.get("/")).text

    run(work())
