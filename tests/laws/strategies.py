"""Hypothesis strategies for types, values, events and envelopes: the one home for generators.

They are steered: every kind of type, anys inside anys, recursion, empty sequences, octets, unions
with and without a default, NaN, −0.0, integers at the edges, text beyond the BMP, and names that
mean something in typed JSON (`$type`, `value`, `_d`) all come up within some hundred draws.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TypeAlias, TypeVar

from hypothesis import strategies as st

from tidings.events import typecode as tc
from tidings.events.anyvalue import Any, UnionValue, Value, pack
from tidings.events.envelope import Envelope, ProducerMark, TraceContext
from tidings.events.reference import Reference
from tidings.events.structured import StructuredEvent, pack_data, pack_header
from tidings.events.typecode import INTEGER_RANGES, Kind, Label, TypeCode

Draw: TypeAlias = st.DrawFn
T = TypeVar("T")


@st.composite
def mixed(draw: Draw, *shares: tuple[int, st.SearchStrategy[T]]) -> T:
    """One of several strategies, by their shares; `one_of` would give every leaf the same."""
    wheel = [strategy for share, strategy in shares for _ in range(share)]
    return draw(wheel[draw(st.integers(0, len(wheel) - 1))])


# ---------------------------------------------------------------- texts and numbers

SPECIAL_NAMES = [
    "$type",
    "value",
    "_d",
    "kind",
    "Priority",
    "Timeout",
    "a.b",
    "x y",
    "é",
    "😀",
    ":",
]

characters = st.characters(codec="utf-8")
texts = st.one_of(
    st.sampled_from(
        ["", "a", "node-17", "😀🚗", "\x00", 'quote " and \\', "\u2028", "NaN", "null"]
    ),
    st.text(characters, max_size=12),
)
names = st.one_of(
    st.sampled_from(["a", "b", "count", "rate"]),
    st.sampled_from(SPECIAL_NAMES),
    st.text(characters, min_size=1, max_size=6),
)

EDGES = [0, 1, -1, 255, 2**15, -(2**15), 2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**53 + 1]
EDGES += [2**63 - 1, 2**63, 2**64 - 1, -(2**63)]
integers = st.one_of(st.sampled_from(EDGES), st.integers(-(2**63), 2**64 - 1))
reals = st.one_of(
    st.sampled_from([0.0, -0.0, math.nan, math.inf, -math.inf, 0.1, 5e-324, 1e22, 2.0**53]),
    st.floats(),
)


@st.composite
def decimals(draw: Draw, digits: int = 31, scale: int | None = None) -> Decimal:
    """Decimals that a fixed type of so many digits holds."""
    places = draw(st.integers(0, digits)) if scale is None else scale
    number = draw(st.one_of(st.integers(0, 999), st.integers(0, 10**digits - 1)))
    return Decimal((draw(st.integers(0, 1)), tuple(map(int, str(number % 10**digits))), -places))


references = st.builds(
    Reference,
    st.sampled_from(["", "IDL:omg.org/CORBA/Object:1.0", "IDL:Chess/Board:1.0", "odd"]),
    st.lists(st.tuples(st.integers(0, 2**32 - 1), st.binary(max_size=8)), max_size=2),
)

# ---------------------------------------------------------------- types

SIMPLE_KINDS = [kind for kind in tc.KEYWORDS if kind is not Kind.ANY]
DISCRIMINATORS = [tc.LONG, tc.USHORT, tc.LONGLONG, tc.BOOLEAN, tc.CHAR, tc.WCHAR]

ids = st.sampled_from(["", "IDL:A:1.0", "IDL:demo/B:1.0", "IDL:é/C:1.0"])
type_names = st.sampled_from(["", "A", "B", "Näme"])


@st.composite
def enums(draw: Draw) -> TypeCode:
    """Enumerations."""
    labels = draw(st.lists(st.sampled_from(["minor", "major", "ö", ""]), min_size=1, unique=True))
    return tc.enum(draw(ids), draw(type_names), labels)


leaf_types: st.SearchStrategy[TypeCode] = st.one_of(
    st.sampled_from([tc.PRIMITIVES[kind] for kind in SIMPLE_KINDS]),
    st.sampled_from([tc.PRIMITIVES[kind] for kind in SIMPLE_KINDS]),
    st.sampled_from([tc.PRIMITIVES[kind] for kind in SIMPLE_KINDS]),
    st.just(tc.ANY),
    st.builds(tc.string, st.sampled_from([0, 5, 2**32 - 1])),
    st.builds(tc.wstring, st.sampled_from([0, 5])),
    st.integers(1, 31).flatmap(lambda d: st.builds(tc.fixed, st.just(d), st.integers(0, d))),
    enums(),
    st.builds(tc.objref, ids, type_names),
    st.just(tc.OCTETS),
    st.just(tc.array(tc.OCTET, 3)),
)


def _labels(switch: TypeCode) -> st.SearchStrategy[Label]:
    """Values of a discriminator."""
    if switch.kind is Kind.BOOLEAN:
        return st.booleans()
    if switch.kind is Kind.ENUM:
        return st.sampled_from(switch.labels)
    if switch.kind in (Kind.CHAR, Kind.WCHAR):
        return st.sampled_from("ab'\\é" + ("😀" if switch.kind is Kind.WCHAR else "ÿ"))
    low, high = INTEGER_RANGES[switch.kind]
    return st.one_of(st.integers(max(low, -2), 4), st.sampled_from([low, high]))


@st.composite
def unions(draw: Draw, inner: st.SearchStrategy[TypeCode]) -> TypeCode:
    """Unions; about half of them have a default, and some have two labels for one branch."""
    switch = draw(st.one_of(st.sampled_from(DISCRIMINATORS), enums()))
    if draw(st.booleans()):
        switch = tc.alias("IDL:Switch:1.0", "Switch", switch)
    labels: list[Label | None] = list(
        draw(st.lists(_labels(switch.unaliased), max_size=3, unique_by=lambda v: (type(v), v)))
    )
    if draw(st.booleans()):
        labels.append(None)
    branches = [(label, draw(names), draw(inner)) for label in labels]
    if len(branches) > 1 and draw(st.booleans()):
        branches[1] = (branches[1][0], *branches[0][1:])
    return tc.union(draw(ids), draw(type_names), switch, branches)


@st.composite
def trees(draw: Draw, inner: st.SearchStrategy[TypeCode]) -> TypeCode:
    """Types that contain themselves, through a sequence, a typedef or an inner struct."""
    again: TypeCode = tc.sequence(tc.recursive("IDL:Tree:1.0"))
    shape = draw(st.integers(0, 3))
    if shape == 1:
        again = tc.alias("IDL:Trees:1.0", "Trees", again)
    if shape == 2:
        again = tc.struct("IDL:Inner:1.0", "Inner", [("trees", again), ("up", tc.BOOLEAN)])
    if shape == 3:
        nested = [("trees", again), ("inner", tc.sequence(tc.recursive("IDL:Inner:1.0")))]
        again = tc.sequence(tc.struct("IDL:Inner:1.0", "Inner", nested))
    members = [("here", draw(inner)), ("below", again)]
    make = draw(st.sampled_from([tc.struct, tc.exception]))
    return make("IDL:Tree:1.0", "Tree", members)


def _composites(inner: st.SearchStrategy[TypeCode]) -> st.SearchStrategy[TypeCode]:
    # Few names, so that some stand twice; a struct may have that, and members without a name.
    member_names = mixed((2, names), (2, st.sampled_from(["a", "b"])), (1, st.just("")))
    members = st.one_of(
        st.lists(st.tuples(member_names, inner), max_size=3),
        st.builds(lambda type_: [("a", type_), ("a", type_)], inner),
    )
    return st.one_of(
        st.builds(tc.sequence, inner, st.sampled_from([0, 0, 3])),
        st.builds(tc.array, inner, st.integers(0, 2)),
        st.builds(tc.struct, ids, type_names, members),
        st.builds(tc.struct, st.just(""), st.just(""), members),
        st.builds(tc.exception, ids, type_names, members),
        st.builds(tc.alias, ids, type_names, inner),
        unions(inner),
        trees(inner),
    )


shallow_types = mixed((2, leaf_types), (1, _composites(leaf_types)))
typecodes = mixed((1, leaf_types), (2, _composites(shallow_types)))
all_typecodes = st.one_of(typecodes, st.just(tc.recursive("IDL:Lone:1.0")))

# ---------------------------------------------------------------- values


def _plain_containers(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    few = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        few,
        st.lists(inner, max_size=2).map(tuple),
        st.dictionaries(names, inner, max_size=3),
        # Several records of one shape are the sequence of structs people send most.
        st.builds(lambda key, items: [{key: item} for item in items], names, few),
    )


plain_leaves: st.SearchStrategy[object] = st.one_of(
    st.none(),
    st.booleans(),
    integers,
    reals,
    texts,
    st.binary(max_size=6),
    decimals(),
    references,
    all_typecodes,
)
homogeneous = st.one_of(
    *(st.lists(leaf, max_size=5) for leaf in (integers, reals, texts, st.booleans())),
    st.lists(st.lists(integers, max_size=2), max_size=3),
)


@st.composite
def values_of(draw: Draw, type_: TypeCode, room: int = 3) -> object:
    """A value that fits a type; `room` bounds how often a type stands inside itself."""
    type_ = type_.unaliased
    kind = type_.kind
    if kind in _LEAF_VALUES:
        return draw(_LEAF_VALUES[kind])
    if kind in (Kind.STRING, Kind.WSTRING):
        return draw(texts)[: type_.bound or None]
    if kind is Kind.FIXED:
        return draw(decimals(type_.digits, type_.scale))
    if kind is Kind.ENUM:
        return draw(st.sampled_from(type_.labels))
    if kind is Kind.ANY:
        return draw(anys if room > 0 else plain_leaves)
    if kind in (Kind.STRUCT, Kind.EXCEPT):
        members = range(len(type_.members))
        return tuple(draw(values_of(type_.member_type(i), room - 1)) for i in members)
    if kind is Kind.UNION:
        return _union_value(draw, type_, room)
    size = type_.bound
    if kind is Kind.SEQUENCE:
        size = draw(st.integers(0, min(type_.bound or 3, 3))) if room > 0 else 0
    return [draw(values_of(type_.element_type, room - 1)) for _ in range(size)]


def _union_value(draw: Draw, type_: TypeCode, room: int) -> UnionValue:
    assert type_.discriminator is not None
    labels = [m.label for m in type_.members if m.label is not None]
    other = _labels(type_.discriminator.unaliased)
    label = draw(st.one_of(st.sampled_from(labels), other) if labels else other)
    branch = type_.branch_index(label)
    if branch < 0:
        return UnionValue(label, None)
    inner = draw(values_of(type_.member_type(branch), room - 1))
    return UnionValue(label, pack_if_any(type_.member_type(branch), inner))


def pack_if_any(type_: TypeCode, value: object) -> Value:
    """Inside a UnionValue stands a value; other containers take whatever a user writes."""
    return pack(value) if type_.unaliased.kind is Kind.ANY else value  # type: ignore[return-value]


_LEAF_VALUES: dict[Kind, st.SearchStrategy[object]] = {
    **{
        kind: st.one_of(st.sampled_from([low, high]), st.integers(low, high))
        for kind, (low, high) in INTEGER_RANGES.items()
    },
    Kind.NULL: st.none(),
    Kind.VOID: st.none(),
    Kind.FLOAT: st.one_of(st.floats(width=32), st.sampled_from([math.nan, -0.0])),
    Kind.DOUBLE: reals,
    Kind.LONGDOUBLE: reals,
    Kind.BOOLEAN: st.booleans(),
    Kind.CHAR: st.characters(codec="latin-1"),
    Kind.WCHAR: characters,
    Kind.TYPECODE: all_typecodes,
    Kind.OBJREF: references,
}


@st.composite
def boxes(draw: Draw) -> Any:
    """A value of a drawn type, in a box."""
    type_ = draw(typecodes)
    return Any(type_, draw(values_of(type_)))


leaves: st.SearchStrategy[object] = mixed((3, plain_leaves), (4, boxes()), (1, homogeneous))
anys: st.SearchStrategy[object] = mixed(
    (3, leaves), (1, _plain_containers(leaves)), (1, _plain_containers(_plain_containers(leaves)))
)
stored_values: st.SearchStrategy[Value] = anys.map(pack)

# ---------------------------------------------------------------- events and envelopes

standard_properties: st.SearchStrategy[object] = st.one_of(
    st.integers(0, 2**15 - 1),
    st.sampled_from([tc.LONG, tc.SHORT, tc.ULONGLONG]).map(lambda type_: Any(type_, 7)),
    mixed((1, boxes()), (1, texts)),
)


@st.composite
def headers(draw: Draw) -> dict[str, Value]:
    """Variable headers, with the standard properties in and out of their standard types."""
    given: dict[str, object] = dict(draw(st.dictionaries(names, anys, max_size=2)))
    for name in ("Priority", "Timeout", "EventReliability"):
        given.pop(name, None)
        if draw(st.booleans()):
            given[name] = draw(standard_properties)
    return pack_header(given)


def _event(
    parts: tuple[str, str, str, dict[str, Value], dict[str, Value], Value],
) -> StructuredEvent:
    return StructuredEvent(*parts)


events = st.tuples(
    st.one_of(st.just("Traffic"), texts),
    st.one_of(st.just("Speed"), texts),
    st.one_of(st.just("car-7"), texts),
    headers(),
    st.dictionaries(names, anys, max_size=4).map(pack_data),
    stored_values,
).map(_event)

similar_events = st.tuples(
    st.just("A"),
    st.sampled_from(["B", "C"]),
    st.just(""),
    st.dictionaries(st.sampled_from(["Priority", "x"]), st.integers(0, 9)),
    st.dictionaries(st.sampled_from(["a", "b"]), mixed((3, plain_leaves), (1, anys))).map(
        pack_data
    ),
    st.none(),
).map(_event)

origins = st.integers(0, 2**128 - 1).map(lambda number: f"{number:032x}")
int64s = st.one_of(st.integers(0, 9), st.integers(0, 2**63 - 1), st.just(2**63 - 1))
readable = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn"]), min_size=1, max_size=12
)
marks = st.builds(ProducerMark, readable, int64s)
traces = st.builds(
    TraceContext,
    st.just("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
    st.sampled_from(["", "vendor=opaque", 'a=1, b=2 % "']),
)
arrivals = st.one_of(
    st.integers(0, 2**51),
    st.sampled_from([0, -1, -(2**63), 2**63 - 1, 253_402_300_800_000_000, -62_135_596_800_000_001]),
    st.integers(-(2**63), 2**63 - 1),
)
envelopes = st.builds(
    Envelope,
    events,
    origins,
    int64s.map(lambda number: number or 1),
    arrivals,
    int64s,
    st.one_of(st.none(), marks),
    st.lists(origins, max_size=3).map(tuple),
    st.one_of(st.none(), traces),
)

# ---------------------------------------------------------------- CloudEvents of others

json_values: st.SearchStrategy[object] = st.recursive(
    st.one_of(st.none(), st.booleans(), integers, st.floats(allow_nan=False), texts).filter(
        lambda value: value not in (math.inf, -math.inf)
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(names, inner, max_size=3)),
    max_leaves=6,
)
attribute_names = st.sampled_from(["a", "retries", "sampled", "domain", "hops", "priority", "x1"])
attribute_values = st.one_of(readable, st.booleans(), st.integers(-(2**31), 2**31 - 1))


@st.composite
def foreign_cloudevents(draw: Draw) -> dict[str, object]:
    """CloudEvents of others, as parsed JSON."""
    plain: dict[str, object] = {
        "specversion": "1.0",
        "id": draw(readable),
        "source": draw(st.one_of(st.just("/sensors"), st.just("urn:tidings:x"), readable)),
        "type": draw(readable),
        **draw(st.dictionaries(attribute_names, attribute_values, max_size=3)),
    }
    if draw(st.booleans()):
        plain["subject"] = draw(readable)
        plain["time"] = "2018-04-05T17:31:00.123456789+02:00"
    form = draw(st.sampled_from(["none", "json", "json", "text", "octets"]))
    if form == "json":
        plain["data"] = draw(json_values)
        if draw(st.booleans()):
            plain["datacontenttype"] = "application/vnd.x+json"
    if form == "text":
        plain |= {"datacontenttype": "text/plain", "data": draw(texts)}
    if form == "octets":
        plain |= {
            "datacontenttype": "image/png",
            "data_base64": draw(st.sampled_from(["", "AAE="])),
        }
    return plain
