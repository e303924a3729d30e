"""Searches in long texts (`~`), which may be spread over several attempts to judge an event."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

LONG: Final = 65_536
"""Texts of so many characters are long: looking through takes 0.05 ms or more."""


class Unfinished(Exception):
    """An attempt has searched as much as it may: try again."""


class Search:
    """What is known of the texts of one event, from one attempt to the next."""

    def __init__(self) -> None:
        # With the text, so that no other one has its address.
        self._known: dict[tuple[str, int], tuple[str, bool]] = {}
        self._left: int | None = None

    @classmethod
    def joined(cls, searches: Iterable[Search]) -> Search:
        """What is known of the texts of several events."""
        found = cls()
        for one in searches:
            found._known.update(one._known)
        return found

    @contextmanager
    def attempt(self, most: int | None) -> Iterator[None]:
        """Judge with what is known, and search at most so many characters; None for all.

        Each attempt searches at least once. `stands_in` raises `Unfinished` in between.
        """
        self._left = most
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)

    def stands_in(self, needle: str, text: str) -> bool:
        """Whether one text contains another."""
        key = (needle, id(text))
        known = self._known.get(key)
        if known is not None:
            return known[1]
        if self._left is not None:
            if self._left <= 0:
                raise Unfinished
            self._left -= len(text)
        found = needle in text
        self._known[key] = (text, found)
        return found


_current: Final[ContextVar[Search | None]] = ContextVar("search", default=None)


def stands_in(needle: str, text: str) -> bool:
    """Whether a long text contains another."""
    search = _current.get()
    return needle in text if search is None else search.stands_in(needle, text)
