"""Service types as text: every spelling that papers use, and what is wrong by its line."""

from __future__ import annotations

import re

import pytest

from tidings.errors import InvalidUsage
from tidings.events import typecode as tc
from tidings.trader.model import PropertyDef, PropertyMode
from tidings.trader.requests import AddServiceType
from tidings.trader.text import property_of, read_service_types

BANK = """
Service Bank {
  Interface IDL:Bank:1.0
  Mandatory property <string> Bank_Name     // its name
  Normal property <float> Interest_Rate
}
service IDL:bank/Savings:1.0:Bank, Money::Store { mandatory read-only property
  unsigned long x; };
"""


def test_all_spellings() -> None:
    bank, savings = read_service_types(BANK.replace("property\n", "property "))
    assert bank == AddServiceType(
        "Bank",
        "IDL:Bank:1.0",
        (
            PropertyDef("Bank_Name", tc.string(), PropertyMode.MANDATORY),
            PropertyDef("Interest_Rate", tc.FLOAT),
        ),
    )
    assert savings == AddServiceType(
        "IDL:bank/Savings:1.0",
        "",
        (PropertyDef("x", tc.ULONG, PropertyMode.MANDATORY_READONLY),),
        ("Bank", "Money::Store"),
    )
    assert read_service_types(" // nothing\n") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("service A {}\n\nserve B {}", "line 3: a service type is written"),
        ("service A { interface x;\n double }", "line 2: 'double' is not a property"),
        ("service A {\n property dubble cost }", "line 2: 'property dubble cost': 'dubble' names"),
        (BANK, "line 7: "),
        ("service A {", "line 1: a service type is written"),
    ],
)
def test_what_is_wrong_is_told_by_line(text: str, message: str) -> None:
    with pytest.raises(InvalidUsage, match=re.escape(message)):
        read_service_types(text)


@pytest.mark.parametrize("text", ["double cost", "normal property double cost", "<double> cost"])
def test_a_property(text: str) -> None:
    assert property_of(text) == PropertyDef("cost", tc.DOUBLE)
