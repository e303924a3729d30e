"""Faults planted one by one between Spark and Tidings: the check must catch each."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.exchange_faults import CAUGHT, EXCHANGE_FAULTS
from tests.faults.fault import Fault, copied_package, probed

PROBE = "tests.faults.exchange_faults"


def test_without_a_fault_nothing_is_caught(tmp_path: Path) -> None:
    copied_package(tmp_path)
    assert probed(PROBE, tmp_path) == (0, "")


@pytest.mark.parametrize("fault", EXCHANGE_FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.apply(copied_package(tmp_path))
    code, output = probed(PROBE, tmp_path)
    assert code == 1, output
    assert output.startswith(CAUGHT), output


def test_no_name_stands_twice() -> None:
    names = [fault.name for fault in EXCHANGE_FAULTS]
    assert len(set(names)) == len(names)
