from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.engine.hosts import run
from tests.unit.web.doors import WebDoor, web_door
from tidings.engine.archive_plan import ArchivePlan
from tidings.engine.archiving import Archiving
from tidings.errors import DiskFull


async def _ready(door: WebDoor) -> tuple[int, str]:
    answer = await door.client.get("/health/ready", headers={"Host": "any.example"})
    assert answer.headers["content-type"] == "application/json"
    return answer.status_code, answer.json()["reason"]


def test_it_is_alive_whatever_it_does() -> None:
    async def work() -> None:
        async with web_door() as door:
            door.state.readiness.phase = "draining"
            answer = await door.ask("GET", "/health/live")
            assert (answer["status"], answer["reason"]) == ("alive", "")

    run(work())


@pytest.mark.parametrize(
    ("phase", "reason", "told"),
    [
        ("starting", "", "starting"),
        ("starting", "reading the journal", "reading the journal"),
        ("draining", "asked to stop", "asked to stop"),
    ],
)
def test_it_is_ready_when_whoever_runs_it_says_so(phase: str, reason: str, told: str) -> None:
    async def work() -> None:
        async with web_door() as door:
            assert await _ready(door) == (200, "")
            door.state.readiness.phase, door.state.readiness.reason = phase, reason
            assert await _ready(door) == (503, told)

    run(work())


def test_it_is_not_ready_while_the_disk_refuses() -> None:
    async def work() -> None:
        async with web_door() as door:
            door.host.disk_error = DiskFull("no room on /data")
            assert await _ready(door) == (503, "the disk refuses")
            door.host.disk_error = None
            assert await _ready(door) == (200, "")

    run(work())


def test_what_is_lost_is_told_and_the_service_is_ready(tmp_path: Path) -> None:
    async def work() -> None:
        async with web_door(folder=tmp_path) as door:
            door.host.lost(1, 0, [3, 4])
            door.host.report_losses({}, ["the subscription 7 of channel 1"])
            answer = await door.ask("GET", "/health/ready")
            assert (answer["status"], answer["losses"]) == ("ready, with losses", 3)
            assert answer["reason"] == (
                "damage in the journal has cost 2 events, 1 channel or subscription: "
                "see the notices"
            )
            assert answer["reason"] in (await door.client.get("/")).text
            assert "tidings_losses 3.0" in (await door.client.get("/metrics")).text
            notices = (await door.ask("GET", "/v1/notices"))["notices"]
            assert [one["kind"] for one in notices] == ["lost", "lost"]
            door.host.disk_error = DiskFull("no room")
            assert await _ready(door) == (503, "the disk refuses")

    run(work())


def test_a_failing_archive_is_told_of_and_the_service_is_ready(tmp_path: Path) -> None:
    async def work() -> None:
        async with web_door(folder=tmp_path) as door:
            door.host.archiving = Archiving(door.host, ArchivePlan(tmp_path / "archive"))
            for error, told in (("", "good"), ("no space", "failing")):
                door.host.archiving.error = error
                answer = await door.ask("GET", "/health/ready")
                assert answer == {"status": "ready", "reason": "", "archive": told, "losses": 0}
            door.state.readiness.phase = "draining"
            answer = (await door.client.get("/health/ready")).json()
            assert answer["archive"] == "failing"

    run(work())
