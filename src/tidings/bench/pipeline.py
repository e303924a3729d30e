"""`tidings bench pipeline`: matching on Spark, the data source and the lake, beside Spark's limits.

Limit A is a Parquet scan with one native filter, limit B a scan that emits as many rows as the
matching has pairs. Everything is measured in one run on one data set: each round goes through all
of it, and medians count. What matching answers is checked against the reference first.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, Literal

from tidings.bench.harness import (
    Figures,
    Progress,
    Series,
    bench_folder,
    demand,
    rounds,
    silent,
)
from tidings.bench.pipeline_flow import measure_lake_latency, stream_seconds
from tidings.bench.pipeline_workloads import NAMES, plans, write_events
from tidings.events.codecs.json_codec import decode_event
from tidings.events.fields import fields_for
from tidings.filters.plan import Plan
from tidings.filters.plan_form import change_from_plain
from tidings.filters.to_spark.columns import Occurring
from tidings.pipeline.matching import match
from tidings.pipeline.matching.book import PlanBook
from tidings.pipeline.session import SparkOptions
from tidings.pipeline.session.job import spark_job

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Kind = Literal["equality", "W2"]

_OCCURRING: Final = Occurring(NAMES, ())
SUBSCRIPTIONS: Final = (10, 100, 1_000, 10_000)
_W2_SUBSCRIPTIONS: Final = 1_000
_OF_LIMITS: Final = 2.0
_W2_OF_B: Final = 4.0
_SOURCE_OF_PARQUET: Final = 0.5
# Events whose pairs are compared with the reference, one by one.
_CHECKED: Final = 200
_QUICK_EVENTS: Final = 200_000
_EVENTS: Final = 10_000_000
_STREAMED: Final = 1_000_000
_SHARES: Final = 1_000


def run(
    *,
    events: int = _EVENTS,
    rounds: int = 5,
    quick: bool = False,
    subscriptions: Sequence[int] = SUBSCRIPTIONS,
    folder: Path | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Run the bench: interleaved rounds after one to warm up.

    `quick` takes far fewer events and one round: it shows that it works, not how fast. The data in
    `folder` is removed afterwards; `subscriptions` are numbers of equality subscriptions.
    """
    if quick:
        events, rounds = min(events, _QUICK_EVENTS), 1
    figures = Figures()
    with (
        bench_folder(folder) as place,
        spark_job(SparkOptions(memory="6g"), "tidings-bench") as spark,
    ):
        bench = _Bench(spark, place, events, rounds, progress, figures)
        bench.matching(subscriptions)
        bench.source(min(events, _STREAMED))
        seconds = 5 if quick else 30
        measure_lake_latency(spark, place, seconds, figures, progress)
    return figures.report("pipeline")


@dataclass
class _Case:
    """A plan, and how many pairs it has."""

    kind: Kind
    subscriptions: int
    book: PlanBook
    pairs: int

    @property
    def name(self) -> str:
        return f"{self.kind}, {self.subscriptions} subscriptions"


