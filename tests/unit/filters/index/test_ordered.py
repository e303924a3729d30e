"""A lane finds the bounds that the truth table says a value satisfies."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest

from tidings.events.fields import COMPOSITE, Char, EnumLabel, Fields, Plain
from tidings.events.paths import Path
from tidings.filters import truth
from tidings.filters.index.entry import Entry, Way
from tidings.filters.index.ordered import ORDERINGS, OrderedLane, lane_name
from tidings.filters.tree import Comparison, Component, Integer, Node, Not, Real, Text

_FIELD = Component(Path("x"))
_BOUNDS: list[Node] = [
    *(Integer(n) for n in (0, 1, 65, 2**53, 2**53 + 1, 2**63, -(2**63))),
    *(Real(r) for r in (0.0, 1.0, 64.5, float(2**53), 1e300)),
    *(Text(t) for t in ("A", "ab", "b", "")),
]
_VALUES: list[Plain] = [
    *(0, 1, 65, 2**53, 2**53 + 1, 2**64 - 1, 0.0, 1.5, float(2**53), 1e301, math.nan, math.inf),
    *(
        "",
        "A",
        "ab",
        "zz",
        Char("A"),
        Char("z"),
        True,
        Decimal("1.5"),
        EnumLabel("A"),
        (),
        COMPOSITE,
    ),
]


class _Owner:
    emptied = 0

    def lane_emptied(self, lane: object) -> None:
        self.emptied += 1


def _expected(value: Plain, operator: type[Comparison], bound: Node, negated: bool) -> bool:
    assert isinstance(bound, Integer | Real | Text)
    literal = truth.literal(bound.value) if isinstance(bound, Text) else bound.value
    answer = truth.COMPARE[operator](value, literal)
    return answer is (not negated)


@pytest.mark.parametrize("negated", [False, True])
@pytest.mark.parametrize("operator", ORDERINGS)
def test_the_slice_is_what_the_table_says(operator: type[Comparison], negated: bool) -> None:
    lanes: dict[object, OrderedLane] = {}
    owner = _Owner()
    entries: list[tuple[Entry, Node]] = []
    for bound in (*_BOUNDS, *_BOUNDS):  # equal bounds too
        comparison = operator(_FIELD, bound)
        conjunct = Not(comparison) if negated else comparison
        entry = Entry(Way(len(entries), (conjunct,)), (conjunct,))
        name = lane_name(conjunct, ())
        lanes.setdefault(name, OrderedLane(name, _FIELD.path, owner)).add(entry)
        entries.append((entry, bound))
    while entries:
        for value in _VALUES:
            out: list[object] = []
            for lane in lanes.values():
                lane.match(value, Fields(), out)
            wanted = [e.way.key for e, b in entries if _expected(value, operator, b, negated)]
            assert sorted(map(str, out)) == sorted(map(str, wanted)), repr(value)
        for entry, _ in entries[::3]:
            entry.home.discard(entry)
        entries = [pair for place, pair in enumerate(entries) if place % 3]
    assert owner.emptied == len(lanes)
