"""Holds principals to their limits where the engine sees what they use: pushes, connections.

Limits on proxies and on what waits for consumers are the core's: see `Enforcing`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from tidings.channel.commands import Command, Push
from tidings.channel.translation import approximate_octets, entered
from tidings.engine.access import Caller
from tidings.errors import LimitExceeded, RateExceeded, TooManyConnections
from tidings.grants.core import Grants
from tidings.grants.model import NO_LIMITS, Limits
from tidings.grants.pacing import Pacing


class Limiting:
    """Counts what each principal uses; the owner of the service has no limits."""

    def __init__(self, grants: Grants, now: Callable[[], int]) -> None:
        self._grants = grants
        self._now = now
        self._pacing = Pacing()
        self.connections: Counter[str] = Counter()
        """Open connections by principal."""

    def of(self, principal: Caller) -> Limits:
        """Return what a principal may use."""
        found = None if principal.is_owner else self._grants.principal(principal.name)
        return NO_LIMITS if found is None else found.limits

    def check(self, command: Command, principal: Caller) -> None:
        """Raise LimitExceeded for an event that is too large, RateExceeded for too many."""
        if not isinstance(command, Push) or command.promised:
            return
        limits = self.of(principal)
        if limits.event_octets is not None:
            _check_sizes(command, principal, limits.event_octets)
        if limits.events_per_second is not None:
            self._check_pace(command, principal, limits.events_per_second)

    def may_poll(self, owner: Caller) -> bool:
        """Return whether a supplier may be asked for events, or its owner has to wait."""
        rate = self.of(owner).events_per_second
        return rate is None or not self._pacing.is_empty(owner.name, rate, self._now())

    def take_polled(self, push: Push, owner: Caller) -> None:
        """Count what a supplier has answered; raise LimitExceeded for an event that is too large.

        It was asked for the events: as many as come are taken, and then it is not asked for longer.
        """
        limits = self.of(owner)
        if limits.event_octets is not None:
            _check_sizes(push, owner, limits.event_octets)
        if (rate := limits.events_per_second) is not None:
            self._pacing.take(owner.name, rate, len(push.items), self._now())

    def _check_pace(self, push: Push, principal: Caller, rate: int) -> None:
        events = len(push.whole or push.items)
        wait = self._pacing.wait(principal.name, rate, events, self._now())
        if wait:
            raise RateExceeded(
                f"{principal} may publish {rate} events a second: try again in "
                f"{wait / 1_000_000:.3g} s",
                wait / 1_000_000,
            )

    def connected(self, principal: Caller) -> Callable[[], None]:
        """Count a connection, or raise TooManyConnections; return what counts its end.

        Call it when it is known who has connected, through any door. What it returns must be called
        once.
        """
        name, most = principal.name, self.of(principal).connections
        if most is not None and self.connections[name] >= most:
            raise TooManyConnections(
                f"{name} has {most} connections, as many as it may: close one first"
            )
        self.connections[name] += 1
        return lambda: self._disconnected(name)

    def _disconnected(self, name: str) -> None:
        self.connections[name] -= 1
        if not self.connections[name]:
            del self.connections[name]


def _check_sizes(push: Push, principal: Caller, most: int) -> None:
    items = push.whole or push.items
    for number, item in enumerate(items, 1):
        octets = approximate_octets(entered(item, unwrap=True))
        if octets > most:
            raise LimitExceeded(
                f"event {number} of {len(items)} takes about {octets} octets; {principal} may "
                f"publish events of {most}"
            )
