from __future__ import annotations

from enum import Enum

import pytest

from tidings.errors import InvalidEvent
from tidings.events.texts import (
    checked_text,
    exact_text,
    member_name,
    place_name,
    shortened,
)


class Colour(str, Enum):  # noqa: UP042 -- whose str() is its name
    RED = "red"


class Loud(str):
    __slots__ = ()

    def __str__(self) -> str:
        return self.upper()


@pytest.mark.parametrize("text", ["", "abc", "é", "😀", "\x00", "\ufffe"])
def test_well_formed_text_passes(text: str) -> None:
    assert checked_text(text, "x") is text


@pytest.mark.parametrize(("text", "says"), [("a\ud800", "character 2.*U\\+D800"), ("\udfff", "1")])
def test_lone_surrogates_do_not(text: str, says: str) -> None:
    with pytest.raises(InvalidEvent, match=says) as caught:
        checked_text(text, "data.x")
    assert caught.value.where == "data.x"


def test_text_of_a_subclass_is_its_characters() -> None:
    assert exact_text(Colour.RED) == "red"
    assert exact_text(Loud("a")) == "a"
    assert type(exact_text(Loud("a"))) is str


def test_names_are_non_empty_text() -> None:
    assert member_name("a", "") == "a"
    assert type(member_name(Loud("é"), "")) is str
    for wrong in ("", None, 5, b"a"):
        with pytest.raises(InvalidEvent, match="names must be non-empty text"):
            member_name(wrong, "data")
    with pytest.raises(InvalidEvent, match="surrogate"):
        member_name("\ud800", "data")


def test_names_in_places_can_be_printed() -> None:
    assert place_name("zones") == "zones"
    assert place_name("\ud800") == "\\ud800"
    assert place_name(5) == "5"
    assert len(place_name("a" * 100)) == 60


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (5, "5"),
        ("a", "'a'"),
        (10**50, "an integer of 167 bits"),
        (-(10**50), "an integer of 167 bits"),
        ([10**5000], "a list"),
        ("a" * 100, "'" + "a" * 38 + "…"),
        ([[[[[1]]]]], "[[[[...]]]]"),
    ],
)
def test_values_are_shown_shortly(value: object, expected: str) -> None:
    assert shortened(value) == expected


def test_large_values_are_not_spelled_out_first() -> None:
    assert len(shortened([list(range(1000))] * 100_000)) == 40
