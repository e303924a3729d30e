"""Faults planted one by one where the past is read: a test or scene must catch each."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.fault import Fault, copied_package, probed
from tests.faults.history_faults import CAUGHT, HISTORY_FAULTS

PROBE = "tests.faults.history_faults"


def test_without_a_fault_nothing_is_caught(tmp_path: Path) -> None:
    copied_package(tmp_path)
    assert probed(PROBE, tmp_path) == (0, "")


@pytest.mark.parametrize("fault", HISTORY_FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.apply(copied_package(tmp_path))
    code, output = probed(PROBE, tmp_path)
    assert code == 1, output
    assert output.startswith(CAUGHT), output


def test_no_name_stands_twice() -> None:
    names = [fault.name for fault in HISTORY_FAULTS]
    assert len(set(names)) == len(names)
