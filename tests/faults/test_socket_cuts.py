"""WebSockets are cut at every octet that matters, and a hundred times while events flow."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.doors.services import HttpService
from tests.faults.service.cut_scenes import SCENES, Scene
from tests.faults.service.cuts import flooded

SEED = 20_412


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
def test_a_cut_changes_nothing(scene: Scene, tmp_path: Path) -> None:
    async def played() -> None:
        served = HttpService(tmp_path / "data")
        try:
            await scene(served)
        finally:
            await served.close()

    asyncio.run(played())


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_a_consumer_cut_a_hundred_times_has_each_of_100_000_events_once(tmp_path: Path) -> None:
    assert asyncio.run(flooded(tmp_path, 100_000, 100, SEED)) == []
