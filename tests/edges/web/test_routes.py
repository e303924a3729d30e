"""What can be asked for by HTTP: admins, proxies, filters, dead letters, events, overviews."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.edges.engine.hosts import (
    collect,
    consumer,
    happened,
    new_channel,
    publish,
    seqs,
    supplier,
    turns,
    until,
)
from tests.edges.web.doors import WebDoor, check_problem, web_door
from tests.edges.web.served import EVENT
from tidings.channel.commands import Push
from tidings.engine.endpoints import BufferEndpoint
from tidings.web.options import WebOptions

CHANNEL = "/v1/channels/1"
ADMINS = f"{CHANNEL}/admins"
PROXIES = f"{CHANNEL}/proxies"
LETTERS = "/v1/dead-letters"
SHORT = {"$type": "short", "value": 5}


async def _channel(door: WebDoor) -> None:
    await door.ask("POST", "/v1/channels", {"name": "auctions"}, 201)


# ---------------------------------------------------------------- admins and proxies


async def test_an_admin_is_made_seen_and_ended() -> None:
    async with web_door() as door:
        await _channel(door)
        found = (await door.ask("GET", ADMINS))["admins"]
        assert [(one["side"], one["id"]) for one in found] == [("supplier", 0), ("consumer", 0)]
        asked = {"side": "consumer", "operator": "or"}
        made = await door.client.post("/v1/channels/auctions/admins", json=asked)
        assert made.status_code == 201
        where = made.headers["location"]
        assert where == f"{ADMINS}/consumer/{made.json()['id']}"
        assert made.json()["operator"] == "or"
        assert await door.ask("GET", where) == made.json()
        await door.ask("DELETE", where, status=204)
        await door.refused("GET", where, None, 404, "admin_not_found")


async def test_what_is_not_there_is_not_found() -> None:
    changes = ("PATCH qos", "POST qos/validate", "PATCH types", "DELETE filters")
    async with web_door() as door:
        await _channel(door)
        for change in (*changes, "DELETE filters/1"):
            method, path = change.split()
            body: object = None if method == "DELETE" else {}
            where = f"{ADMINS}/consumer/9/{path}"
            await door.refused(method, where, body, 404, "admin_not_found")
            for proxy in ("9", "nobody"):
                where = f"{PROXIES}/{proxy}/{path}"
                await door.refused(method, where, body, 404, "proxy_not_found")
        for proxy in ("9", "nobody", "%00", "9" * 300, "n" * 300):
            for method in ("GET", "DELETE"):
                await door.ask(method, f"{PROXIES}/{proxy}", status=404)


async def test_a_proxy_that_is_made_to_last_does_not_end_by_itself() -> None:
    async with web_door() as door:
        await _channel(door)
        made = await door.ask("POST", PROXIES, {}, 201)
        assert len(door.state.lifetimes) == 1
        path = f"{PROXIES}/{made['id']}/qos"
        await door.ask("PATCH", path, {"Priority": 2})
        assert len(door.state.lifetimes) == 1
        await door.ask("PATCH", path, {"ConnectionReliability": "Persistent"})
        assert len(door.state.lifetimes) == 0


async def test_a_new_proxy_has_its_filter_and_event_types() -> None:
    async with web_door() as door:
        await _channel(door)
        asked = {"constraints": ["$a < 3"], "types": ["A::B"]}
        made = await door.ask("POST", PROXIES, asked, 201)
        assert (list(made["filters"]), made["types"]) == (["1"], ["A::B"])
        await door.ask("POST", PROXIES, {**asked, "side": "supplier"}, 201)
        assert (await door.ask("GET", f"{CHANNEL}/types"))["offered"] == ["A::B"]


async def test_known_types_and_an_events_quality_of_service() -> None:
    async with web_door() as door:
        await _channel(door)
        sends = await supplier(door.host, 1)
        await door.ask("PATCH", f"{PROXIES}/{sends}/types", {"added": ["A::B"]}, 204)
        made = await door.ask("POST", PROXIES, {}, 201)
        path = f"{PROXIES}/{made['id']}/known-types"
        assert await door.ask("POST", path, {}) == {"types": ["A::B"]}
        assert await door.ask("POST", path, {"mode": "none_now_updates_on"}) == {"types": []}
        await door.refused("POST", path, {"mode": "all"}, 422, "bad_input")
        path = f"{PROXIES}/{sends}/event-qos/validate"
        found = await door.ask("POST", path, {"Priority": 3})
        assert "Timeout" in {one["name"] for one in found["ranges"]}
        await door.refused("POST", path, {"OrderPolicy": 1}, 422, "unsupported_qos")


# ---------------------------------------------------------------- filters


async def test_a_bad_filter_is_refused() -> None:
    bad_value = {"default": SHORT, "mapped": [{"text": "$a", "value": "text"}]}
    bad_default = {"default": {"$type": "nonsense", "value": 1}}
    async with web_door() as door:
        for path, body, status, code in (
            ("filters", {"constraints": ["$a >"]}, 422, "invalid_constraint"),
            ("filters", {"constraints": "$a"}, 422, "bad_input"),
            ("filters", {"grammar": "PROLOG"}, 400, "invalid_grammar"),
            ("filters", {"constraints": [{"txt": "$a"}]}, 422, "bad_input"),
            ("mapping-filters", {}, 422, "bad_input"),
            ("mapping-filters", bad_default, 422, "invalid_event"),
            ("mapping-filters", bad_value, 422, "invalid_mapping_value"),
        ):
            await door.refused("POST", f"/v1/{path}", body, status, code)
            await door.refused("GET", "/v1/filters/1", None, 404, "filter_not_found")


async def test_a_bad_change_leaves_a_filter_as_it_was() -> None:
    async with web_door() as door:
        made = await door.client.post("/v1/filters", json={"constraints": ["$a > 1", "$b"]})
        where = made.headers["location"]
        assert (made.status_code, where) == (201, f"/v1/filters/{made.json()['id']}")
        before = await door.ask("GET", where)
        for method, path, body, status in (
            ("POST", "constraints", {"constraints": ["$a", "$b >"]}, 422),
            ("PATCH", "constraints", {"delete": [1, 9]}, 404),
            ("PATCH", "constraints", {"replace": {"1": "$x", "9": "$y"}}, 404),
            ("PATCH", "constraints", {"replace": {"one": "$x"}}, 422),
            ("POST", "mapped", {"mapped": [{"text": "$a", "value": SHORT}]}, 400),
            ("PATCH", "mapped", {"delete": [1]}, 400),
        ):
            await door.ask(method, f"{where}/{path}", body, status)
            assert await door.ask("GET", where) == before


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/filters", {"constraints": ["$a == 1"] * 1_001}),
        ("/v1/filters", {"constraints": [{"text": 7}] * 1_001}),
        ("/v1/filters", {"constraints": [{"types": [7] * 1_001}]}),
        ("/v1/filters", {"constraints": ["'a' ~ $b or 'c' ~ $b"] * 11}),
        ("/v1/filters", {"constraints": ["$a" * 30_000] * 3}),
        ("/v1/mapping-filters", {"default": SHORT, "mapped": [{"text": "$a"}] * 1_001}),
        (PROXIES, {"constraints": ["'a' ~ $b or 'c' ~ $b"] * 11}),
        (PROXIES, {"types": [7] * 1_001}),
        (f"{LETTERS}/redrive", {"filter": "'a' ~ $b or " * 20 + "'a' ~ $b"}),
    ],
)
async def test_constraints_are_counted_before_one_is_compiled(
    path: str, body: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    def compiled(*_: object) -> None:
        raise AssertionError("it was compiled")

    monkeypatch.setattr("tidings.api.forms.constraint", compiled)
    monkeypatch.setattr("tidings.engine.door.constraint", compiled)
    async with web_door() as door:
        await _channel(door)
        await door.refused("POST", path, body, 413, "limit_exceeded")


# ---------------------------------------------------------------- dead letters


async def _letters(door: WebDoor, count: int) -> BufferEndpoint:
    """A consumer that will never take any of its events."""
    await _channel(door)
    proxy, endpoint = await consumer(door.host, 1)
    sends = await supplier(door.host, 1)
    await door.host.ask(Push(1, sends, [happened(str(n), price=n) for n in range(count)]))
    got = await collect(endpoint, count, ack=False)
    door.host.reject(1, proxy, seqs(got), "the order is unknown")
    for _ in range(100):
        if len((await door.ask("GET", LETTERS))["dead_letters"]) == count:
            break
    return endpoint


async def test_many_are_delivered_again_by_a_constraint(tmp_path: Path) -> None:
    async with web_door(folder=tmp_path) as door:
        endpoint = await _letters(door, 5)
        asked = {"channel": "auctions", "filter": "$price >= 1", "most": 3}
        assert await door.ask("POST", f"{LETTERS}/redrive", asked) == {"redriven": 3}
        names = [message.event.name for message in await collect(endpoint, 3)]
        assert names == ["1", "2", "3"]
        assert await door.ask("POST", f"{LETTERS}/redrive", {"channel": 1}) == {"redriven": 2}
        assert await door.ask("POST", f"{LETTERS}/redrive", {}) == {"redriven": 0}


async def test_what_cannot_be_delivered_again_stays(tmp_path: Path) -> None:
    async with web_door(folder=tmp_path) as door:
        await _letters(door, 1)
        (letter,) = (await door.ask("GET", LETTERS))["dead_letters"]
        await door.ask("DELETE", f"{PROXIES}/{letter['proxy']}", status=204)
        await until(lambda: not door.host.disk.waiting)
        assert await door.ask("POST", f"{LETTERS}/redrive", {}) == {"redriven": 0}


async def test_a_bad_query_or_redrive_is_refused() -> None:
    async with web_door() as door:
        for query, status in (
            *(("most=0", 422), ("most=1001", 422), ("most=x", 422), ("most=1&most=2", 400)),
            *(("mots=1", 400), ("after=-1", 422), ("proxy=1.0", 422), ("channel=nobody", 404)),
            ("channel=", 422),
        ):
            await door.ask("GET", f"{LETTERS}?{query}", status=status)
        for body, status in (
            *(({"filter": "$a >"}, 422), ({"most": 0}, 422), ({"channel": "nobody"}, 404)),
            *(({"channel": 7}, 404), ({"chanel": 7}, 422)),
        ):
            await door.ask("POST", f"{LETTERS}/redrive", body, status)


# ---------------------------------------------------------------- events in


async def _send(door: WebDoor, content: Any, kind: str, **headers: str) -> Any:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    given = {"content-type": kind, **headers}
    return await door.client.post(f"{CHANNEL}/events", content=body, headers=given)


async def test_cloudevents_structured_batched_and_binary() -> None:
    one = {"specversion": "1.0", "id": "7", "source": "/a", "type": "b", "data": {"x": 1}}
    async with web_door() as door:
        await _channel(door)
        found = await _send(door, one, "application/cloudevents+json")
        assert found.json()["seq"] == 1
        batch = [one, {"specversion": "0.3"}, one]
        found = await _send(door, batch, "application/cloudevents-batch+json")
        assert [one.get("seq") for one in found.json()["results"]] == [2, None, 3]
        headers = {"ce-specversion": "1.0", "ce-id": "7", "ce-source": "/a", "ce-type": "b"}
        found = await _send(door, {"x": 1}, "application/json", **headers)
        assert found.json()["seq"] == 4
        found = await _send(door, b"\x00\x01", "image/png", **headers)
        assert found.json()["seq"] == 5
        found = await _send(door, [], "application/cloudevents+json")
        check_problem(found, 422)


NUMBERED = {"Tidings-Producer": "x", "Tidings-Number": "1"}


@pytest.mark.parametrize(
    ("content", "headers", "status", "code"),
    [
        (EVENT, {"content-type": "text/plain"}, 415, "unsupported_media"),
        (EVENT, {"content-type": ""}, 415, "unsupported_media"),
        (b"{", {}, 422, "invalid_event"),
        (b'{"domain":"a","domain":"b","type":"c"}', {}, 422, "invalid_event"),
        ({"domain": "a"}, {}, 422, "invalid_event"),
        ({**EVENT, "colour": 1}, {}, 422, "invalid_event"),
        ([EVENT] * 4, {}, 413, "limit_exceeded"),
        ({**EVENT, "body": "x" * 2000}, {}, 413, "limit_exceeded"),
        (EVENT, {"Tidings-Producer": "x"}, 400, "bad_input"),
        (EVENT, {"Tidings-Number": "1"}, 400, "bad_input"),
        (EVENT, {**NUMBERED, "Tidings-Number": "-1"}, 400, "bad_input"),
        ({"event": EVENT, "producer": "a", "number": 1}, NUMBERED, 422, "invalid_event"),
    ],
)
async def test_events_that_are_refused(
    content: Any, headers: dict[str, str], status: int, code: str
) -> None:
    async with web_door(WebOptions(max_batch=3, max_body=1_500)) as door:
        await _channel(door)
        kind = headers.get("content-type", "application/json")
        found = await _send(door, content, kind, **headers)
        check_problem(found, status)
        assert found.json()["code"] == code
        assert (await door.ask("GET", CHANNEL))["accepted"] == 0


async def test_a_proxy_of_ones_own() -> None:
    async with web_door() as door:
        await _channel(door)
        asked = {"side": "supplier", "constraints": ["$price > 100"]}
        own = (await door.ask("POST", PROXIES, asked, 201))["id"]
        for _ in range(2):  # nobody else connects it
            found = await door.ask("POST", f"{CHANNEL}/events?publisher={own}", EVENT)
            assert found["seq"] == 0
        consumer = (await door.ask("POST", PROXIES, {"keep": False}, 201))["id"]
        url = f"{CHANNEL}/events?publisher="
        await door.refused("POST", f"{url}{consumer}", EVENT, 409, "wrong_client")
        assert (await door.ask("GET", f"{PROXIES}/{consumer}"))["connected"] is False
        await door.refused("POST", f"{url}99", EVENT, 404, "proxy_not_found")


# ---------------------------------------------------------------- overviews


@pytest.mark.parametrize("by", ["waiting", "lag", "failures", "idle"])
@pytest.mark.parametrize("on_disk", [False, True])
async def test_the_top_are_ranked(by: str, on_disk: bool, tmp_path: Path) -> None:
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


async def test_who_takes_nothing_is_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    async with web_door() as door:
        channel = await new_channel(door.host)
        proxy, endpoint = await consumer(door.host, channel)
        await publish(door.host, channel, await supplier(door.host, channel), 1, 2)
        await door.ask("GET", "/v1/top")
        now = door.host.loop.time()
        with monkeypatch.context() as patch:
            patch.setattr(door.host.loop, "time", lambda: now + 3)
            (one,) = (await door.ask("GET", "/v1/top?by=idle"))["proxies"]
            assert (one["proxy"], round(one["idle"])) == (proxy, 3)
            await collect(endpoint, 1)
            endpoint.flush()
            await turns()
            (one,) = (await door.ask("GET", "/v1/top?by=idle"))["proxies"]
            assert one["idle"] == 0
