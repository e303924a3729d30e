"""`tidings bench match`: the match index against a naive loop over all constraints.

Both see the same fields, extracted once outside the timings. Rounds are interleaved and
medians reported, in processor time, so that other work on the machine disturbs little; the
answers of some events are compared afterwards. How much an event costs depends on the machine,
so targets are ratios, except for the naive loop, which must be a fair opponent: at most 150 ns
a constraint on W1.
"""

from __future__ import annotations

import gc
import statistics
import tracemalloc
from collections.abc import Iterable, Sequence
from random import Random
from time import thread_time
from typing import Any as Anything

from tidings.bench.harness import Figures, Progress, Series, silent, undisturbed
from tidings.bench.match_workloads import WORKLOADS, Workload
from tidings.errors import InvalidUsage
from tidings.events.fields import Fields, fields_of
from tidings.filters.index import MatchIndex
from tidings.filters.parse import parse
from tidings.filters.to_python import Predicate, to_python
from tidings.filters.tree import Node, paths_of

_SMALL = 1_000
_COMPARED = 200
_CHURN = 500
# The naive loop is timed on few events: at 100,000 constraints one takes tens of milliseconds.
_NAIVE_EVENTS = 5
_FAIR_NAIVE_NS = 150.0
_SPEED_UP = {"W1": 1_000.0, "W2": 15.0, "W3": 15.0}


def run(
    *,
    workloads: Sequence[str] = tuple(WORKLOADS),
    subscriptions: int = 100_000,
    seed: int = 1,
    rounds: int = 5,
    events: int = 300,
    progress: Progress = silent,
) -> dict[str, Anything]:
    """Run the bench on some of the workloads; medians of interleaved rounds are reported.

    `events` is how many the index is timed on, each round.
    """
    for name in workloads:
        if name not in WORKLOADS:
            raise InvalidUsage(f"{name!r} is no workload; there are {', '.join(WORKLOADS)}")
    figures = Figures()
    for name in workloads:
        bench = _Bench(WORKLOADS[name], subscriptions, seed, rounds, events, progress)
        with undisturbed():
            figures.rows += bench.results()
    return figures.report("match")


