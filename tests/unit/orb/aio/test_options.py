"""What can be chosen about an ORB."""

from __future__ import annotations

import pytest

from tidings.errors import InvalidUsage
from tidings.orb.aio import Address, Options


def test_numbers_that_mean_nothing_are_refused() -> None:
    with pytest.raises(InvalidUsage, match="max_calls"):
        Options(max_calls=0)
    with pytest.raises(InvalidUsage, match="idle_seconds"):
        Options(idle_seconds=-1)
    with pytest.raises(InvalidUsage, match="idle_seconds"):
        Options(idle_seconds=float("nan"))
    with pytest.raises(InvalidUsage, match=r"1\.7"):
        Options(minor=7)


def test_connections_are_looked_at_often_enough() -> None:
    assert Options(message_seconds=1).sweep_seconds == 0.25
    assert Options(message_seconds=0.001).sweep_seconds == 0.02
    assert Options().sweep_seconds == 5.0


def test_addresses_are_written_as_in_urls() -> None:
    assert str(Address("a", 1)) == "a:1"
    assert str(Address("::1", 2)) == "[::1]:2"
