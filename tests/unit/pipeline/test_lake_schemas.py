"""Schemas of typed tables, and how they grow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.errors import PipelineFailed
from tidings.pipeline.lake_names import same_column
from tidings.pipeline.lake_schemas import (
    BODY,
    EMPTY_SEQUENCE,
    FIXED,
    JSON,
    KINDS,
    SEQUENCES,
    Found,
    Grown,
    TypeSchema,
    grown,
    read_schema,
    schema_octets,
    schema_path,
    widened,
)

NEW = TypeSchema(domain="Traffic", type="Speed")


def data(name: str, *kinds: str) -> dict[Found, int]:
    return {Found("data", name, kind): 5 for kind in kinds}


def columns(after: Grown) -> list[tuple[str, str]]:
    return [(one.column, one.kind) for one in after.schema.columns]


def test_a_property_gets_a_column_of_its_kind() -> None:
    after = grown(NEW, data("rate", "double") | data("zone", "int") | data("tags", "strings"))
    assert columns(after) == [("rate", "double"), ("tags", "strings"), ("zone", "int")]
    assert after.changed
    assert not after.conflicts
    again = grown(after.schema, data("zone", "int"))
    assert not again.changed
    assert again.schema == after.schema


def test_new_properties_come_behind() -> None:
    before = grown(NEW, data("zone", "int")).schema
    assert columns(grown(before, data("area", "bool"))) == [("zone", "int"), ("area", "bool")]


def test_another_kind_gets_a_column_of_its_own_and_is_a_conflict() -> None:
    before = grown(NEW, data("zone", "int")).schema
    after = grown(before, data("zone", "string"))
    assert columns(after) == [("zone", "int"), ("zone__string", "string")]
    (conflict,) = after.conflicts
    assert (conflict.name, conflict.kind, conflict.column, conflict.rows) == (
        *("zone", "string", "zone__string"),
        5,
    )
    # It stays one, however often it comes, and the column is there already.
    again = grown(after.schema, data("zone", "string", "int"))
    assert not again.changed
    assert [one.kind for one in again.conflicts] == ["string"]


def test_integers_fit_into_doubles() -> None:
    found = data("rate", "int", "double")
    assert widened(NEW, found) == [("data", "rate")]
    after = grown(NEW, found)
    assert columns(after) == [("rate", "double")]
    assert not after.conflicts
    assert widened(after.schema, data("rate", "int")) == [("data", "rate")]
    large = grown(after.schema, data("rate", "int"), wide={("data", "rate"): 2})
    assert columns(large) == [("rate", "double"), ("rate__int", "int")]
    assert [one.rows for one in large.conflicts] == [2]


def test_doubles_do_not_fit_into_integers() -> None:
    before = grown(NEW, data("zone", "int")).schema
    assert widened(before, data("zone", "int", "double")) == []
    assert columns(grown(before, data("zone", "double")))[1] == ("zone__double", "double")


def test_empty_sequences_fit_into_any() -> None:
    assert columns(grown(NEW, data("l", EMPTY_SEQUENCE, "strings"))) == [("l", "strings")]
    assert columns(grown(NEW, data("l", EMPTY_SEQUENCE))) == [("l", "ints")]
    before = grown(NEW, data("l", "bools")).schema
    assert not grown(before, data("l", EMPTY_SEQUENCE)).changed
    scalar = grown(NEW, data("l", "int")).schema
    after = grown(scalar, data("l", EMPTY_SEQUENCE))
    assert columns(after) == [("l", "int"), ("l__ints", "ints")]
    assert [one.kind for one in after.conflicts] == ["ints"]


def test_what_stands_in_raw_only_is_json_and_no_conflict_by_itself() -> None:
    after = grown(NEW, data("price", JSON))
    assert columns(after) == [("price__json", JSON)]
    assert not after.conflicts
    both = grown(after.schema, data("price", "double"))
    assert columns(both) == [("price__json", JSON), ("price", "double")]
    assert [one.kind for one in grown(both.schema, data("price", JSON, "double")).conflicts] == [
        JSON
    ]


def test_odd_names_lose_nothing() -> None:
    found = {
        Found("data", "name", "string"): 1,
        Found("data", "Date", "int"): 1,
        Found("data", "Speed", "int"): 1,
        Found("data", "speed", "int"): 1,
        Found("header", "Priority", "int"): 1,
        Found("data", "header_Priority", "int"): 1,
        Found(BODY, "", JSON): 1,
    }
    assert {one.name: one.column for one in grown(NEW, found).schema.columns} == {
        "name": "data_name",
        "Date": "data_Date",
        "Speed": "Speed",
        "speed": "speed__2",
        "header_Priority": "header_Priority",
        "Priority": "header_Priority__2",
        "": "body__json",
    }


def test_too_many_columns_are_left_out_and_named() -> None:
    found = data("a", "int", "string") | data("b", "int") | data("c", "int")
    after = grown(NEW, found, most=2)
    assert columns(after) == [("a", "int"), ("a__string", "string")]
    assert after.left_out == (Found("data", "b", "int"), Found("data", "c", "int"))


_found = st.dictionaries(
    st.builds(
        Found,
        st.sampled_from(["header", "data"]),
        st.text(alphabet="aAb\u0131ß. _", max_size=4) | st.sampled_from(["seq", "name", "a__json"]),
        st.sampled_from([*KINDS, EMPTY_SEQUENCE]),
    ),
    st.integers(1, 9),
    max_size=8,
)


@given(st.lists(_found, max_size=4))
def test_every_value_has_exactly_one_column_and_columns_never_change(
    batches: list[dict[Found, int]],
) -> None:
    schema = NEW
    for found in batches:
        after = grown(schema, found)
        assert after.schema.columns[: len(schema.columns)] == schema.columns
        schema = after.schema
        assert not grown(schema, found).changed
    names = [same_column(one.column) for one in schema.columns] + [*FIXED, "date"]
    assert len(names) == len(set(names))
    for one in (one for found in batches for one in found):
        kinds = [column.kind for column in schema.of_property(one.part, one.name)]
        assert len(kinds) == len(set(kinds))
        if one.kind == EMPTY_SEQUENCE:
            assert set(kinds) & set(SEQUENCES)
        elif one.kind == "int" and "int" not in kinds:
            assert next(kind for kind in kinds if kind != JSON) == "double"
        else:
            assert one.kind in kinds


def test_schemas_are_kept_in_files() -> None:
    schema = grown(NEW, data("zone", "int", "string")).schema
    assert read_schema(schema_octets(schema), "here") == schema
    assert schema_path("", "a/b") == "_schemas/_/a%2Fb.json"
    with pytest.raises(PipelineFailed, match="here is no schema"):
        read_schema(b"{}", "here")
    newer = schema_octets(schema).replace(b'"format": 1', b'"format": 2')
    with pytest.raises(PipelineFailed, match="format 2"):
        read_schema(newer, "here")
