"""Parity: reference, index, Spark expressions and Spark batches answer alike, pair by pair.

Each tree is drawn for one event, towards an answer of its own, and then asked of all events.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import pyarrow.parquet as pq
import pytest

from tests.laws.filter_events import NOW, Scene
from tests.laws.filter_quota import Quota
from tests.laws.filter_reference import answer
from tests.laws.filter_trees import constraint_of, draw_tree, draw_types
from tests.real.pipeline.parity import (
    NativeScene,
    directed_trees,
    draw_native_scene,
    draw_native_tree,
    event_rows,
    groups_of,
    occurring_of,
)
from tests.real.pipeline.settings import compiling
from tidings.events.build import event
from tidings.events.fields import fields_for
from tidings.events.structured import StructuredEvent
from tidings.filters.constraint import Constraint
from tidings.filters.explain import explain
from tidings.filters.index import MatchIndex
from tidings.filters.printing import print_tree
from tidings.filters.to_spark import match_column
from tidings.filters.to_spark.columns import ARCHIVE, EventColumns
from tidings.filters.to_spark.native import native_reason
from tidings.filters.to_spark.translate import expressions_of, translate
from tidings.filters.tree import Node, Not

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.slow

SEED = 20_261_117  # with few scenes not every seed keeps the quota
SCENES, TREES_EACH = 32, 2
TOGETHER = 36  # expressions in one query; see docs/performance.md
COMPILED = 18  # the first trees; Spark interprets the others, which is faster for few rows


class World(NamedTuple):
    """Events in a frame, and trees: some drawn for an event each, then some for all kinds."""

    scenes: list[NativeScene]
    trees: list[Node]
    df: DataFrame


@pytest.fixture(scope="module")
def world(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> World:
    rng = Random(SEED)
    scenes = [draw_native_scene(rng) for _ in range(SCENES)]
    trees = [draw_native_tree(rng, scene) for scene in scenes for _ in range(TREES_EACH)]
    trees += [tree for tree in directed_trees(rng, scenes) if native_reason(tree) is None]
    events = [scene.event for scene in scenes]
    return World(scenes, trees, _frame(spark, events, tmp_path_factory.mktemp("parity")))


def _frame(spark: SparkSession, events: Sequence[StructuredEvent], folder: Path) -> DataFrame:
    file = folder / "events.parquet"
    pq.write_table(event_rows(events), file)
    return spark.read.parquet(str(file))


def test_the_pairs_keep_the_quota(
    world: World, record_property: Callable[[str, object], None]
) -> None:
    steered, crossed = Quota(), Quota()
    for number, tree in enumerate(world.trees):
        if number < SCENES * TREES_EACH:
            own = world.scenes[number // TREES_EACH]
            steered.add(explain(tree, own.fields), own)
        for scene in world.scenes:
            crossed.add(explain(tree, scene.fields), scene)
    record_property("table", crossed.table())
    assert [one for one in steered.shortfalls() if " %" in one] == []
    cells = [one for one in crossed.shortfalls() if " %" not in one]
    # `default` asks for a union: it is never native, and stands among the batches below.
    assert [one for one in cells if not one.startswith("Default")] == []


@pytest.mark.parametrize("compiled", [True, False])
def test_expressions_answer_as_the_reference(
    compiled: bool, spark: SparkSession, world: World
) -> None:
    """The first trees are compiled by Spark, which takes long; the others are interpreted."""
    chosen = world.trees[:COMPILED] if compiled else world.trees[COMPILED:]
    with compiling(spark, on=compiled):
        for trees in groups_of(chosen, TOGETHER // 2):
            assert _wrong_expressions(world, trees) == []


def test_what_cannot_occur_is_not_looked_for(spark: SparkSession, world: World) -> None:
    """Each tree is asked of its own event alone, by an expression made for what that one has."""
    own = [occurring_of(event_rows([scene.event])) for scene in world.scenes]
    trees = list(enumerate(world.trees))
    shorter = sum(
        len(expressions_of(tree, EventColumns(occurring=own[_own(number)])).native)
        < len(expressions_of(tree).native)
        for number, tree in trees
    )
    assert shorter > len(trees) // 2
    for start in range(0, len(trees), TOGETHER // 2):
        few = trees[start : start + TOGETHER // 2]
        known = [EventColumns(occurring=own[_own(number)]) for number, _ in few]
        found = _wrong_expressions(world, [tree for _, tree in few], known, start)
        assert found == []


def _own(number: int) -> int:
    """The scene for which a tree was drawn; any for those that are for all."""
    return number // TREES_EACH % SCENES


def _wrong_expressions(
    world: World,
    trees: Sequence[Node],
    known: Sequence[EventColumns] | None = None,
    first: int = 0,
) -> list[str]:
    """What expressions say otherwise; asked with `not`, too, an error shows as no FALSE.

    With what is known of each tree's own event, only that one is asked.
    """
    from pyspark.sql import functions as sf

    columns = []
    for at, tree in enumerate(trees):
        asked = ARCHIVE if known is None else known[at]
        made = translate(tree, asked)
        needs = sf.lit(False) if made.needs_reference is None else made.needs_reference
        columns += [
            made.native.alias(f"yes{at}"),
            translate(Not(tree), asked).native.alias(f"no{at}"),
            needs.alias(f"needs{at}"),
        ]
    wrong = []
    for row in world.df.select("seq", *columns).collect():
        fields = world.scenes[row["seq"]].fields
        for at, tree in enumerate(trees):
            if known is not None and row["seq"] != _own(first + at):
                continue
            said = True if row[f"yes{at}"] else False if row[f"no{at}"] else None
            expected = answer(tree, fields)
            if said is not expected and not row[f"needs{at}"]:
                wrong.append(f"{print_tree(tree)} is {expected}, Spark says {said}")
    return wrong


BARE_VALUES: tuple[object, ...] = ({"count": 7, "domain_name": "x"}, 7, "node", [1, 2], None)


def test_all_ways_choose_the_same_events(spark: SparkSession, world: World, tmp_path: Path) -> None:
    rng = Random(SEED + 1)
    events = [*(scene.event for scene in world.scenes[:30]), *map(_bare, BARE_VALUES)]
    constraints = [
        *(constraint_of(tree, draw_types(rng)) for tree in world.trees[::5]),
        *_wild(rng, [Scene(one) for one in events[:30]], 72),
    ]
    native = sum(native_reason(one.tree) is None for one in constraints)
    assert native >= 72
    assert len(constraints) - native >= 40
    df = _frame(spark, events, tmp_path)
    index: MatchIndex[int] = MatchIndex()
    for number, asked in enumerate(constraints):
        index.add(number, [asked])
    expected = []
    for one in events:
        fields = fields_for(one, NOW)
        expected.append({n for n, c in enumerate(constraints) if c.matches(fields)})
        assert set(index.match(fields_for(one, NOW))) == expected[-1]
    assert sum(map(len, expected)) > 300
    for start in range(0, len(constraints), TOGETHER):
        few = constraints[start : start + TOGETHER]
        columns = [match_column(one).alias(f"c{at}") for at, one in enumerate(few)]
        for row in df.select("seq", *columns).collect():
            found = {start + at for at in range(len(few)) if row[f"c{at}"]}
            here = range(start, start + len(few))
            assert found == expected[row["seq"]].intersection(here)


def _bare(value: object) -> StructuredEvent:
    return event("", "%ANY", "", body=value)


def _wild(rng: Random, scenes: Sequence[Scene], count: int) -> list[Constraint]:
    """Constraints on any part of an event, however deep."""
    return [
        constraint_of(draw_tree(rng, rng.choice(scenes)), draw_types(rng)) for _ in range(count)
    ]
