"""Hypothesis strategies for notices of changes to services."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.laws.strategies import Draw, stored_values, texts, typecodes
from tidings.changes.model import (
    ChangeKind,
    Notice,
    ServiceDescription,
    ServiceTypeDescription,
    TimeIndicator,
    Transaction,
)
from tidings.events.typecode import TypeCode
from tidings.idl.diff import Difference
from tidings.trader.model import PropertyDef, PropertyMode

_names = st.sampled_from(["Name", "ReservedFund", "Speed", "message_id", "service_type", "Type"])
_types = st.sampled_from(["Bank", "Office::Printer", "IDL:demo/Bank:1.0"])
_moments = st.integers(0, 4_000_000_000_000_000)
_properties = st.dictionaries(_names, stored_values, max_size=3)


def _definitions(types: st.SearchStrategy[TypeCode]) -> st.SearchStrategy[PropertyDef]:
    return st.builds(PropertyDef, _names, types, st.sampled_from(PropertyMode))


_described = st.builds(
    ServiceTypeDescription,
    _types,
    st.lists(_types, max_size=2).map(tuple),
    st.lists(_definitions(typecodes), max_size=2).map(tuple),
    st.one_of(st.just(""), _types),
    texts,
)
services = st.builds(ServiceDescription, _described, _properties, st.sampled_from(["", "IOR:00"]))
_differences = st.builds(Difference, texts, texts, st.booleans(), texts, texts)


@st.composite
def notices(draw: Draw) -> Notice:
    """Notices with every combination of parts that may be missing."""
    before = draw(st.none() | services)
    return Notice(
        draw(st.integers(1, 10**9).map(lambda number: f"EV{number}")),
        draw(st.sampled_from(ChangeKind)),
        draw(st.sampled_from(TimeIndicator)),
        draw(st.integers(1, 10)),
        draw(_moments),
        draw(st.none() | _moments),
        draw(st.none() | _moments),
        before,
        draw(services if before is None else st.none() | services),
        draw(_properties),
        draw(_properties),
        draw(texts),
        draw(texts),
        draw(st.none() | _moments),
        draw(texts),
        draw(st.sampled_from(["", "Bank/7"])),
        draw(st.none() | st.booleans()),
        draw(st.lists(_differences, max_size=2).map(tuple)),
        draw(st.none() | st.builds(Transaction, texts, st.integers(1, 9), st.integers(1, 9))),
        draw(st.integers(1, 5)),
        draw(st.sampled_from(["", "isel-bank"])),
    )
