"""Frames, their 29-bit identifiers, and how long they take on the bus.

The lowest identifier wins the bus. COSMIC divides it so that priority decides first::

    28        21 20      14 13            0
    +-----------+----------+---------------+
    | priority  | node     | subject tag   |
    +-----------+----------+---------------+

    priority 0         hard real-time
             1 … 250   soft: the time to the deadline in steps, so that it rises while it waits
             254       non real-time
    node     1 … 127   who sends; 0 is for nobody
    tag      0 … 16383 the subject

A channel may have one plain identifier instead (12345 for the speed of a car), for nodes that know
nothing of this.
"""

from __future__ import annotations

from typing import Final, NamedTuple

MOST_OCTETS: Final = 8
HIGHEST_ID: Final = 2**29 - 1
HIGHEST_TAG: Final = 2**14 - 1
HIGHEST_NODE: Final = 2**7 - 1

PRIORITY_SHIFT: Final = 21
SHORT_PRIORITY_SHIFT: Final = 3
"""Identifiers of 11 bits compete with the first 11 of the others."""
HARD_PRIORITY: Final = 0
FIRST_SOFT: Final = 1
LAST_SOFT: Final = 250
LOWEST_PRIORITY: Final = 254

# Bits after which the bus is free again when a frame is destroyed: flags, delimiter, pause.
_ERROR_BITS: Final = 31


class Frame(NamedTuple):
    """A data frame.

    Attributes:
        id: Its identifier.
        data: Up to 8 octets.
        extended: Whether the identifier has 29 bits, not 11.
    """

    id: int
    data: bytes
    extended: bool = True


class Id(NamedTuple):
    """An identifier in COSMIC's layout."""

    priority: int
    node: int
    tag: int

    @property
    def number(self) -> int:
        """The 29-bit identifier."""
        return self.priority << PRIORITY_SHIFT | self.node << 14 | self.tag

    @classmethod
    def of(cls, number: int) -> Id:
        """Divide a 29-bit identifier."""
        return cls(number >> PRIORITY_SHIFT, number >> 14 & HIGHEST_NODE, number & HIGHEST_TAG)


class Timing(NamedTuple):
    """How fast the bus is, and what may go wrong on it.

    Attributes:
        bit_rate: Bits a second.
        faults: Frames that may be destroyed within one reserved slot, and are sent again in it.
        guard: How late a node may be for its slot, in microseconds: clocks and the system.
        step: Time to the deadline that one soft priority stands for, in microseconds.
    """

    bit_rate: int = 500_000
    faults: int = 1
    guard: int = 1_000
    step: int = 500

    def frame_time(self, octets: int = MOST_OCTETS, *, extended: bool = True) -> int:
        """The longest time of a frame, with all stuff bits and the pause after it, rounded up."""
        exposed = (54 if extended else 34) + 8 * octets
        return self._time(exposed + 13 + (exposed - 1) // 4)

    @property
    def error_time(self) -> int:
        """How long the bus is taken after a frame was destroyed."""
        return self._time(_ERROR_BITS)

    @property
    def window(self) -> int:
        """How long after a slot's begin its frame may still be handed to the controller.

        The node may be busy with another frame of its own until then, which may be destroyed.
        """
        own = self.frame_time() + (self.error_time if self.faults else 0)
        return own + self.guard

    def slot_time(self, octets: int) -> int:
        """A slot: being late, waiting for a frame that has begun, and being sent with faults."""
        once = self.frame_time(octets)
        again = self.faults * (once + self.error_time)
        return self.window + self.frame_time() + once + again

    def soft_priority(self, remaining: int) -> int:
        """The priority of a soft event that has so much time left."""
        return min(LAST_SOFT, FIRST_SOFT + max(0, remaining) // self.step)

    def _time(self, bits: int) -> int:
        return -(-bits * 1_000_000 // self.bit_rate)
