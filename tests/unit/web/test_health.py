from __future__ import annotations

import pytest

from tests.unit.engine.hosts import run
from tests.unit.web.doors import WebDoor, web_door
from tidings.errors import DiskFull


async def _ready(door: WebDoor) -> tuple[int, str]:
    answer = await door.client.get("/health/ready", headers={"Host": "any.example"})
    assert answer.headers["content-type"] == "application/json"
    return answer.status_code, answer.json()["reason"]


def test_it_is_alive_whatever_it_does() -> None:
    async def work() -> None:
        async with web_door() as door:
            door.state.readiness.phase = "draining"
            assert await door.ask("GET", "/health/live") == {"status": "alive", "reason": ""}

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
            assert await _ready(door) == (503, "the disk refuses: no room on /data")
            door.host.disk_error = None
            assert await _ready(door) == (200, "")

    run(work())
