from __future__ import annotations

import pytest

from tests.unit.engine.hosts import obtained, publish, reconnected, run, supplier, until
from tests.unit.web.doors import WebDoor, web_door
from tidings.channel.management import SetAdminProperties
from tidings.errors import TidingsError
from tidings.web.options import WebOptions

PATH = "/v1/channels/1/proxies"


async def _channel(door: WebDoor) -> None:
    await door.ask("POST", "/v1/channels", {"name": "auctions"}, 201)


def test_a_proxy_is_made_seen_and_ended() -> None:
    async def work() -> None:
        async with web_door() as door:
            await _channel(door)
            made = await door.client.post(PATH, json={"name": "hall 1/a"})
            assert made.status_code == 201
            assert made.headers["location"] == f"{PATH}/{made.json()['id']}"
            shown = made.json()
            assert (shown["side"], shown["style"], shown["form"]) == (
                "consumer",
                "push",
                "structured",
            )
            assert await door.ask("GET", f"{PATH}/hall%201%2Fa") == shown
            assert await door.ask("GET", PATH) == {"proxies": [shown]}
            await door.ask("DELETE", f"{PATH}/hall%201%2Fa", status=204)
            assert await door.ask("GET", PATH) == {"proxies": []}

    run(work())


def test_a_proxy_comes_with_its_filter_and_event_types() -> None:
    async def work() -> None:
        async with web_door() as door:
            await _channel(door)
            asked = {"constraints": ["$price > 3", {"text": "$a", "types": ["A::B"]}],
                     "types": ["A::*"]}  # fmt: skip
            made = await door.ask("POST", PATH, asked, 201)
            assert made["types"] == ["A::*"]
            (filter,) = made["filters"].values()
            shown = await door.ask("GET", f"/v1/filters/{filter}")
            assert shown["private"] is True
            assert [one["text"] for one in shown["constraints"].values()] == ["$price > 3", "$a"]
            await door.ask("DELETE", f"{PATH}/{made['id']}", status=204)
            await door.ask("GET", f"/v1/filters/{filter}", status=404)

    run(work())


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"constraints": ["$price >"]}, 422, "invalid_constraint"),
        ({"types": ["A::B", 3]}, 422, "bad_input"),
        ({"qos": {"Priority": "high"}}, 422, "unsupported_qos"),
        ({"admin": 9}, 404, "admin_not_found"),
        ({"name": "taken"}, 409, "name_taken"),
        ({"side": "nobody"}, 422, "bad_input"),
        ({"style": 1}, 422, "bad_input"),
        ({"form": "sequences"}, 422, "bad_input"),
        ({"bare": True, "constraints": ["$a"]}, 400, "invalid_usage"),
        ({"constraint": ["$a"]}, 422, "bad_input"),
    ],
)
def test_of_a_bad_proxy_nothing_is_made(body: object, status: int, code: str) -> None:
    async def work() -> None:
        async with web_door() as door:
            await _channel(door)
            before = await door.ask("POST", PATH, {"name": "taken"}, 201)
            await door.refused("POST", PATH, body, status, code)
            await until(lambda: len(door.host.factory.channel(1).proxies) == 1)
            assert await door.ask("GET", PATH) == {"proxies": [before]}
            assert list(door.host.factory.filters.filters) == []
            assert len(door.state.lifetimes) == 0

    run(work())


def test_when_the_filter_cannot_be_attached_nothing_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def work() -> None:
        async with web_door() as door:
            await _channel(door)
            ask = door.host.ask

            def failing(command: object, *given: object) -> object:
                if type(command).__name__ == "AddFilter":
                    raise TidingsError("a fault of ours")
                return ask(command, *given)  # type: ignore[arg-type]

            monkeypatch.setattr(door.host, "ask", failing)
            asked = {"constraints": ["$a"], "name": "billing"}
            await door.refused("POST", PATH, asked, 500, "internal")
            await until(lambda: not door.host.factory.channel(1).proxies)
            await until(lambda: not door.host.factory.filters.filters)

    run(work())


@pytest.mark.parametrize(
    ("asked", "reliability", "watched"),
    [
        ({}, "BestEffort", 1),
        ({"side": "supplier"}, "BestEffort", 1),
        ({"name": "billing"}, "Persistent", 0),
        ({"qos": {"ConnectionReliability": "Persistent"}}, "Persistent", 0),
        ({"qos": {"ConnectionReliability": 1}}, "Persistent", 0),
        ({"qos": {"ConnectionReliability": {"$type": "short", "value": 1}}}, "Persistent", 0),
        ({"qos": {"ConnectionReliability": "BestEffort"}}, "BestEffort", 1),
        ({"name": "b", "qos": {"ConnectionReliability": "BestEffort"}}, "BestEffort", 0),
    ],
)
def test_a_proxy_without_a_name_does_not_last(
    asked: object, reliability: str, watched: int
) -> None:
    async def work() -> None:
        async with web_door() as door:
            await _channel(door)
            made = await door.ask("POST", PATH, asked, 201)
            assert made["qos"]["ConnectionReliability"] == reliability
            assert len(door.state.lifetimes) == watched

    run(work())


