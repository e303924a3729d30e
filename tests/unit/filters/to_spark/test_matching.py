from __future__ import annotations

import pytest

from tidings.filters.constraint import constraint
from tidings.filters.to_spark.columns import Occurring
from tidings.filters.to_spark.matching import plan_of


@pytest.mark.parametrize(
    ("text", "types", "others", "plan"),
    [
        ("$rate > 30", (), (), "native"),
        ("$rate > 30", (), ("price", "*"), "native; Arrow batches for bare values"),
        ("$rate > 30", ("Telecom::*",), ("price", "*"), "native"),
        ("exist $price", (), ("price",), "native"),
        ("1 < 2", (), None, "native"),
        (
            "$rate > 30 and $price > 1",
            (),
            ("price",),
            "native; Arrow batches where $price holds what no column can",
        ),
        (
            "$rate > 30 and $price > 1",
            (),
            None,
            "native; Arrow batches if $price or $rate holds what no column can and for bare values",
        ),
        ("$a.b == 1", (), (), "Arrow batches: $a.b lies inside a value"),
    ],
)
def test_how_a_constraint_is_judged(
    text: str, types: tuple[str, ...], others: tuple[str, ...] | None, plan: str
) -> None:
    assert plan_of(constraint(text, types), Occurring(others=others)) == plan
