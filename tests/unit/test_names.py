from __future__ import annotations

import pytest

from tidings.errors import InvalidUsage
from tidings.names import (
    checked_name,
    is_identifier,
    is_origin,
    is_readable,
    new_handle,
    new_origin,
)


@pytest.mark.parametrize("text", ["a", "_", "A1_b", "type"])
def test_identifiers(text: str) -> None:
    assert is_identifier(text)


@pytest.mark.parametrize("text", ["", "1a", "a-b", "é", "a b", "a\n", "\u0661"])
def test_not_identifiers(text: str) -> None:
    assert not is_identifier(text)


def test_origins_are_made_and_known() -> None:
    one, two = new_origin(), new_origin()
    assert one != two
    assert is_origin(one)
    assert is_origin(two)


@pytest.mark.parametrize(
    "text", ["", "0" * 31, "0" * 33, "G" * 32, "A" * 32, "0" * 32 + "\n", "\u0660" * 32]
)
def test_not_origins(text: str) -> None:
    assert not is_origin(text)


@pytest.mark.parametrize("text", ["", "a b", "é", "😀", "\u200d", "\ue000"])
def test_readable(text: str) -> None:
    assert is_readable(text)


@pytest.mark.parametrize(
    "text",
    ["\x00", "a\n", "\x7f", "\x85", "\ud800", "\ufdd0", "\ufffe", "\U0001ffff", "\U0010ffff"],
)
def test_unreadable(text: str) -> None:
    assert not is_readable(text)


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


def test_handles_fit_a_long_and_do_not_follow_each_other() -> None:
    drawn = [new_handle() for _ in range(100)]
    assert len(set(drawn)) == 100
    assert all(0 < one < 2**31 for one in drawn)
    assert max(drawn) > 2**20
