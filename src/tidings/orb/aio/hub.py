"""The interface between connections and their ORB."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tidings.orb.aio.link import Link
    from tidings.orb.aio.options import Address, Options
    from tidings.orb.poa import ObjectAdapter


class LinkLost(Exception):
    """The connection ended before the answer; `unseen` if the peer did nothing about the call."""

    def __init__(self, why: str, *, unseen: bool) -> None:
        super().__init__(why)
        self.why = why
        self.unseen = unseen


class Hub(Protocol):
    """What a connection needs of its ORB."""

    options: Options
    closing: bool

    def adapter_for(self, peer: Address) -> ObjectAdapter:
        """The object adapter for requests from a peer."""

    def link_opened(self, link: Link) -> bool:
        """A connection is open; False if it must close because there are too many."""

    def link_authenticated(self, link: Link) -> None:
        """A peer has called an existing object."""

    def link_lost(self, link: Link) -> None:
        """A connection has ended."""

    def link_suspect(self, link: Link) -> None:
        """A connection must take no more calls."""

    def link_gone(self, link: Link) -> None:
        """The socket of a connection is closed."""

    def points(self) -> tuple[Address, ...]:
        """The addresses in references; empty if none is known."""

    def listen_points(self) -> tuple[Address, ...]:
        """The addresses offered to peers for callbacks."""

    def points_offered(self, link: Link, points: tuple[Address, ...]) -> None:
        """Objects at these addresses may be called over this connection."""
