"""Format numbers, sizes, times and event types for pages and tables."""

from __future__ import annotations

from typing import Final

from tidings.pipeline.times import moment_text

_UNITS: Final = ("B", "kB", "MB", "GB", "TB", "PB")
_WITHOUT_TYPE: Final = "(no type)"


def count_text(count: float) -> str:
    """Format a number with thousands separators."""
    return f"{count:,.0f}"


def octets_text(octets: float) -> str:
    """Format a size, in powers of 1,000."""
    for unit in _UNITS[:-1]:
        if octets < 1_000:
            return f"{octets:.0f} {unit}" if unit == "B" else f"{octets:.1f} {unit}"
        octets /= 1_000
    return f"{octets:.1f} {_UNITS[-1]}"


def share_text(share: float) -> str:
    """Format a fraction in per cent; a small one is not shown as zero."""
    return "<0.1%" if 0 < share < 0.001 else f"{share:.1%}"


def duration_text(milliseconds: float) -> str:
    """Format a duration in the most readable unit."""
    if milliseconds < 1:
        return f"{milliseconds:.2f} ms"
    if milliseconds < 1_000:
        return f"{milliseconds:.1f} ms"
    seconds = milliseconds / 1_000
    if seconds < 120:
        return f"{seconds:.1f} s"
    if seconds < 7_200:
        return f"{seconds / 60:.1f} min"
    return f"{seconds / 3_600:.1f} h"


def second_text(microseconds: int) -> str:
    """Format a time to the second, in UTC."""
    return moment_text(microseconds // 1_000_000 * 1_000_000)


def type_text(domain: str, type: str) -> str:
    """Format an event type."""
    if not domain:
        return type or _WITHOUT_TYPE
    return f"{domain}::{type}"
