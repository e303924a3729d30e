from __future__ import annotations

from decimal import Decimal

import pytest

from tidings.events import typecode as tc
from tidings.events.anyvalue import Any, Reference, Value
from tidings.events.typecode import TypeCode
from tidings.orb.cdr_telling import told


@pytest.mark.parametrize(
    ("type_", "value", "plain"),
    [
        (tc.LONG, 1, 1),
        (tc.struct("", "", [("a", tc.LONG)]), (1,), {"a": 1}),
        (tc.sequence(tc.struct("", "", [("a", tc.LONG)])), ((1,),), ({"a": 1},)),
        (tc.sequence(tc.ANY), (), ()),
        (tc.fixed(3, 1), Decimal("12.5"), Decimal("12.5")),
        (tc.objref("IDL:X/Y:1.0", "Y"), Reference("IDL:X/Y:1.0"), Reference("IDL:X/Y:1.0")),
    ],
)
def test_a_type_that_can_be_told_is_left_out(type_: TypeCode, value: Value, plain: Value) -> None:
    assert told(type_, value) == plain


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        (tc.SHORT, 1),
        (tc.struct("IDL:P:1.0", "P", [("a", tc.LONG)]), (1,)),
        (tc.struct("", "", [("a", tc.LONG), ("a", tc.LONG)]), (1, 2)),
        (tc.struct("", "", [("", tc.LONG)]), (1,)),
        (tc.sequence(tc.LONG), ()),
        (tc.sequence(tc.LONG, 5), (1,)),
        (tc.fixed(4, 1), Decimal("12.5")),
        (tc.objref("IDL:X/Y:1.0", "Y"), Reference("IDL:Z:1.0")),
        (tc.ANY, Any(tc.SHORT, 1)),
    ],
)
def test_a_type_that_cannot_be_told_stays(type_: TypeCode, value: Value) -> None:
    assert told(type_, value) == Any.trusted(type_, value)
