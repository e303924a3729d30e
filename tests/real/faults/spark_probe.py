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
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from tests.laws.filter_events import NOW
from tests.laws.filter_reference import answer
from tests.mutants.fault import Fault
from tests.mutants.ledger import driven_by
from tests.real.pipeline.parity import event_rows, occurring_of
from tidings.events.build import event
from tidings.events.fields import Fields, fields_for
from tidings.filters.constraint import event_type
from tidings.filters.parse import parse
from tidings.filters.tree import Node, Not
from tidings.pipeline.session import SparkOptions, close_session, open_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

DRIVER = "tests/real/faults/test_spark_faults.py::test_every_fault_is_caught_and_nothing_else"
PARTS = 2
PACKAGE = "tidings.filters.to_spark"
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


def findings(made: ModuleType, df: DataFrame, seen: list[Fields]) -> Iterator[str]:
    """What the expressions answer otherwise than the reference."""
    trees = _asked()
    columns = []
    has = occurring_of(event_rows(EVENTS))
    known = made.EventColumns(occurring=made.Occurring(has.maps, has.others))
    for at, tree in enumerate(trees):
        # One way without knowing what the events have, one with.
        both = made.translate(tree), made.translate(Not(tree), known)
        columns += [one.native.alias(f"c{at}_{end}") for end, one in enumerate(both)]
        if both[0].needs_reference is not None:
            columns.append(both[0].needs_reference.alias(f"c{at}_2"))
    patterns = [event_type(text) for text in TYPES]
    for at, pattern in enumerate(patterns):
        columns.append(made.type_condition([pattern]).alias(f"t{at}"))
    for row in (one.asDict() for one in df.select("seq", *columns).collect()):
        for at, tree in enumerate(trees):
            said = True if row[f"c{at}_0"] else False if row[f"c{at}_1"] else None
            if row[f"c{at}_0"] and row[f"c{at}_1"]:
                yield f"{tree} is true, and so is its opposite"
            if not row.get(f"c{at}_2") and said is not answer(tree, seen[row["seq"]]):
                yield f"{tree} is {said}"
        for at, pattern in enumerate(patterns):
            if row[f"t{at}"] is not pattern.matches(*seen[row["seq"]].event_type):
                yield f"{pattern} fits: {row[f't{at}']}"


def caught(folder: Path, df: DataFrame, seen: list[Fields]) -> str | None:
    """The first thing that is wrong with the modules in a folder."""
    try:
        return next(findings(spoiled(folder), df, seen), None)
    except Exception as error:  # noqa: BLE001 -- whatever it is, it was caught
        return repr(error)[:200]


def faults_of(part: int) -> list[Fault]:
    """The faults of one of two parts: all of them in one test would take over a minute."""
    return driven_by(DRIVER)[part::PARTS]


def run(spark: SparkSession, source: Path, folder: Path, part: int) -> Iterator[str]:
    """A line for the good modules, and one for each fault."""
    pq.write_table(event_rows(EVENTS), folder / "events.parquet")
    df = spark.read.parquet(str(folder / "events.parquet"))
    seen = [fields_for(one, NOW) for one in EVENTS]
    found = caught(source, df, seen)
    yield "nothing is wrong" if found is None else f"wrong without a fault: {found}"
    for number, fault in enumerate(faults_of(part)):
        copy = folder / str(number)
        shutil.copytree(source, copy)
        (copy / Path(fault.module).name).write_text(fault.planted(), encoding="utf-8")
        found = caught(copy, df, seen)
        yield f"{'missed' if found is None else 'caught'}: {fault.name}"


def main() -> None:
    """Takes the faults of the part that the command line names."""
    source = Path(str(importlib.import_module(PACKAGE).__file__)).parent
    spark = open_session(SparkOptions("local[1]", memory="1g", conf=INTERPRETED), "tidings-faults")
    spark.sparkContext.setLogLevel("OFF")
    with tempfile.TemporaryDirectory() as folder:
        for line in run(spark, source, Path(folder), int(sys.argv[1])):
            sys.stdout.write(line + "\n")
            sys.stdout.flush()
    close_session(spark)


if __name__ == "__main__":
    main()
