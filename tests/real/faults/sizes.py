"""How much a run has of what more would only find more rarely: `make soak` has all of it."""

from __future__ import annotations

import os

__all__ = ["ROUNDS", "size"]

# How often `make soak` plays what is played in rounds; 0 for a usual run.
ROUNDS = int(os.environ.get("TIDINGS_SOAK_ROUNDS", "0"))


def size(usual: int, soaking: int) -> int:
    """What `make test` needs to find a fault of the usual kind, or what soaking takes."""
    return soaking if ROUNDS else usual
