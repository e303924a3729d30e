"""Functions that users hand over: what a source returns, and what a function raises."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias

Source: TypeAlias = Callable[[int], Any]
"""Called with the maximum number of events; returns one, several, None, or a coroutine of these."""


async def events_from(source: Source, most: int) -> Sequence[Any]:
    """Ask a source once; it may return more than `most`."""
    found = source(most)
    if isinstance(found, Awaitable):
        found = await found
    if isinstance(found, Sequence):
        return found
    return () if found is None else (found,)


def error_text(error: BaseException) -> str:
    """Describe what a user's function raised, even if converting it to text fails."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001 -- str() of some errors raises
        return type(error).__name__
