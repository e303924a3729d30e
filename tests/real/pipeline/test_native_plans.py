"""Native constraints are Spark's alone: no Python in the plan. The others are not, and say so."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from tests.real.pipeline.parity import event_rows
from tidings.events.build import event
from tidings.filters.constraint import constraint
from tidings.filters.to_spark import matching, plan_of
from tidings.filters.to_spark.batches import reference_batches
from tidings.filters.to_spark.columns import EventColumns, Occurring
from tidings.filters.to_spark.translate import expressions_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.slow

EVENTS = [
    event("Telecom", "Alarm", "a", {"rate": 2.5, "count": 7, "addr": {"no": 12}}),
    event("Telecom", "Alarm", "b", {"rate": Decimal("2.50"), "tags": ["x", "bb"]}),
    event("Traffic", "Speed", "c", {"rate": 99, "count": 8, "up": True}),
    event("", "%ANY", body={"rate": 50}),
]
NATIVE = {
    "$rate == 2.5 or $rate != 3": "comparison, or",
    "$rate < 3 and not ($rate <= 1)": "and, not",
    "$rate > $count and $count >= 7": "field against field",
    "$count + 1 == 8 and $count - 1 * 2 < 8": "sum, difference, product",
    "$count / 2 == 3 and $count % 4 == 3": "quotient, remainder",
    "'bb' ~ $event_name": "contains",
    "'bb' in $tags and 1 in $nums": "in",
    "exist $rate and exist $.filterable_data(rate)": "exist",
    "$up and TRUE": "boolean",
    "$sev == major": "label",
    "$domain_name == 'Telecom' and $type_name == 'A' and $event_name == 'x'": "fixed header",
    "$curtime.time > 0 and exist $curtime": "time",
    "$.header.variable_header(Priority) == 4 and $.filterable_data(rate) > 1": "long spellings",
    "exist $header and exist $filterable_data": "parts",
}
NOT_NATIVE = ("$addr.no == 12", "$tags[0] == 'x'", "default $u._d", "$remainder_of_body == 1")
PYTHON = ("ArrowEvalPython", "MapInArrow", "BatchEvalPython", "PythonMapInArrow")


@pytest.fixture(scope="module")
def df(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    file = tmp_path_factory.mktemp("plans") / "events.parquet"
    pq.write_table(event_rows(EVENTS), file)
    return spark.read.parquet(str(file))


def python_in(df: DataFrame) -> bool:
    """Whether Python takes part in the executed plan."""
    plan = df._jdf.queryExecution().executedPlan().toString()
    return any(name in plan for name in PYTHON)


def names(df: DataFrame) -> list[str]:
    return sorted(row["name"] for row in df.select("name").collect())


@pytest.mark.parametrize("text", NATIVE, ids=NATIVE.values())
def test_a_native_constraint_needs_no_python(df: DataFrame, text: str) -> None:
    asked = constraint(text, ["Telecom::A*m", "Traffic::S*e*d", "*::Alarm"])
    assert not python_in(matching(df, asked, Occurring(others=())))
    assert plan_of(asked, Occurring(others=())) == "native"


@pytest.mark.parametrize("text", NOT_NATIVE)
def test_any_other_is_judged_in_arrow_batches(df: DataFrame, text: str) -> None:
    asked = constraint(text)
    assert python_in(matching(df, asked, Occurring(others=())))
    assert plan_of(asked, Occurring(others=())).startswith("Arrow batches: ")


def test_only_names_of_other_kinds_bring_in_python(df: DataFrame) -> None:
    asked = constraint("$rate > 2")
    assert python_in(matching(df, asked))
    assert python_in(matching(df, asked, Occurring(others=("rate",))))
    assert not python_in(matching(df, asked, Occurring(others=("count",))))
    assert names(matching(df, asked)) == ["", "a", "b", "c"]
    assert names(matching(df, asked, Occurring(others=("rate", "*")))) == ["", "a", "b", "c"]
    assert names(matching(df, asked, Occurring(others=()))) == ["a", "c"]


def test_deep_paths_and_batches_find_the_same(df: DataFrame) -> None:
    text = "$addr.no == 12"
    assert names(matching(df, constraint(text))) == ["a"]
    kept = df.select("name", "raw", "arrival_us")
    assert names(kept.mapInArrow(reference_batches(text), kept.schema)) == ["a"]


def test_one_expression_serves_all_constraints_of_a_shape(
    spark: SparkSession, df: DataFrame
) -> None:
    from pyspark.sql import functions as sf

    tree = constraint("$rate > 30 and $type_name == 'Alarm'").tree
    shapes = spark.createDataFrame(
        [(1, 2, "Alarm"), (2, 2, "Speed")], "unit int, c0 long, c1 string"
    )
    columns = EventColumns("e", Occurring(others=()))
    made = expressions_of(tree, columns, {0: "s.c0", 1: "s.c1"})
    found = df.alias("e").join(shapes.alias("s"), sf.expr(made.native))
    assert sorted((row["name"], row["unit"]) for row in found.collect()) == [("a", 1), ("c", 2)]
    assert not python_in(found)


def test_the_time_and_texts_with_signs(spark: SparkSession, tmp_path: Path) -> None:
    text = "it's ${spark.app.name} \\ \n 😀 %"
    rows = event_rows([event("", "A", "x", {"note": text})], arrival=1_000_000)
    pq.write_table(rows, tmp_path / "one.parquet")
    df = spark.read.parquet(str(tmp_path / "one.parquet"))
    spelled = text.replace("\\", "\\\\").replace("'", "\\'")
    asked = constraint(f"$note == '{spelled}' and $curtime.time == 122192928010000000")
    assert names(matching(df, asked, Occurring(others=()))) == ["x"]
