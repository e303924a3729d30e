from __future__ import annotations

import math
import pickle
from decimal import Decimal

import pytest

from tidings.errors import InvalidEvent
from tidings.events import typecode as tc
from tidings.events.boxes import Any, UnionValue, Value, same

PERSON = tc.struct("IDL:Person:1.0", "Person", [("name", tc.STRING), ("age", tc.LONG)])


def test_a_box_checks_what_is_put_in() -> None:
    assert Any(PERSON, {"age": 29, "name": "Ann"}).value == ("Ann", 29)
    with pytest.raises(InvalidEvent, match="age: 'x' is no long"):
        Any(PERSON, ("Ann", "x"))


def test_a_decoder_is_trusted() -> None:
    assert Any.trusted(tc.SHORT, 5) == Any(tc.SHORT, 5)


def test_boxes_travel_between_processes() -> None:
    box = Any(tc.union("", "U", tc.LONG, [(1, "a", tc.STRING)]), UnionValue(1, "x"))
    assert pickle.loads(pickle.dumps(box)) == box


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (1, 1.0),
        (1, True),
        (0.0, -0.0),
        ("a", b"a"),
        ((1,), (True,)),
        ({"a": 1}, {"a": 1.0}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ((1,), (1, 2)),
        (Decimal("1.0"), Decimal("1.00")),
        (Any(tc.SHORT, 1), Any(tc.USHORT, 1)),
        (Any(tc.SHORT, 1), 1),
        (UnionValue(1, 2), UnionValue(True, 2)),
    ],
    ids=repr,
)
def test_what_is_not_the_same(one: Value, two: Value) -> None:
    assert not same(one, two)
    assert not same(two, one)


def test_what_is_the_same() -> None:
    assert same(math.nan, math.nan)
    assert same((math.nan, {"a": -0.0}), (math.nan, {"a": -0.0}))
    assert Any(tc.FLOAT, math.nan) == Any(tc.FLOAT, math.nan)
    assert UnionValue(1, math.nan) == UnionValue(1, math.nan)
    assert Any(tc.SHORT, 1) != 1
    assert UnionValue(1, 1) != 1


def test_representations() -> None:
    assert repr(Any(tc.sequence(PERSON), [])) == "Any(sequence<struct Person>, ())"
    assert repr(UnionValue(1, "a")) == "UnionValue(1, 'a')"
