from __future__ import annotations

import sys
from decimal import Decimal
from typing import TYPE_CHECKING

import msgspec
import pyarrow as pa
import pytest

from tidings.errors import BadInput, MissingExtra, NotFound
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.events.build import event
from tidings.events.schema import Catalogue, Limits, arrow_schema_of, filter_kind

if TYPE_CHECKING:
    from tidings.events.typecode import TypeCode


def observed(
    *fields: dict[str, object], limits: Limits | None = None, producer: str = "p"
) -> Catalogue:
    catalogue = Catalogue(limits)
    for data in fields:
        catalogue.observe(event("A", "B", data=data), "p")
    return catalogue


def test_what_is_noted_of_an_event() -> None:
    catalogue = Catalogue()
    catalogue.observe(event("Traffic", "Speed", data={"rate": 1.5}, priority=4), "cam-1", at=20)
    catalogue.observe(event("Traffic", "Speed", data={"rate": 2}), "cam-2", at=10)
    catalogue.observe(event("Traffic", "Jam"))
    noted = catalogue.find("Traffic", "Speed")
    assert (noted.count, noted.first, noted.last) == (2, 10, 20)
    assert noted.header["Priority"].types["short"].kind == "number"
    assert set(noted.data["rate"].types) == {"double", "long"}
    assert noted.data["rate"].types["double"].producers == {"cam-1": 1}
    assert noted.data["rate"].count == 2
    assert [seen.type for seen in catalogue] == ["Jam", "Speed"]
    assert len(catalogue) == 2


def test_a_type_that_was_never_seen() -> None:
    with pytest.raises(NotFound, match="A/B"):
        Catalogue().find("A", "B")


@pytest.mark.parametrize(
    ("type_", "kind"),
    [
        (tc.OCTET, "number"),
        (tc.fixed(3, 1), "number"),
        (tc.wstring(3), "string"),
        (tc.WCHAR, "character"),
        (tc.VOID, "null"),
        (tc.BOOLEAN, "boolean"),
        (tc.enum("", "", ["a"]), "enum"),
        (tc.struct("", "", []), "composite"),
        (tc.OCTETS, "sequence of number"),
        (tc.array(tc.sequence(tc.ANY), 2), "sequence of sequence of any"),
        (tc.alias("", "", tc.alias("", "", tc.CHAR)), "character"),
        (tc.TYPECODE, "composite"),
    ],
)
def test_kinds(type_: TypeCode, kind: str) -> None:
    assert filter_kind(type_) == kind


def conflicts(*sent: tuple[str, object]) -> list[str]:
    catalogue = Catalogue()
    for producer, value in sent:
        catalogue.observe(event("A", "B", data={"x": value}), producer)
    return [str(conflict) for conflict in catalogue.conflicts()]


@pytest.mark.parametrize(
    "values",
    [
        (1, 2**40, 1.5, Decimal("1.5"), Any(tc.OCTET, 1)),
        ("a", Any(tc.wstring(), "b"), Any(tc.string(3), "c")),
        (1, None, Any(tc.VOID, None)),
        ([], [1], [2.5], b"ab"),
        (1, Any(tc.ANY, 2), Any(tc.alias("IDL:N:1.0", "N", tc.SHORT), 3)),
        ({"a": 1}, {"b": 2}),
    ],
)
def test_what_is_no_conflict(values: tuple[object, ...]) -> None:
    assert conflicts(*((f"p{i}", value) for i, value in enumerate(values))) == []


@pytest.mark.parametrize(
    ("one", "two", "says"),
    [
        (1, "1", "number from a, string from b"),
        (True, 1, "boolean from a, number from b"),
        ("a", Any(tc.CHAR, "a"), "character from b, string from a"),
        ([1], ["a"], "sequence of number from a, sequence of string from b"),
        ([1], 1, "number from b, sequence of number from a"),
        ({"a": 1}, 1, "composite from a, number from b"),
        (1, Any(tc.ANY, "x"), "number from a, string from b"),
        (
            Any(tc.alias("IDL:N:1.0", "N", tc.SHORT), 1),
            Any(tc.alias("IDL:N:1.0", "N", tc.STRING), "x"),
            "number from a, string from b",
        ),
    ],
)
def test_what_is_a_conflict(one: object, two: object, says: str) -> None:
    assert conflicts(("a", one), ("b", two)) == [f"A/B data.x: {says}"]
    assert conflicts(("b", two), ("a", one)) == [f"A/B data.x: {says}"]


def test_who_sends_what() -> None:
    found = conflicts(("b", 1), ("a", 2), ("", "x"))
    assert found == ["A/B data.x: number from a and b, string from unnamed producers"]


