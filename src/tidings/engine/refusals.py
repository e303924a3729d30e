"""Bounds what refusals write: like ones are counted for a while, and told as one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from tidings.cores import OperationDone

WINDOW: Final = 60_000_000
"""Like refusals within a minute become one line: whoever reads wants to know that it goes on."""

MOST_KINDS: Final = 200
"""Kinds of refusals told apart in a minute. A scan from more addresses writes some 100 octets a
second and no more; the rest is counted by result."""

MANY: Final = "*"
"""Stands for many principals, doors, addresses or operations."""

_Kind: TypeAlias = tuple[object, ...]


@dataclass(slots=True)
class _Counted:
    """Refusals of one kind since `began`, which was told then, and the last of them."""

    began: int
    last: OperationDone
    count: int = 0


class Refusals:
    """The refusals of the last minute, by principal, door, address, operation and result."""

    def __init__(self) -> None:
        self._kinds: dict[_Kind, _Counted] = {}

    def add(self, one: OperationDone, now: int) -> OperationDone | None:
        """Return what is to be told at once; None if it is only counted."""
        kind: _Kind = (
            one.principal, one.credential, one.door, one.peer, one.operation, one.result
        )  # fmt: skip
        if kind not in self._kinds and len(self._kinds) >= MOST_KINDS:
            kind = (one.result,)
            one = replace(
                one, principal=MANY, credential=None, door=MANY, peer=MANY, operation=MANY,
                about="", channel="",
            )  # fmt: skip
        counted = self._kinds.get(kind)
        if counted is None:
            self._kinds[kind] = _Counted(now, one)
            return one
        counted.count += one.count
        counted.last = one
        return None

    def due(self, now: int, *, everything: bool = False) -> Iterator[OperationDone]:
        """Yield what was counted and not told yet, of the kinds whose minute is over."""
        for kind, counted in list(self._kinds.items()):
            # A clock that was set back ends the minute, too.
            if everything or not 0 <= now - counted.began < WINDOW:
                if counted.count:
                    yield replace(counted.last, count=counted.count)
                    self._kinds[kind] = _Counted(now, counted.last)
                else:
                    del self._kinds[kind]
