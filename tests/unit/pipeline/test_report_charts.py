"""Charts: the values are in them, and no label is more than a text."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from tidings.pipeline.report_charts import (
    OUTCOME_COLOURS,
    REST,
    bars,
    ranges,
    stacked,
    timeline,
)

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


def test_a_long_label_is_shortened_in_the_middle() -> None:
    (label,) = [one for one in texts(bars([("a" * 30 + "b" * 30, 1)], "n")) if "…" in one]
    assert len(label) == 34
    assert label.startswith("aaa")
    assert label.endswith("bbb")


def test_text_and_lines_take_the_colours_of_the_page() -> None:
    svg = bars([("a", 1)], "n")
    assert 'fill="currentColor"' in svg
    assert 'stroke="var(--line)"' in svg
    assert 'fill="white"' not in svg


def test_time_is_piled_up_by_series() -> None:
    points = [(hour * HOUR, f"series {i}", float(i + 1)) for hour in range(3) for i in range(10)]
    svg = timeline(points, HOUR, "events per hour")
    shown = texts(svg)
    assert {"series 9", "series 2", REST, "events per hour"} <= set(shown)
    assert "series 1" not in shown
    marks = re.findall(r'aria-roledescription="rect mark"', svg)
    assert len(marks) == 3 * 9


def test_parts_have_their_colours() -> None:
    rows = [("all", "delivered", 3.0), ("all", "expired", 1.0), (NASTY[:20], "delivered", 1.0)]
    svg = stacked(rows, OUTCOME_COLOURS, "share")
    shown = texts(svg)
    assert {"all", "delivered", "expired", NASTY[:20]} <= set(shown)
    assert "pending" not in shown
    assert OUTCOME_COLOURS["expired"] in svg


def test_ranges_take_zero() -> None:
    shown = texts(ranges([("slow", 0.0, 10.0, 900.0)], "milliseconds"))
    assert {"slow", "1000", "0.01"} <= set(shown)


def test_nothing_at_all_is_still_a_chart() -> None:
    assert texts(bars([], "n")) is not None
    assert texts(timeline([], HOUR, "n")) is not None
