"""Pages: everything in them is text, and nothing leaves them."""

from __future__ import annotations

import errno
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tidings.errors import DiskFull, InvalidUsage
from tidings.pipeline.report_page import (
    MOST_ROWS,
    Figure,
    Page,
    Section,
    Sheet,
    page_html,
    write_page,
)

NASTY = "<script>alert('x')</script>\"&\x1b[2J"


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


def parsed(page: Page) -> _Tags:
    reader = _Tags()
    reader.feed(page_html(page))
    assert reader.open == []
    return reader


def test_every_text_stays_a_text() -> None:
    sheet = Sheet((NASTY,), [(NASTY,)])
    section = Section(NASTY, NASTY, "", sheet)
    page = Page(NASTY, NASTY, [Figure(NASTY, NASTY, NASTY)], [section], [NASTY], NASTY)
    reader = parsed(page)
    assert "script" not in reader.seen
    shown = "<script>alert('x')</script>\"&\\x1b[2J"
    assert reader.texts.count(shown) == 12


def test_nothing_is_fetched() -> None:
    text = page_html(Page("t", "u", sections=[Section("s", chart="<svg></svg>")]))
    assert "default-src 'none'" in text
    assert "http://" not in text
    assert "https://" not in text
    assert "<link" not in text


def test_columns_of_numbers_stand_to_the_right() -> None:
    text = page_html(Page("t", "u", sections=[Section("s", sheet=Sheet(("a", "b"), [("x", "1")],
                                                                       (1,)))]))  # fmt: skip
    assert '<td class="number">1</td>' in text
    assert '<td class="short">x</td>' in text


def test_a_long_table_is_cut_and_says_so() -> None:
    rows = [(str(i),) for i in range(MOST_ROWS + 5)]
    text = page_html(Page("t", "u", sections=[Section("s", sheet=Sheet(("n",), rows))]))
    assert "5 more rows are not shown here" in text
    assert text.count("<tr>") == MOST_ROWS + 1


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


def test_a_page_that_has_no_place(tmp_path: Path) -> None:
    with pytest.raises(InvalidUsage, match="No such file or directory"):
        write_page(tmp_path / "none" / "page.html", Page("t", "u"))


def test_what_is_no_file_is_written_to_and_stays() -> None:
    with pytest.raises(DiskFull, match="/dev/full: No space left on device"):
        write_page(Path("/dev/full"), Page("t", "u"))
    assert Path("/dev/full").is_char_device()
