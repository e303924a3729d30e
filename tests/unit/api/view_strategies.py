"""Views and commands as Hypothesis draws them, and the way of a model over the wire."""

from __future__ import annotations

import json
from typing import Final, TypeVar

from hypothesis import strategies as st
from pydantic import BaseModel

from tests.property.strategies import origins, stored_values, texts
from tidings.channel.properties import ADMIN_PROPERTIES
from tidings.channel.property_errors import Level, Property
from tidings.channel.qos import QOS_PROPERTIES
from tidings.channel.views import AdminInfo, ChannelInfo, FilterInfo, MappingInfo, ProxyInfo
from tidings.channel.vocabulary import Form, Operator, Place, Side, Style
from tidings.errors import InvalidEventType
from tidings.events.typecode import Kind
from tidings.filters.constraint import EventTypePattern, constraint
from tidings.filters.mapping import MappedConstraint

_M = TypeVar("_M", bound=BaseModel)


def over_the_wire(model: _M) -> _M:
    """The model that is read from the text of this one."""
    return type(model).model_validate(json.loads(model.model_dump_json()))


def _value(line: Property) -> st.SearchStrategy[int]:
    if line.type.unaliased.kind is Kind.BOOLEAN:
        return st.booleans()
    return st.integers(line.low, line.high)


def _values(lines: list[Property]) -> st.SearchStrategy[dict[str, int]]:
    return st.fixed_dictionaries({}, optional={line.name: _value(line) for line in lines})


qos: Final = _values([one for one in QOS_PROPERTIES.values() if one.levels != {Level.EVENT}])
admin_properties: Final = _values(list(ADMIN_PROPERTIES.values()))

ids: Final = st.integers(0, 2**63 - 1)
numbers: Final = st.integers(-(2**63), 2**63 - 1)
names: Final = st.sampled_from(
    ["", "auction", "аукцион", "競売", "a/b", "7", "\U0001f514", '"\\\n']
)


def _pattern(domain: str, type_: str) -> EventTypePattern | None:
    try:
        return EventTypePattern(domain, type_)
    except InvalidEventType:
        return None


_words: Final = st.text("ab:*%é", max_size=6) | st.sampled_from(["", "*", "Tele*m", "a::b", "c:"])
patterns: Final = (
    st.builds(_pattern, _words, _words | st.sampled_from(["%ALL", "%ANY", "%TYPED"]))
    .filter(lambda made: made is not None)
    .map(lambda made: made or EventTypePattern())
)
types: Final = st.lists(patterns, max_size=4).map(tuple)
constraints: Final = st.builds(
    constraint,
    st.sampled_from(["", "  ", "TRUE", "$a == -3 and 'ü' ~ $b", "$x(n) in $.list", "1.5e3 > $y"]),
    types,
)
mapped: Final = st.builds(MappedConstraint, constraints, stored_values)
attachments: Final = st.dictionaries(ids, ids, max_size=3)
maybe_id: Final = st.none() | ids

channels: Final = st.builds(
    ChannelInfo,
    id=ids,
    name=names,
    origin=origins,
    qos=qos,
    admin=admin_properties,
    supplier_admins=st.lists(ids, max_size=3).map(tuple),
    consumer_admins=st.lists(ids, max_size=3).map(tuple),
    suppliers=ids,
    consumers=ids,
    accepted=ids,
    waiting=ids,
    plan=ids,
)
admins: Final = st.builds(
    AdminInfo,
    channel=ids,
    side=st.sampled_from(Side),
    id=ids,
    operator=st.sampled_from(Operator),
    qos=qos,
    filters=attachments,
    types=types,
    proxies=st.lists(ids, max_size=3).map(tuple),
    priority_filter=maybe_id,
    lifetime_filter=maybe_id,
)
proxies: Final = st.builds(
    ProxyInfo,
    channel=ids,
    id=ids,
    side=st.sampled_from(Side),
    style=st.sampled_from(Style),
    form=st.sampled_from(Form),
    admin=ids,
    name=names,
    owner=names,
    qos=qos,
    filters=attachments,
    types=types,
    connected=st.booleans(),
    attached=st.booleans(),
    suspended=st.booleans(),
    waiting=ids,
    spilled=ids,
    in_flight=ids,
    failures=ids,
    counts=st.dictionaries(texts, ids, max_size=3),
    priority_filter=maybe_id,
    lifetime_filter=maybe_id,
)
filters: Final = st.builds(
    FilterInfo,
    id=ids,
    version=ids,
    constraints=st.dictionaries(ids, constraints, max_size=3),
    holders=ids,
    owner=names,
    private=st.booleans(),
)
mappings: Final = st.builds(
    MappingInfo,
    id=ids,
    version=ids,
    default=stored_values,
    mapped=st.dictionaries(ids, mapped, max_size=3),
    holders=ids,
    owner=names,
)
holder_places: Final = st.builds(Place, ids, st.sampled_from(Side), ids, st.none()) | st.builds(
    Place, ids, st.none(), st.none(), ids
)
