"""What everything rests on: the time base of clocks, names, and parts that others add."""

from __future__ import annotations

from importlib import metadata
from importlib.metadata import EntryPoint

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.clock import from_timebase, to_timebase
from tidings.errors import InvalidUsage
from tidings.names import checked_name
from tidings.plugins import Registry


@pytest.mark.parametrize(
    ("microseconds", "units"),
    [
        (0, 122_192_928_000_000_000),
        (-12_219_292_800_000_000, 0),  # 15 October 1582
        (1, 122_192_928_000_000_010),
    ],
)
def test_timebase(microseconds: int, units: int) -> None:
    assert to_timebase(microseconds) == units
    assert from_timebase(units) == microseconds


@given(st.integers())
def test_timebase_there_and_back(microseconds: int) -> None:
    assert from_timebase(to_timebase(microseconds)) == microseconds


def test_names_are_short_and_readable() -> None:
    for good in ("", "a b/c", "x" * 256, "ñ"):
        assert checked_name(good) == good
    for bad in ("x" * 257, "\n", "\x7f", "\ud800"):
        with pytest.raises(InvalidUsage, match="at most 256 characters"):
            checked_name(bad)
    for id in ("0", "25", "9" * 40):
        with pytest.raises(InvalidUsage, match="only digits: it would be read as an id"):
            checked_name(id)
    assert checked_name("٢٥") == "٢٥"


SORTS = Registry("sort", "tests.sorts", {"plain": "builtins:sorted", "whole": "heapq"})


@pytest.mark.parametrize(
    ("name", "hint"),
    [("plian", "did you mean 'plain'?"), ("zzz", "there are: plain, whole"), ("", "there are:")],
)
def test_a_wrong_name_gets_a_hint(name: str, hint: str) -> None:
    with pytest.raises(InvalidUsage, match="no sort is called") as caught:
        SORTS.load(name)
    assert hint in str(caught.value)


@pytest.mark.parametrize("place", ["no_such_module_anywhere", "heapq:no_such_name"])
def test_a_part_that_cannot_be_imported_is_our_error_with_its_cause(place: str) -> None:
    broken = Registry("sort", "tests.sorts", {"broken": place})
    with pytest.raises(InvalidUsage, match="'broken' cannot be loaded") as caught:
        broken.load("broken")
    assert isinstance(caught.value.__cause__, ImportError | AttributeError)


def test_other_packages_add_parts_and_cannot_replace_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    def announced(group: str) -> list[EntryPoint]:
        return [
            EntryPoint("quick", "heapq:nsmallest", group),
            EntryPoint("plain", "heapq:nlargest", group),
        ]

    monkeypatch.setattr(metadata, "entry_points", announced)
    assert SORTS.names() == ["plain", "quick", "whole"]
    assert SORTS.load("plain") is sorted
    assert getattr(SORTS.load("quick"), "__name__", "") == "nsmallest"
