from __future__ import annotations

import threading

import pytest

from tests.unit.engine.hosts import run
from tidings.engine.compiling import compiled
from tidings.errors import InvalidConstraint
from tidings.filters.constraint import constraint


@pytest.mark.parametrize(("octets", "apart"), [(10, False), (100_000, True)])
def test_long_constraints_are_compiled_beside_the_loop(octets: int, apart: bool) -> None:
    thread = run(compiled(octets, threading.current_thread))
    assert (thread is not threading.current_thread()) == apart


def test_errors_come_back() -> None:
    with pytest.raises(InvalidConstraint):
        run(compiled(100_000, lambda: constraint("$a ==")))
