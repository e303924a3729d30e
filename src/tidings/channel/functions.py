"""Functions that users hand over: what a source returns, and what a function raises."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias, TypeVar

from tidings.errors import InvalidUsage

_F = TypeVar("_F")

Source: TypeAlias = Callable[[int], Any]
"""Called with the maximum number of events; returns one, several, None, or a coroutine of these."""


class SourceReader:
    """Asks a source for events; keeps those it returns beyond what was asked for."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._left: list[Any] = []

    async def read(self, most: int) -> list[Any]:
        """Return up to `most` events; ask the source if none are left of the last answer."""
        if not self._left:
            found = self._source(most)
            if isinstance(found, Awaitable):
                found = await found
            if isinstance(found, Sequence):
                self._left.extend(found)
            elif found is not None:
                self._left.append(found)
        given, self._left = self._left[:most], self._left[most:]
        return given

    @property
    def has_more(self) -> bool:
        """Whether events are left of the source's last answer."""
        return bool(self._left)

    def put_back(self, events: Sequence[Any]) -> None:
        """Return these events first at the next reading."""
        self._left[:0] = events


def error_text(error: BaseException) -> str:
    """Describe what a user's function raised, even if converting it to text fails."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001 -- str() of some errors raises
        return type(error).__name__


def checked_function(given: _F) -> _F:
    """Return a function or None; refuse anything that cannot be called."""
    if given is not None and not callable(given):
        raise InvalidUsage(f"events and changes are told to a function, not to {given!r:.60}")
    return given
