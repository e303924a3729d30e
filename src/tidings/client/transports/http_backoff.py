"""How long to wait before the next try: longer each time, and never all clients at once."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final

from tidings.names import new_origin

__all__ = ["pauses"]

FIRST: Final = 0.02
LONGEST: Final = 2.0

_chance: Final = random.Random(new_origin())


def pauses(first: float = FIRST, longest: float = LONGEST) -> Iterator[float]:
    """Seconds to wait, one after the other: doubling up to the longest, each cut by up to half.

    Clients that lost the service at the same moment so come back at different ones.
    """
    pause = first
    while True:
        yield _chance.uniform(pause / 2, pause)
        pause = min(2 * pause, longest)
