"""A character in an offer and a text of one character in a constraint are equal."""

from __future__ import annotations

from tests.edges.trader.test_exceptions import GOOD, ask, trader
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any as AnyValue
from tidings.trader import requests as r


def test_an_offer_is_found_by_a_character() -> None:
    made = trader(*(r.ExportOffer("Free", GOOD, {"row": AnyValue(tc.CHAR, one)}) for one in "abc"))
    found = ask(made, r.QueryOffers("Free", "row == 'b' and row < 'c'"))
    assert [one.id for one in found.offers] == ["Free/4"]
