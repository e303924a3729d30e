from __future__ import annotations

import pytest

from tests.unit.engine.hosts import run
from tests.unit.web.doors import WebDoor, web_door

PATH = "/v1/channels/1/admins"


async def _channel(door: WebDoor) -> None:
    await door.ask("POST", "/v1/channels", {"name": "auctions"}, 201)


def test_a_channel_begins_with_one_admin_on_each_side() -> None:
    async def work() -> None:
        async with web_door() as door:
            await _channel(door)
            found = (await door.ask("GET", PATH))["admins"]
            assert [(one["side"], one["id"]) for one in found] == [("supplier", 0), ("consumer", 0)]

    run(work())


def test_an_admin_is_made_seen_and_ended() -> None:
    async def work() -> None:
        async with web_door() as door:
            await _channel(door)
            asked = {"side": "consumer", "operator": "or"}
            made = await door.client.post("/v1/channels/auctions/admins", json=asked)
            assert made.status_code == 201
            where = made.headers["location"]
            assert where == f"{PATH}/consumer/{made.json()['id']}"
            assert made.json()["operator"] == "or"
            assert await door.ask("GET", where) == made.json()
            await door.ask("DELETE", where, status=204)
            await door.refused("GET", where, None, 404, "admin_not_found")

    run(work())


@pytest.mark.parametrize("body", [{}, {"side": "both"}, {"side": "consumer", "operator": "xor"}])
def test_a_bad_admin_is_refused(body: object) -> None:
    async def work() -> None:
        async with web_door() as door:
            await _channel(door)
            await door.refused("POST", PATH, body, 422, "bad_input")
            assert len((await door.ask("GET", PATH))["admins"]) == 2

    run(work())


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("consumer/9", 404),
        ("consumer/-1", 422),
        ("consumer/x", 422),
        ("consumer/1.0", 422),
        ("consumer/%31%20", 422),
        ("consumer/99999999999999999999999999", 422),
        ("consumers/0", 422),
        ("consumer", 404),
    ],
)
def test_an_admin_that_cannot_be_is_refused(path: str, status: int) -> None:
    async def work() -> None:
        async with web_door() as door:
            await _channel(door)
            await door.ask("GET", f"{PATH}/{path}", status=status)

    run(work())


def test_proxies_follow_their_admin() -> None:
    async def work() -> None:
        async with web_door() as door:
            await _channel(door)
            admin = (await door.ask("POST", PATH, {"side": "consumer"}, 201))["id"]
            now = await door.ask("PATCH", f"{PATH}/consumer/{admin}/qos", {"Priority": 7})
            assert now["Priority"] == 7
            path = "/v1/channels/1/proxies"
            made = await door.ask("POST", path, {"admin": admin}, 201)
            assert (made["admin"], made["qos"]["Priority"]) == (admin, 7)
            assert (await door.ask("GET", f"{PATH}/consumer/{admin}"))["proxies"] == [made["id"]]
            await door.ask("DELETE", f"{PATH}/consumer/{admin}", status=204)
            await door.refused("GET", f"{path}/{made['id']}", None, 404, "proxy_not_found")

    run(work())
