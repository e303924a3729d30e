"""A compact check of matching, on spoiled copies of its modules.

One process with one session takes all faults, one after another; it prints a line for each.
"""

from __future__ import annotations

import importlib
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from tests.mutants.ledger import driven_by
from tests.real.pipeline.matching_worlds import MatchWorld, plan_line
from tidings.events.build import event
from tidings.filters.constraint import constraint
from tidings.filters.plan import AdminRule, Operator, Plan, ProxyRule, Rule, Side
from tidings.filters.to_spark.columns import Occurring
from tidings.pipeline.session import SparkOptions, close_session, open_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

DRIVER = "tests/real/faults/test_matching_faults.py::test_every_fault_is_caught_and_nothing_else"
PACKAGE = "tidings.pipeline"
MATCHING = f"{PACKAGE}.matching"
INTERPRETED = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
BIG = 2**53
TEXTS = [
    "$kind == 'a' or $level > 10",
    f"$count == {BIG + 1}",
    "$count == 'A'",
    "$level >= 10.5 and $level < 20",
    "not ($level > 10)",
    "3 in $zones and $kind != 'b'",
    "$level > 11 and $count > 2 and $kind != 'c'",
    "$kind == 'b'",
    "$kind == 'b' and $level > 5.5 and $count > 60.5",
    "$kind == 'b' and $level < 60.5 and $count > 5.5",
    # A crowd under one value, which a number parts.
    "$host == 'h' and $level > 5",
    "$host == 'h' and $level >= 15.5",
    "$host == 'h' and not ($level > 12)",
    "$host == 'h' and $level < 20",
    "$host == 'h' and $level > 10.4 and $level < 15.5",
]
EVENTS = [
    event(
        "T", "Alarm", "", {"kind": "a", "level": 15.5, "count": 65, "zones": [3, 3], "host": "h"}
    ),
    event("T", "Alarm", "", {"kind": "b", "level": 10.4, "count": BIG, "zones": [4], "host": "h"}),
    event("T", "Call", "", {"kind": "c", "level": 20.0, "count": 3}),
    event("U", "Call", "", {"level": float("nan"), "count": 1, "zones": [3.0], "host": "h"}),
    event(
        "T",
        "Call",
        "",
        {"kind": "a", "level": 12},
        header={"kind": "b"},
    ),
    event("T", "Call", "", {"kind": "b", "level": 20}, header={"level": 5}),
]


def world() -> MatchWorld:
    """Two channels; the plan of the first changes."""
    rules = {
        proxy: ProxyRule(Side.CONSUMER, proxy, 0, Rule(((constraint(text),),)))
        for proxy, text in enumerate(TEXTS, 1)
    }
    both = Rule(((constraint("$level > 10", ["T::*"]), constraint("$count > 2")),))
    rules[20] = ProxyRule(Side.CONSUMER, 20, 1, both)
    rules[21] = ProxyRule(
        Side.CONSUMER, 21, 0, Rule((), (constraint("", ["T::Call"]).event_types[0],))
    )
    rules[22] = ProxyRule(Side.CONSUMER, 22, 0)
    shared = Rule(((constraint("$kind == 'a'"),),))
    admin = AdminRule(Side.CONSUMER, 1, Operator.OR, shared)
    first, one = Plan().changed({(Side.CONSUMER, 1): admin}, rules)
    second, two = first.changed(proxies={1: None, 2: None})
    made = MatchWorld([plan_line("0a" * 16, one, 0), plan_line("0a" * 16, two, 1)])
    other, three = Plan().changed(proxies={5: _moved(rules[8])})
    made.lines.append(plan_line("0b" * 16, three, 2))
    for origin, plan in (("0a" * 16, first), ("0a" * 16, second), ("0b" * 16, other)):
        for one_event in EVENTS:
            made.add(origin, plan, one_event)
    return made


def _moved(rule: ProxyRule) -> ProxyRule:
    return ProxyRule(rule.side, 5, rule.admin, rule.rule)


def spoiled(folder: Path) -> ModuleType:
    """Matching with the modules of a folder first."""
    for name in [name for name in sys.modules if name.startswith(MATCHING)]:
        del sys.modules[name]
    package = importlib.import_module(PACKAGE)
    paths = list(package.__path__)
    package.__path__ = [str(folder), *paths]
    try:
        importlib.invalidate_caches()
        return importlib.import_module(MATCHING)
    finally:
        package.__path__ = paths


def caught(folder: Path, df: DataFrame, known: MatchWorld) -> str | None:
    """What is wrong with the modules in a folder."""
    try:
        made = spoiled(folder)
        book = sys.modules[f"{MATCHING}.book"].PlanBook.from_rows(known.lines)
        rows = made.match(df, book, occurring=Occurring(others=())).collect()
    except Exception as error:  # noqa: BLE001 -- whatever it is, it was caught
        return repr(error)[:200]
    found = [(r.origin, r.seq, r.proxy) for r in rows]
    if len(found) != len(set(found)):
        return "a consumer came out twice"
    wrong = set(found) ^ known.answers
    return f"wrong: {sorted(map(str, wrong))[:3]}" if wrong else None


def run(df: DataFrame, known: MatchWorld, folder: Path) -> Iterator[str]:
    """A line for the good modules, and one for each fault."""
    source = Path(importlib.import_module(MATCHING).__file__ or "").parent
    found = caught(source.parent, df, known)
    yield "nothing is wrong" if found is None else f"wrong without a fault: {found}"
    for number, fault in enumerate(driven_by(DRIVER)):
        copy = folder / str(number)
        shutil.copytree(source, copy / "matching", ignore=shutil.ignore_patterns("__pycache__"))
        (copy / "matching" / Path(fault.module).name).write_text(fault.planted(), encoding="utf-8")
        found = caught(copy, df, known)
        yield f"{'missed' if found is None else 'caught'}: {fault.name}"


def main() -> None:
    """Takes all faults."""
    spark = open_session(SparkOptions("local[1]", memory="1g", conf=INTERPRETED), "faults")
    spark.sparkContext.setLogLevel("OFF")
    known = world()
    try:
        with tempfile.TemporaryDirectory() as folder:
            for line in run(spark.createDataFrame(known.table()).cache(), known, Path(folder)):
                sys.stdout.write(f"{line}\n")
    finally:
        close_session(spark)


if __name__ == "__main__":
    main()
