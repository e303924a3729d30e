"""Moments and stretches of time, as jobs are told them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.errors import InvalidUsage
from tidings.pipeline.times import Span, duration_us, moment_text, moment_us, span

NOON = 1_795_348_800_000_000  # 2026-11-22T12:00:00Z
HOUR = 3_600_000_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-22T12:00:00Z", NOON),
        ("2026-11-22T12:00:00", NOON),
        ("2026-11-22 12:00", NOON),
        ("2026-11-22T13:00:00+01:00", NOON),
        ("2026-11-22T12:00:00.000001Z", NOON + 1),
        ("2026-11-22", NOON - 12 * HOUR),
        ("2h", NOON - 2 * HOUR),
        (" 30m ", NOON - HOUR // 2),
        ("7d", NOON - 7 * 24 * HOUR),
        ("1w", NOON - 7 * 24 * HOUR),
        ("0s", NOON),
        ("999999999d", 0),
    ],
)
def test_a_moment_is_read(text: str, expected: int) -> None:
    assert moment_us(text, NOON) == expected


@pytest.mark.parametrize("text", ["", "yesterday", "2 h", "-2h", "2y", "2026-13-01", "12345", "٢h"])
def test_what_is_no_moment_is_told(text: str) -> None:
    with pytest.raises(InvalidUsage, match="is no time; write 2026-11-15T08:30:00Z"):
        moment_us(text, NOON)


@pytest.mark.parametrize("text", ["", "2", "h", "1.5h", "2026-11-22"])
def test_what_is_no_length_is_told(text: str) -> None:
    with pytest.raises(InvalidUsage, match="is no length of time"):
        duration_us(text)


def test_a_span_ends_after_it_begins() -> None:
    assert span(None, None, NOON) == Span(None, None)
    assert span("2h", "1h", NOON) == Span(NOON - 2 * HOUR, NOON - HOUR)
    with pytest.raises(InvalidUsage, match="nothing lies between 1h and 2h: 2026-11-22T11:00:00Z"):
        span("1h", "2h", NOON)
    with pytest.raises(InvalidUsage, match="nothing lies between"):
        span("1h", "1h", NOON)


@given(st.integers(0, 4_000_000_000_000_000))
def test_what_is_written_is_read_back(microseconds: int) -> None:
    assert moment_us(moment_text(microseconds), NOON) == microseconds
