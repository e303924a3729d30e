"""Faults planted one by one in routing, sharing, filters, restarts and settings: all are caught."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.fault import Fault, copied_package, probed
from tests.faults.routing_faults import ROUTING_FAULTS
from tests.faults.routing_probe import CAUGHT

PROBE = "tests.faults.routing_probe"


def test_without_a_fault_nothing_is_caught(tmp_path: Path) -> None:
    copied_package(tmp_path)
    assert probed(PROBE, tmp_path) == (0, "")


@pytest.mark.parametrize("fault", ROUTING_FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.apply(copied_package(tmp_path))
    code, output = probed(PROBE, tmp_path)
    assert code == 1, output
    assert output.startswith(CAUGHT), output
    # Caught by a check, and not by a program that no longer runs.
    assert "Error(" not in output, output


def test_no_name_stands_twice() -> None:
    assert len({fault.name for fault in ROUTING_FAULTS}) == len(ROUTING_FAULTS) >= 20
