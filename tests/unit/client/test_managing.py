from __future__ import annotations

from typing import Any

import pytest

from tidings import constraint
from tidings.client.managing import constraints
from tidings.errors import InvalidUsage


def test_constraints_come_alone_or_several_as_texts_or_values() -> None:
    one = constraint("$price > 1")
    assert constraints(None) == constraints([]) == ()
    assert constraints(one) == (one,)
    assert [each.text for each in constraints("$price > 1")] == ["$price > 1"]
    assert [each.text for each in constraints([one, "$price < 0"])] == ["$price > 1", "$price < 0"]


@pytest.mark.parametrize("wanted", [5, [5], [None], {"$price > 1": 2}, b"$price > 1"])
def test_what_is_no_constraint_is_refused(wanted: Any) -> None:
    with pytest.raises(InvalidUsage, match="a constraint is a text"):
        constraints(wanted)
