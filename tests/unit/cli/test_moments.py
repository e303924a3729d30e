from __future__ import annotations

import pytest

from tidings.cli.moments import Beginning, beginning
from tidings.clock import SystemClock
from tidings.errors import InvalidUsage


def test_a_number_is_that_of_an_event() -> None:
    assert beginning("17") == Beginning(first=17)


def test_a_moment() -> None:
    assert beginning("1970-01-01T00:00:01Z") == Beginning(since=1_000_000)


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("10m", 600), ("2h", 7200), ("1d", 86400)]
)
def test_so_long_ago(text: str, seconds: int) -> None:
    found = beginning(text).since
    assert found is not None
    assert abs(SystemClock().now() - found - seconds * 1_000_000) < 5_000_000


def test_before_all_time_is_the_beginning_of_it() -> None:
    assert beginning("999999999d") == Beginning(since=0)


def test_nothing_said_is_everything() -> None:
    assert beginning(None) == Beginning()


@pytest.mark.parametrize("text", ["soon", "10 m", "2026-11-15", "2026-11-15T08:30:00", "-3"])
def test_what_is_no_beginning(text: str) -> None:
    with pytest.raises(InvalidUsage, match="10m for ten minutes ago"):
        beginning(text)
