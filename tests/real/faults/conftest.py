"""What the tests of planted and outer faults share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.real.faults.power.run import build_shim


@pytest.fixture(scope="session")
def power_shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that records what a program does to a folder."""
    return build_shim(tmp_path_factory.mktemp("power"))
