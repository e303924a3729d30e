"""Tables and charts of a backtest, for the terminal and the page."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from tidings.clock import moment_text
from tidings.pipeline.backtest import BacktestResult, LiveSubscription
from tidings.pipeline.page import (
    Figure,
    Page,
    Section,
    Sheet,
    charts,
    count_text,
    second_text,
    share_text,
    type_text,
)

_HOUR = 3_600_000_000
_MOST_BARS = 20


def backtest_page(result: BacktestResult, made: str) -> Page:
    """Return a backtest as a page; `made` says when and by what it was made."""
    asked = result.constraint.strip() or "TRUE"
    types = f" · {', '.join(result.event_types)}" if result.event_types else ""
    span = ""
    if result.first_us is not None and result.last_us is not None:
        span = f" · {second_text(result.first_us)} to {second_text(result.last_us)}"
    return Page(
        "Backtest",
        f"{asked}{types}{span} · as of seal {result.seal}",
        backtest_figures(result),
        list(backtest_sections(result)),
        result.problems,
        made,
    )


def backtest_figures(result: BacktestResult) -> list[Figure]:
    """Return the key figures."""
    return [
        Figure("Events asked", count_text(result.events)),
        Figure("Would have matched", count_text(result.matched), share_text(result.share)),
        Figure("How", result.how.partition(":")[0], result.how.partition(":")[2].strip()),
    ]


def backtest_sections(result: BacktestResult) -> Iterable[Section]:
    """Return the sections that are not empty."""
    if result.hours:
        yield _by_type(result)
        yield _by_hour(result)
    if result.live is not None:
        yield _live(result, result.live)
    if result.samples:
        rows = [
            (one.channel, str(one.seq), moment_text(one.arrival_us), one.event)
            for one in result.samples
        ]
        headings = ("channel", "number", "arrived", "event")
        yield Section("Samples that match", "The newest first.", None, Sheet(headings, rows, (1,)))


def _by_type(result: BacktestResult) -> Section:
    sums: dict[str, list[int]] = {}
    for one in result.hours:
        both = sums.setdefault(type_text(one.domain, one.type), [0, 0])
        both[0] += one.events
        both[1] += one.matched
    order = sorted(sums.items(), key=lambda item: (-item[1][1], -item[1][0], item[0]))
    rows = [
        (name, count_text(events), count_text(matched), share_text(matched / max(1, events)))
        for name, (events, matched) in order
    ]
    bars = [(name, matched) for name, (_, matched) in order[:_MOST_BARS] if matched]
    chart = partial(charts.bars, bars, "events that match") if bars else None
    sheet = Sheet(("type", "events", "matched", "share"), rows, (1, 2, 3))
    return Section("Matches by type", "", chart, sheet)


def _by_hour(result: BacktestResult) -> Section:
    sums: dict[int, list[int]] = {}
    for one in result.hours:
        both = sums.setdefault(one.hour_us, [0, 0])
        both[0] += one.events
        both[1] += one.matched
    rows = [
        (moment_text(hour), count_text(n), count_text(matched), share_text(matched / max(1, n)))
        for hour, (n, matched) in sorted(sums.items())
    ]
    points = [(hour, "matched", float(matched)) for hour, (_, matched) in sums.items()]
    points += [(hour, "not matched", float(n - m)) for hour, (n, m) in sums.items()]
    chart = partial(charts.timeline, points, _HOUR, "events per hour")
    sheet = Sheet(("hour", "events", "matched", "share"), rows, (1, 2, 3))
    return Section("Matches over time", "Per hour, in UTC.", chart, sheet)


def _live(result: BacktestResult, live: tuple[LiveSubscription, ...]) -> Section:
    named = [(f"{one.channel}/{one.name or one.proxy}", one) for one in live]
    total = max(1, result.events)
    rows = [
        (label, count_text(one.matched), share_text(one.matched / total), count_text(one.both))
        for label, one in named
    ]
    bars = [("this constraint", result.matched)]
    bars += [(label, one.matched) for label, one in named[:_MOST_BARS]]
    chart = partial(charts.bars, bars, "events")
    headings = ("subscription", "events", "share", "of them matched here, too")
    text = f"By {result.live_from}." if result.live_from else ""
    return Section("Present subscriptions", text, chart, Sheet(headings, rows, (1, 2, 3)))
