"""When each consumer was durable, and how it ended: from the objects and plans of an archive.

Of a consumer that is durable the journal says so, and again when it is gone or no longer
durable. Between two such words nothing changes; the stretch between them is a tile. The tiles
of a proxy cover all positions, so that each event falls into exactly one.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import merge
from typing import Final, NamedTuple

import msgspec

DISCONNECTED: Final = "disconnected"
NO_LONGER_TRACKED: Final = "no longer tracked"

FIRST: Final = -(2**63)
"""Before every position."""
LAST: Final = 2**63 - 1
"""Behind every position."""


class ObjectRow(NamedTuple):
    """What the archive says of a channel or a durable proxy."""

    position: int  # where the journal says it
    origin: str  # of the channel
    object: str  # ``channel`` or ``proxy``
    id: int  # of the proxy, or of the channel
    present: bool  # whether it is there from here on


class Tile(NamedTuple):
    """A stretch in which nothing changes for a proxy."""

    origin: str  # of its channel
    proxy: int  # its id
    start: int  # the first position
    end: int  # the first position behind it
    durable: bool  # whether it is known to be durable
    gone: int | None  # where it is next gone, or no longer durable; None if it never is
    how: str | None  # `DISCONNECTED` or `NO_LONGER_TRACKED`; None if it never is
    stays: bool  # whether it is durable after all that is known


class _PlanPart(msgspec.Struct):
    proxy: int


class _PlanProxies(msgspec.Struct):
    """Of a change of a plan, which proxies it has."""

    whole: bool = False
    proxies: list[_PlanPart] = []
    removed_proxies: list[int] = []


_decode = msgspec.json.Decoder(_PlanProxies).decode


class _Word(NamedTuple):
    """What is said of a proxy at a position: it is durable from here on, or how it ends."""

    position: int
    how: str | None


def tiles(objects: Iterable[ObjectRow], plans: Iterable[tuple[int, str, str]]) -> list[Tile]:
    """The tiles of all proxies the objects name.

    A proxy that the plan still knows when it is said to be gone is there, and not durable any
    more; a change of a plan that cannot be read is passed over.

    Args:
        objects: In the order of their positions.
        plans: Position, origin and change of each version, in the order of their positions.
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
    """The tiles of one proxy, from the last to the first."""
    found = []
    end, gone, how = LAST, None, None
    stays = words[-1].how is None
    for word in reversed(words):
        if word.how is not None:
            # Whatever waits behind this waits for the next end, not for this one.
            found.append(Tile(origin, proxy, word.position, end, False, gone, how, stays))
            gone, how = word.position, word.how
        else:
            found.append(Tile(origin, proxy, word.position, end, True, gone, how, stays))
        end = word.position
    found.append(Tile(origin, proxy, FIRST, end, False, gone, how, stays))
    return found
