"""Admission: how many connections a door keeps open, and which one gives way to a new one."""

from __future__ import annotations

import ipaddress
import logging
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

_log: Final = logging.getLogger(__name__)

ACCEPT_AT_ONCE: Final = 16
"""How many connections one listening socket accepts before any of them is admitted or refused.

Each holds a descriptor meanwhile; the reserve of descriptors counts with it.
"""

# Of more addresses that are refused it is not known whether the log has told of them.
_MOST_REFUSED: Final = 1_000


@dataclass(frozen=True, slots=True)
class AdmissionLimits:
    """How many connections there may be at one time.

    `limit_loopback` says whether `most_per_address` also holds for this machine's own programs.
    """

    most: int
    most_per_address: int
    most_unauthenticated: int
    limit_loopback: bool = True


def is_loopback(address: str) -> bool:
    """Whether an address is one of this machine to itself."""
    try:
        return ipaddress.ip_address(address.partition("%")[0]).is_loopback
    except ValueError:
        return False


@dataclass(slots=True, eq=False)
class Place:
    """What a connection takes up; `give_way` closes it at once.

    `idle_since` returns since when nothing is in progress; None while something is.
    """

    address: str
    give_way: Callable[[], None]
    idle_since: Callable[[], float | None]


class Admission:
    """Decides which connections of a door stay open.

    At a limit, the oldest connection that has not authenticated gives way to a new one, else the
    one that has been idle for longest. If there is neither, the new one is refused. `gave_way` and
    `refused` count both since the start.
    """

    def __init__(self, limits: AdmissionLimits) -> None:
        self.limits = limits
        self.gave_way = 0
        self.refused = 0
        self._unauthenticated: dict[Place, None] = {}  # the oldest first
        self._authenticated: set[Place] = set()
        self._per_address: Counter[str] = Counter()
        # Addresses whose connections are being refused: each is told of once, until one fits again.
        self._told: set[str] = set()

    @property
    def count(self) -> int:
        """How many connections have a place."""
        return len(self._unauthenticated) + len(self._authenticated)

    @property
    def unauthenticated(self) -> int:
        """How many of them have not yet shown who they are."""
        return len(self._unauthenticated)

    def admit(self, place: Place) -> bool:
        """Give a new connection a place; return False if there is none: it is to be closed."""
        address, limits = place.address, self.limits
        exempt = not limits.limit_loopback and is_loopback(address)
        if not exempt and self._per_address[address] >= limits.most_per_address:
            mine = (one for one in self._authenticated if one.address == address)
            waiting = (one for one in self._unauthenticated if one.address == address)
            if not self._make_room(waiting, mine):
                return self._refuse(place, f"{address} has {self._per_address[address]} "
                                    "(max_connections_per_host)")  # fmt: skip
        if len(self._unauthenticated) >= limits.most_unauthenticated:
            self._make_room(self._unauthenticated, ())
        elif self.count >= limits.most and not self._make_room(
            self._unauthenticated, self._authenticated
        ):
            return self._refuse(place, f"{self.count} connections are open (max_connections)")
        self._told.discard(address)
        self._unauthenticated[place] = None
        self._per_address[address] += 1
        return True

    def _refuse(self, place: Place, why: str) -> bool:
        self.refused += 1
        if place.address not in self._told:
            if len(self._told) >= _MOST_REFUSED:
                self._told.clear()
            self._told.add(place.address)
            _log.warning("%s: refused: %s, and none is idle", place.address, why)
        return False

    def _make_room(self, unauthenticated: Iterable[Place], others: Iterable[Place]) -> bool:
        """Close one connection, if any can be."""
        oldest = next(iter(unauthenticated), None)
        if oldest is None:
            idle = [(since, one) for one in others if (since := one.idle_since()) is not None]
            if not idle:
                return False
            oldest = min(idle, key=lambda each: each[0])[1]
        if not self.gave_way:
            _log.warning(
                "a limit on connections is reached: idle ones give way to new ones "
                "(tidings_connections_gave_way_total counts them)"
            )
        self.gave_way += 1
        self.leave(oldest)
        oldest.give_way()
        return True

    def authenticate(self, place: Place) -> None:
        """A connection has shown who it is; nothing happens if it is gone."""
        if place in self._unauthenticated:
            del self._unauthenticated[place]
            self._authenticated.add(place)

    def leave(self, place: Place) -> None:
        """A connection is gone; nothing happens if it was before."""
        if place in self._unauthenticated:
            del self._unauthenticated[place]
        elif place in self._authenticated:
            self._authenticated.remove(place)
        else:
            return
        self._per_address[place.address] -= 1
        if not self._per_address[place.address]:
            del self._per_address[place.address]
