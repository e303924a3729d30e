"""An audit in words."""

from __future__ import annotations

from tests.unit.pipeline.samples import audit
from tidings.pipeline.audit_view import audit_figures, audit_page, audit_sections, pairs_text
from tidings.pipeline.report_page import page_html


def test_the_numbers_that_matter_most() -> None:
    figures = {one.title: (one.value, one.note) for one in audit_figures(audit())}
    assert figures["Faults"] == ("1", "")
    assert figures["Unexplained copies"] == ("2", "")
    assert audit_figures(audit(good=True))[0].note == "all explained"


def test_faults_come_first() -> None:
    sections = {one.title: one for one in audit_sections(audit()) if one.sheet}
    assert list(sections) == [
        "Faults",
        "What became of everything",
        "Worth knowing",
        "How plans and events were matched",
    ]
    sheet = sections["Faults"].sheet
    assert sheet is not None
    assert list(sheet.rows) == [
        ("missing outcome", "auction", "2", "2 copies have no outcome", "5 for 7 and 1 more")
    ]
    accounts = sections["What became of everything"].sheet
    assert accounts is not None
    assert accounts.headings == (
        "channel", "events", "copies", "delivered", "pending", "unexplained",
    )  # fmt: skip
    assert list(accounts.rows) == [("auction", "100", "150", "140", "8", "2")]


def test_a_good_archive_has_no_faults() -> None:
    assert "Faults" not in [one.title for one in audit_sections(audit(good=True))]
    assert "Problems" not in page_html(audit_page(audit(good=True), ""))


def test_the_page() -> None:
    text = page_html(audit_page(audit(), "made today"))
    assert text.count("<svg") == 1
    assert "Problems: 1" in text
    assert "as of seal 12 of 2026-11-15T00:00:00Z" in text


def test_findings_without_events_name_none() -> None:
    assert pairs_text(audit().findings[1]) == ""
