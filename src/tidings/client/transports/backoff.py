"""Exponential back-off with jitter."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final

from tidings.errors import InvalidUsage
from tidings.names import new_origin

PATIENCE: Final = 30.0
"""Default time to retry while the service is unreachable, in seconds."""

ONE_TRY: Final = 1.0
"""Minimum time for the first try, in seconds."""

FIRST: Final = 0.02
LONGEST: Final = 2.0

_chance: Final = random.Random(new_origin())


def pauses(first: float = FIRST, longest: float = LONGEST) -> Iterator[float]:
    """Yield seconds to wait: doubling up to `longest`, each shortened by up to half.

    The jitter spreads the reconnects of clients that lost the service together.
    """
    pause = first
    while True:
        yield _chance.uniform(pause / 2, pause)
        pause = min(2 * pause, longest)


def checked_patience(seconds: float) -> float:
    """Return the patience, refusing anything but a non-negative number."""
    try:
        right = seconds >= 0
    except TypeError:
        right = False
    if not right:
        raise InvalidUsage(f"patience is a number of seconds from 0 on, not {seconds!r:.60}")
    return seconds
