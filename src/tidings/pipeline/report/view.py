"""Tables and charts of a report, for the terminal and the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final

from tidings.clock import moment_text
from tidings.pipeline.page import (
    Figure,
    Page,
    Section,
    Sheet,
    charts,
    count_text,
    duration_text,
    octets_text,
    second_text,
    share_text,
    type_text,
)
from tidings.pipeline.report import Latency, Report

_WITHOUT_MARK: Final = "(no producer named)"
# How a change was judged, and its colour.
_JUDGED: Final = {"breaking": "#a83a3a", "compatible": "#4aa564", "not judged": "#9aa0a6"}
_KINDS: Final = {
    "CHANGE_TYPE": "other type",
    "CHANGE_PROPERTY_VAL": "properties",
    "REMOVAL_SERVICE": "removed",
    "INSTANTIATION_SERVICE": "new",
}
# Bars of a chart; the table beside it has more.
_MOST_BARS: Final = 12


def report_page(report: Report, made: str) -> Page:
    """Return the report as a page; `made` says when and by what it was made."""
    channels = ", ".join(report.channels) or "all channels"
    span = "no events"
    if report.first_us is not None and report.last_us is not None:
        span = f"{second_text(report.first_us)} to {second_text(report.last_us)}"
    return Page(
        "Event report",
        f"{report.archive} · {channels} · {span}",
        report_figures(report),
        list(report_sections(report)),
        report.problems,
        made,
    )


def report_figures(report: Report) -> list[Figure]:
    """Return the key figures."""
    copies = sum(one.copies for one in report.fan_out)
    figures = [
        Figure("Events", count_text(report.events), octets_text(report.octets)),
        Figure("Events a second", _rate(report.rate), f"at most {_rate(_peak(report))}"),
        Figure(
            "Copies for consumers",
            count_text(copies),
            f"{copies / report.events:.2f} an event" if report.events else "",
        ),
    ]
    if report.latency:
        note = f"p99 {duration_text(report.latency.p99)}"
        figures.append(Figure("Latency, p50", duration_text(report.latency.p50), note))
    dead = sum(report.outcomes.get(name, 0) for name in ("dead-lettered", "rejected"))
    pending = report.outcomes.get("pending", 0)
    facts = report.facts
    figures += [
        Figure("Dead letters", count_text(dead)),
        Figure("Pending", count_text(pending), "copies without an outcome yet"),
        Figure("Archive", octets_text(facts.octets), f"{count_text(facts.segments)} segments"),
    ]
    return figures


def _peak(report: Report) -> float:
    sums: dict[int, int] = {}
    for one in report.slices:
        sums[one.from_us] = sums.get(one.from_us, 0) + one.events
    return max(sums.values(), default=0) * 1_000_000 / report.slice_us


def _rate(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.1f}" if rate >= 1 else f"{rate:.2g}"


def report_sections(report: Report) -> Iterable[Section]:
    """Return the sections that are not empty."""
    makers = (
        _over_time, _volumes, _suppliers, _fan_out,
        _outcomes, _slowest, _selectivity, _dead_letters,
        _services, _service_changes,
        _destroyed, _changes, _refusals, _archive,
    )  # fmt: skip
    for maker in makers:
        section = maker(report)
        if section is not None and section.sheet is not None and section.sheet.rows:
            yield section


def _over_time(report: Report) -> Section:
    channels = len({one.channel for one in report.slices})
    points = [
        (one.from_us, one.channel if channels > 1 else type_text(one.domain, one.type), one.events)
        for one in report.slices
    ]
    length = _length_text(report.slice_us)
    chart = partial(charts.timeline, points, report.slice_us, f"events per {length}")
    sums: dict[tuple[int, str], int] = {}
    for at, series, events in points:
        sums[at, series] = sums.get((at, series), 0) + int(events)
    rows = [
        (moment_text(at), series, count_text(n), _rate(n * 1_000_000 / report.slice_us))
        for (at, series), n in sorted(sums.items())
    ]
    series = "channel" if channels > 1 else "type"
    sheet = Sheet(("from", series, "events", "a second"), rows, (2, 3))
    return Section("Events over time", f"Per {length}, in UTC.", chart, sheet)


def _length_text(length_us: int) -> str:
    words = {1: "second", 60: "minute", 3_600: "hour", 86_400: "day", 604_800: "week"}
    seconds = length_us // 1_000_000
    if seconds in words:
        return words[seconds]
    unit = max(one for one in words if seconds % one == 0)
    return f"{seconds // unit} {words[unit]}s"


def _volumes(report: Report) -> Section:
    bars = [
        (f"{one.channel}  {type_text(one.domain, one.type)}", one.events)
        for one in report.volumes[:_MOST_BARS]
    ]
    rows = [
        (
            one.channel, type_text(one.domain, one.type), count_text(one.events),
            share_text(one.events / report.events), octets_text(one.octets),
        )
        for one in report.volumes
    ]  # fmt: skip
    sheet = Sheet(("channel", "type", "events", "share", "size"), rows, (2, 3, 4))
    text = _of_all(len(rows), report.types, "channel and type")
    return Section("Events by type", text, partial(charts.bars, bars, "events"), sheet)


def _of_all(shown: int, in_all: int, what: str) -> str:
    return f"The first {shown:,} of {in_all:,}, by {what}." if shown < in_all else ""


def _suppliers(report: Report) -> Section:
    named = [(one.producer or _WITHOUT_MARK, one) for one in report.suppliers]
    rows = [
        (
            name, count_text(one.events), share_text(one.events / report.events),
            count_text(one.channels), second_text(one.last_us),
        )
        for name, one in named
    ]  # fmt: skip
    sheet = Sheet(("supplier", "events", "share", "channels", "last"), rows, (1, 2, 3))
    bars = [(name, one.events) for name, one in named[:_MOST_BARS]]
    text = _of_all(len(rows), report.suppliers_in_all, "events")
    return Section("Top suppliers", text, partial(charts.bars, bars, "events"), sheet)


def _fan_out(report: Report) -> Section:
    rows = [
        (
            one.channel, count_text(one.events), count_text(one.copies), f"{one.mean:.2f}",
            count_text(one.p50), count_text(one.p99), count_text(one.most),
            count_text(one.to_nobody),
        )
        for one in report.fan_out
    ]  # fmt: skip
    headings = ("channel", "events", "copies", "mean", "p50", "p99", "most", "to nobody")
    bars = [(one.channel, one.mean) for one in report.fan_out[:_MOST_BARS]]
    text = "Durable consumers per event: only of them is written down what they get."
    chart = partial(charts.bars, bars, "consumers per event")
    return Section("Fan-out", text, chart, Sheet(headings, rows, range(1, 8)))


def _outcomes(report: Report) -> Section | None:
    final = {name: n for name, n in report.outcomes.items() if name != "redriven"}
    copies = sum(final.values())
    if not copies:
        return None
    order = [name for name in charts.OUTCOME_COLOURS if name in final]
    rows = [(name, count_text(final[name]), share_text(final[name] / copies)) for name in order]
    again = report.outcomes.get("redriven", 0)
    text = f"{again:,} copies were dead letters and were redriven." if again else ""
    parts = [("all", name, float(final[name])) for name in order]
    parts += [
        (one.label, name, float(n))
        for one in report.consumers[:_MOST_BARS]
        for name, n in one.outcomes.items()
        if name != "redriven"
    ]
    chart = partial(charts.stacked, parts, charts.OUTCOME_COLOURS, "share of copies")
    return Section("Outcomes", text, chart, Sheet(("outcome", "copies", "share"), rows, (1, 2)))


def _slowest(report: Report) -> Section | None:
    timed = [(one, one.latency) for one in report.slowest if one.latency]
    if not timed or report.latency is None:
        return None
    rows = [
        ("all", *_latency_cells(report.latency)),
        *((one.label, *_latency_cells(latency)) for one, latency in timed),
    ]
    headings = ("consumer", "deliveries", "p50", "p90", "p99", "max")
    spread = [
        (one.label, latency.p50, latency.p90, latency.p99) for one, latency in timed[:_MOST_BARS]
    ]
    chart = partial(charts.ranges, spread, "milliseconds: p50, p90 (orange), p99")
    text = "From arrival to delivery; consumers that were away make it long."
    sheet = Sheet(headings, rows, range(1, 6))
    return Section("Latency, slowest consumers first", text, chart, sheet)


def _latency_cells(latency: Latency) -> Sequence[str]:
    times = (latency.p50, latency.p90, latency.p99, latency.most)
    return (count_text(latency.measured), *map(duration_text, times))


def _selectivity(report: Report) -> Section:
    rows = [(one.label, count_text(one.copies), share_text(one.share)) for one in report.consumers]
    by_share = sorted(report.consumers, key=lambda one: -one.share)
    bars = [(one.label, one.share) for one in by_share[:_MOST_BARS]]
    chart = partial(charts.bars, bars, "share of the channel's events", share=True)
    text = "Which part of its channel's events a consumer's filters let pass."
    if len(rows) < report.consumers_in_all:
        text += f" The {len(rows):,} of {report.consumers_in_all:,} with the most events."
    sheet = Sheet(("consumer", "events", "share"), rows, (1, 2))
    return Section("Filter selectivity", text, chart, sheet)


def _dead_letters(report: Report) -> Section:
    rows = [
        (
            f"{one.channel}/{one.name or one.proxy}", one.outcome, one.cause or "",
            count_text(one.count), "" if one.last_us is None else second_text(one.last_us),
        )
        for one in report.dead_letters
    ]  # fmt: skip
    sheet = Sheet(("consumer", "outcome", "last cause", "count", "latest"), rows, (3,))
    return Section("Dead letters", "By consumer and cause.", None, sheet)


def _services(report: Report) -> Section:
    judged = [(one, (one.breaking, one.compatible, one.unjudged)) for one in report.services]
    rows = [
        (one.service_type, *map(count_text, (one.changes, *counts, one.removed, one.announced)))
        for one, counts in judged
    ]
    headings = ("service type", "changes", *_JUDGED, "removed", "announced")
    parts = [
        (one.service_type, name, float(n))
        for one, counts in judged[:_MOST_BARS]
        for name, n in zip(_JUDGED, counts, strict=True)
    ]
    chart = partial(charts.stacked, parts, _JUDGED, "share of changes")
    text = "By service type; those that break their clients most come first."
    return Section("Changes of services", text, chart, Sheet(headings, rows, range(1, 7)))


def _service_changes(report: Report) -> Section:
    rows = [
        (
            second_text(one.at_us), one.service_type, one.offer, _kind_text(one.kind),
            one.time_indicator.lower(), one.by or "", _judgement(one.compatible),
            one.differences,
        )
        for one in report.service_changes
    ]  # fmt: skip
    headings = ("when", "service type", "offer", "what", "told", "by", "clients", "differences")
    text = "The latest first; who made a change, and did not announce it, is from the audit trail."
    return Section("Who changed which service", text, None, Sheet(headings, rows))


def _kind_text(kind: str) -> str:
    return _KINDS.get(kind, kind)


def _judgement(compatible: bool | None) -> str:
    return "" if compatible is None else "can go on" if compatible else "break"


def _destroyed(report: Report) -> Section:
    rows = [
        (
            one.channel, second_text(one.at_us), one.principal,
            "" if one.credential is None else str(one.credential), one.door, one.peer,
        )
        for one in report.destroyed
    ]  # fmt: skip
    headings = ("channel", "when", "by", "credential", "door", "address")
    return Section("Destroyed channels", "The latest first.", None, Sheet(headings, rows, (3,)))


def _changes(report: Report) -> Section:
    rows = [
        (one.principal, one.operation, one.result, count_text(one.count), second_text(one.last_us))
        for one in report.changes
    ]
    sheet = Sheet(("principal", "operation", "result", "count", "latest"), rows, (3,))
    return Section("Changes", "Who changed what, or tried to.", None, sheet)


def _refusals(report: Report) -> Section:
    rows = [
        (
            one.principal, one.door, one.peer, one.operation, one.result, count_text(one.count),
            second_text(one.last_us),
        )
        for one in report.refusals
    ]  # fmt: skip
    headings = ("principal", "door", "address", "operation", "result", "count", "latest")
    text = "By principal and address; * stands for many."
    return Section("Refusals", text, None, Sheet(headings, rows, (5,)))


def _archive(report: Report) -> Section:
    facts = report.facts
    span = "nothing yet"
    if facts.first_us is not None and facts.last_us is not None:
        span = f"{second_text(facts.first_us)} to {second_text(facts.last_us)}"
    rows = [
        ("seals", count_text(facts.seals)),
        ("last seal", "" if facts.sealed_us is None else second_text(facts.sealed_us)),
        ("segments", count_text(facts.segments)),
        ("size", octets_text(facts.octets)),
        *((f"rows of {kind}", count_text(rows)) for kind, rows in facts.rows.items()),
        ("times", span),
        ("segments dropped by retention", count_text(facts.dropped)),
        ("problems", count_text(len(report.problems))),
    ]
    return Section("The archive", "", None, Sheet(("what", "value"), rows))
