"""The catalogue of event types: conflicts, limits, snapshots, Arrow columns and JSON Schema."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given

from tests.laws.strategies import events
from tidings.errors import BadInput, MissingExtra, NotFound
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.events.build import event
from tidings.events.codecs.json_codec import event_to_plain
from tidings.events.schema import Catalogue, CatalogueLimits, arrow_schema_of, json_schema_of
from tidings.events.structured import StructuredEvent


def observed(*fields: dict[str, object], limits: CatalogueLimits | None = None) -> Catalogue:
    catalogue = Catalogue(limits)
    for data in fields:
        catalogue.observe(event("A", "B", data=data), "p")
    return catalogue


def test_a_type_that_was_never_seen() -> None:
    with pytest.raises(NotFound, match="A/B"):
        Catalogue().find("A", "B")


@pytest.mark.parametrize(
    "values",
    [
        (1, 2**40, 1.5, Decimal("1.5"), Any(tc.OCTET, 1)),
        ("a", Any(tc.wstring(), "b"), Any(tc.string(3), "c")),
        *((1, None, Any(tc.VOID, None)), ([], [1], [2.5], b"ab")),
        (1, Any(tc.ANY, 2), Any(tc.alias("IDL:N:1.0", "N", tc.SHORT), 3)),
        ({"a": 1}, {"b": 2}),
    ],
)
def test_what_is_no_conflict(values: tuple[object, ...]) -> None:
    catalogue = Catalogue()
    for number, value in enumerate(values):
        catalogue.observe(event("A", "B", data={"x": value}), f"p{number}")
    assert list(catalogue.conflicts()) == []


def test_long_names_are_counted() -> None:
    catalogue = Catalogue(CatalogueLimits(characters=3))
    catalogue.observe(event("long", "B"))
    catalogue.observe(event("A", "B", data={"long": 1, "a": 1}), "long")
    noted = catalogue.find("A", "B")
    assert (catalogue.other_events, noted.other_fields) == (1, 1)
    seen = noted.data["a"].types["lon… (number)"]
    assert seen.other_producers == 1


@pytest.mark.parametrize(
    "plain", [None, [], {}, {"version": 1}, {**Catalogue().to_plain(), "version": 2, "limits": {}}]
)
def test_what_is_no_snapshot(plain: object) -> None:
    with pytest.raises(BadInput, match="snapshot"):
        Catalogue.from_plain(plain)


def test_merging_keeps_within_the_limits() -> None:
    part = observed({"a": 1}, limits=CatalogueLimits(event_types=1, fields=1))
    other = observed({"b": 1}, {"b": 2})
    other.observe(event("A", "C"))
    part.merge(other)
    assert part.other_events == 1
    assert part.find("A", "B").other_fields == 2
    assert part.find("A", "B").count == 3


def test_columns_of_an_event_type() -> None:
    catalogue = observed(
        {"n": 1, "r": 1, "s": "a", "b": True, "big": 2**63, "mix": 1, "seq": [1], "z": None},
        {"n": 2**40, "r": 0.5, "s": None, "b": False, "mix": "a", "dec": Decimal("1.5")},
    )
    catalogue.observe(event("A", "B", priority=1))
    columns: dict[str, pa.DataType] = dict.fromkeys(("domain", "type", "name"), pa.string())
    columns |= {"header.Priority": pa.int64(), "data.b": pa.bool_()}
    columns |= {"data.big": pa.decimal128(20, 0), "data.n": pa.int64()}
    columns |= {"data.r": pa.float64(), "data.s": pa.string()}
    assert arrow_schema_of(catalogue.find("A", "B")) == pa.schema(columns)


def test_columns_need_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"pip install tidings\[arrow\]"):
        arrow_schema_of(observed({"a": 1}).find("A", "B"))


SAMPLES: list[object] = [
    *(1, 2**40, 2**63, 1.5, math.nan, "a", True, None, b"ab", [], [1], [1, "a"], [math.inf, 1.0]),
    *({"a": 1}, {"$type": 1}, Decimal("1.5"), Any(tc.SHORT, 1), Any(tc.ANY, 1), tc.LONG),
    *(Any(tc.sequence(tc.ANY), [1, 2]), Any(tc.sequence(tc.SHORT), [1]), [{"a": 1}, {"a": 2}]),
    *(Any(tc.struct("", "", [("", tc.LONG)]), (1,)), Any(tc.string(3), "a")),
]


def schema_of(*seen: StructuredEvent, limits: CatalogueLimits | None = None) -> dict[str, object]:
    catalogue = Catalogue(limits)
    for one in seen:
        catalogue.observe(one)
    return json_schema_of(catalogue.find(seen[0].domain, seen[0].type))


def test_all_observed_events_are_valid_together() -> None:
    seen = [event("A", "B", data={"x": value}) for value in SAMPLES]
    for limits in (None, CatalogueLimits(types=3)):
        schema = schema_of(*seen, limits=limits)
        assert [complaints(schema, event_to_plain(one)) for one in seen] == [[]] * len(seen)


@given(events)
def test_every_observed_event_is_valid(one: StructuredEvent) -> None:
    assert complaints(schema_of(one), event_to_plain(one)) == []


_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,), "array": (list,), "string": (str,), "integer": (int,),
    "number": (int, float), "boolean": (bool,), "null": (type(None),),
}  # fmt: skip


_KNOWN = {
    *("$schema", "$defs", "$ref", "title", "type", "const", "anyOf"),
    *("properties", "required", "additionalProperties", "items"),
}


Schema = dict[str, object]


def complaints(schema: Schema, value: object) -> list[str]:
    """What a schema has against a value; of JSON Schema, we know as much as our schemas use."""
    return list(_complaints(schema, value, schema))


def _complaints(schema: object, value: object, root: Schema) -> Iterator[str]:
    assert isinstance(schema, dict)
    assert schema.keys() <= _KNOWN, f"unknown keywords in {schema}"
    if "$ref" in schema:
        defs = root["$defs"]
        assert isinstance(defs, dict)
        yield from _complaints(defs[schema["$ref"].removeprefix("#/$defs/")], value, root)
    if "type" in schema and not _has_type(schema["type"], value):
        yield f"{value!r} is not a valid {schema['type']}"
    if "const" in schema and value != schema["const"]:
        yield f"{value!r} is not {schema['const']!r}"
    if "anyOf" in schema:
        parts = [list(_complaints(part, value, root)) for part in schema["anyOf"]]
        if all(parts):
            yield f"{value!r}: none of {parts}"
    if isinstance(value, list) and "items" in schema:
        for item in value:
            yield from _complaints(schema["items"], item, root)
    if isinstance(value, dict):
        yield from _members(schema, value, root)


def _members(schema: Schema, value: dict[str, object], root: Schema) -> Iterator[str]:
    properties, required = schema.get("properties", {}), schema.get("required", [])
    assert isinstance(properties, dict)
    assert isinstance(required, list)
    yield from (f"{name} is missing" for name in required if name not in value)
    for name, item in value.items():
        if name in properties:
            yield from _complaints(properties[name], item, root)
        elif schema.get("additionalProperties") is False:
            yield f"{name} is not known"


def _has_type(types: object, value: object) -> bool:
    if isinstance(types, list):
        return any(_has_type(one, value) for one in types)
    assert isinstance(types, str)
    if isinstance(value, bool):
        return types == "boolean"
    return isinstance(value, _TYPES[types])
