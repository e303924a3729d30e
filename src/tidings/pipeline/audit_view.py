"""An audit in words: the same tables for the terminal and for the page, and its charts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from tidings.pipeline import report_charts as charts
from tidings.pipeline.audit_result import Account, AuditResult, Finding
from tidings.pipeline.report_page import Figure, Page, Section, Sheet
from tidings.pipeline.report_view import count_text, second_text

_PARTS: Final = {
    "delivered": "#4aa564",
    "expired": "#c9a227",
    "discarded": "#ef8e3b",
    "dead_lettered": "#dd5b5b",
    "rejected": "#a83a3a",
    "disconnected": "#b67fc4",
    "lost": "#7a1f1f",
    "purged": "#5f7f7a",
    "no_longer_tracked": "#8d7b6c",
    "pending": "#9aa0a6",
    "unexplained": "#ff2d20",
    "best_effort": "#4f83cc",
}
_MOST_NAMED: Final = 8


def audit_page(result: AuditResult, made: str) -> Page:
    """An audit as a page; `made` tells when and by what."""
    sealed = "" if result.sealed_us is None else f" of {second_text(result.sealed_us)}"
    return Page(
        "Audit",
        f"{result.archive} · as of seal {result.seal}{sealed}",
        audit_figures(result),
        list(audit_sections(result, drawn=True)),
        [finding.sentence for finding in result.faults],
        made,
    )


def audit_figures(result: AuditResult) -> list[Figure]:
    """The numbers that matter most."""
    accounts = result.accounts
    unexplained = sum(one.unexplained for one in accounts)
    return [
        Figure("Faults", count_text(len(result.faults)), "" if result.faults else "all explained"),
        Figure("Events", count_text(sum(one.events for one in accounts))),
        Figure("Copies for consumers", count_text(sum(one.copies for one in accounts))),
        Figure("Unexplained copies", count_text(unexplained)),
        Figure("Books", "checked" if result.books_checked else "not checked"),
    ]


def audit_sections(result: AuditResult, *, drawn: bool = False) -> Iterable[Section]:
    """The parts that have something to tell; with charts if they are `drawn`."""
    if result.faults:
        yield _findings("Faults", result.faults)
    if result.accounts:
        yield _accounts(result.accounts, drawn)
    told = [finding for finding in result.findings if not finding.fault]
    if told:
        yield _findings("Worth knowing", told)
    if result.lanes:
        rows = [(lane,) for lane in result.lanes]
        yield Section("How plans and events were matched", "", "", Sheet(("lane",), rows))


def _accounts(accounts: Sequence[Account], drawn: bool) -> Section:
    used = [name for name in _PARTS if any(getattr(one, name) for one in accounts)]
    rows = [
        (
            one.channel,
            *(count_text(getattr(one, name)) for name in ("events", "copies", *used)),
        )
        for one in accounts
    ]
    headings = ("channel", "events", "copies", *map(_word, used))
    chart = ""
    parts = [
        (one.channel, _word(name), float(getattr(one, name)))
        for one in accounts
        for name in used
        if getattr(one, name)
    ]
    if drawn and parts:
        colours = {_word(name): colour for name, colour in _PARTS.items()}
        chart = charts.stacked(parts, colours, "share of copies")
    sheet = Sheet(headings, rows, range(1, len(headings)))
    return Section(
        "What became of everything",
        "Every copy is in one column, by its last outcome.",
        chart,
        sheet,
    )


def _word(name: str) -> str:
    return name.replace("_", " ")


def _findings(title: str, findings: Sequence[Finding]) -> Section:
    rows = [
        (one.kind.value, one.channel or one.file or "", count_text(one.count), one.sentence,
         pairs_text(one))
        for one in findings
    ]  # fmt: skip
    return Section(title, "", "", Sheet(("kind", "where", "count", "what", "which"), rows, (2,)))


def pairs_text(finding: Finding) -> str:
    """Some of the events that a finding is about."""
    named = [
        str(pair.seq) if pair.proxy is None else f"{pair.seq} for {pair.proxy}"
        for pair in finding.pairs[:_MOST_NAMED]
    ]
    more = finding.count - len(named)
    return ", ".join(named) + (f" and {more:,} more" if named and more > 0 else "")
