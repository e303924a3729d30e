"""What the service says of itself: health, metrics, overview, rates and outline; the console."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

from tests.edges.engine.hosts import (
    collect,
    consumer,
    new_channel,
    obtained,
    publish,
    supplier,
    turns,
)
from tests.edges.web.doors import WebDoor, web_door
from tests.edges.web.served import served
from tidings.channel.management import CreateChannel, Disconnect
from tidings.engine.archiving import ArchivePlan
from tidings.engine.door import LocalDoor
from tidings.errors import DiskFull
from tidings.grants.core import Grants
from tidings.grants.model import Verb
from tidings.grants.requests import CreateGrant, CreatePrincipal, CreateToken
from tidings.names import new_origin
from tidings.stores.segments import Cursor
from tidings.web.looking import Movement, consumers
from tidings.web.rates import Rates


async def _ready(door: WebDoor) -> tuple[int, str]:
    answer = await door.client.get("/health/ready", headers={"Host": "any.example"})
    assert answer.headers["content-type"] == "application/json"
    return answer.status_code, answer.json()["reason"]


async def test_what_is_lost_is_told_and_the_service_is_ready(tmp_path: Path) -> None:
    async with web_door(folder=tmp_path) as door:
        door.host.losses.add_events(1, [3, 4])
        door.host.losses.add_object("7", "the subscription 7 of channel 1", 0)
        await door.host.reports.tell_all()
        answer = await door.ask("GET", "/health/ready")
        assert (answer["status"], answer["losses"]) == ("ready, with losses", 3)
        assert answer["reason"] == (
            "damage in the journal has cost 2 events, 1 channel or subscription: see the notices"
        )
        assert (await door.ask("GET", "/v1/overview"))["losses"] == answer["reason"]
        assert "tidings_losses 3.0" in (await door.client.get("/metrics")).text
        notices = (await door.ask("GET", "/v1/notices"))["notices"]
        assert [one["kind"] for one in notices] == ["lost", "lost"]
        door.host.disk_error = DiskFull("no room")
        assert await _ready(door) == (503, "the disk refuses")


LABELS = ("channel", "side", "admin", "outcome")


async def _samples(door: WebDoor) -> dict[tuple[str, ...], float]:
    """Each sample by its name and the values of its labels."""
    answer = await door.client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain")
    return {
        (sample.name, *(sample.labels[one] for one in LABELS if one in sample.labels)): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


async def test_channels_and_consumers_are_counted() -> None:
    async with web_door() as door:
        await door.ask("POST", "/v1/channels", {"name": 'a "b"\\'}, 201)
        _, endpoint = await consumer(door.host, 1)
        await consumer(door.host, 1, window=2)
        await publish(door.host, 1, await supplier(door.host, 1), *range(5))
        await collect(endpoint, 5)
        endpoint.flush()
        await turns()
        found = await _samples(door)
        name = 'a "b"\\'
        assert found["tidings_events_accepted_total", name] == 5
        assert found["tidings_events_waiting", name] == 5
        assert found["tidings_proxies", name, "consumer"] == 2
        assert found["tidings_proxies", name, "supplier"] == 1
        assert found["tidings_consumer_waiting", name, "0"] == 3
        assert found["tidings_consumer_in_flight", name, "0"] == 2
        assert found["tidings_consumer_copies", name, "0", "delivered"] == 5
        assert found["tidings_copies_total", "delivered"] == 5


async def test_the_disk_is_measured(tmp_path: Path) -> None:
    async with web_door(folder=tmp_path) as door:
        assert ("tidings_disk_quota_octets",) not in await _samples(door)
        door.host.housekeeping.disk_quota = 10**9
        await door.ask("POST", "/v1/channels", {}, 201)
        found = await _samples(door)
        assert found["tidings_disk_octets",] > 0
        assert found["tidings_disk_quota_octets",] == 10**9


async def test_an_archive_is_counted_and_shown(tmp_path: Path) -> None:
    async with web_door(folder=tmp_path) as door:
        assert not [name for name, *_ in await _samples(door) if "archive" in name]
        assert (await door.ask("GET", "/v1/overview"))["archive"] is None
        archiving = door.host.new_archiving(ArchivePlan(tmp_path / "archive"))
        door.host.archiving = archiving
        archiving._heard(b'{"sealed": 1, "cursor": [1, 60], "rows": 7}')
        archiving._seen_durable(Cursor(1, 100))
        archiving.error = "no space"
        told = (await door.ask("GET", "/v1/overview"))["archive"]
        assert (told["folder"], told["rows"]) == (str(tmp_path / "archive"), 7)
        assert (told["behind_octets"], told["error"]) == (40, "no space")
        found = await _samples(door)
        counted = {"seals_total": 1, "rows_total": 7, "restarts_total": 0, "behind_octets": 40}
        for name, value in {**counted, "failing": 1}.items():
            assert found[f"tidings_archive_{name}",] == value, name
        assert 0 < found["tidings_archive_behind_seconds",] < 10


async def test_the_status_says_whether_the_service_is_ready(tmp_path: Path) -> None:
    async with web_door(folder=tmp_path) as door:
        told = await door.ask("GET", "/v1/overview")
        assert (told["ready"], told["reason"], told["corba"]) == (True, "", None)
        assert told["disk"]["folder"].startswith(str(tmp_path))
        door.state.readiness.phase, door.state.readiness.reason = "draining", "asked to stop"
        told = await door.ask("GET", "/v1/overview")
        assert (told["ready"], told["reason"]) == (False, "asked to stop")


async def _watched(door: WebDoor) -> Rates:
    """What has seen a slow consumer and eight events, in two looks."""
    await door.ask("POST", "/v1/channels", {"name": "roads"}, 201)
    given = {"style": "pull", "name": "billing", "qos": {"MaxEventsPerConsumer": 3}}
    await door.ask("POST", "/v1/channels/roads/proxies", given, 201)
    rates = door.state.part(Rates)
    await rates.measure()
    await rates.look()
    for _ in range(8):
        await door.ask("POST", "/v1/channels/roads/events", {"domain": "Traffic", "type": "Speed"})
    await rates.look()
    return rates


async def test_rates_are_kept_and_told_from_a_time_on(tmp_path: Path) -> None:
    async with web_door(folder=tmp_path) as door:
        await _watched(door)
        series = (await door.ask("GET", "/v1/rates"))["series"]
        assert {len(values) for values in series.values()} == {2}
        assert series["accepted"][0] == 0 < series["accepted"][1]
        assert (series["waiting"][1], series["slow"]) == (3, [0, 1])
        assert series["journal"][1] > 0
        younger = await door.ask("GET", f"/v1/rates?after={series['time'][0]}")
        assert younger["series"]["time"] == series["time"][1:]
        told = await door.ask("GET", "/v1/overview")
        assert (told["accepted"], told["waiting"]) == (8, 3)
        assert told["outcomes"] == {"discarded": 5}


async def test_rates_have_an_end() -> None:
    async with web_door() as door:
        rates = door.state.part(Rates)
        for _ in range(730):
            await rates.look()
        assert len(rates.after(0)) == 720


async def test_whoever_may_not_inspect_the_service_gets_no_sums() -> None:
    async with served(cores=[Grants()]) as door:
        owner = LocalDoor(door.host)
        for name, verb, channels in (
            ("root", Verb.ADMINISTER, ()),
            ("ann", Verb.INSPECT, ("roads",)),
            ("eve", Verb.INSPECT, ()),
        ):
            await owner.ask(CreatePrincipal(name))
            await owner.ask(CreateGrant(name, (verb,), channels))
        for name in ("roads", "sea"):
            await owner.ask(CreateChannel(new_origin(), name=name))
        tokens = {name: await owner.request(CreateToken(name)) for name in ("root", "ann", "eve")}
        for name, status, seen in (("ann", 403, ["roads"]), ("eve", 200, ["roads", "sea"])):
            headers = {"Authorization": f"Bearer {tokens[name].token}"}
            for path in ("/v1/overview", "/v1/rates"):
                answer = await door.client.get(path, headers=headers)
                assert answer.status_code == status, (name, path)
            outline = (await door.client.get("/v1/outline", headers=headers)).json()
            assert outline["channels"]["name"] == seen


def _column(values: Any) -> list[Any]:
    return values if isinstance(values, list) else [values["words"][at] for at in values["at"]]


async def test_the_outline_has_every_object_in_columns() -> None:
    async with served() as door, door.wire() as wire:
        channel = await door.channel("roads")
        pushed = await door.proxy(channel, name="speeding", constraints=["$price > 5"])
        await door.proxy(channel, name="night", style="pull")
        await wire.connect(1, channel, pushed, again=True, window=2)
        await door.publish(channel, 1, 6, 7, 8)
        await wire.events(2)
        outline = await door.ask("GET", "/v1/outline")
        proxies = {name: _column(values) for name, values in outline["proxies"].items()}
        at = proxies["name"].index("speeding")
        told = {name: values[at] for name, values in proxies.items()}
        assert told == {
            "channel": channel, "id": pushed, "admin": 0, "name": "speeding", "waiting": 1,
            "in_flight": 2, "behind": 3, "failures": 0, "taken": 0, "filters": 1,
            "side": "consumer", "style": "push", "form": "structured", "state": "connected",
            "owner": "owner", "door": "WebSocket", "peer": "127.0.0.1",
        } | {"owner": told["owner"]}  # fmt: skip
        assert proxies["state"][proxies["name"].index("night")] == "away"
        assert outline["channels"]["consumers"] == [2]
        assert _column(outline["admins"]["side"]) == ["supplier", "consumer"]
        short = await door.ask("GET", "/v1/outline?inside=false")
        assert (short["channels"]["id"], short["proxies"]["id"]) == ([channel], [])
        other = await new_channel(door.host)
        one = await door.ask("GET", f"/v1/outline?of={channel}&of=77")
        assert (one["channels"]["id"], one["proxies"]) == ([channel], outline["proxies"])
        both = await door.ask("GET", f"/v1/outline?of={channel}&of={other}")
        assert both["channels"]["id"] == [channel, other]
        many = "&".join(["of=1"] * 101)
        await door.ask("GET", f"/v1/outline?{many}", status=422)


async def test_the_consoles_files_are_checked_and_nothing_else_is_served() -> None:
    async with web_door() as door:
        page = await door.client.get("/")
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        assert page.headers["cache-control"] == "no-cache"
        known = {"If-None-Match": page.headers["etag"]}
        again = await door.client.get("/", headers=known)
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["content-security-policy"].startswith("default-src 'none'")
        found = await door.client.get("/console/vendor/uplot.js")
        assert found.headers["content-type"] == "text/javascript; charset=utf-8"
        for path in ("nothing.js", "lib", "vendor/", "%2e%2e/pages.css", "../app.py", "a%00.js"):
            await door.ask("GET", f"/console/{path}", status=404)
        refused = await door.ask("POST", "/console/app.js", status=405)
        assert refused["detail"] == "this path takes GET only"


async def test_others_get_their_turn_while_very_many_are_listed() -> None:
    async with web_door() as door:
        channel = await new_channel(door.host)
        for _ in range(3_000):
            await obtained(door.host, channel)
        for path in ("/v1/channels/1/proxies", "/v1/tree", "/v1/outline"):
            given = 0
            asked = asyncio.create_task(door.ask("GET", path))
            while not asked.done():
                await asyncio.sleep(0)
                given += 1
            assert given > 10, path


async def test_movement_forgets_who_has_ended() -> None:
    async with web_door() as door:
        channel = await new_channel(door.host)
        proxy, _ = await consumer(door.host, channel)
        await publish(door.host, channel, await supplier(door.host, channel), 1)
        movement = door.state.part(Movement)
        (one,) = [one async for one in consumers(door.host, LocalDoor(door.host))]
        assert movement.idle(one) == 0
        await asyncio.sleep(0.01)
        assert movement.idle(one) >= 0.01
        await door.host.ask(Disconnect(channel, proxy))
        await door.state.part(Rates).look()
        assert movement.idle(one) == 0
