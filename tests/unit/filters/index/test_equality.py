"""The table finds exactly the literals that the truth table calls equal."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest

from tidings.events.fields import COMPOSITE, Char, EnumLabel, Plain
from tidings.events.paths import MISSING
from tidings.filters import truth
from tidings.filters.index.equality import EqualityTable
from tidings.filters.shape import Constant

_LITERALS: list[Constant] = [
    *(0, 1, 7, 65, -1, 2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2, -(2**53) - 1, 2**63, 2**64 - 1),
    *(0.0, 1.0, 7.5, 65.0, float(2**53), float(2**63), 1e300, -1.0),
    *("", "A", "ab", "7", truth.OneChar("A"), truth.OneChar("7"), EnumLabel("A"), EnumLabel("ab")),
    *(True, False),
]
_VALUES: list[Plain] = [
    *(0, 1, 7, 65, 55, -1, 2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2, -(2**53) - 1, 2**63, 2**64 - 1),
    *(0.0, -0.0, 1.0, 7.5, 65.0, float(2**53), float(2**53 + 2), float(2**63), 2.0**64, 1e300),
    *(math.nan, math.inf, -math.inf, True, False, "", "A", "ab", "7", Char("A"), Char("\x01")),
    *(Decimal(7), Decimal("7.5"), Decimal("7.50"), Decimal(2**53 + 1), Decimal("65.0")),
    *(EnumLabel("A"), EnumLabel("ab"), (), (1,), b"", COMPOSITE, MISSING),
]


@pytest.mark.parametrize("value", _VALUES, ids=repr)
def test_a_value_finds_the_literals_it_equals(value: Plain) -> None:
    for literal in _LITERALS:
        table: EqualityTable[str] = EqualityTable()
        for slots, key in table.slots(literal):
            slots[key] = "here"
        wanted = ["here"] if truth.equal(value, literal) else []
        assert list(table.find(value)) == wanted, repr(literal)
        assert [bucket for _, bucket in table.find_with_literal(value)] == wanted, repr(literal)


def test_an_empty_table_is_false() -> None:
    table: EqualityTable[int] = EqualityTable()
    assert not table
    for slots, key in table.slots(5):
        slots[key] = 1
    assert len(table) == 1
