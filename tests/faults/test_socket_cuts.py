"""WebSockets are cut at every octet that matters, and again and again while events flow.

`make soak` cuts them more often than one run needs.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from tests.doors.services import HttpService
from tests.faults.fault import Fault, copied_package, probed
from tests.faults.service.cut_scenes import SCENES, Scene
from tests.faults.service.cuts import flooded
from tests.faults.service_faults import FORGETFUL
from tests.faults.socket_faults import CAUGHT, SOCKET_FAULTS

PROBE = "tests.faults.socket_faults"
SEED = 20_412
CUTS = 100 if "TIDINGS_SOAK_ROUNDS" in os.environ else 20


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
def test_a_cut_changes_nothing(scene: Scene, tmp_path: Path) -> None:
    async def played() -> None:
        served = HttpService(tmp_path / "data")
        try:
            await scene(served)
        finally:
            await served.close()

    asyncio.run(played())


def test_without_a_fault_nothing_is_caught(tmp_path: Path) -> None:
    copied_package(tmp_path)
    assert probed(PROBE, tmp_path) == (0, "")


@pytest.mark.parametrize("fault", SOCKET_FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.apply(copied_package(tmp_path))
    code, output = probed(PROBE, tmp_path)
    assert code == 1, output
    assert CAUGHT in output, output


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_a_consumer_that_is_cut_often_has_each_event_once(tmp_path: Path) -> None:
    assert asyncio.run(flooded(tmp_path, 1_000 * CUTS, CUTS, SEED)) == []


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_cuts_catch_a_client_that_forgets(tmp_path: Path) -> None:
    FORGETFUL.apply(copied_package(tmp_path / "package"))
    findings = asyncio.run(flooded(tmp_path, 3_000, 10, SEED, tmp_path / "package"))
    assert any(found.startswith("twice:") for found in findings), findings
