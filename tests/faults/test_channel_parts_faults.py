"""Faults planted one by one in offers, marks and translation: the check must catch each."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.channel_parts_faults import CAUGHT, CHANNEL_PARTS_FAULTS
from tests.faults.fault import Fault, copied_package, probed

PROBE = "tests.faults.channel_parts_faults"


def test_without_a_fault_nothing_is_caught(tmp_path: Path) -> None:
    copied_package(tmp_path)
    assert probed(PROBE, tmp_path) == (0, "")


@pytest.mark.parametrize("fault", CHANNEL_PARTS_FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.apply(copied_package(tmp_path))
    code, output = probed(PROBE, tmp_path)
    assert code == 1, output
    assert output.startswith(CAUGHT), output
    # Caught by a check, and not by a program that no longer runs.
    assert "Error(" not in output, output


def test_no_name_stands_twice() -> None:
    assert len({fault.name for fault in CHANNEL_PARTS_FAULTS}) == len(CHANNEL_PARTS_FAULTS)
