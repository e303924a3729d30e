"""The program behind the auction's pages, without a browser."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
from websockets.asyncio.client import ClientConnection, connect

from tests.edges.engine.hosts import soon, turns
from tidings.apps.auction_alert.evening import BURST, calls_of
from tidings.apps.auction_alert.pace import Pace
from tidings.apps.auction_alert.scene import HOUSES, Scene
from tidings.apps.auction_alert.sellers import Announcement
from tidings.apps.auction_alert.web import Auction, build_app, served
from tidings.apps.local_pages import listener
from tidings.server.embedded import embedded

PAGE = "0123456789abcdef" * 2
LOT = {"seller": "Moreau", "item": "Stamp", "category": "stamps", "start_price": 8}
GIVEN = {"page": PAGE, "number": 1, **LOT, "open_seconds": 60}


@asynccontextmanager
async def asked(folder: Path) -> AsyncIterator[httpx2.AsyncClient]:
    """Somebody who asks the program of a service that keeps its data in a folder."""
    async with await embedded(folder) as client, await Auction.of(client) as auction:
        transport = httpx2.ASGITransport(build_app(auction, "http://localhost:1"))
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost:2") as made:
            yield made


async def test_an_announcement_without_an_answer_is_accepted_once(tmp_path: Path) -> None:
    for _ in range(2):  # the second time, service and program have just started
        async with asked(tmp_path) as client:
            for number, seq in ((1, 1), (1, 1), (2, 2)):
                answer = await client.post("/api/offers", json={**GIVEN, "number": number})
                assert (answer.status_code, answer.json()) == (201, {"seq": seq})


ASKING: list[tuple[dict[str, str], bytes | None, int]] = [
    ({"Host": "evil.example"}, None, 403),
    ({"Origin": "http://evil.example"}, None, 403),
    ({"Origin": "null"}, None, 403),
    ({"Content-Type": "text/plain"}, None, 415),
    ({}, b"[" * 20_000, 413),
    ({"Origin": "http://localhost:2"}, None, 201),
]


async def test_only_its_own_pages_may_ask(tmp_path: Path) -> None:
    async with asked(tmp_path) as client:
        body = client.build_request("POST", "/", json=GIVEN).content
        for headers, content, status in ASKING:
            told = {"Content-Type": "application/json", **headers}
            answer = await client.post("/api/offers", content=content or body, headers=told)
            assert answer.status_code == status, headers
            assert status == 201 or answer.json()["detail"]


WRONG = [
    ("item", " "),
    ("seller", "x" * 201),
    ("item", "a\u0007b"),
    ("category", "cars"),
    ("start_price", -1),
    ("open_seconds", 9),
    ("page", "me"),
    ("more", 1),
]


async def test_a_wrong_field_is_named(tmp_path: Path) -> None:
    async with asked(tmp_path) as client:
        for field, value in WRONG:
            answer = await client.post("/api/offers", json={**GIVEN, field: value})
            (fault,) = answer.json()["faults"]
            assert (answer.status_code, fault["where"]) == (422, f"body.{field}")


@asynccontextmanager
async def buying(url: str, buyer: str) -> AsyncIterator[ClientConnection]:
    """A page of a buyer of stamps, which has been told that it is connected."""
    async with connect(f"ws{url.removeprefix('http')}/api/alerts") as page:
        await page.send(json.dumps({"buyer": buyer, "wish": {"categories": ["stamps"]}}))
        yield page


async def heard(page: ClientConnection) -> Any:
    return json.loads(await soon(page.recv()))


async def test_an_alert_that_a_page_has_not_kept_comes_again() -> None:
    async with await embedded() as client, served(client, "", listener(0)) as (url, auction):
        lot = Announcement.model_validate(GIVEN)
        async with buying(url, "Greta") as page:
            assert await heard(page) == {"ready": {"waiting": 0}}
            await auction.sellers.announce(lot)
            first = (await heard(page))["alert"]
        async with buying(url, "Greta") as page:
            await heard(page)
            again = (await heard(page))["alert"]
            assert again == first | {"again": True}
            await page.send(json.dumps({"taken": again["seq"]}))
            await auction.sellers.announce(lot.model_copy(update={"number": 2}))
            assert (await heard(page))["alert"]["seq"] == 2
        async with buying(url, "Greta") as page:
            await heard(page)
            assert (await heard(page))["alert"]["seq"] == 2


async def test_a_page_is_told_why_it_gets_no_alerts() -> None:
    async with await embedded() as client, served(client, "", listener(0)) as (url, _):
        for buyer, told in (("Ada", "a bidder of the evening"), ("7", "only digits"), ("", "")):
            async with buying(url, buyer) as page:
                problem = (await heard(page))["problem"]
                assert told in problem["detail"]
                assert 400 <= problem["status"] < 500


async def test_while_an_evening_pauses_nobody_goes_on() -> None:
    pace = Pace(1)
    pace.set_speed(0)
    waiting = asyncio.create_task(pace.sleep(1_000))
    before = pace.now
    await turns()
    assert pace.now == before
    assert not waiting.done()
    pace.set_speed(1_000_000)
    await soon(waiting)
    assert pace.now >= before + 1_000


async def test_speed_and_pause_are_steered_one_by_one(tmp_path: Path) -> None:
    steps: list[tuple[dict[str, object], tuple[int, bool]]] = [
        ({"speed": 100}, (100, False)),
        ({"begin": True}, (100, False)),
        ({"paused": True}, (100, True)),
        ({"speed": 50}, (50, True)),
        ({"paused": False}, (50, False)),
    ]
    async with asked(tmp_path) as client:
        for given, (speed, paused) in steps:
            state = (await client.put("/api/evening", json=given)).json()
            assert (state["speed"], state["paused"]) == (speed, paused), given


def test_an_evening_calls_each_lot_once_and_some_at_once() -> None:
    scene = Scene(3, 0)
    calls = calls_of(scene)
    lots = Counter(lot for house in HOUSES for lot in scene.lots(house))
    assert Counter(one.lot for one in calls) == lots
    moments = [one.at for one in calls]
    assert moments == sorted(moments)
    assert max(Counter(moments).values()) == BURST + 1
    assert calls == calls_of(Scene(3, 0)) != calls_of(Scene(4, 0))
