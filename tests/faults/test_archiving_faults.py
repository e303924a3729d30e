"""Faults planted one by one in the service's side of the archive: a unit test must catch each."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.archiving_faults import ARCHIVING_FAULTS, CAUGHT
from tests.faults.fault import Fault, copied_package, probed

PROBE = "tests.faults.archiving_faults"


def test_without_a_fault_nothing_is_caught(tmp_path: Path) -> None:
    copied_package(tmp_path)
    assert probed(PROBE, tmp_path) == (0, "")


@pytest.mark.parametrize("fault", ARCHIVING_FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.apply(copied_package(tmp_path))
    code, output = probed(PROBE, tmp_path)
    assert code == 1, output
    assert CAUGHT in output, output


def test_there_are_enough_faults_and_no_name_stands_twice() -> None:
    names = [fault.name for fault in ARCHIVING_FAULTS]
    assert len(names) >= 12
    assert len(set(names)) == len(names)
