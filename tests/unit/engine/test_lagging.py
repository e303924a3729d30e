from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tidings.engine.lagging import Lag
from tidings.stores.segments import Cursor


class Times:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_oldest_part_that_is_missing_counts() -> None:
    times = Times()
    lag = Lag(times)
    assert lag.seconds() == 0.0
    lag.told(Cursor(1, 100))
    times.now = 5.0
    lag.told(Cursor(1, 200))
    times.now = 7.0
    assert lag.seconds() == 7.0
    lag.archived(Cursor(1, 100))
    assert (lag.seconds(), lag.reached) == (2.0, Cursor(1, 100))
    lag.archived(Cursor(1, 150))
    assert lag.seconds() == 2.0
    lag.archived(Cursor(2, 0))
    assert lag.seconds() == 0.0
    lag.told(Cursor(1, 900))  # it has that already
    assert lag.seconds() == 0.0


@given(st.integers(1, 3_000), st.integers(0, 3_000))
def test_however_long_it_stands_still_the_first_moment_is_known(count: int, archived: int) -> None:
    times = Times()
    lag = Lag(times)
    for number in range(1, count + 1):
        times.now += 1
        lag.told(Cursor(1, number))
    assert lag.seconds() == count - 1
    times.now += 1
    lag.archived(Cursor(1, archived))
    assert (lag.seconds() > 0) == (archived < count)
    assert lag.seconds() <= count
