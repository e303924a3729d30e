"""What tries faults: one runner per worker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.mutants.runner import Runner


@pytest.fixture(scope="session")
def runner() -> Iterator[Runner]:
    """Tries faults, one after another."""
    with Runner() as made:
        yield made
