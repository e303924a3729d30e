"""Results of jobs in words, charts and pages: everything in them is text, and none leaves."""

from __future__ import annotations

import errno
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tests.edges.pipeline.samples import audit, backtest, report
from tidings.errors import DiskFull, InvalidUsage
from tidings.pipeline import page as page_texts
from tidings.pipeline.audit.view import audit_page, audit_sections
from tidings.pipeline.backtest.view import backtest_page
from tidings.pipeline.page import Figure, Page, Section, Sheet, page_html, write_page
from tidings.pipeline.page.charts import REST, bars, timeline
from tidings.pipeline.report.view import report_sections


def test_the_page_of_an_audit() -> None:
    assert "Faults" not in [one.title for one in audit_sections(audit(good=True))]
    assert "Problems" not in page_html(audit_page(audit(good=True), ""))
    text = page_html(audit_page(audit(), "made today"))
    assert text.count("<svg") == 1
    assert "Problems: 1" in text
    assert "as of seal 12 of 2026-11-15T00:00:00Z" in text


def test_the_page_of_a_backtest() -> None:
    text = page_html(backtest_page(backtest(), "made today"))
    assert text.count("<svg") == 3
    assert "$price &lt; 10 · Auction::*" in text
    assert "as of seal 12" in text


def test_numbers_are_told_as_they_are_read() -> None:
    octets = [page_texts.octets_text(n) for n in (0, 999, 1_500, 2_000_000, 3e15, 4e18)]
    assert octets == ["0 B", "999 B", "1.5 kB", "2.0 MB", "3.0 PB", "4000.0 PB"]
    durations = [page_texts.duration_text(n) for n in (0.25, 12.34, 1_500, 180_000, 7_500_000)]
    assert durations == ["0.25 ms", "12.3 ms", "1.5 s", "3.0 min", "2.1 h"]
    shares = [page_texts.share_text(n) for n in (0, 0.0001, 0.5, 1)]
    assert shares == ["0.0%", "<0.1%", "50.0%", "100.0%"]
    assert page_texts.second_text(1_794_700_800_999_999) == "2026-11-15T00:00:00Z"
    types = [page_texts.type_text(*one) for one in (("A", "b"), ("", "b"), ("", ""))]
    assert types == ["A::b", "b", "(no type)"]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(1, "second"), (10, "10 seconds"), (600, "10 minutes"), (3_600, "hour"), (21_600, "6 hours")],
)
def test_the_length_of_a_slice(seconds: int, words: str) -> None:
    one = replace(report(), slice_us=seconds * 1_000_000)
    assert next(iter(report_sections(one))).text == f"Per {words}, in UTC."


NASTY = "</text><script>alert(1)</script>'\"\\u0041{{"
HOUR = 3_600_000_000


def texts(svg: str) -> list[str]:
    """The texts of a chart, which must be well-formed and hold no script."""
    root = ET.fromstring(svg)
    names = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert "script" not in names
    assert "foreignObject" not in names
    return [element.text or "" for element in root.iter() if element.tag.endswith("}text")]


def test_bars_have_their_labels_and_values() -> None:
    shown = texts(bars([(NASTY[:34], 1234), ("b", 2.5), ("b", 7)], "events"))
    assert NASTY[:34] in shown
    assert shown.count("b") == 2
    assert {"1,234", "2.5", "7", "events"} <= set(shown)
    assert "12.5%" in texts(bars([("a", 0.125)], "share", share=True))
    # A long label is shortened in the middle.
    (label,) = [one for one in texts(bars([("a" * 30 + "b" * 30, 1)], "n")) if "…" in one]
    assert len(label) == 34
    assert label.startswith("aaa")
    assert label.endswith("bbb")


def test_time_is_piled_up_by_series() -> None:
    points = [(hour * HOUR, f"series {i}", float(i + 1)) for hour in range(3) for i in range(10)]
    svg = timeline(points, HOUR, "events per hour")
    shown = texts(svg)
    assert {"series 9", "series 2", REST, "events per hour"} <= set(shown)
    assert "series 1" not in shown
    marks = re.findall(r'aria-roledescription="rect mark"', svg)
    assert len(marks) == 3 * 9


HOSTILE = "<script>alert('x')</script>\"&\x1b[2J"


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        if tag not in {"meta", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_every_text_stays_a_text() -> None:
    section = Section(HOSTILE, HOSTILE, None, Sheet((HOSTILE,), [(HOSTILE,)]))
    figure = Figure(HOSTILE, HOSTILE, HOSTILE)
    reader = _Tags()
    reader.feed(page_html(Page(HOSTILE, HOSTILE, [figure], [section], [HOSTILE], HOSTILE)))
    assert reader.open == []
    assert "script" not in reader.seen
    assert reader.texts.count("<script>alert('x')</script>\"&\\x1b[2J") == 12


def test_a_page_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "page.html"
    write_page(file, Page("first", "u"))
    assert "first" in file.read_text()

    def full(self: Path, target: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(DiskFull, match="No space left"):
        write_page(file, Page("second", "u"))
    assert "first" in file.read_text()
    assert [one.name for one in tmp_path.iterdir()] == ["page.html"]
    with pytest.raises(InvalidUsage, match="No such file or directory"):
        write_page(tmp_path / "none" / "page.html", Page("t", "u"))
