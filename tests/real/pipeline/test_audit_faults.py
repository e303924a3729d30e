"""Faults planted in the audit itself: what its tests ask notices every one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from tests.edges.pipeline.test_audit_plans import history
from tests.real.pipeline.test_audit_pairs import CASES, origin, sources

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

PAIRS = [
    ('.when(F.col("listed") & (begins_late | is_cut), NOT_ENDED)', ""),
    ('course.contains("FF"), DOUBLED', 'course.contains("FFF"), DOUBLED'),
    ('.when(course.endswith("F"), F.col("ended', '.when(course.contains("F"), F.col("ended'),
    ("F.array_sort(F.collect_list", "F.reverse(F.collect_list"),
    (".when(judged & listed & ~sent, DISAGREES)", ""),
    (".when(sent & ~listed & durable, DISAGREES)", ""),
    (".when(sent & ~listed & ~_told_later(), WRONG)", ""),
    ("when(judged, WRONG)", "when(judged, UNKNOWN)"),
    ('F.col("word.position") > F.col("position")', 'F.col("word.position") > 0'),
    ("F.coalesce(gone > last, F.lit(False))", "gone.isNotNull()"),
    ('& ~F.col("carried")', ""),
    ("F.try_element_at(finals, F.lit(-1))", "F.get(finals, F.lit(0))"),
    ('F.col("position") < F.col("t_end")', 'F.col("position") <= F.col("t_start")'),
]

BOOKS = [
    ("Total(self.count - other.count, self.sum - other.sum)", "Total(self.count, self.sum)"),
    ("if count == 1:\n        return MissingEvents((sum_,))\n", ""),
    ("rest.count == 1 and rest.sum > 0", "rest.count == 2 and rest.sum > 0"),
    ("if beyond.sum in waiting else None", ""),
    ("*(Total(1, seq) for seq in sorted(gone))", ""),
    ("if beyond.count <= 0:", "if beyond.count >= 0:"),
]

OBJECTS = [
    ("NO_LONGER_TRACKED if known else DISCONNECTED", "DISCONNECTED"),
    ("connected.difference_update(parts.removed_proxies)", "pass"),
    ("if origin == one.origin and said_of[-1].how is None:", "if False:"),
    ("gone, how = word.position, word.how", "pass"),
    ("    if parts.whole:\n        connected.clear()\n", ""),
]

PLANS = [
    ("(change.version, change.whole) != (row.version, row.whole)", "False"),
    ("if not change.whole and before != row.version - 1:", "if False:"),
    ("history.digest = chain_digest(history.digest, row.version, row.change)", "pass"),
]


def planted(name: str, old: str, new: str) -> ModuleType:
    """A module of the audit with a fault in it."""
    whole = f"tidings.pipeline.{name}"
    path = import_module(whole).__file__
    assert path is not None
    source = Path(path).read_text()
    assert source.count(old) == 1, f"{old!r} stands {source.count(old)} times in {name}"
    module = ModuleType(f"{whole}_planted")
    sys.modules[module.__name__] = module  # data classes look their module up
    exec(compile(source.replace(old, new), path, "exec"), module.__dict__)
    return module


def states(spark: SparkSession, module: Any) -> list[tuple[str | None, bool]]:
    """What comes out for the cases of the test of pairs."""
    given = sources(spark, CASES)
    rows = {row["origin"]: row for row in module.pairs(module.Sources(*given)).collect()}
    return [
        (row["state"], row["waits"]) if (row := rows.get(origin(n))) else (None, False)
        for n in range(len(CASES))
    ]


@pytest.mark.parametrize(("old", "new"), PAIRS, ids=range(len(PAIRS)))
def test_a_fault_in_what_pairs_amount_to_is_noticed(
    spark: SparkSession, old: str, new: str
) -> None:
    wanted = [(case.state, case.waits) for case in CASES]
    assert states(spark, planted("audit.pairs", old, new)) != wanted


def ask_books(books: Any) -> Sequence[object]:
    total = books.Total
    return [
        books.differences({"a": total(3, 9)}, {"a": total(2, 4)}),
        *(
            books.missing_events(total(*beyond), total(*orphans))
            for beyond in ((-1, -17), (-3, -42), (2, 9), (0, 4))
            for orphans in ((0, 0), (2, 30), (1, 17))
        ),
        *(
            books.missing_outcomes(total(*beyond), waiting, gone, exact=exact)
            for beyond in ((1, 7), (1, 8), (2, 15), (-1, -5), (0, 2), (3, 20))
            for waiting in ([7], [7, 8], [4, 7, 9])
            for gone in ((), (5,))
            for exact in (True, False)
        ),
    ]


def ask_objects(objects: Any) -> Sequence[object]:
    said = [(10, 1, True), (12, 2, True), (20, 1, False), (30, 1, True), (40, 1, False)]
    rows = [objects.ObjectRow(at, "a", "proxy", id, on) for at, id, on in said]
    rows.append(objects.ObjectRow(50, "a", "channel", 1, False))
    both = '{"whole":true,"proxies":[{"proxy":1},{"proxy":2}]}'
    none = '{"whole":false,"removed_proxies":[1]}'
    other = '{"whole":true,"proxies":[{"proxy":3}]}'
    return [
        [tuple(tile) for tile in objects.tiles(rows, [(5, "a", both), (at, "a", text)])]
        for at in (15, 35)
        for text in (none, other, both)
    ]


def ask_plans(plans: Any) -> Sequence[object]:
    rows = history()
    swapped = [rows[0], rows[1]._replace(change=rows[2].change), rows[2]]
    found = []
    for one in (rows, swapped, [rows[0], rows[3]]):
        [made] = plans.plan_histories(one).values()
        found.append([tuple(fault) for fault in made.faults])
        found.append([made.rows, made.digest])
    return found


@pytest.mark.parametrize(
    ("name", "ask", "old", "new"),
    [
        (name, ask, old, new)
        for name, ask, all_of in (
            ("audit.tally", ask_books, BOOKS),
            ("audit.pairs", ask_objects, OBJECTS),
            ("audit.comparing", ask_plans, PLANS),
        )
        for old, new in all_of
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith("audit") else "",
)
def test_a_fault_in_what_follows_from_books_objects_and_plans_is_noticed(
    name: str, ask: Callable[[Any], Sequence[object]], old: str, new: str
) -> None:
    sound = ask(import_module(f"tidings.pipeline.{name}"))
    try:
        found: Sequence[object] | None = ask(planted(name, old, new))
    except Exception:  # noqa: BLE001 -- whatever it is, it is noticed
        found = None
    assert repr(found) != repr(sound)
