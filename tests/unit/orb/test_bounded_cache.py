from __future__ import annotations

from tidings.orb.bounded_cache import BoundedCache


def test_the_oldest_goes_when_there_are_too_many() -> None:
    cache = BoundedCache[int, str](2)
    for number in (1, 2, 3):
        cache.keep(number, str(number))
    assert (cache.get(1), cache.get(2), cache.get(3), len(cache)) == (None, "2", "3", 2)