class _Bench:
    def __init__(
        self,
        spark: SparkSession,
        folder: Path,
        events: int,
        rounds: int,
        progress: Progress,
        figures: Figures,
    ) -> None:
        self._spark = spark
        self._folder = folder
        self._rounds = rounds
        self._progress = progress
        self._figures = figures
        self._count = events
        progress(f"writing {events:,} events")
        paths = [str(path) for path in write_events(folder, events)]
        self._paths = paths
        self._events = spark.read.parquet(*paths)
        half = max(1, len(paths) // 2)
        self._half = spark.read.parquet(*paths[:half])
        self._half_count = self._half.count()

    def matching(self, subscriptions: Sequence[int]) -> None:
        """Equality subscriptions and W2, beside the limits."""
        asked: list[tuple[Kind, int]] = [("equality", number) for number in subscriptions]
        asked.append(("W2", _W2_SUBSCRIPTIONS))
        cases = [self._case(kind, number) for kind, number in asked]
        work: dict[str, Callable[[], float]] = {
            "scan": self._scan,
            "half": partial(self._match, self._half, cases[-2].book),
        }
        for case in cases:
            work[f"{case.name}: limit"] = partial(self._emit, case.pairs)
            work[case.name] = partial(self._match, self._events, case.book)
        found = Series()
        for _ in rounds("matching", self._rounds, self._progress, [found]):
            for name, measure in work.items():
                found[name].append(measure())
        self._report(found, cases)

    def _case(self, kind: Kind, subscriptions: int) -> _Case:
        rows = plans(kind, subscriptions)
        book = PlanBook.from_rows(rows)
        self._progress(f"checking {kind} with {subscriptions:,} subscriptions")
        self._check(book, Plan().apply(change_from_plain(json.loads(rows[0].change))))
        pairs = match(self._events, book, occurring=_OCCURRING).count()
        demand(pairs > 0, f"{kind} with {subscriptions} subscriptions has no pair")
        return _Case(kind, subscriptions, book, pairs)

    def _check(self, book: PlanBook, plan: Plan) -> None:
        """Compares the first pairs with what the reference says of each event."""
        some = self._events.where(f"seq <= {_CHECKED}")
        found = match(some, book, occurring=_OCCURRING).select("seq", "proxy").collect()
        expected: set[tuple[int, int]] = set()
        for row in some.select("seq", "raw", "arrival_us").collect():
            fields = fields_for(decode_event(bytes(row["raw"])), row["arrival_us"])
            expected.update((row["seq"], proxy) for proxy in plan.judge(fields).recipients)
        pairs = [(row["seq"], row["proxy"]) for row in found]
        demand(len(pairs) == len(set(pairs)), "a pair comes twice")
        demand(set(pairs) == expected, "pairs differ from the reference")

    def _scan(self) -> float:
        return _written(self._events.where("data_double['rate'] > 900").select("origin", "seq"))

    def _match(self, events: DataFrame, book: PlanBook) -> float:
        return _written(match(events, book, occurring=_OCCURRING))

    def _emit(self, pairs: int) -> float:
        """A scan that emits as many rows as there are pairs."""
        from pyspark.sql import functions as f

        each, rest = divmod(pairs, self._count)
        more = f.when(f.col("seq") % _SHARES < round(rest / self._count * _SHARES), each + 1)
        rows = more.otherwise(each)
        emitted = self._events.where(rows > 0).select(
            "origin", "seq", f.explode(f.sequence(f.lit(1), rows)).alias("proxy"), "position"
        )
        return _written(emitted)

    def _report(self, found: Series, cases: Sequence[_Case]) -> None:
        figures, scan = self._figures, found.median("scan")
        figures.figure("limit A, scan and one filter", self._count / scan, "events/s")
        for case in cases:
            seconds, limit = found.median(case.name), found.median(f"{case.name}: limit")
            if case.kind == "W2":
                figures.at_most(f"{case.name}, of limit B", seconds / limit, "ratio", _W2_OF_B)
            else:
                of_limits = seconds / max(scan, limit)
                figures.at_most(f"{case.name}, of the limits", of_limits, "ratio", _OF_LIMITS)
            figures.figure(f"{case.name}, events", self._count / seconds, "events/s")
            figures.figure(f"{case.name}, pairs", case.pairs / seconds, "pairs/s")
        grown = found.median(cases[-2].name) / found.median("half")
        events_grown = self._count / self._half_count
        name = "cost growth when events double, of events' own"
        figures.figure(name, grown / events_grown, "ratio")

    def source(self, events: int) -> None:
        """The data source as a stream, beside Spark's own stream of Parquet files."""
        found = Series()
        for _ in rounds(f"streaming {events:,} events", self._rounds, self._progress, [found]):
            ours, parquet = stream_seconds(self._spark, self._folder, self._paths, events)
            found["ours"].append(ours)
            found["parquet"].append(parquet)
        ours = found.median("ours")
        self._figures.figure("source, stream", events / ours, "events/s")
        name, of_parquet = "source, of Spark's own Parquet stream", found.median("parquet") / ours
        self._figures.at_least(name, of_parquet, "ratio", _SOURCE_OF_PARQUET)


def _written(frame: DataFrame) -> float:
    """How long it takes until every row was there, in seconds."""
    begun = perf_counter()
    frame.write.format("noop").mode("overwrite").save()
    return perf_counter() - begun
