"""Octets with faults in them, for all that must read whatever comes."""

from __future__ import annotations

import os
import random

TIMES = int(os.environ.get("TIDINGS_FUZZ_TIMES", "1"))
"""How many times as many inputs as usual; `make fuzz` sets more."""

_TRICKS = (0, 1, 0x7F, 0x80, 0xFF)
_WORDS = (0, 1, 2, 11, 15, 16, 19, 20, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**32 - 8)


def mutated(octets: bytes, dice: random.Random) -> bytes:
    """Octets with one to four faults."""
    changed = bytearray(octets)
    for _ in range(dice.randint(1, 4)):
        if not changed:
            break
        at = dice.randrange(len(changed))
        fault = dice.randrange(6)
        if fault == 0:
            changed[at] ^= 1 << dice.randrange(8)
        elif fault == 1:
            changed[at] = dice.choice(_TRICKS)
        elif fault == 2:
            word = at & ~3
            changed[word : word + 4] = dice.choice(_WORDS).to_bytes(4, "little")
        elif fault == 3:
            del changed[at:]
        elif fault == 4:
            del changed[at : at + dice.choice((1, 4, 8))]
        else:
            other = dice.randrange(len(changed))
            changed[at:at] = changed[other : other + dice.choice((1, 4, 8, 40))]
    return bytes(changed)
