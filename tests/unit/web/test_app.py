from __future__ import annotations

import asyncio

from tests.unit.engine.hosts import run
from tests.unit.web.doors import check_problem, web_door
from tidings.web.options import WebOptions

ORIGIN = "https://app.example"


def test_pages_of_allowed_origins_may_use_the_api() -> None:
    async def work() -> None:
        async with web_door(WebOptions(allowed_origins=(ORIGIN,))) as door:
            asked = {"Origin": ORIGIN, "Access-Control-Request-Method": "PATCH",
                     "Access-Control-Request-Headers": "authorization"}  # fmt: skip
            answer = await door.client.options("/v1/channels", headers=asked)
            assert answer.status_code == 200
            assert answer.headers["access-control-allow-origin"] == ORIGIN
            answer = await door.client.get("/v1/channels", headers={"Origin": ORIGIN})
            assert answer.headers["access-control-allow-origin"] == ORIGIN
            other = {**asked, "Origin": "https://evil.example"}
            answer = await door.client.options("/v1/channels", headers=other)
            assert "access-control-allow-origin" not in answer.headers

    run(work())


def test_without_allowed_origins_no_page_elsewhere_may() -> None:
    async def work() -> None:
        async with web_door() as door:
            answer = await door.client.get("/v1/channels", headers={"Origin": ORIGIN})
            check_problem(answer, 403)
            assert "access-control-allow-origin" not in answer.headers

    run(work())


def test_what_runs_by_itself_ends_with_the_application() -> None:
    async def work() -> None:
        async with web_door(WebOptions(unnamed_lifetime=0.01)) as door:
            before = asyncio.all_tasks()
            async with door.app.router.lifespan_context(door.app):
                assert len(asyncio.all_tasks()) == len(before) + 1
                await door.ask("POST", "/v1/channels", {}, 201)
                await door.ask("POST", "/v1/channels/1/proxies", {}, 201)
            assert asyncio.all_tasks() == before
            await asyncio.sleep(0.03)
            assert len(door.host.factory.channel(1).proxies) == 1

    run(work())


PARTS = {
    "/v1/channels/{channel}/events",
    "/v1/channels/{channel}/proxies/{proxy}/pull",
    "/v1/channels/{channel}/tail",
    "/v1/channels/{channel}/admins",
    "/v1/filters",
    "/v1/dead-letters",
    "/v1/tree",
    "/v1/openapi.json",
    "/metrics",
    "/health/live",
    "/docs/api",
    "/",
}


def test_every_part_of_the_door_is_there() -> None:
    async def work() -> None:
        async with web_door() as door:
            assert set(door.app.openapi()["paths"]) >= PARTS

    run(work())
