"""`tidings bench trader`: queries and exports, beside a scan of all offers; who is told of changes.

Offers of one service type have a lot (a text that few share), a cost and a site. Queries ask for a
lot (equality), for a narrow range of costs, and for a site and a wider range. The scan asks the
same compiled constraint of every offer in turn. Each answer is compared with the scan's.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from time import perf_counter
from typing import Any, Final

from tidings.bench import service_changes
from tidings.bench.harness import Figures, Progress, Series, demand, rounds, silent, undisturbed
from tidings.events import typecode as tc
from tidings.filters.dialects import trader as language
from tidings.filters.to_python import to_python
from tidings.trader.core import Trader
from tidings.trader.model import OfferFields, PropertyDef, PropertyMode, fields_of
from tidings.trader.requests import (
    AddServiceType,
    ExportOffer,
    QueryAnswer,
    QueryOffers,
    SetTraderSettings,
)

SIZES: Final = (1_000, 10_000, 100_000)
_TIMES: Final = 100.0
_TYPE: Final = "Store::Item"
_REFERENCE: Final = "corbaloc::10.0.0.9:2809/item"
_SITES: Final = 20
_MATCHES: Final = 10
_DAY: Final = 1_000_000.0
# A scan of many offers is slow: it answers a few of the queries.
_SCANNED: Final = 5
_MOST: Final = 1_000_000


def run(
    *,
    offers: Sequence[int] = SIZES,
    queries: int = 300,
    rounds: int = 5,
    seed: int = 1,
    subscribers: int = service_changes.SUBSCRIBERS,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Run the bench; `queries` are those of a round and kind, `subscribers` are told of changes."""
    figures = Figures()
    for count in offers:
        _Bench(count, seed, figures, progress).measure(queries, rounds)
    if subscribers:
        service_changes.measure(figures, progress, subscribers)
    return figures.report("trader")


class _Bench:
    def __init__(self, count: int, seed: int, figures: Figures, progress: Progress) -> None:
        self._count = count
        self._rng = Random(seed)
        self._figures = figures
        self._progress = progress
        self._trader = Trader()
        self._offers: list[tuple[str, OfferFields]] = []
        self._ask(AddServiceType(_TYPE, "", _PROPERTIES))
        self._ask(SetTraderSettings(max_search_card=_MOST, def_search_card=_MOST))

    def _ask(self, command: Any) -> Any:  # noqa: ANN401 -- of its own kind
        [answer], _ = self._trader.handle_many([command], 0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def measure(self, queries: int, count: int) -> None:
        """Export the offers, and query them."""
        what = f"trader: {self._count:,} offers"
        self._progress(f"{what}: exporting")
        figure = f"exports, up to {self._count} offers"
        self._figures.figure(figure, self._count / self._export(), "1/s")
        series = Series()
        with undisturbed():
            for _ in rounds(what, count, self._progress, [series]):
                for kind, texts in self._texts(queries).items():
                    fast, slow = self._measured(texts)
                    series[f"{kind} queries"].append(fast)
                    series[f"{kind} scans"].append(slow)
        for kind in _KINDS:
            fast, slow = series.median(f"{kind} queries"), series.median(f"{kind} scans")
            self._figures.figure(f"{kind} queries, {self._count} offers", fast, "1/s")
            self._figures.figure(f"{kind} scans, {self._count} offers", slow, "1/s")
            name = f"{kind} queries, of scans, {self._count} offers"
            if self._count >= SIZES[-1] and kind != "mixed":
                self._figures.at_least(name, fast / slow, "times", _TIMES)
            else:
                self._figures.figure(name, fast / slow, "times")

    def _export(self) -> float:
        """Export all offers; return how long that took, in seconds."""
        commands = [
            ExportOffer(_TYPE, _REFERENCE, self._properties(at)) for at in range(self._count)
        ]
        with undisturbed():
            start = perf_counter()
            ids = [self._ask(one) for one in commands]
            seconds = perf_counter() - start
        self._offers = [
            (id, fields_of(one.properties)) for id, one in zip(ids, commands, strict=True)
        ]
        return seconds

    def _properties(self, at: int) -> dict[str, Any]:
        return {
            "lot": f"lot-{at // _MATCHES}",
            "cost": self._rng.random() * _DAY,
            "site": f"hall-{at % _SITES}",
        }

    def _texts(self, queries: int) -> dict[str, list[str]]:
        rng = self._rng
        lots = [rng.randrange(max(1, self._count // _MATCHES)) for _ in range(queries)]
        equal = [f"lot == 'lot-{lot}'" for lot in lots]
        ranges = [self._range(_MATCHES) for _ in range(queries)]
        sites = [
            f"site == 'hall-{rng.randrange(_SITES)}' and {self._range(_MATCHES * _SITES)}"
            for _ in range(queries)
        ]
        return dict(zip(_KINDS, (equal, ranges, sites), strict=True))

    def _range(self, matches: int) -> str:
        """Return a range of costs that about so many offers have."""
        width = min(_DAY / 2, _DAY * matches / self._count)
        start = self._rng.random() * (_DAY - width)
        return f"cost >= {start!r} and cost < {start + width!r}"

    def _measured(self, texts: list[str]) -> tuple[float, float]:
        """Return how many queries, and how many scans, are answered in a second."""
        start = perf_counter()
        answers: list[QueryAnswer] = [self._ask(QueryOffers(_TYPE, text)) for text in texts]
        fast = len(texts) / (perf_counter() - start)
        scanned = texts[:_SCANNED]
        start = perf_counter()
        expected = [self._scan(text) for text in scanned]
        slow = len(scanned) / (perf_counter() - start)
        for answer, ids in zip(answers, expected, strict=False):
            demand([one.id for one in answer.offers] == ids, "a query differs from the scan")
        demand(any(expected), "no offer was found")
        return fast, slow

    def _scan(self, text: str) -> list[str]:
        predicate = to_python(language.read(text))
        return [id for id, fields in self._offers if predicate(fields) is True]


_KINDS: Final = ("equality", "range", "mixed")
_PROPERTIES: Final = (
    PropertyDef("lot", tc.string(), PropertyMode.MANDATORY),
    PropertyDef("cost", tc.DOUBLE, PropertyMode.MANDATORY),
    PropertyDef("site", tc.string()),
)
