"""A service type is judged as the trader judges subtypes; and as its interface is judged."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tests.laws.interface_pairs import ID, pair
from tests.laws.test_interface_laws import models
from tidings.changes.model import ServiceTypeDescription
from tidings.changes.service_types import (
    MOST_COMPARED,
    compare_descriptions,
    compare_types,
    compare_values,
)
from tidings.errors import TidingsError
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any as AnyValue
from tidings.idl.diff import compare_interfaces
from tidings.trader.core import Trader
from tidings.trader.model import PropertyDef, PropertyMode, ServiceType
from tidings.trader.requests import AddServiceType

definitions = st.builds(
    PropertyDef,
    st.sampled_from(["a", "b"]),
    st.sampled_from([tc.LONG, tc.DOUBLE, tc.alias("IDL:x:1.0", "x", tc.LONG)]),
    st.sampled_from(PropertyMode),
)
property_lists = st.lists(definitions, max_size=2, unique_by=lambda one: one.name).map(tuple)


def accepts(base: ServiceType, more: ServiceType) -> bool:
    """Whether the trader takes a type as a subtype of another, with what it inherits."""
    trader = Trader()
    commands = [
        AddServiceType(base.name, "I", base.properties),
        AddServiceType("Sub", "I", more.properties, (base.name,)),
    ]
    answers, _ = trader.handle_many(commands, 0)
    return not isinstance(answers[1], TidingsError)


@given(property_lists, property_lists)
def test_compatible_types_are_those_that_the_trader_takes_as_subtypes(
    old: tuple[PropertyDef, ...], new: tuple[PropertyDef, ...]
) -> None:
    before, after = ServiceType("P", "I", old), ServiceType("P", "I", new)
    found = compare_types(before, after)
    # What a subtype leaves out, it inherits: only here can it be gone.
    gone = {one.name for one in old} - {one.name for one in new}
    assert {one.where for one in found.differences if one.rule == "property-removed"} == {
        f"property {name}" for name in gone
    }
    assert found.compatible is (accepts(before, after) and not gone)


@given(st.integers(0, 200))
def test_interfaces_that_are_known_are_compared(seed: int) -> None:
    if models(seed) is None:
        return
    texts = pair(Random(seed))
    before, after = (ServiceTypeDescription("P", (), (), ID, text) for text in texts)
    found = compare_interfaces(texts[0], texts[1], ID).differences
    assert compare_descriptions(before, after) == found


def test_interfaces_too_long_to_compare_are_told_to_differ() -> None:
    comment = f"// {' ' * MOST_COMPARED}\n"
    before, after = (
        ServiceTypeDescription("P", (), (), "IDL:A:1.0", f"{comment}interface A {{ {body} }};")
        for body in ("void a();", "void a(); void b();")
    )
    assert [one.rule for one in compare_descriptions(before, after)] == ["interface-too-long"]
    assert compare_descriptions(before, before) == ()


def test_masking_and_values_are_told() -> None:
    before = ServiceType("P", "I")
    masked = compare_types(before, ServiceType("P", "I", masked=True))
    assert [one.rule for one in masked.differences] == ["type-masked"]
    found = compare_values(
        {"a": 1, "b": "x", "c": True}, {"a": AnyValue(tc.SHORT, 1), "c": True, "d": (1.5,)}
    )
    assert [(one.where, one.rule) for one in found.differences] == [
        ("property a", "value-changed"),
        ("property b", "value-removed"),
        ("property d", "value-added"),
    ]
    assert found.differences[1].text == 'property b was "x", and is gone'
    assert found.compatible
