from __future__ import annotations

from typing import Any

import pytest

from tests.unit.engine.hosts import happened, publish, run, supplier
from tests.unit.web.doors import web_door
from tidings.channel.commands import Push
from tidings.channel.management import OfferChange
from tidings.channel.vocabulary import Place
from tidings.events.envelope import ProducerMark
from tidings.filters.constraint import event_type


def test_a_channel_is_made_seen_and_ended() -> None:
    async def work() -> None:
        async with web_door() as door:
            made = await door.client.post("/v1/channels", json={"name": "auctions"})
            assert made.status_code == 201
            assert made.headers["location"] == "/v1/channels/1"
            assert made.json()["qos"]["EventReliability"] == "Persistent"
            assert await door.ask("GET", "/v1/channels/1") == made.json()
            assert await door.ask("GET", "/v1/channels/auctions") == made.json()
            assert await door.ask("GET", "/v1/channels") == {"channels": [made.json()]}
            assert await door.ask("DELETE", "/v1/channels/auctions", status=204) is None
            assert await door.ask("GET", "/v1/channels") == {"channels": []}

    run(work())


def test_each_channel_has_an_origin_of_its_own() -> None:
    async def work() -> None:
        async with web_door() as door:
            made = [await door.ask("POST", "/v1/channels", {}, 201) for _ in range(2)]
            assert made[0]["origin"] != made[1]["origin"]

    run(work())


def test_a_channel_is_not_persistent_if_it_need_not_be() -> None:
    async def work() -> None:
        async with web_door() as door:
            made = await door.ask("POST", "/v1/channels", {"persistent": False}, 201)
            assert made["qos"]["EventReliability"] == "BestEffort"

    run(work())


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"nam": "x"}, 422, "bad_input"),
        ({"name": 3}, 422, "bad_input"),
        ({"name": "a\nb"}, 400, "invalid_usage"),
        ({"name": "taken"}, 409, "name_taken"),
        ({"qos": {"Nonsense": 1}}, 422, "unsupported_qos"),
        ({"admin": {"MaxConsumers": -1}}, 422, "unsupported_admin"),
        ([], 422, "bad_input"),
        ("text", 422, "bad_input"),
    ],
)
def test_a_bad_channel_is_refused_and_nothing_is_made(body: Any, status: int, code: str) -> None:
    async def work() -> None:
        async with web_door() as door:
            await door.ask("POST", "/v1/channels", {"name": "taken"}, 201)
            await door.refused("POST", "/v1/channels", body, status, code)
            assert len((await door.ask("GET", "/v1/channels"))["channels"]) == 1

    run(work())


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", ""),
        ("DELETE", ""),
        ("PATCH", "/qos"),
        ("POST", "/qos/validate"),
        ("PATCH", "/admin-properties"),
        ("GET", "/types"),
        ("GET", "/producers/till-3"),
        ("GET", "/proxies"),
        ("GET", "/admins"),
    ],
)
@pytest.mark.parametrize("channel", ["7", "nobody"])
def test_a_channel_that_is_not_there_is_not_found(method: str, path: str, channel: str) -> None:
    async def work() -> None:
        async with web_door() as door:
            body: object = {} if method in {"PATCH", "POST"} else None
            url = f"/v1/channels/{channel}{path}"
            await door.refused(method, url, body, 404, "channel_not_found")

    run(work())


def test_quality_of_service_is_changed_by_names_or_numbers() -> None:
    async def work() -> None:
        async with web_door() as door:
            await door.ask("POST", "/v1/channels", {}, 201)
            asked = {"OrderPolicy": "DeadlineOrder", "DiscardPolicy": 2}
            now = await door.ask("PATCH", "/v1/channels/1/qos", asked)
            assert now["OrderPolicy"] == "DeadlineOrder"
            assert now["DiscardPolicy"] == "PriorityOrder"
            assert (await door.ask("GET", "/v1/channels/1"))["qos"] == now

    run(work())


