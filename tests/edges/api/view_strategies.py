"""Views and commands as Hypothesis draws them, and the way of a model over the wire."""

from __future__ import annotations

import json
from typing import Final, TypeVar

from hypothesis import strategies as st
from pydantic import BaseModel

from tests.laws.strategies import origins, stored_values, texts
from tidings.channel.properties import ADMIN_PROPERTIES
from tidings.channel.property_errors import Level, Property
from tidings.channel.qos import QOS_PROPERTIES
from tidings.channel.views import AdminInfo, ChannelInfo, FilterInfo, MappingInfo, ProxyInfo
from tidings.channel.vocabulary import Place, Side
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

some_ids: Final = st.lists(ids, max_size=3).map(tuple)


def _ids(fields: str) -> dict[str, st.SearchStrategy[int]]:
    return dict.fromkeys(fields.split(), ids)


# What a field's type says already is left out.
channels: Final = st.builds(
    ChannelInfo,
    **_ids("id suppliers consumers accepted waiting plan"),
    supplier_admins=some_ids, consumer_admins=some_ids,
    name=names, origin=origins, qos=qos, admin=admin_properties,
)  # fmt: skip
admins: Final = st.builds(
    AdminInfo,
    **_ids("channel id"),
    qos=qos, filters=attachments, types=types, proxies=some_ids,
    priority_filter=maybe_id, lifetime_filter=maybe_id,
)  # fmt: skip
proxies: Final = st.builds(
    ProxyInfo,
    **_ids("channel id admin waiting spilled in_flight failures"),
    name=names, owner=names, qos=qos, filters=attachments, types=types,
    priority_filter=maybe_id, lifetime_filter=maybe_id,
    counts=st.dictionaries(texts, ids, max_size=3),
)  # fmt: skip
_kept_constraints: Final = st.dictionaries(ids, constraints, max_size=3)
filters: Final = st.builds(FilterInfo, ids, ids, _kept_constraints, ids, names, st.booleans())
_kept_mapped: Final = st.dictionaries(ids, mapped, max_size=3)
mappings: Final = st.builds(MappingInfo, ids, ids, stored_values, _kept_mapped, ids, names)
holder_places: Final = st.builds(Place, ids, st.sampled_from(Side), ids, st.none()) | st.builds(
    Place, ids, st.none(), st.none(), ids
)
