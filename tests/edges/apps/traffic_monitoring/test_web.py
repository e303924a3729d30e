"""The program behind the map, without a browser."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest

from tidings.apps.traffic_monitoring.city import ROADS, at
from tidings.apps.traffic_monitoring.replay import Line, MergedLog
from tidings.apps.traffic_monitoring.web import build_app
from tidings.errors import InvalidUsage


@asynccontextmanager
async def asked(log: MergedLog, trouble: str = "") -> AsyncIterator[httpx2.AsyncClient]:
    async def set_limit(targets: str, limit: int) -> list[str]:
        if targets == "nowhere":
            raise InvalidUsage("'nowhere' names no monitor")
        return [targets, str(limit)]

    app = build_app(log, set_limit, lambda: trouble)
    transport = httpx2.ASGITransport(app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost:2") as made:
        yield made


def logs() -> MergedLog:
    log = MergedLog()
    log.add(Line(n, n // 10, "car-1", "fined" if n == 5 else "drove", {"x": n}) for n in range(40))
    return log


async def test_a_board_is_a_step_of_the_logs() -> None:
    async with asked(logs(), "something is wrong") as client:
        latest = (await client.get("/api/board")).json()
        assert (latest["at"], latest["first"], latest["last"]) == (39, 0, 39)
        assert latest["trouble"] == "something is wrong"
        past = (await client.get("/api/board", params={"at": 12})).json()
        assert (past["at"], past["second"], past["time"]) == (12, 1, at(1))
        assert past["state"]["car-1"]["x"] == 12
        assert [one["number"] for one in past["lines"]] == [*range(7, 18)]
        assert [one["number"] for one in past["fines"]] == [5]
        assert (await client.get("/api/board", params={"at": 4})).json()["fines"] == []


async def test_before_anybody_drives_there_is_a_board() -> None:
    async with asked(MergedLog()) as client:
        board = (await client.get("/api/board")).json()
        assert (board["last"], board["lines"], board["trouble"]) == (-1, [], "")
        city = (await client.get("/api/city")).json()
        assert list(city["roads"]) == [road.name for road in ROADS]


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"targets": "road-*", "limit": 50}, 200),
        ({"targets": "nowhere", "limit": 50}, 400),
        ({"targets": "road-*", "limit": 255}, 422),
        ({"targets": "road-*", "limit": -1}, 422),
        ({"targets": "", "limit": 50}, 422),
        ({"targets": "road-*", "limit": 50, "more": 1}, 422),
    ],
)
async def test_a_limit_that_cannot_be_is_refused(given: dict[str, object], status: int) -> None:
    async with asked(logs()) as client:
        answer = await client.post("/api/limits", json=given)
        assert answer.status_code == status
        assert answer.json() == {"roads": ["road-*", "50"]} or answer.json()["detail"]


async def test_only_its_own_pages_may_set_limits_and_nothing_else_is_code() -> None:
    async with asked(logs()) as client:
        given = {"targets": "road-*", "limit": 50}
        for headers in ({"Origin": "http://evil.example"}, {"Host": "evil.example"}):
            answer = await client.post("/api/limits", json=given, headers=headers)
            assert answer.status_code == 403
        page = await client.get("/")
        policy = page.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "<script>" not in page.text
