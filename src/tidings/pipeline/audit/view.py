"""Tables and charts of an audit, for the terminal and the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final

from tidings.pipeline.audit.result import EXPLANATIONS, Account, AuditResult, Finding
from tidings.pipeline.page import Figure, Page, Section, Sheet, charts, count_text, second_text

_PARTS: Final = (*EXPLANATIONS[1:], "unexplained", "best_effort")
_MOST_NAMED: Final = 8


def audit_page(result: AuditResult, made: str) -> Page:
    """Return an audit as a page; `made` says when and by what it was made."""
    sealed = "" if result.sealed_us is None else f" of {second_text(result.sealed_us)}"
    return Page(
        "Audit",
        f"{result.archive} · as of seal {result.seal}{sealed}",
        audit_figures(result),
        list(audit_sections(result)),
        [finding.sentence for finding in result.faults],
        made,
    )


def audit_figures(result: AuditResult) -> list[Figure]:
    """Return the key figures."""
    accounts = result.accounts
    unexplained = sum(one.unexplained for one in accounts)
    return [
        Figure("Faults", count_text(len(result.faults)), "" if result.faults else "all explained"),
        Figure("Events", count_text(sum(one.events for one in accounts))),
        Figure("Copies for consumers", count_text(sum(one.copies for one in accounts))),
        Figure("Unexplained copies", count_text(unexplained)),
        Figure("Books", "checked" if result.books_checked else "not checked"),
    ]


def audit_sections(result: AuditResult) -> Iterable[Section]:
    """Return the sections that are not empty."""
    if result.faults:
        yield _findings("Faults", result.faults)
    if result.accounts:
        yield _accounts(result.accounts)
    told = [finding for finding in result.findings if not finding.fault]
    if told:
        yield _findings("Worth knowing", told)
    if result.lanes:
        rows = [(lane,) for lane in result.lanes]
        yield Section("How plans and events were matched", "", None, Sheet(("lane",), rows))


def _accounts(accounts: Sequence[Account]) -> Section:
    used = [name for name in _PARTS if any(getattr(one, name) for one in accounts)]
    rows = [
        (
            one.channel,
            *(count_text(getattr(one, name)) for name in ("events", "copies", *used)),
        )
        for one in accounts
    ]
    headings = ("channel", "events", "copies", *map(_word, used))
    parts = [
        (one.channel, _word(name), float(getattr(one, name)))
        for one in accounts
        for name in used
        if getattr(one, name)
    ]
    known = {name.replace("-", " "): one for name, one in charts.OUTCOME_COLOURS.items()}
    colours = {_word(name): known[_word(name)] for name in _PARTS}
    chart = partial(charts.stacked, parts, colours, "share of copies") if parts else None
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
    return Section(title, "", None, Sheet(("kind", "where", "count", "what", "which"), rows, (2,)))


def pairs_text(finding: Finding) -> str:
    """List some of the events that a finding is about."""
    named = [
        str(pair.seq) if pair.proxy is None else f"{pair.seq} for {pair.proxy}"
        for pair in finding.pairs[:_MOST_NAMED]
    ]
    more = finding.count - len(named)
    return ", ".join(named) + (f" and {more:,} more" if named and more > 0 else "")
