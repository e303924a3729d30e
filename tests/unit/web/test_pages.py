from __future__ import annotations

from tidings.web.pages import page, row, table


def test_what_is_text_cannot_become_html() -> None:
    assert row("<a>", 3) == '<tr><td>&lt;a&gt;</td><td class="n">3</td></tr>'
    assert "<th>&lt;h&gt;</th>" in table(("<h>",), [row(1)])
    shown = bytes(page("<title>", "<p>body</p>").body).decode()
    assert "<h1>&lt;title&gt;</h1>" in shown
    assert "<p>body</p>" in shown
