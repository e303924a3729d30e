"""Judges large events ahead, in slices: filters may scan long texts many times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from tidings.channel.commands import Command, Push
from tidings.channel.factory import Factory
from tidings.channel.vocabulary import Item
from tidings.cores import Handled
from tidings.engine.cores import Cores
from tidings.filters.searching import Search, Unfinished

# How many characters are scanned in one slice: about 1 ms. A longer text is one search.
_AT_ONCE: Final = 1_500_000
# After so many slices an event is judged to the end.
_MOST_SLICES: Final = 10_000


class Judging:
    """Filter results of large events that wait, and of those that run next."""

    def __init__(self, factory: Factory, cores: Cores, now: Callable[[], int]) -> None:
        self._factory = factory
        self._cores = cores
        self._now = now
        self._waiting: dict[int, tuple[Item, Search, int]] = {}
        self._next: list[Search] = []

    def ready(self, push: Push) -> bool:
        """Judge the event of a push for one slice; return whether that was all of it."""
        (item,) = push.items
        _, search, slices = self._waiting.pop(id(item), (item, Search(), 0))
        try:
            with search.attempt(_AT_ONCE):
                self._factory.channel(push.channel).judge(push.proxy, item, self._now())
        except Unfinished:
            if slices < _MOST_SLICES:
                self._waiting[id(item)] = (item, search, slices + 1)
                return False
        except Exception:  # noqa: BLE001 -- it recurs where the caller is answered
            pass
        self._next.append(search)
        return True

    def handle_many(self, commands: Sequence[Command], now: int) -> Handled:
        """Run commands, reusing the results of events that were ready."""
        if not self._next:
            return self._cores.handle_many(commands, now)
        ready, self._next = self._next, []
        with Search.joined(ready).attempt(None):
            return self._cores.handle_many(commands, now)

    def forget(self) -> None:
        """Drop all results: nothing waits any more."""
        self._waiting.clear()
