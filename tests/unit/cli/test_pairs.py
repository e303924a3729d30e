from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings import event
from tidings.cli.pairs import event_of, pairs, plain_value, properties
from tidings.errors import InvalidEvent, InvalidUsage


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        ("-3", -3),
        ("0", 0),
        ("57.5", 57.5),
        ("1e3", 1000.0),
        ("true", True),
        ("false", False),
        ("Emma", "Emma"),
        ("", ""),
        ("007", "007"),
        ("+1", "+1"),
        ("nan", "nan"),
        ("inf", "inf"),
        ("null", "null"),
        ("True", "True"),
        ("1_000", "1_000"),
        ("\u0661", "\u0661"),
    ],
)
def test_plain_values_have_the_obvious_type(text: str, value: object) -> None:
    found = plain_value(text)
    assert (found, type(found)) == (value, type(value))


@given(st.integers(-(2**63), 2**63 - 1) | st.booleans())
def test_what_json_writes_is_read_as_the_same_value(value: int) -> None:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    assert plain_value(text) == value


def test_pairs() -> None:
    assert pairs(["a=1", "b=x=y", "c:=[1, 2]", 'd:="="', "e="]) == {
        "a": 1,
        "b": "x=y",
        "c": [1, 2],
        "d": "=",
        "e": "",
    }


@pytest.mark.parametrize("text", ["a", "=1", ":=1", ""])
def test_what_is_no_pair(text: str) -> None:
    with pytest.raises(InvalidUsage, match="name=value"):
        pairs([text])


def test_a_name_stands_once() -> None:
    with pytest.raises(InvalidUsage, match="'a' is given twice"):
        pairs(["a=1", "a:=2"])


def test_json_that_is_none_is_told_with_its_field() -> None:
    with pytest.raises(InvalidEvent, match="zones"):
        pairs(["zones:=[1,"])


def test_an_event_from_words() -> None:
    made = event_of(["Traffic::Speed", "car-7", "rate=57.5", "zones:=[3,17]"], ["Priority=4"])
    assert made == event("Traffic", "Speed", "car-7", {"rate": 57.5, "zones": [3, 17]}, priority=4)


def test_the_name_may_be_left_out() -> None:
    assert event_of(["Traffic::Speed", "rate=1"]) == event("Traffic", "Speed", "", {"rate": 1})


@pytest.mark.parametrize("words", [[], ["Speed"], ["rate=1"]])
def test_an_event_begins_with_its_type(words: list[str]) -> None:
    with pytest.raises(InvalidUsage, match="Domain::Type"):
        event_of(words)


def test_a_second_name_is_no_field() -> None:
    with pytest.raises(InvalidUsage, match="'b' is no field"):
        event_of(["D::T", "a", "b"])


def test_properties_by_name_or_number() -> None:
    found = properties(["OrderPolicy=PriorityOrder", "Priority=3", "StopTimeSupported=false"])
    assert found == {"OrderPolicy": 2, "Priority": 3, "StopTimeSupported": False}
