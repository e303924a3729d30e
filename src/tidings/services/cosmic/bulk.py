"""Events of any length as fragments of eight octets, and together again.

::

    first    1 | transfer (7 bits)     length (3 octets)     CRC-32 (4 octets)
    next     0 | transfer (7 bits)     index (1 octet)       up to 6 octets of the event

The identifier of a frame says who sends and on which channel; a node sends one transfer of a
channel after the other. A fragment that comes twice is ignored; after one that is missing, the rest
of its transfer is. The CRC is over length and octets, so that nothing else becomes an event.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import Final
from zlib import crc32

from tidings.errors import InvalidEvent

MOST_BULK: Final = 65_536
"""Octets of one event: at 500 kbit/s it takes a free bus for more than three seconds."""
MOST_PARTIAL: Final = 256
"""Transfers that are received at the same time; a new one replaces the one idle for longest."""
PATIENCE: Final = 5_000_000
"""How long the next fragment may take, in microseconds."""

_FIRST: Final = 0x80
_PIECE: Final = 6
_TRANSFERS: Final = 0x80


def fragments(octets: bytes, transfer: int) -> list[bytes]:
    """Divide an event into the data of frames.

    Args:
        octets: The event.
        transfer: Counts the transfers of the channel.

    Raises:
        InvalidEvent: It is too long, or empty.
    """
    if not 0 < len(octets) <= MOST_BULK:
        raise InvalidEvent(f"takes {len(octets)} octets; a bulk event has 1 to {MOST_BULK}")
    transfer %= _TRANSFERS
    length = len(octets).to_bytes(3, "big")
    check = crc32(octets, crc32(length)).to_bytes(4, "big")
    return [
        bytes((_FIRST | transfer,)) + length + check,
        *(
            bytes((transfer, index % 256)) + octets[at : at + _PIECE]
            for index, at in enumerate(range(0, len(octets), _PIECE))
        ),
    ]


class _Partial:
    """A transfer that has begun."""

    def __init__(self, first: bytes, now: int) -> None:
        self.first = first
        self.length = int.from_bytes(first[1:4], "big")
        self.octets = bytearray()
        self.index = 0
        self.last = b""
        self.heard = now


class Reassembly:
    """Puts fragments together, of many senders at once.

    Attributes:
        dropped: Transfers, or fragments of none, that were given up, by cause.
    """

    def __init__(self) -> None:
        self.dropped: Counter[str] = Counter()
        # The one idle for longest first.
        self._partial: dict[Hashable, _Partial] = {}

    def take(self, sender: Hashable, data: bytes, now: int) -> bytes | None:
        """Take a fragment; return the octets of an event that is complete with it.

        Args:
            sender: Who sends, on which channel.
            data: The frame's.
            now: Microseconds.
        """
        self._forget_idle(now)
        if len(data) < 2 or (data[0] & _FIRST and len(data) != 8):
            self.dropped["malformed"] += 1
            return None
        if data[0] & _FIRST:
            return self._begin(sender, data, now)
        partial = self._partial.get(sender)
        if partial is None or (partial.first[0] ^ data[0]) & ~_FIRST:
            self.dropped["without a beginning"] += 1
            return None
        if data == partial.last:
            return None
        left = partial.length - len(partial.octets)
        if data[1] != partial.index % 256 or len(data) - 2 != min(left, _PIECE):
            self._drop(sender, "interrupted")
            return None
        partial.octets += data[2:]
        partial.index += 1
        partial.last = data
        return self._go_on(sender, partial, now)

    def _begin(self, sender: Hashable, first: bytes, now: int) -> bytes | None:
        earlier = self._partial.get(sender)
        if earlier is not None and earlier.first == first and not earlier.octets:
            return None  # the same frame twice
        if earlier is not None:
            self._drop(sender, "interrupted")
        partial = _Partial(first, now)
        if not 0 < partial.length <= MOST_BULK:
            self.dropped["too long, or empty"] += 1
            return None
        if len(self._partial) >= MOST_PARTIAL:
            self._drop(next(iter(self._partial)), "too many at once")
        return self._go_on(sender, partial, now)

    def _go_on(self, sender: Hashable, partial: _Partial, now: int) -> bytes | None:
        self._partial.pop(sender, None)
        if len(partial.octets) < partial.length:
            partial.heard = now
            self._partial[sender] = partial
            return None
        octets = bytes(partial.octets)
        if crc32(octets, crc32(partial.first[1:4])) != int.from_bytes(partial.first[4:], "big"):
            self.dropped["damaged"] += 1
            return None
        return octets

    def _forget_idle(self, now: int) -> None:
        while self._partial:
            sender, partial = next(iter(self._partial.items()))
            if now - partial.heard <= PATIENCE:
                return
            self._drop(sender, "unfinished")

    def _drop(self, sender: Hashable, cause: str) -> None:
        del self._partial[sender]
        self.dropped[cause] += 1