class _Bench:
    def __init__(
        self,
        workload: Workload,
        subscriptions: int,
        seed: int,
        rounds: int,
        events: int,
        progress: Progress,
    ) -> None:
        self.workload = workload
        self.name = f"{workload.name} {subscriptions}"
        self.seed = seed
        self.rounds = rounds
        self.progress = progress
        self.out = Figures()
        progress(f"{self.name}: parsing")
        texts = list(workload.constraints(subscriptions, seed))
        start = thread_time()
        self.trees = [parse(text) for text in texts]
        self.parse_us = (thread_time() - start) / subscriptions * 1e6
        progress(f"{self.name}: building the index")
        self.index = _built(self.trees)
        self.small = _built(self.trees[:_SMALL])
        self.naive = [(to_python(tree), key) for key, tree in enumerate(self.trees)]
        self.fields, self.extract_us = _extracted(workload, events, seed, self.trees)

    def results(self) -> list[dict[str, Anything]]:
        self.progress(f"{self.name}: matching")
        self._matching()
        self.progress(f"{self.name}: adding and removing")
        self._churn()
        self.progress(f"{self.name}: measuring memory")
        self._memory()
        self.progress(f"{self.name}: comparing answers")
        self._compare_answers()
        if self._naive_ns_on_w1() > _FAIR_NAIVE_NS:
            for row in self.out.rows:  # nothing counts against an unfair opponent
                row["ok"] = False
        return self.out.rows

    def _matching(self) -> None:
        found = Series()
        for _ in range(self.rounds):
            found["index"].append(_time_index(self.index, self.fields))
            found["small"].append(_time_index(self.small, self.fields))
            found["naive"].append(_time_naive(self.naive, self.fields[:_NAIVE_EVENTS]))
        cost, loop = found.median("index"), found.median("naive")
        matches = statistics.mean(len(self.index.match(f)) for f in self.fields)
        self.naive_ns = loop * 1e3 / len(self.trees)
        self.out.figure(f"{self.name} index", cost, "µs/event")
        self.out.figure(f"{self.name} naive", loop, "µs/event")
        self.out.figure(f"{self.name} matches", matches, "subscriptions/event")
        self.out.figure(f"{self.name} extracting fields", self.extract_us, "µs/event")
        target = _SPEED_UP[self.workload.name]
        self.out.at_least(f"{self.name} naive / index", loop / cost, "times", target)
        growth = cost / found.median("small")
        name = f"{self.name} index / index at {_SMALL}"
        if self.workload.name == "W1":
            self.out.at_most(name, growth, "times", 2.0)
        else:
            self.out.figure(name, growth, "times")

    def _naive_ns_on_w1(self) -> float:
        """What the naive loop costs per constraint on W1, whatever workload is run."""
        if self.workload.name != "W1":
            texts = WORKLOADS["W1"].constraints(len(self.trees), self.seed)
            trees = [parse(text) for text in texts]
            loop = [(to_python(tree), key) for key, tree in enumerate(trees)]
            fields, _ = _extracted(WORKLOADS["W1"], _NAIVE_EVENTS, self.seed, trees)
            times = [_time_naive(loop, fields) for _ in range(self.rounds)]
            self.naive_ns = statistics.median(times) * 1e3 / len(trees)
        self.out.at_most("W1 naive", self.naive_ns, "ns/constraint", _FAIR_NAIVE_NS)
        return self.naive_ns

    def _churn(self) -> None:
        """Removes and adds again some subscriptions of the full index."""
        random = Random(self.seed)
        found = Series()
        for _ in range(self.rounds):
            keys = random.sample(range(len(self.trees)), min(_CHURN, len(self.trees)))
            start = thread_time()
            for key in keys:
                self.index.remove(key)
            middle = thread_time()
            for key in keys:
                self.index.add_tree(key, self.trees[key])
            end = thread_time()
            found["remove"].append((middle - start) / len(keys) * 1e6)
            found["add"].append((end - middle) / len(keys) * 1e6)
        self.out.figure(f"{self.name} parse", self.parse_us, "µs/subscription")
        for what in ("add", "remove"):
            cost = found.median(what)
            self.out.at_most(f"{self.name} {what}", cost, "µs/subscription", 50.0)

    def _memory(self) -> None:
        """Traced memory of a second index: full, and after everything has been removed."""
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        index = _built(self.trees)
        for fields in self.fields[:10]:
            index.match(fields)
        full = tracemalloc.get_traced_memory()[0] - before
        for key in range(len(self.trees)):
            index.remove(key)
        gc.collect()
        left = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        self.out.at_most(
            f"{self.name} memory", full / len(self.trees), "octets/subscription", 1_000.0
        )
        self.out.at_most(f"{self.name} left when all are removed", left / full * 100, "%", 2.0)

    def _compare_answers(self) -> None:
        """Index and naive loop, on events that neither was timed on."""
        fields, _ = _extracted(self.workload, _COMPARED, self.seed + 1, self.trees)
        agreeing = sum(
            sorted(self.index.match(f)) == [key for test, key in self.naive if test(f)]
            for f in fields
        )
        self.out.at_least(f"{self.name} equal answers", agreeing, "events", _COMPARED)


def _built(trees: Iterable[Node]) -> MatchIndex[int]:
    index = MatchIndex[int]()
    for key, tree in enumerate(trees):
        index.add_tree(key, tree)
    return index


def _extracted(
    workload: Workload, count: int, seed: int, trees: Iterable[Node]
) -> tuple[list[Fields], float]:
    """The fields of events with every path resolved, and what that cost per event."""
    paths = sorted(set[Anything]().union(*map(paths_of, trees)))
    events = list(workload.events(count, seed))
    start = thread_time()
    fields = [fields_of(event) for event in events]
    for one in fields:
        for path in paths:
            one[path]
    return fields, (thread_time() - start) / count * 1e6


def _time_index(index: MatchIndex[int], fields: list[Fields]) -> float:
    # Twice, and the second time counts: in a stream of events nobody else's data, here the
    # naive loop's, has just filled the processor's caches.
    for _ in range(2):
        start = thread_time()
        for one in fields:
            index.match(one)
        taken = thread_time() - start
    return taken / len(fields) * 1e6


def _time_naive(constraints: list[tuple[Predicate, int]], fields: list[Fields]) -> float:
    start = thread_time()
    for one in fields:
        [key for test, key in constraints if test(one)]
    return (thread_time() - start) / len(fields) * 1e6
