"""The reference page of operations is the one that the catalogue gives."""

from __future__ import annotations

from tools.write_operations import PAGE, page


def test_the_page_of_operations_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m tools.write_operations"
