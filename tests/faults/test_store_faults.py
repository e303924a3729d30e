"""Faults planted one by one in payloads, catalog and retention: the check must catch each."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.fault import Fault, copied_package, probed
from tests.faults.store_faults import CAUGHT, STORE_FAULTS

PROBE = "tests.faults.store_faults"


def test_without_a_fault_nothing_is_caught(tmp_path: Path) -> None:
    copied_package(tmp_path)
    assert probed(PROBE, tmp_path) == (0, "")


@pytest.mark.parametrize("fault", STORE_FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.apply(copied_package(tmp_path))
    code, output = probed(PROBE, tmp_path)
    assert code == 1, output
    assert output.startswith(CAUGHT), output
    # Caught by a check, and not by a program that no longer runs.
    assert "Error(" not in output, output


def test_there_are_enough_faults_and_no_name_stands_twice() -> None:
    names = [fault.name for fault in STORE_FAULTS]
    assert len(names) >= 12
    assert len(set(names)) == len(names)
