from __future__ import annotations

import re

from tests.unit.engine.hosts import run
from tests.unit.web.doors import web_door
from tidings.channel.effects import Notice, NoticeKind


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
            assert "<script" not in page
            assert not re.findall(r'(?:src|href)="(?!/|#)', page)

    run(work())


def test_the_page_says_why_it_is_not_ready() -> None:
    async def work() -> None:
        async with web_door() as door:
            assert "ready." in (await door.client.get("/")).text
            door.state.readiness.phase, door.state.readiness.reason = "draining", "asked <to> stop"
            assert "not ready: asked &lt;to&gt; stop" in (await door.client.get("/")).text

    run(work())
