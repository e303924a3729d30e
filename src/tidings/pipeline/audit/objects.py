"""When each consumer was durable and how it ended, from the archived objects and plans.

The journal records when a consumer becomes durable, and when it is deleted or stops being durable.
A tile is the range of positions between two such records. The tiles of a proxy cover all
positions, so each event falls into exactly one.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import merge
from typing import Final, NamedTuple

import msgspec

DISCONNECTED: Final = "disconnected"
NO_LONGER_TRACKED: Final = "no longer tracked"

FIRST: Final = -(2**63)
"""Below every position."""
LAST: Final = 2**63 - 1
"""Above every position."""


class ObjectRow(NamedTuple):
    """An archived record of a channel or a durable proxy."""

    position: int
    origin: str  # of the channel
    object: str  # ``channel`` or ``proxy``
    id: int
    present: bool  # whether it exists from here on


class Tile(NamedTuple):
    """A range of positions in which nothing changes for a proxy."""

    origin: str
    proxy: int
    start: int  # first position
    end: int  # first position after it
    durable: bool
    gone: int | None  # position where it is next deleted or no longer durable; None if never
    how: str | None  # `DISCONNECTED` or `NO_LONGER_TRACKED`; None if never
    stays: bool  # whether it is durable at the end


class _PlanPart(msgspec.Struct):
    proxy: int


class _PlanProxies(msgspec.Struct):
    whole: bool = False
    proxies: list[_PlanPart] = []
    removed_proxies: list[int] = []


_decode = msgspec.json.Decoder(_PlanProxies).decode


class _Word(NamedTuple):
    """A record at a position: durable from here on (`how` is None), or how it ends."""

    position: int
    how: str | None


def tiles(objects: Iterable[ObjectRow], plans: Iterable[tuple[int, str, str]]) -> list[Tile]:
    """Return the tiles of all proxies in `objects`.

    A proxy that the plan still has when its object is deleted exists, but is no longer durable.
    Unreadable plan changes are skipped. Both arguments are sorted by position; a plan is position,
    origin and change.
    """
    words: dict[tuple[str, int], list[_Word]] = {}
    connected: dict[str, set[int]] = {}
    said: Iterable[tuple[int, ObjectRow | tuple[str, str]]] = merge(
        ((row.position, row) for row in objects),
        ((position, (origin, change)) for position, origin, change in plans),
        key=lambda one: one[0],
    )
    for _, one in said:
        if not isinstance(one, ObjectRow):
            _follow(connected.setdefault(one[0], set()), one[1])
        elif one.object == "proxy":
            known = one.id in connected.get(one.origin, ())
            how = NO_LONGER_TRACKED if known else DISCONNECTED
            said_of = words.setdefault((one.origin, one.id), [])
            said_of.append(_Word(one.position, None if one.present else how))
        elif not one.present:
            for (origin, _), said_of in words.items():
                if origin == one.origin and said_of[-1].how is None:
                    said_of.append(_Word(one.position, DISCONNECTED))
    return [
        tile for (origin, proxy), said_of in words.items() for tile in _laid(origin, proxy, said_of)
    ]


def _follow(connected: set[int], change: str) -> None:
    try:
        parts = _decode(change)
    except msgspec.DecodeError:
        return
    if parts.whole:
        connected.clear()
    connected.update(part.proxy for part in parts.proxies)
    connected.difference_update(parts.removed_proxies)


def _laid(origin: str, proxy: int, words: list[_Word]) -> list[Tile]:
    """Return the tiles of one proxy, from last to first."""
    found = []
    end, gone, how = LAST, None, None
    stays = words[-1].how is None
    for word in reversed(words):
        if word.how is not None:
            # Events that wait after this position wait for the next end, not for this one.
            found.append(Tile(origin, proxy, word.position, end, False, gone, how, stays))
            gone, how = word.position, word.how
        else:
            found.append(Tile(origin, proxy, word.position, end, True, gone, how, stays))
        end = word.position
    found.append(Tile(origin, proxy, FIRST, end, False, gone, how, stays))
    return found
