"""Times in queries."""

from __future__ import annotations

import pytest

from tidings.errors import InvalidUsage
from tidings.web.replaying import microseconds


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", 0),
        ("1760000000000000", 1_760_000_000_000_000),
        ("1970-01-01T00:00:01Z", 1_000_000),
        ("1970-01-01t01:00:00.5+01:00", 500_000),
        ("2026-01-31T12:00:00.000001Z", 1_769_860_800_000_001),
        ("1969-12-31T23:59:59Z", 0),
    ],
)
def test_a_time_is_rfc_3339_or_microseconds(text: str, expected: int) -> None:
    assert microseconds(text) == expected


@pytest.mark.parametrize("text", ["", "-1", "soon", "2026-01-31", "2026-02-30T00:00:00Z", "1" * 18])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(InvalidUsage, match="is no time"):
        microseconds(text)
