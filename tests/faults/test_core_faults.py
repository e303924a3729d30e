"""Faults planted one by one in the core of channels: the check must catch each."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.core_faults import CAUGHT, CORE_FAULTS
from tests.faults.fault import Fault, copied_package, probed

PROBE = "tests.faults.core_faults"


def test_without_a_fault_nothing_is_caught(tmp_path: Path) -> None:
    copied_package(tmp_path)
    assert probed(PROBE, tmp_path) == (0, "")


@pytest.mark.parametrize("fault", CORE_FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.apply(copied_package(tmp_path))
    code, output = probed(PROBE, tmp_path)
    assert code == 1, output
    assert output.startswith(CAUGHT), output


def test_no_name_stands_twice() -> None:
    assert len({fault.name for fault in CORE_FAULTS}) == len(CORE_FAULTS)
