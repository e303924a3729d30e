from __future__ import annotations

import pytest

from tidings.events import typecode as tc
from tidings.events.typecode import TypeCode
from tidings.orb.cdr_shapes import Shape, is_kept, shape_of

EMPTY = tc.struct("", "E", [])


@pytest.mark.parametrize(
    ("type_", "shape"),
    [
        (tc.LONG, Shape(4)),
        (tc.fixed(5, 2), Shape(3)),
        (tc.ANY, Shape(4)),
        (EMPTY, Shape(0, 1, 1)),
        (tc.array(EMPTY, 3), Shape(0, 3, 2)),
        (tc.array(tc.LONG, 0), Shape(0, 1, 1)),
        (tc.array(tc.LONG, 3), Shape(12, 0, 1)),
        (tc.sequence(EMPTY), Shape(4, 0, 2)),
        (tc.struct("", "P", [("a", tc.SHORT), ("n", tc.NULL)]), Shape(2, 1, 1)),
        (tc.union("", "U", tc.LONG, [(1, "n", tc.NULL), (2, "l", tc.LONG)]), Shape(4, 1, 1)),
        (tc.alias("IDL:A:1.0", "A", tc.DOUBLE), Shape(8)),
    ],
)
def test_measures_of_types(type_: TypeCode, shape: Shape) -> None:
    assert shape_of(type_) == shape


def test_large_types_are_not_kept() -> None:
    assert is_kept(tc.struct("", "P", [("a", tc.SHORT)]))
    assert not is_kept(tc.enum("", "E", [f"label{place}" for place in range(500)]))
