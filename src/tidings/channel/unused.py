"""Objects that end when unused for long enough.

Filters that no object holds, and proxies whose client cannot be called and does not come.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from itertools import islice
from typing import Final, Generic, TypeVar

from tidings.channel.core import Core

# How many end at once; the others with the next tick.
_AT_ONCE: Final = 500

_K = TypeVar("_K", bound=Hashable)


class Unused(Generic[_K]):
    """Objects of one kind and their last use, oldest first.

    `alarm` is the kind, as `Core.due` names it beside channel 0; `lifetime` is in microseconds.
    """

    def __init__(self, core: Core, alarm: int, lifetime: int) -> None:
        self.collected = 0
        self._core = core
        self._alarm = alarm
        self._lifetime = lifetime
        self._used: OrderedDict[_K, int] = OrderedDict()
        self._is_set = False

    def __len__(self) -> int:
        return len(self._used)

    def begin(self, key: _K, now: int) -> None:
        """Start the lifetime of an object."""
        self._used[key] = now
        self._used.move_to_end(key)
        self._set_alarm(now)

    def touch(self, key: _K, now: int) -> None:
        """Note that an object is used now; ignore objects that are not tracked."""
        if key in self._used:
            self._used[key] = now
            self._used.move_to_end(key)

    def forget(self, key: _K) -> None:
        """Stop tracking an object."""
        self._used.pop(key, None)

    def due(self, now: int) -> list[_K]:
        """Remove and return objects whose lifetime is over, a bounded number at a time."""
        some = islice(self._used.items(), _AT_ONCE)
        old = [key for key, used in some if used + self._lifetime <= now]
        for key in old:
            del self._used[key]
        self._is_set = False
        self._set_alarm(now)
        return old

    def _set_alarm(self, now: int) -> None:
        if self._used and not self._is_set:
            self._is_set = True
            oldest = next(iter(self._used.values()))
            self._core.wake_unused(max(now, oldest + self._lifetime), self._alarm)
