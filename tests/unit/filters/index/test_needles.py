"""Needles are found in a text if and only if they stand in it."""

from __future__ import annotations

import random
import string
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.filters.index.needles import Needles

_text = st.text("abc ", max_size=30)
_needle = st.text("abc ", min_size=1, max_size=7)


def _filled(needles: set[str]) -> Needles[str]:
    index: Needles[str] = Needles()
    for needle in needles:
        index.table(needle)[needle] = needle
    return index


@given(st.sets(_needle, max_size=60), _text)
def test_needles_are_found_as_by_looking_for_each(needles: set[str], text: str) -> None:
    found = list(_filled(needles).find(text))
    assert sorted(found) == sorted(needle for needle in needles if needle in text)


@pytest.mark.parametrize("count", [30, 600])
def test_a_large_text_takes_no_memory_of_its_size(count: int) -> None:
    drawn = random.Random(7)
    needles = {"".join(drawn.choices(string.ascii_letters, k=6)) for _ in range(count)}
    text = "".join(drawn.choices(string.ascii_letters, k=50_000)) + min(needles)
    index = _filled(needles)
    tracemalloc.start()
    try:
        assert min(needles) in set(index.find(text))
        assert tracemalloc.get_traced_memory()[1] < len(text)
    finally:
        tracemalloc.stop()


@given(st.sets(_needle, min_size=1, max_size=40))
def test_a_needle_keeps_its_table(needles: set[str]) -> None:
    index = _filled(needles)
    for needle in needles:
        assert needle in index.table(needle)


@given(st.sets(_needle, max_size=40))
def test_nothing_is_left_when_all_are_gone(needles: set[str]) -> None:
    index = _filled(needles)
    for needle in needles:
        table = index.table(needle)
        del table[needle]
        if not table:
            index.forget(table, needle)
    assert index.runs == {}
