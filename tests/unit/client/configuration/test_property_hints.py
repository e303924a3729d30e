from __future__ import annotations

import pytest

from tidings.client.configuration.property_hints import property_hint


@pytest.mark.parametrize(
    ("name", "value", "hint"),
    [
        ("Priority", 3, ""),
        ("priority", 3, "did you mean Priority?"),
        ("MaxQueLength", 3, "did you mean MaxQueueLength?"),
        ("Colour", 3, ""),
        ("Priority", "high", ""),
        ("EventReliability", 1, ""),
        ("EventReliability", "Forever", "write BestEffort or Persistent"),
    ],
)
def test_hints(name: str, value: object, hint: str) -> None:
    assert property_hint(name, value) == hint
