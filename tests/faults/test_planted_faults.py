"""Faults planted one by one in a copy of the package: the checks must catch each."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.fault import Fault, copied_package, probed
from tests.faults.filter_faults import FILTER_FAULTS
from tests.faults.index_faults import INDEX_FAULTS
from tests.faults.probe import CAUGHT

PROBE = "tests.faults.probe"
FAULTS = [*FILTER_FAULTS, *INDEX_FAULTS]


def test_without_a_fault_nothing_is_caught(tmp_path: Path) -> None:
    copied_package(tmp_path)
    assert probed(PROBE, tmp_path) == (0, "")


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.apply(copied_package(tmp_path))
    code, output = probed(PROBE, tmp_path)
    assert code == 1, output
    assert output.startswith(CAUGHT), output


def test_there_are_enough_faults_and_no_name_stands_twice() -> None:
    names = [fault.name for fault in FAULTS]
    assert len(FILTER_FAULTS) >= 25
    assert len(INDEX_FAULTS) >= 15
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("old", ["no such text in the file", "return"])
def test_a_fault_must_fit_exactly_once(old: str, tmp_path: Path) -> None:
    package = copied_package(tmp_path)
    with pytest.raises(ValueError, match="has"):
        Fault("misfit", "filters/truth.py", old, "x").apply(package)
