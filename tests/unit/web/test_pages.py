from __future__ import annotations

from tidings.web.pages import page, row, table


def test_what_is_text_cannot_become_html() -> None:
    assert row("<a>", 3000) == '<tr><td>&lt;a&gt;</td><td class="n">3,000</td></tr>'
    heads = table(("<h>", "<n>"), [row("a", 1)], numbers=1)
    assert '<th>&lt;h&gt;</th><th class="n">&lt;n&gt;</th>' in heads
    shown = bytes(page("<title>", "<p>body</p>").body).decode()
    assert "<h1>&lt;title&gt;</h1>" in shown
    assert "<p>body</p>" in shown


def test_only_the_page_s_own_script_may_run() -> None:
    assert "script-src" not in page("t", "").headers["content-security-policy"]
    policies = {page("t", "", script=one).headers["content-security-policy"] for one in "ab"}
    assert len(policies) == 2
    assert all("script-src 'sha256-" in policy for policy in policies)