def test_headers_conflict_too() -> None:
    catalogue = Catalogue()
    catalogue.observe(event("A", "B", header={"x": 1}))
    catalogue.observe(event("A", "B", header={"x": "1"}))
    (conflict,) = catalogue.conflicts()
    assert (conflict.part, conflict.field) == ("header", "x")


def test_event_types_beyond_the_limit_are_counted() -> None:
    catalogue = Catalogue(Limits(event_types=2))
    for name in "abcda":
        catalogue.observe(event("A", name))
    assert [(seen.type, seen.count) for seen in catalogue] == [("a", 2), ("b", 1)]
    assert catalogue.other_events == 2


def test_fields_beyond_the_limit_are_counted() -> None:
    catalogue = observed({"a": 1, "b": 1, "c": 1}, {"c": 1, "a": 1}, limits=Limits(fields=2))
    noted = catalogue.find("A", "B")
    assert set(noted.data) == {"a", "b"}
    assert noted.other_fields == 2


def test_types_beyond_the_limit_are_counted() -> None:
    catalogue = observed({"a": 1}, {"a": "x"}, {"a": 2.5}, {"a": 2}, limits=Limits(types=2))
    field = catalogue.find("A", "B").data["a"]
    assert set(field.types) == {"long", "string"}
    assert (field.other_types, field.count) == (1, 4)


def test_producers_beyond_the_limit_are_counted() -> None:
    catalogue = Catalogue(Limits(producers=2))
    for producer in "abcad":
        catalogue.observe(event("A", "B", data={"a": 1}), producer)
    seen = catalogue.find("A", "B").data["a"].types["long"]
    assert seen.producers == {"a": 2, "b": 1}
    assert (seen.other_producers, seen.count) == (2, 5)


def test_long_names_are_counted() -> None:
    catalogue = Catalogue(Limits(characters=3))
    catalogue.observe(event("long", "B"))
    catalogue.observe(event("A", "B", data={"long": 1, "a": 1}), "long")
    noted = catalogue.find("A", "B")
    assert (catalogue.other_events, noted.other_fields) == (1, 1)
    seen = noted.data["a"].types["lon… (number)"]
    assert seen.other_producers == 1


def test_all_entries_together_are_bounded() -> None:
    catalogue = Catalogue(Limits(entries=10))
    for i in range(100):
        catalogue.observe(event("A", f"t{i}", data={f"f{i}": 1}), f"p{i}")
    again = Catalogue.from_plain(catalogue.to_plain())
    again.observe(event("A", "new"))
    assert len(catalogue) == len(again) == 3  # 4 entries each, and the third has no producer
    assert again.other_events == 98


def test_a_snapshot_is_plain_and_complete() -> None:
    catalogue = observed({"a": 1}, {"a": "x", "b": None}, limits=Limits(producers=7))
    plain = catalogue.to_plain()
    text = msgspec.json.encode(plain)
    again = Catalogue.from_plain(msgspec.json.decode(text))
    assert again == catalogue
    assert again.limits.producers == 7
    assert msgspec.json.encode(again.to_plain()) == text


def test_snapshots_do_not_depend_on_the_order_of_events() -> None:
    one, two = observed({"a": 1}, {"b": "x"}), observed({"b": "x"}, {"a": 1})
    assert msgspec.json.encode(one.to_plain()) == msgspec.json.encode(two.to_plain())


@pytest.mark.parametrize(
    "plain", [None, [], {}, {"version": 1}, {**Catalogue().to_plain(), "version": 2, "limits": {}}]
)
def test_what_is_no_snapshot(plain: object) -> None:
    with pytest.raises(BadInput, match="snapshot"):
        Catalogue.from_plain(plain)


def test_unknown_parts_of_a_snapshot_are_refused() -> None:
    with pytest.raises(BadInput, match="unknown field"):
        Catalogue.from_plain({**Catalogue().to_plain(), "more": 1})


def test_merging_counts_everything_once() -> None:
    whole = observed({"a": 1}, {"a": "x"}, {"b": 1})
    part, other = observed({"a": 1}), observed({"a": "x"}, {"b": 1})
    part.merge(other)
    assert part == whole


def test_merging_keeps_within_the_limits() -> None:
    part = observed({"a": 1}, limits=Limits(event_types=1, fields=1))
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
    columns |= {
        "header.Priority": pa.int64(),
        "data.b": pa.bool_(),
        "data.big": pa.decimal128(20, 0),
        "data.n": pa.int64(),
        "data.r": pa.float64(),
        "data.s": pa.string(),
    }
    assert arrow_schema_of(catalogue.find("A", "B")) == pa.schema(columns)


def test_columns_need_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"pip install tidings\[arrow\]"):
        arrow_schema_of(observed({"a": 1}).find("A", "B"))
