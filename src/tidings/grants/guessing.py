"""Slows down whoever guesses tokens and passwords, and hardly anybody else.

Failures are counted for an address and for a name. An address waits ever longer, up to a minute. A
name waits a second at most, and not at all from an address where somebody knew its secret before: a
stranger who guesses must not shut out the one who knows.
"""

from __future__ import annotations

from collections import OrderedDict
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Final, NamedTuple

FREE: Final = 5
"""Failures before anybody waits: people mistype."""
MOST_KEYS: Final = 10_000
"""Addresses and names that are remembered, about 2 MB; beyond it the longest unseen one goes.

As many pairs are remembered of an address and a name that succeeded there."""

_SECOND: Final = 1_000_000
_LONGEST_FOR_ADDRESS: Final = 60 * _SECOND
_LONGEST_FOR_NAME: Final = _SECOND
_FORGOTTEN: Final = 3600 * _SECOND


class _Failures(NamedTuple):
    times: int
    last: int


class Guessing:
    """Counts failures; times are microseconds that only rise."""

    def __init__(self) -> None:
        self._failures: OrderedDict[tuple[str, str], _Failures] = OrderedDict()
        self._known: OrderedDict[tuple[str, str], None] = OrderedDict()

    def wait(self, address: str, name: str, now: int) -> int:
        """Return how many microseconds the next attempt must wait; 0 for none."""
        for_address = self._left(("address", network(address)), _LONGEST_FOR_ADDRESS, now)
        if self.knows(address, name):
            return for_address
        return max(for_address, self._left(("name", name), _LONGEST_FOR_NAME, now))

    def knows(self, address: str, name: str) -> bool:
        """Return whether somebody at an address knew the secret of a name before."""
        return (network(address), name) in self._known

    def failed(self, address: str, name: str, now: int) -> None:
        """Count an attempt that failed."""
        for key in (("address", network(address)), ("name", name)):
            before = self._failures.pop(key, None)
            old = before is None or now - before.last > _FORGOTTEN
            count = 1 if before is None or old else before.times + 1
            self._failures[key] = _Failures(count, now)
        while len(self._failures) > MOST_KEYS:
            self._failures.popitem(last=False)

    def succeeded(self, address: str, name: str) -> None:
        """Forget the failures of a name; those of the address stay, whoever shares it."""
        self._failures.pop(("name", name), None)
        self._known[network(address), name] = None
        self._known.move_to_end((network(address), name))
        while len(self._known) > MOST_KEYS:
            self._known.popitem(last=False)

    def _left(self, key: tuple[str, str], longest: int, now: int) -> int:
        found = self._failures.get(key)
        if found is None or found.times < FREE:
            return 0
        pause = min(longest, _SECOND << min(found.times - FREE, 10))
        return max(0, found.last + pause - now)

    def __len__(self) -> int:
        return max(len(self._failures), len(self._known))


def network(address: str) -> str:
    """Return whose an address is: a host with IPv6 has a network of 2**64 of its own."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if isinstance(found, IPv6Address) and found.ipv4_mapped is None:
        return str(IPv6Network((int(found), 64), strict=False))
    return address
