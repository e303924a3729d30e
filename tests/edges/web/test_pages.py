"""Pages for people and figures for machines: health, metrics, the status page."""

from __future__ import annotations

import asyncio
from pathlib import Path

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
from tidings.channel.management import Disconnect
from tidings.engine.archiving import ArchivePlan
from tidings.engine.door import LocalDoor
from tidings.errors import DiskFull
from tidings.stores.segments import Cursor
from tidings.web.looking import Movement, consumers
from tidings.web.pages import row


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
        assert answer["reason"] in (await door.client.get("/")).text
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
        assert "Archive" not in (await door.client.get("/")).text
        archiving = door.host.new_archiving(ArchivePlan(tmp_path / "archive"))
        door.host.archiving = archiving
        archiving._heard(b'{"sealed": 1, "cursor": [1, 60], "rows": 7}')
        page = (await door.client.get("/")).text
        assert row(str(tmp_path / "archive"), 1, 7, 0, 0) in page
        assert "stands still" not in page
        archiving._seen_durable(Cursor(1, 100))
        archiving.error = "<no space>"
        assert "stands still: &lt;no space&gt;" in (await door.client.get("/")).text
        found = await _samples(door)
        counted = {"seals_total": 1, "rows_total": 7, "restarts_total": 0, "behind_octets": 40}
        for name, value in {**counted, "failing": 1}.items():
            assert found[f"tidings_archive_{name}",] == value, name
        assert 0 < found["tidings_archive_behind_seconds",] < 10


async def test_the_page_shows_who_is_behind() -> None:
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


async def test_the_page_says_why_it_is_not_ready() -> None:
    async with web_door() as door:
        assert ">ready<" in (await door.client.get("/")).text
        door.state.readiness.phase, door.state.readiness.reason = "draining", "asked <to> stop"
        assert "not ready: asked &lt;to&gt; stop" in (await door.client.get("/")).text


async def test_others_get_their_turn_while_very_many_are_listed() -> None:
    async with web_door() as door:
        channel = await new_channel(door.host)
        for _ in range(2_000):
            await obtained(door.host, channel)
        for path in ("/v1/channels/1/proxies", "/v1/tree"):
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
        movement = Movement(door.state)
        (one,) = [one async for one in consumers(door.host, LocalDoor(door.host))]
        assert movement.idle(one) == 0
        await asyncio.sleep(0.01)
        assert movement.idle(one) >= 0.01
        await door.host.ask(Disconnect(channel, proxy))
        await movement.look()
        assert movement.idle(one) == 0