def test_bad_quality_of_service_is_listed_whole_and_changes_nothing() -> None:
    async def work() -> None:
        async with web_door() as door:
            before = await door.ask("POST", "/v1/channels", {}, 201)
            asked = {"Priority": 5, "Nonsense": 1, "Timeout": "soon"}
            for method, path in (("PATCH", "qos"), ("POST", "qos/validate")):
                problem = await door.refused(
                    method, f"/v1/channels/1/{path}", asked, 422, "unsupported_qos"
                )
                assert [one["name"] for one in problem["errors"]] == ["Nonsense", "Timeout"]
            assert await door.ask("GET", "/v1/channels/1") == before

    run(work())


def test_validating_tells_what_else_could_be_set_and_changes_nothing() -> None:
    async def work() -> None:
        async with web_door() as door:
            before = await door.ask("POST", "/v1/channels", {}, 201)
            found = await door.ask("POST", "/v1/channels/1/qos/validate", {"Priority": 5})
            named = {one["name"]: one for one in found["ranges"]}
            assert named["OrderPolicy"]["low"] == 0
            assert "Priority" not in named
            assert await door.ask("GET", "/v1/channels/1") == before

    run(work())


def test_admin_properties_are_changed() -> None:
    async def work() -> None:
        async with web_door() as door:
            await door.ask("POST", "/v1/channels", {}, 201)
            path = "/v1/channels/1/admin-properties"
            now = await door.ask("PATCH", path, {"MaxConsumers": 1})
            assert now["MaxConsumers"] == 1
            await door.refused("PATCH", path, {"MaxConsumers": "x"}, 422, "unsupported_admin")
            await door.ask("POST", "/v1/channels/1/proxies", {}, 201)
            problem = await door.refused(
                "POST", "/v1/channels/1/proxies", {}, 409, "admin_limit_exceeded"
            )
            assert problem["limit"] == 1

    run(work())


def test_types_tell_what_is_offered_and_wanted() -> None:
    async def work() -> None:
        async with web_door() as door:
            await door.ask("POST", "/v1/channels", {}, 201)
            proxy = await supplier(door.host, 1)
            await door.host.ask(OfferChange(Place(1, proxy=proxy), [event_type("A::B")]))
            asked = {"types": ["A::*"], "name": "all"}
            wants = await door.ask("POST", "/v1/channels/1/proxies", asked, 201)
            assert await door.ask("GET", "/v1/channels/1/types") == {
                "offered": ["A::B"],
                "wanted": ["A::*"],
                "offers": {f"proxy {proxy}": ["A::B"]},
                "wants": {str(wants["id"]): ["A::*"]},
            }

    run(work())


def test_a_dry_run_tells_and_changes_nothing() -> None:
    async def work() -> None:
        async with web_door() as door:
            await door.ask("POST", "/v1/channels", {}, 201)
            body = {"event": {"domain": "D", "type": "T", "data": {"price": 3}}}
            trail = await door.ask("POST", "/v1/channels/1/dry-run", body)
            assert trail["accepted"] is True
            assert trail["recipients"] == []
            assert (await door.ask("GET", "/v1/channels/1"))["accepted"] == 0
            bad = {"event": {"domain": 3}}
            await door.refused("POST", "/v1/channels/1/dry-run", bad, 422, "invalid_event")
            unknown = {**body, "publisher": 9}
            await door.refused("POST", "/v1/channels/1/dry-run", unknown, 404, "proxy_not_found")

    run(work())


def test_a_producer_learns_how_far_it_has_come() -> None:
    async def work() -> None:
        async with web_door() as door:
            await door.ask("POST", "/v1/channels", {}, 201)
            proxy = await supplier(door.host, 1)
            marks = [ProducerMark("till/3 %", 41)]
            await door.host.ask(Push(1, proxy, [happened("one")], marks))
            path = "/v1/channels/1/producers"
            assert await door.ask("GET", f"{path}/till%2F3%20%25") == {"highest": 41}
            assert await door.ask("GET", f"{path}/other") == {"highest": None}

    run(work())


def test_a_channel_counts_what_it_took() -> None:
    async def work() -> None:
        async with web_door() as door:
            await door.ask("POST", "/v1/channels", {}, 201)
            await publish(door.host, 1, await supplier(door.host, 1), 1, 2, 3)
            seen = await door.ask("GET", "/v1/channels/1")
            assert (seen["accepted"], seen["suppliers"]) == (3, 1)

    run(work())
