from __future__ import annotations

import pytest

from tidings.errors import InvalidUsage
from tidings.filters.parse import parse
from tidings.filters.to_spark.columns import ARCHIVE, EventColumns, Occurring
from tidings.filters.to_spark.translate import expressions_of, translate


def test_each_map_is_read_once_for_a_field_and_a_literal() -> None:
    made = expressions_of(parse("$rate > 30")).native
    for name in ("header_int", "header_double", "header_bool", "data_int", "data_double"):
        assert made.count(f"{name}['rate']") == 1
    assert made.count("header_string['rate']") == 1
    assert "data_string" not in made


def test_a_field_of_one_part_reads_no_other() -> None:
    assert "header_" not in expressions_of(parse("$.filterable_data(rate) > 30")).native
    assert "data_" not in expressions_of(parse("$.header.variable_header(rate) > 30")).native


def test_an_event_column_is_compared_plainly() -> None:
    made = expressions_of(parse("$type_name == 'A' or $domain_name == 'B'"))
    assert made.native == "((type == 'A') OR (domain == 'B'))"


def test_rows_that_need_the_reference_are_those_with_other_kinds_and_bare_values() -> None:
    tree = parse("$a == 1 and exist $b")
    bare = "(type = '\\u0025ANY' AND domain = '')"
    listed = "array_contains(header_other, 'a') OR array_contains(data_other, 'a')"
    assert expressions_of(tree).needs_reference == f"({listed} OR {bare})"
    expected = {"a": f"({listed})", "*": f"({bare})", "b": None}
    for name, needs in expected.items():
        columns = EventColumns(occurring=Occurring(others={name}))
        assert expressions_of(tree, columns).needs_reference == needs


def test_what_cannot_occur_is_not_read() -> None:
    columns = EventColumns(occurring=Occurring({"data_double": {"a"}, "header_int": {"b"}}, ()))
    assert expressions_of(parse("$a < 2.5"), columns).native == "(data_double['a'] < (2.5D))"
    assert expressions_of(parse("exist $b"), columns).native == "(header_int['b'] IS NOT NULL)"
    assert expressions_of(parse("exist $c"), columns).native == "FALSE"
    assert expressions_of(parse("$c == 1"), columns).native == "CAST(NULL AS BOOLEAN)"
    assert expressions_of(parse("1 in $a"), columns).native == "CAST(NULL AS BOOLEAN)"


def test_columns_stand_for_literals_in_the_order_of_the_shape() -> None:
    tree = parse("$type_name == 'A' and 'B' != $event_name")
    made = expressions_of(tree, constants={0: "u.c0", 1: "u.c1"})
    assert made.native == "((type == u.c0) AND (u.c1 != name))"


def test_the_columns_of_a_joined_frame() -> None:
    assert expressions_of(parse("$type_name == 'A'"), EventColumns("e")).native == (
        "(`e`.`type` == 'A')"
    )


def test_a_long_chain_stays_small() -> None:
    def size(count: int) -> int:
        text = " or ".join(f"$a{at:02} == 1" for at in range(count))
        return len(expressions_of(parse(f"not ({text})")).native)

    assert size(60) < 2.2 * size(30)


def test_what_is_not_native_is_refused() -> None:
    with pytest.raises(InvalidUsage, match="lies inside a value"):
        expressions_of(parse("$a.b == 1"))


def test_a_constant_must_be_a_name() -> None:
    with pytest.raises(InvalidUsage, match="by its name"):
        translate(parse("$a == 1"), ARCHIVE, {0: "1 + 1"})
