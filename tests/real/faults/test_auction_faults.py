"""Faults planted one by one in a copy of the package: the demo's accounts must find each."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.real.faults.auction_faults import AUCTION_FAULTS, AuctionFault
from tests.real.faults.fault import copied_package


@pytest.mark.parametrize("planted", AUCTION_FAULTS, ids=lambda planted: planted.fault.name)
def test_a_fault_is_found(planted: AuctionFault, tmp_path: Path) -> None:
    planted.fault.apply(copied_package(tmp_path))
    (tmp_path / "evening").mkdir()
    ran = subprocess.run(
        [sys.executable, "-B", "-m", "tidings", "demo", "--no-spark"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "TMPDIR": str(tmp_path / "evening")},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (1, "")
    last = ran.stdout.splitlines()[-1]
    assert re.match(rf"DOES NOT HOLD: .*{planted.told}", last)
    assert list((tmp_path / "evening").iterdir()) == []
