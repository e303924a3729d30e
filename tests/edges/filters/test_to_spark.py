"""Constraints on Spark, as far as no session is needed: columns, places, expressions."""

from __future__ import annotations

import pyarrow as pa
import pytest

from tests.real.pipeline.parity import event_rows
from tidings.errors import InvalidUsage
from tidings.events.build import event
from tidings.events.paths import Path
from tidings.filters.constraint import constraint, event_type
from tidings.filters.limits import DEFAULT_LIMITS
from tidings.filters.parse import parse
from tidings.filters.scan import scan
from tidings.filters.to_spark import plan_of
from tidings.filters.to_spark.batches import reference_batches
from tidings.filters.to_spark.columns import ARCHIVE, EventColumns, Occurring
from tidings.filters.to_spark.event_types import type_expression
from tidings.filters.to_spark.native import native_reason
from tidings.filters.to_spark.places import (
    Arrival,
    Body,
    Deep,
    Fixed,
    HeaderText,
    Nowhere,
    Place,
    Property,
    Whole,
    place_of,
)
from tidings.filters.to_spark.translate import expressions_of


def test_in_batches_the_arrival_is_the_time() -> None:
    rows = event_rows([event("Telecom", "Alarm"), event("Traffic", "Speed")])
    batches = reference_batches("$curtime.time > 139192928000000000")(iter(rows.to_batches()))
    assert pa.Table.from_batches(batches)["seq"].to_pylist() == [0, 1]


def test_columns_have_their_own_names_or_those_of_a_frame() -> None:
    assert ARCHIVE.lookup("data_int", "count") == "data_int['count']"
    assert EventColumns("e").named("raw") == "`e`.`raw`"
    assert ARCHIVE.listed("data_other", "x") == "array_contains(data_other, 'x')"


def made(*texts: str) -> str | None:
    return type_expression([event_type(text) for text in texts])


def test_patterns_as_expressions() -> None:
    assert made() is None
    assert made("*::*") is None
    assert made("Telecom::Alarm") == "((domain = 'Telecom' AND type = 'Alarm'))"
    assert made("A*", "*B") == "((startswith(type, 'A')) OR (endswith(type, 'B')))"
    assert made("A::X", "*::*") is None
    found = made("a*b.c*d") or ""
    assert "RLIKE" in found
    assert "(?>" in found.encode().decode("unicode_escape"), "pieces inside are sought once"


ARROW, OTHER = "native; Arrow batches", "holds what no column can"


@pytest.mark.parametrize(
    ("text", "types", "others", "plan"),
    [
        ("$rate > 30", (), (), "native"),
        ("$rate > 30", (), ("price", "*"), "native; Arrow batches for bare values"),
        ("$rate > 30", ("Telecom::*",), ("price", "*"), "native"),
        *(("exist $price", (), ("price",), "native"), ("1 < 2", (), None, "native")),
        ("$rate > $price", (), ("price",), f"{ARROW} where $price {OTHER}"),
        ("$rate > $price", (), None, f"{ARROW} if $price or $rate {OTHER} and for bare values"),
        ("$a.b == 1", (), (), "Arrow batches: $a.b lies inside a value"),
    ],
)
def test_how_a_constraint_is_judged(
    text: str, types: tuple[str, ...], others: tuple[str, ...] | None, plan: str
) -> None:
    assert plan_of(constraint(text, types), Occurring(others=others)) == plan


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("$a == 1 and $addr.street == 'x'", "$addr.street lies inside a value"),
        ("exist $tags[0]", "$tags[0] lies inside a value"),
        ("1 in $props(k)", "$props(k) lies inside a value"),
        ("default $u._d", "default $u._d asks for a union, which no column holds"),
        ("'x' ~ $.remainder_of_body", "$.remainder_of_body is the body, which no column holds"),
        ("1 in $remainder_of_body", "$remainder_of_body is the body, which no column holds"),
        ("1 in $filterable_data", "$filterable_data is a sequence of pairs, which no column holds"),
        (" or ".join(["$a == $b"] * 200), "the constraint is too large for one expression"),
    ],
)
def test_what_is_not_and_why(text: str, reason: str) -> None:
    assert native_reason(parse(text)) == reason


HEADER_PRIORITY = Property("Priority", in_data=False)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("$rate", Property("rate")),
        ("$.header.variable_header(Priority)", HEADER_PRIORITY),
        ("$.0.1(Priority)", HEADER_PRIORITY),
        ("$variable_header(Priority)", HEADER_PRIORITY),
        ("$.filterable_data(rate)", Property("rate", in_header=False)),
        ("$filterable_data(rate)", Property("rate", in_header=False)),
        ("$domain_name", HeaderText("domain")),
        ("$.header.fixed_header.event_type.type_name", HeaderText("type")),
        *(("$fixed_header.1", HeaderText("name")), ("$event_type.0", HeaderText("domain"))),
        *(("$curtime.time", Arrival()), ("$curtime.0", Arrival()), ("$curtime.tdf", Fixed(0))),
        *(("$._type_id", Fixed("StructuredEvent")), ("$_type_id", Fixed("StructuredEvent"))),
        *(("$", Whole()), ("$curtime", Whole()), ("$header", Whole())),
        *(("$filterable_data", Whole(is_sequence=True)), ("$remainder_of_body", Body())),
        *(("$.EventHeader.fixed_header", Nowhere()), ("$.7", Nowhere())),
        *(("$curtime.nobody", Nowhere()), ("$addr.street", Deep()), ("$tags[0]", Deep())),
        *(("$.filterable_data(addr).street", Deep()), ("$.filterable_data._length", Deep())),
        *(("$.remainder_of_body.x", Deep()), ("$domain_name.x", Deep())),
        ("$curtime.time.x", Deep()),
    ],
)
def test_where_a_path_leads(text: str, place: Place) -> None:
    [path] = [one.value for one in scan(text, DEFAULT_LIMITS) if isinstance(one.value, Path)]
    assert place_of(path) == place


def test_what_is_not_native_is_refused() -> None:
    with pytest.raises(InvalidUsage, match="lies inside a value"):
        expressions_of(parse("$a.b == 1"))


COLUMNS = EventColumns(
    occurring=Occurring(
        {"data_double": {"a"}, "header_int": {"b"}, "data_ints": {"n"}, "data_bool": {"is"}}, ()
    )
)


@pytest.mark.parametrize(
    ("text", "native"),
    [
        ("$type_name == 'A' or $domain_name == 'B'", "((type == 'A') OR (domain == 'B'))"),
        *(("$a < 2.5", "(data_double['a'] < (2.5D))"), ("exist $c", "FALSE")),
        ("exist $b", "(header_int['b'] IS NOT NULL)"),
        *(("$c == 1", "CAST(NULL AS BOOLEAN)"), ("1 in $a", "CAST(NULL AS BOOLEAN)")),
        ("1 in $n", "array_contains(data_ints['n'], CAST(1L AS BIGINT))"),
        ("(not $is) == TRUE", "(CAST((NOT data_bool['is']) AS BIGINT) == CAST(TRUE AS BIGINT))"),
    ],
)
def test_columns_are_compared_plainly_and_what_cannot_occur_is_not_read(
    text: str, native: str
) -> None:
    assert expressions_of(parse(text), COLUMNS).native == native
