"""How long to wait before the next try: longer each time, and never all clients at once."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final

from tidings.errors import InvalidUsage
from tidings.names import new_origin

PATIENCE: Final = 30.0
"""How long whoever asks waits for a service that is away, in seconds."""

ONE_TRY: Final = 1.0
"""How long a first try may take, however little patience there is, in seconds."""

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


def checked_patience(seconds: float) -> float:
    """How long to wait for a service that is away.

    Raises:
        InvalidUsage: It is no number of seconds.
    """
    try:
        right = seconds >= 0
    except TypeError:
        right = False
    if not right:
        raise InvalidUsage(f"patience is a number of seconds from 0 on, not {seconds!r:.60}")
    return seconds
