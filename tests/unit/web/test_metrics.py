from __future__ import annotations

from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from tests.unit.engine.hosts import collect, consumer, publish, run, supplier, turns
from tests.unit.web.doors import WebDoor, web_door
from tidings.engine.archive_plan import ArchivePlan
from tidings.engine.archiving import Archiving
from tidings.errors import DiskFull
from tidings.stores.segments import Cursor

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


def test_channels_and_consumers_are_counted() -> None:
    async def work() -> None:
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

    run(work())


def test_a_channel_without_a_name_goes_by_its_id() -> None:
    async def work() -> None:
        async with web_door() as door:
            for name in ("", "#1", "x1"):
                await door.ask("POST", "/v1/channels", {"name": name}, 201)
            labels = {
                labels[0]
                for name, *labels in await _samples(door)
                if name == "tidings_events_waiting"
            }
            assert labels == {"#1", "#2", "x1"}

    run(work())


def test_the_state_of_the_door_is_told() -> None:
    async def work() -> None:
        async with web_door() as door:
            counts = door.state.counts
            counts.websockets, counts.tails, counts.rejected = 3, 2, 7
            door.host.watchdog.blocks = 4
            door.host.watchdog.longest = 6_000
            found = await _samples(door)
            assert found["tidings_websockets",] == 3
            assert found["tidings_tails",] == 2
            assert found["tidings_events_rejected_total",] == 7
            assert found["tidings_loop_blocks_total",] >= 4
            assert found["tidings_loop_longest_block_seconds",] >= 0.006
            assert (found["tidings_ready",], found["tidings_disk_refuses",]) == (1, 0)
            assert ("tidings_disk_octets",) not in found
            door.host.disk_error = DiskFull("full")
            found = await _samples(door)
            assert (found["tidings_ready",], found["tidings_disk_refuses",]) == (0, 1)

    run(work())


def test_the_disk_is_measured(tmp_path: Path) -> None:
    async def work() -> None:
        async with web_door(folder=tmp_path) as door:
            assert ("tidings_disk_quota_octets",) not in await _samples(door)
            door.host.housekeeping.disk_quota = 10**9
            await door.ask("POST", "/v1/channels", {}, 201)
            found = await _samples(door)
            assert found["tidings_disk_octets",] > 0
            assert found["tidings_disk_quota_octets",] == 10**9

    run(work())


def test_there_is_no_label_for_proxies() -> None:
    async def work() -> None:
        async with web_door() as door:
            await door.ask("POST", "/v1/channels", {}, 201)
            for _ in range(3):
                await consumer(door.host, 1)
            answer = await door.client.get("/metrics")
            labels = {
                label
                for family in text_string_to_metric_families(answer.text)
                for sample in family.samples
                for label in sample.labels
            }
            assert labels <= set(LABELS)

    run(work())


def test_an_archive_is_counted(tmp_path: Path) -> None:
    async def work() -> None:
        async with web_door(folder=tmp_path) as door:
            assert not [name for name, *_ in await _samples(door) if "archive" in name]
            archiving = Archiving(door.host, ArchivePlan(tmp_path / "archive"))
            door.host.archiving = archiving
            archiving._heard(b'{"sealed": 1, "cursor": [1, 60], "rows": 7}')
            archiving._seen_durable(Cursor(1, 100))
            archiving.error = "no space"
            found = await _samples(door)
            assert found["tidings_archive_seals_total",] == 1
            assert found["tidings_archive_rows_total",] == 7
            assert found["tidings_archive_restarts_total",] == 0
            assert found["tidings_archive_behind_octets",] == 40
            assert 0 < found["tidings_archive_behind_seconds",] < 10
            assert found["tidings_archive_failing",] == 1

    run(work())
