"""The service is killed again and again under load, and so are its publishers and consumers.

`make soak` does it three hundred times.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.real.faults.fault import copied_package
from tests.real.faults.service.kills import drawn, play
from tests.real.faults.service_faults import KILL_FAULTS, KillFault
from tests.real.faults.sizes import ROUNDS as SOAKING

ROUNDS = SOAKING or 3
# After so many everything begins anew: a soak shall not get slower.
ROUNDS_PER_FOLDER = 15
SEED = 20_411

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600 + 20 * ROUNDS)]


def test_nothing_answered_is_missing_and_nothing_comes_twice(tmp_path: Path) -> None:
    random = Random(SEED)
    for first in range(0, ROUNDS, ROUNDS_PER_FOLDER):
        folder = tmp_path / str(first)
        folder.mkdir()
        rounds = min(ROUNDS - first, ROUNDS_PER_FOLDER)
        assert play(folder, drawn(random, rounds)) == []


@pytest.mark.parametrize("planted", KILL_FAULTS, ids=lambda planted: planted.fault.name)
def test_a_fault_is_caught(planted: KillFault, tmp_path: Path) -> None:
    package = tmp_path / "package"
    planted.fault.apply(copied_package(package))
    _, finding, cast, rounds, patience = planted
    findings = play(tmp_path, rounds, cast, package, patience=patience)
    assert finding in {found.partition(":")[0] for found in findings}, findings
