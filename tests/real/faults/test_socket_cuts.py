"""WebSockets are cut at every octet that matters, and again and again while events flow.

`make soak` cuts them more often than one run needs.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.promises.services import HttpService
from tests.real.faults.fault import copied_package
from tests.real.faults.service.cut_scenes import SCENES, Scene
from tests.real.faults.service.cuts import flooded
from tests.real.faults.service_faults import FORGETFUL
from tests.real.faults.sizes import size

SEED = 20_412
CUTS = size(10, 100)


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
@pytest.mark.timeout(size(600, 1_800))
def test_a_consumer_that_is_cut_often_has_each_event_once(tmp_path: Path) -> None:
    assert asyncio.run(flooded(tmp_path, 1_000 * CUTS, CUTS, SEED)) == []


@pytest.mark.slow
def test_cuts_catch_a_client_that_forgets(tmp_path: Path) -> None:
    FORGETFUL.apply(copied_package(tmp_path / "package"))
    findings = asyncio.run(flooded(tmp_path, 3_000, 10, SEED, tmp_path / "package"))
    assert any(found.startswith("twice:") for found in findings), findings
