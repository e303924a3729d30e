"""Requests and answers of the operation catalogue as Hypothesis draws them from their types."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from hypothesis import strategies as st

from tests.edges.api import view_strategies as views
from tests.laws.strategies import boxes, events, origins, shallow_types, stored_values
from tidings.api.forms import form_of, hints_of
from tidings.changes.requests import PartyName
from tidings.channel.catalogue import Named, Operation, Shown
from tidings.channel.commands import Reason, Seqs
from tidings.channel.management import (
    AdminRequest,
    EventRequest,
    Purpose,
    QoSRequest,
)
from tidings.channel.property_errors import PropertyRange
from tidings.channel.questions import Last, Many, Name
from tidings.channel.settings import Settings
from tidings.channel.views import AdminValues, FilterInfo, MappingInfo, QoSValues
from tidings.channel.vocabulary import Item, Place
from tidings.cores import Most
from tidings.events.structured import StructuredEvent
from tidings.events.typecode import TypeCode
from tidings.federation.requests import GatewayName, Json
from tidings.filters.constraint import Constraint, EventTypePattern
from tidings.filters.mapping import MappedConstraint
from tidings.grants.model import PrincipalName
from tidings.live.area import Area
from tidings.live.requests import Tag
from tidings.trader.requests import TradingName

_bounds = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1)
_names = st.sampled_from(["auction", "аукцион", "競売", "a/b", "%2F", "a b?", "\U0001f514"])
_south, _degrees = st.integers(-90, 0), st.integers(-180, 180)
_places = st.builds(Place, views.ids)
_LEAVES: Final[dict[Any, st.SearchStrategy[Any]]] = {
    Area: st.builds(
        Area, *(st.integers(*ends) for ends in ((-90, 0), (-180, 180), (0, 90), (-180, 180)))
    ),
    Tag: st.from_regex(r"[\w./%@-]{5,64}", fullmatch=True),
    AdminRequest: views.admin_properties,
    AdminValues: views.admin_properties,
    Constraint: views.constraints,
    EventRequest: st.fixed_dictionaries({}, optional={"Priority": st.integers(-5, 5)}),
    EventTypePattern: views.patterns,
    FilterInfo: views.filters,
    Item: events | boxes(),
    MappedConstraint: views.mapped,
    MappingInfo: views.mappings,
    Last: st.integers(1, 10_000),
    Many: st.integers(1, 100_000),
    Most: st.integers(1, 1_000),
    Name: views.ids | _names,
    Place: views.holder_places,
    GatewayName: st.from_regex(r"[\w.:@+-]{1,64}", fullmatch=True),
    Json: st.recursive(
        st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner),
        max_leaves=4,
    ),
    PartyName: st.from_regex(r"[\w.@+-]{1,64}", fullmatch=True),
    PrincipalName: st.from_regex(r"[\w.@-]{1,64}", fullmatch=True),
    TradingName: st.from_regex(r"[\w.:/%@-]{1,64}", fullmatch=True),
    TypeCode: shallow_types,
    PropertyRange: st.builds(PropertyRange, views.names, _bounds, _bounds),
    Purpose: st.sampled_from(["priority", "lifetime"]),
    QoSRequest: views.qos,
    QoSValues: views.qos,
    Reason: views.names,
    Seqs: st.lists(views.ids, max_size=3),
    Settings: st.builds(
        Settings,
        narrowed=st.dictionaries(st.just("Priority"), st.just((0, 5))),
        default_operator=...,
        inheritance=...,
    ),
    StructuredEvent: events,
    bool: st.booleans(),
    int: views.ids,
    str: views.names,
    type(None): st.none(),
}


def values_of(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a type."""
    if hint in _LEAVES:
        return _LEAVES[hint]
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return values_of(args[0])
    if origin is Literal:
        return st.sampled_from(args)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return st.sampled_from(hint)
    if origin in (types.UnionType, Union):
        return st.one_of(*map(values_of, args))
    if origin is Mapping:
        return st.dictionaries(values_of(args[0]), values_of(args[1]), max_size=3)
    if origin in (list, tuple, Sequence):
        return st.lists(values_of(args[0]), max_size=3).map(list if origin is list else tuple)
    if form_of(hint).kind is Any:
        return stored_values
    hints = hints_of(hint)
    fields = {name: values_of(hints[name]) for name in hint.__match_args__}
    return st.fixed_dictionaries(fields).map(lambda drawn: hint(**drawn))


def requests_of(row: Operation) -> st.SearchStrategy[Any]:
    """Requests of an operation; what only the service fills has its default."""
    hints = hints_of(row.request)
    fields = {name: values_of(hints[name]) for name in row.fields if name not in row.hidden}
    if "origin" in row.hidden:
        fields["origin"] = origins
    if "producer" in fields:
        fields["producer"] = _names
    if "{place}" in row.path:
        fields["place"] = views.holder_places | _places
    return st.fixed_dictionaries(fields).map(lambda drawn: row.request(**drawn))


def answers_of(row: Operation) -> st.SearchStrategy[Any]:
    """What is shown in the answer of an operation that has one."""
    answer = row.answer
    return values_of(answer.kind if isinstance(answer, Named | Shown) else answer)
