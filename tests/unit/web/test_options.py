from __future__ import annotations

from tidings.web.options import WebOptions


def test_the_token_is_not_shown() -> None:
    assert "s3cret" not in repr(WebOptions(token="s3cret"))
