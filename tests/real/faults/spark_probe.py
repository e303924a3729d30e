"""A compact check of Spark expressions, on spoiled copies of the modules that make them.

One process with one session takes all faults, one after another; it prints a line for each.
"""

from __future__ import annotations

import importlib.util
import shutil
import sys
import tempfile
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

import pyarrow.parquet as pq

from tests.laws.filter_events import NOW
from tests.laws.filter_reference import answer
from tests.mutants.ledger import driven_by
from tests.real.pipeline.parity import event_rows, occurring_of
from tidings.events.build import event
from tidings.events.fields import Fields, fields_for
from tidings.filters.constraint import EventTypePattern, event_type
from tidings.filters.parse import parse
from tidings.filters.tree import Node, Not
from tidings.pipeline.session import SparkOptions, close_session, open_session

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

DRIVER = "tests/real/faults/test_spark_faults.py::test_every_fault_is_caught_and_nothing_else"
PACKAGE = "tidings.filters.to_spark"
FEW = 8  # questions at once
INTERPRETED = {
    "spark.ui.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
NAN = float("nan")
_USUAL: dict[str, object] = {
    "count": 7,
    "less": -7,
    "zero": 0.0,
    "rate": 2.5,
    "nan": NAN,
    "other": NAN,
    "up": True,
    "big": 2**53 + 1,
    "high": 2**63 - 1,
    "host": "node-17",
    "letter": "B",
    "quote": "it's ${x}",
    "tags": ["a", "bb"],
    "nums": [1, 7],
    "reals": [NAN, 1.0],
    "none": [],
    "price": Decimal(7),
}
EVENTS = [
    event("Telecom", "Alarm", "lost", _USUAL, header={"Priority": 4}),
    event("Traffic", "AA", "lost", {**_USUAL, "rate": 99}, header={"rate": "fast", "nums": 5}),
    event("", "A", "", {"count": "seven", "up": 1, "tags": 7}, header={"count": 7}),
    event("", "%ANY", "", body={"count": 7, "rate": 2.5}),
]
CONSTRAINTS = """
$nan > 30 | $nan < 30 | 30 < $nan | $nan > $rate | $rate < $nan | $nan == $other | $nan != $other
$big == 9007199254740992.0 | $big == 9007199254740992 | $rate > 2.0 | 2.0 < $rate | $count == 7
18446744073709551615 + $up > 0 | 9223372036854775807 + $up > 0 | $high + $high > 0 | $up == 1
$less / 2 == -3 | $less % 4 == -3 | $rate / $zero > 1 | $rate % $zero == 0 | $count * 2 == 14
$count - 8 == -1 | $count / 0 == 1 | $up + 1 == 2 | $curtime.time > 139192928000000000
minor < major | minor == minor | 'node' ~ $host | $host ~ 'node' | 'B' + 1 == 67 | $letter == 'B'
$missing == 1 and $count == 8 | not ($missing == 1 and $count == 8) | $missing == 1 or $count == 7
($count == 7 and $missing == 1) or $rate > 2 | ($missing == 1 and $count == 8) or $count == 7
$nan in $reals | 1 in $reals | 7 in $nums | 'bb' in $tags | 'bb' in $none | 1 in $none
'x' in $nums | $count > $rate | $rate == 99 | $rate + 1 > 3 | $count + $up == 8 | $rate == 'fast'
exist $price | $price == 7 | exist $missing | $.header.variable_header(Priority) == 4
$filterable_data(rate) > 1 | $.filterable_data(Priority) == 4 | $quote == 'it\\'s ${x}'
$count == 'seven' | $count != 7
"""
TYPES = ("Telecom::*", "Traffic::A*A", "*::A*A", "*::A*", "*::*A", "Telecom::Al*a*m", "*::%ANY")


def _asked() -> list[Node]:
    texts = CONSTRAINTS.replace("\n", "|").split("|")
    return [parse(text.strip()) for text in texts if text.strip()]


def spoiled(folder: Path) -> ModuleType:
    """The modules in a folder, in place of those of the package."""
    for name in [name for name in sys.modules if name.startswith(PACKAGE)]:
        del sys.modules[name]
    spec = importlib.util.spec_from_file_location(
        PACKAGE, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[PACKAGE] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Question(NamedTuple):
    """A constraint or a type of events, and the columns that answer it."""

    asked: Node | EventTypePattern
    columns: list[Column]


def questions(made: ModuleType) -> Iterator[Question]:
    """What is asked of all events."""
    has = occurring_of(event_rows(EVENTS))
    known = made.EventColumns(occurring=made.Occurring(has.maps, has.others))
    for tree in _asked():
        # One way without knowing what the events have, one with.
        both = made.translate(tree), made.translate(Not(tree), known)
        columns = [both[0].native, both[1].native]
        if both[0].needs_reference is not None:
            columns.append(both[0].needs_reference)
        yield Question(tree, columns)
    for text in TYPES:
        pattern = event_type(text)
        yield Question(pattern, [made.type_condition([pattern])])


def findings(asked: list[Question], df: DataFrame, seen: list[Fields]) -> Iterator[str]:
    """What the expressions answer otherwise than the reference."""
    columns = [
        column.alias(f"{at}_{end}")
        for at, question in enumerate(asked)
        for end, column in enumerate(question.columns)
    ]
    for row in (one.asDict() for one in df.select("seq", *columns).collect()):
        fields = seen[row["seq"]]
        for at, question in enumerate(asked):
            answers = [row[f"{at}_{end}"] for end in range(len(question.columns))]
            if wrong := _wrong(question.asked, answers, fields):
                yield f"{question.asked} {wrong}"


def _wrong(
    asked: Node | EventTypePattern, answers: list[bool | None], fields: Fields
) -> str | None:
    if isinstance(asked, EventTypePattern):
        fits = answers[0]
        return None if fits is asked.matches(*fields.event_type) else f"fits: {fits}"
    holds, opposite, *unsure = answers
    if holds and opposite:
        return "is true, and so is its opposite"
    said = True if holds else False if opposite else None
    return None if any(unsure) or said is answer(asked, fields) else f"is {said}"


def caught(folder: Path, right: set[str], df: DataFrame, seen: list[Fields]) -> str | None:
    """The first thing that is wrong with the modules in a folder.

    Only expressions that are not among the right ones are evaluated, if there are any, and only
    until something is wrong.
    """
    try:
        asked = list(questions(spoiled(folder)))
        differ = [one for one in asked if str(one.columns) not in right] or asked
        few = [differ[at : at + FEW] for at in range(0, len(differ), FEW)] if right else [differ]
        return next((wrong for some in few for wrong in findings(some, df, seen)), None)
    except Exception as error:  # noqa: BLE001 -- whatever it is, it was caught
        return repr(error)[:200]


def run(spark: SparkSession, source: Path, folder: Path) -> Iterator[str]:
    """A line for the good modules, and one for each fault."""
    pq.write_table(event_rows(EVENTS), folder / "events.parquet")
    df = spark.read.parquet(str(folder / "events.parquet"))
    seen = [fields_for(one, NOW) for one in EVENTS]
    found = caught(source, set(), df, seen)
    yield "nothing is wrong" if found is None else f"wrong without a fault: {found}"
    right = {str(question.columns) for question in questions(spoiled(source))}
    for number, fault in enumerate(driven_by(DRIVER)):
        copy = folder / str(number)
        shutil.copytree(source, copy)
        (copy / Path(fault.module).name).write_text(fault.planted(), encoding="utf-8")
        found = caught(copy, right, df, seen)
        yield f"{'missed' if found is None else 'caught'}: {fault.name}"


def main() -> None:
    """Takes all faults."""
    source = Path(str(importlib.import_module(PACKAGE).__file__)).parent
    spark = open_session(SparkOptions("local[1]", memory="1g", conf=INTERPRETED), "tidings-faults")
    spark.sparkContext.setLogLevel("OFF")
    with tempfile.TemporaryDirectory() as folder:
        for line in run(spark, source, Path(folder)):
            sys.stdout.write(line + "\n")
            sys.stdout.flush()
    close_session(spark)


if __name__ == "__main__":
    main()
