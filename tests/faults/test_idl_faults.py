"""Faults planted one by one in what reads IDL: the checks must catch each."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.fault import Fault, copied_package, probed
from tests.faults.idl_faults import IDL_FAULTS
from tests.faults.probe import CAUGHT

PROBE = "tests.faults.idl_probe"


def test_without_a_fault_nothing_is_caught(tmp_path: Path) -> None:
    copied_package(tmp_path)
    assert probed(PROBE, tmp_path) == (0, "")


@pytest.mark.parametrize("fault", IDL_FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.apply(copied_package(tmp_path))
    code, output = probed(PROBE, tmp_path)
    assert code == 1, output
    assert output.startswith(CAUGHT), output


def test_there_are_enough_faults_and_no_name_stands_twice() -> None:
    names = [fault.name for fault in IDL_FAULTS]
    assert len(set(names)) == len(names) >= 25