def test_a_proxy_without_a_name_ends_when_nobody_uses_it() -> None:
    async def work() -> None:
        async with web_door(WebOptions(unnamed_lifetime=0.01)) as door:
            await _channel(door)
            await door.ask("POST", PATH, {}, 201)
            await door.ask("POST", PATH, {"bare": True}, 201)
            await door.ask("POST", PATH, {"name": "stays"}, 201)
            await until(lambda: len(door.host.factory.channel(1).proxies) == 1)
            assert [one["name"] for one in (await door.ask("GET", PATH))["proxies"]] == ["stays"]

    run(work())


def test_an_ended_proxy_is_watched_no_more() -> None:
    async def work() -> None:
        async with web_door() as door:
            await _channel(door)
            made = await door.ask("POST", PATH, {}, 201)
            await door.ask("DELETE", f"{PATH}/{made['id']}", status=204)
            assert len(door.state.lifetimes) == 0

    run(work())


def test_delivery_is_paused_and_goes_on() -> None:
    async def work() -> None:
        async with web_door() as door:
            await _channel(door)
            proxy = await obtained(door.host, 1)
            path = f"{PATH}/{proxy}"
            await door.refused("POST", f"{path}/suspend", None, 409, "not_connected")
            await reconnected(door.host, 1, proxy, again=False)
            await door.refused("POST", f"{path}/resume", None, 409, "connection_already_active")
            await door.ask("POST", f"{path}/suspend", status=204)
            await publish(door.host, 1, await supplier(door.host, 1), 1, 2)
            seen = await door.ask("GET", path)
            assert (seen["suspended"], seen["waiting"], seen["in_flight"]) == (True, 2, 0)
            await door.refused("POST", f"{path}/suspend", None, 409, "connection_already_inactive")
            await door.ask("POST", f"{path}/resume", status=204)
            assert (await door.ask("GET", path))["in_flight"] == 2

    run(work())


def test_known_types_are_told() -> None:
    async def work() -> None:
        async with web_door() as door:
            await _channel(door)
            sends = await supplier(door.host, 1)
            await door.ask("PATCH", f"{PATH}/{sends}/types", {"added": ["A::B"]}, 204)
            made = await door.ask("POST", PATH, {}, 201)
            path = f"{PATH}/{made['id']}/known-types"
            assert await door.ask("POST", path, {}) == {"types": ["A::B"]}
            assert await door.ask("POST", path, {"mode": "none_now_updates_on"}) == {"types": []}
            await door.refused("POST", path, {"mode": "all"}, 422, "bad_input")

    run(work())


def test_an_events_quality_of_service_is_validated() -> None:
    async def work() -> None:
        async with web_door() as door:
            await _channel(door)
            made = await door.ask("POST", PATH, {"side": "supplier"}, 201)
            path = f"{PATH}/{made['id']}/event-qos/validate"
            found = await door.ask("POST", path, {"Priority": 3})
            assert "Timeout" in {one["name"] for one in found["ranges"]}
            await door.refused("POST", path, {"OrderPolicy": 1}, 422, "unsupported_qos")

    run(work())


@pytest.mark.parametrize("method", ["GET", "DELETE"])
@pytest.mark.parametrize("proxy", ["9", "nobody", "%00", "9" * 300, "n" * 300])
def test_a_proxy_that_is_not_there_is_not_found(method: str, proxy: str) -> None:
    async def work() -> None:
        async with web_door() as door:
            await _channel(door)
            await door.ask(method, f"{PATH}/{proxy}", status=404)

    run(work())


def test_a_channel_that_is_full_of_consumers_takes_no_more() -> None:
    async def work() -> None:
        async with web_door() as door:
            await _channel(door)
            await door.host.ask(SetAdminProperties(1, {"MaxConsumers": 1}))
            await door.ask("POST", PATH, {}, 201)
            await door.refused("POST", PATH, {}, 409, "admin_limit_exceeded")

    run(work())


@pytest.mark.parametrize("style", ["push", "pull"])
@pytest.mark.parametrize("keep", [True, False])
def test_events_wait_for_a_new_consumer(style: str, keep: bool) -> None:
    async def work() -> None:
        async with web_door() as door:
            await door.ask("POST", "/v1/channels", {"name": "a"}, 201)
            asked = {"name": "later", "style": style, "keep": keep}
            await door.ask("POST", "/v1/channels/a/proxies", asked, 201)
            event = {"domain": "D", "type": "T"}
            await door.ask("POST", "/v1/channels/a/events", event)
            found = await door.ask("GET", "/v1/channels/a/proxies/later")
            assert (found["waiting"], found["attached"]) == (int(keep), False)

    run(work())
