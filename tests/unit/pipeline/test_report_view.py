"""A report in words."""

from __future__ import annotations

import pytest

from tests.unit.pipeline.samples import empty_report, report
from tidings.pipeline.report_page import page_html
from tidings.pipeline.report_view import (
    duration_text,
    octets_text,
    report_figures,
    report_page,
    report_sections,
    second_text,
    share_text,
    type_text,
)


def test_numbers_are_told_as_they_are_read() -> None:
    assert [octets_text(n) for n in (0, 999, 1_500, 2_000_000, 3e15, 4e18)] == [
        "0 B", "999 B", "1.5 kB", "2.0 MB", "3.0 PB", "4000.0 PB",
    ]  # fmt: skip
    assert [duration_text(n) for n in (0.25, 12.34, 1_500, 180_000, 7_500_000)] == [
        "0.25 ms", "12.3 ms", "1.5 s", "3.0 min", "2.1 h",
    ]  # fmt: skip
    assert [share_text(n) for n in (0, 0.0001, 0.5, 1)] == ["0.0%", "<0.1%", "50.0%", "100.0%"]
    assert second_text(1_794_700_800_999_999) == "2026-11-15T00:00:00Z"
    assert [type_text("A", "b"), type_text("", "b"), type_text("", "")] == [
        "A::b", "b", "(no type)",
    ]  # fmt: skip


def test_the_numbers_that_matter_most() -> None:
    figures = {one.title: (one.value, one.note) for one in report_figures(report())}
    assert figures == {
        "Events": ("2,000", "400.0 kB"),
        "Events a second": ("0.28", "at most 0.44"),
        "Copies for consumers": ("1,000", "0.50 an event"),
        "Latency, p50": ("1.5 ms", "p99 2.5 s"),
        "Dead letters": ("2", ""),
        "Pending": ("98", "copies without an outcome yet"),
        "Archive": ("1.5 MB", "48 segments"),
    }


def test_every_part_has_its_table() -> None:
    sections = {one.title: one for one in report_sections(report())}
    assert list(sections) == [
        "Events over time",
        "Events by type",
        "Top suppliers",
        "Fan-out",
        "Outcomes",
        "Latency, slowest consumers first",
        "Filter selectivity",
        "Dead letters",
        "The archive",
    ]
    rows = {title: list(one.sheet.rows) for title, one in sections.items() if one.sheet}
    assert rows["Events over time"][0] == ("2026-11-15T00:00:00Z", "auction", "1,600", "0.44")
    assert rows["Top suppliers"][1][:3] == ("(no producer named)", "100", "5.0%")
    assert rows["Outcomes"] == [
        ("delivered", "900", "90.0%"),
        ("pending", "98", "9.8%"),
        ("rejected", "2", "0.2%"),
    ]
    assert rows["Latency, slowest consumers first"][1] == (
        "auction/billing", "900", "1.5 ms", "20.0 ms", "2.5 s", "2.1 h",
    )  # fmt: skip
    assert rows["Filter selectivity"] == [("auction/billing", "1,000", "50.0%")]
    assert "The first 2 of 5" in sections["Events by type"].text
    assert "1 copies were dead letters and were redriven" in sections["Outcomes"].text
    assert all(one.chart == "" for one in sections.values())


def test_a_single_channel_is_told_by_type() -> None:
    from dataclasses import replace

    one = replace(report(), slices=report().slices[:2])
    over_time = next(iter(report_sections(one)))
    assert over_time.sheet is not None
    assert over_time.sheet.headings[1] == "type"
    assert [row[1] for row in over_time.sheet.rows] == ["Auction::bid", "the rest"]


def test_the_page_has_charts() -> None:
    text = page_html(report_page(report(), "made today"))
    assert text.count("<svg") == 7
    assert "Problems: 1" in text
    assert "made today" in text


def test_nothing_happened() -> None:
    assert [one.title for one in report_sections(empty_report())] == ["The archive"]
    text = page_html(report_page(empty_report(), ""))
    assert "auction · no events" in text


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(1, "second"), (10, "10 seconds"), (600, "10 minutes"), (3_600, "hour"), (21_600, "6 hours")],
)
def test_the_length_of_a_slice(seconds: int, words: str) -> None:
    from dataclasses import replace

    one = replace(report(), slice_us=seconds * 1_000_000)
    assert next(iter(report_sections(one))).text == f"Per {words}, in UTC."
