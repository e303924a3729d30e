from __future__ import annotations

from tidings.cli.twigs import Twig


def test_a_twig_needs_no_more_than_its_text() -> None:
    assert Twig("a") == Twig("a", "", ())
