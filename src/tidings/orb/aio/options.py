"""Options of an ORB: times, limits, and the addresses it advertises."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from tidings.errors import InvalidUsage
from tidings.orb.calls import Destination, destinations
from tidings.orb.limits import DEFAULT_LIMITS, MessageLimits

if TYPE_CHECKING:
    import ssl

    from tidings.events.reference import Reference
    from tidings.orb.aio.targets import Targets

OnRequest: TypeAlias = Callable[[str, str, bytes], Callable[[str], None] | None]
"""Told of a request: see `Options`."""


class Address(NamedTuple):
    """Where an ORB listens, or where it is found."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class Point(NamedTuple):
    """An address that is called, and whether with TLS."""

    host: str
    port: int
    tls: bool = False

    @property
    def address(self) -> Address:
        """The address alone."""
        return Address(self.host, self.port)


class Bidirectional(Enum):
    """Whose listen points are believed: where callbacks may use the caller's connection."""

    NEVER = "never"
    SAME_HOST = "same host"
    """Listen points whose host is the address the peer connects from, in the same spelling."""
    ALWAYS = "always"
    """All of them. A peer can then have calls that are meant for others: for trusted nets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of an ORB.

    Attributes:
        limits: Limits of one message.
        max_connections: Accepted connections. One more displaces the oldest that has not yet called
            an existing object, else the one idle for longest.
        max_connections_per_host: The same, from one address.
        max_unauthenticated: The same, of those that have not yet called an existing object.
        limit_loopback: Whether the limit per address holds for this machine's own address, too.
        max_opened: Connections opened from here; one more displaces an idle one.
        max_requests: Requests of one connection in progress here; then nothing more is read.
        max_elements: Elements in the arguments of one request, as `MessageLimits.elements`; reading
            takes some microseconds for each.
        max_calls: Our calls without an answer on one connection; further ones wait.
        max_output: Octets waiting for a peer that does not read; then the connection is cut.
        message_seconds: To finish a message once it has begun, and to send the first one.
        write_seconds: For a peer to read something of its backlog.
        idle_seconds: Until an accepted connection without work is closed.
        opened_idle_seconds: The same for a connection of our own.
        connect_seconds: For one address to answer.
        call_seconds: For a call with all its attempts, unless the caller says otherwise.
        close_seconds: For requests in progress to finish when the ORB closes.
        advertise: The address in references instead of the listening one; port 0 keeps the real
            port.
        alternates: Further addresses in references, tried after the first; without TLS.
        advertise_tls_port: The port for TLS in references; 0 for the real one.
        server_tls: What protects connections that are accepted with TLS.
        client_tls: What protects connections with TLS opened from here, which are then preferred.
            None for the system's authorities; TLS is used where nothing else is offered.
        accept_bidirectional: Whether callbacks may use the caller's connection.
        offer_bidirectional: Whether we offer that to the servers we call.
        targets: Where connections may be opened to; None for everywhere.
        on_request: Called with the interface (empty if there is no such object), operation and
            object key of each request. What it returns, unless None, is called with how the request
            ended: `done`, `cut`, or the name of the exception.
        minor: The highest minor version of GIOP, 0 to 2.
        little: The byte order of what is sent; the machine's own is cheapest.
    """

    limits: MessageLimits = DEFAULT_LIMITS
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
    advertise_tls_port: int = 0
    server_tls: ssl.SSLContext | None = None
    client_tls: ssl.SSLContext | None = None
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
            raise InvalidUsage(f"GIOP 1.{self.minor} is not supported; 1.0, 1.1 and 1.2 are")

    def destinations(self, reference: Reference) -> tuple[Destination, ...]:
        """Where calls of an object go."""
        return destinations(reference, self.minor, prefer_tls=self.client_tls is not None)

    @property
    def sweep_seconds(self) -> float:
        """How often to check connections: often enough for the shortest of the times."""
        shortest = min(
            self.message_seconds, self.write_seconds, self.idle_seconds, self.opened_idle_seconds
        )
        return min(max(shortest / 4, 0.02), 5.0)
