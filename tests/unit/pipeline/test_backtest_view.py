"""A backtest in words."""

from __future__ import annotations

from tests.unit.pipeline.samples import backtest
from tidings.pipeline.backtest_view import backtest_figures, backtest_page, backtest_sections
from tidings.pipeline.report_page import page_html


def test_the_numbers_that_matter_most() -> None:
    figures = {one.title: (one.value, one.note) for one in backtest_figures(backtest())}
    assert figures == {
        "Events asked": ("2,000", ""),
        "Would have matched": ("250", "12.5%"),
        "How": ("native", ""),
    }


def test_every_part_has_its_table() -> None:
    rows = {one.title: list(one.sheet.rows) for one in backtest_sections(backtest()) if one.sheet}
    assert rows == {
        "Matches by type": [
            ("Auction::bid", "1,500", "250", "16.7%"),
            ("(no type)", "500", "0", "0.0%"),
        ],
        "Matches over time": [
            ("2026-11-15T00:00:00Z", "1,500", "250", "16.7%"),
            ("2026-11-15T01:00:00Z", "500", "0", "0.0%"),
        ],
        "Present subscriptions": [("auction/billing", "1,000", "50.0%", "200")],
        "Samples that match": [("auction", "17", "2026-11-15T00:00:00Z", '{"price": 9}')],
    }


def test_the_page() -> None:
    text = page_html(backtest_page(backtest(), "made today"))
    assert text.count("<svg") == 3
    assert "$price &lt; 10 · Auction::*" in text
    assert "as of seal 12" in text
