"""What can be chosen about an ORB: times, limits, and what it says about where it is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from tidings.errors import InvalidUsage
from tidings.orb.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from tidings.orb.aio.targets import Targets

OnRequest: TypeAlias = Callable[[str, str, bytes], Callable[[str], None] | None]
"""Told of a request: see `Options`."""


class Address(NamedTuple):
    """Where an ORB listens, or where it is found."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class Bidirectional(Enum):
    """Whose listen points are believed: where callbacks may go over the caller's connection."""

    NEVER = "never"
    SAME_HOST = "same host"
    """Listen points whose host is the address the peer connects from, in the same spelling."""
    ALWAYS = "always"
    """All of them. A peer can then have calls that are meant for others: for trusted nets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Everything about an ORB that has a default.

    Args:
        limits: What one message may hold.
        max_connections: Accepted and open at one time. For one more, the oldest gives way that has
            not yet called an object which exists, else the one idle for longest.
        max_connections_per_host: The same, from one address.
        max_unauthenticated: The same, of those that have not yet called an object which exists.
        limit_loopback: Whether the limit per address holds for this machine's own, too.
        max_opened: Connections of our own to others at one time; for one more an idle one goes.
        max_requests: Requests of one connection in progress here; then nothing more is read.
        max_elements: Elements in the arguments of one request, as `Limits.elements`; reading takes
            some microseconds for each.
        max_calls: Calls of ours without an answer on one connection; further ones wait.
        max_output: Octets waiting for a peer that does not read; then it is cut off.
        message_seconds: To finish a message once it has begun, and to send the first one.
        write_seconds: For a peer to read something of what waits for it.
        idle_seconds: Until an accepted connection without work is closed.
        opened_idle_seconds: The same for a connection of our own.
        connect_seconds: For one address to answer.
        call_seconds: For a call, with all it takes, if the caller does not say.
        close_seconds: For requests in progress to finish when the ORB closes.
        advertise: What references say instead of the listening address; port 0 is the real one.
        alternates: Further addresses for references, tried after the first.
        accept_bidirectional: Whether callbacks may use the caller's connection.
        offer_bidirectional: Whether we offer that to whom we call.
        targets: Where connections may be opened to; None for everywhere.
        on_request: Called with the interface, the operation and the object key of each request
            that came; what it returns, unless that is None, is told in a word how it ended:
            `done`, `cut`, or the name of the exception. The interface is empty if there is no
            such object.
        minor: The highest minor version of GIOP, 0 to 2.
        little: The byte order of what is sent; the machine's own is cheapest.

    Raises:
        InvalidUsage: A number is not positive, or the version unknown.
    """

    limits: Limits = DEFAULT_LIMITS
    max_connections: int = 1000
    max_connections_per_host: int = 250
    max_unauthenticated: int = 250
    limit_loopback: bool = True
    max_opened: int = 1000
    max_requests: int = 256
    max_elements: int = 1_000_000
    max_calls: int = 1000
    max_output: int = 32 * 1024 * 1024
    message_seconds: float = 30.0
    write_seconds: float = 30.0
    idle_seconds: float = 600.0
    opened_idle_seconds: float = 120.0
    connect_seconds: float = 10.0
    call_seconds: float = 60.0
    close_seconds: float = 5.0
    advertise: Address | None = None
    alternates: tuple[Address, ...] = ()
    accept_bidirectional: Bidirectional = Bidirectional.NEVER
    offer_bidirectional: bool = False
    targets: Targets | None = None
    on_request: OnRequest | None = None
    minor: int = 2
    little: bool = sys.byteorder == "little"

    def __post_init__(self) -> None:
        for each in fields(self):
            if each.name.startswith("max_") or each.name.endswith("_seconds"):
                value = getattr(self, each.name)
                if not value > 0:
                    raise InvalidUsage(f"{each.name} is {value}; it must be more than 0")
        if self.minor not in (0, 1, 2):
            raise InvalidUsage(f"GIOP 1.{self.minor} is not spoken here; 1.0, 1.1 and 1.2 are")

    @property
    def sweep_seconds(self) -> float:
        """How often connections are looked at: often enough for the shortest of the times."""
        shortest = min(
            self.message_seconds, self.write_seconds, self.idle_seconds, self.opened_idle_seconds
        )
        return min(max(shortest / 4, 0.02), 5.0)
