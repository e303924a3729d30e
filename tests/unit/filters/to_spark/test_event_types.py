from __future__ import annotations

from tidings.filters.constraint import event_type
from tidings.filters.to_spark.event_types import type_expression


def made(*texts: str) -> str | None:
    return type_expression([event_type(text) for text in texts])


def test_patterns_as_expressions() -> None:
    assert made() is None
    assert made("*::*") is None
    assert made("Telecom::Alarm") == "((domain = 'Telecom' AND type = 'Alarm'))"
    assert made("A*", "*B") == "((startswith(type, 'A')) OR (endswith(type, 'B')))"
    assert made("A::X", "*::*") is None


def test_pieces_in_the_middle_are_sought_once() -> None:
    found = made("a*b.c*d")
    assert found is not None
    assert "RLIKE" in found
    assert "(?>" in found.encode().decode("unicode_escape")
