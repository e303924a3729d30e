"""What connections and the ORB they belong to know of each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tidings.orb.aio.link import Link
    from tidings.orb.aio.options import Address, Options
    from tidings.orb.poa import ObjectAdapter


class LinkLost(Exception):
    """The connection ended before the answer came.

    Args:
        why: The reason in words.
        unseen: Whether the peer has told that it did nothing about the call.
    """

    def __init__(self, why: str, *, unseen: bool) -> None:
        super().__init__(why)
        self.why = why
        self.unseen = unseen


class Hub(Protocol):
    """What a connection needs of the ORB it belongs to."""

    options: Options
    closing: bool

    def adapter_for(self, peer: Address) -> ObjectAdapter:
        """Who finds the servants for requests from there."""

    def link_opened(self, link: Link) -> bool:
        """A connection is there. False: there are too many, and it is to be closed."""

    def link_authenticated(self, link: Link) -> None:
        """A peer has called an object that there is."""

    def link_lost(self, link: Link) -> None:
        """A connection carries nothing more."""

    def link_suspect(self, link: Link) -> None:
        """A connection is to take no more calls."""

    def link_gone(self, link: Link) -> None:
        """The socket of a connection is closed."""

    def points(self) -> tuple[Address, ...]:
        """Where references say the ORB is; empty if nothing is known."""

    def listen_points(self) -> tuple[Address, ...]:
        """Where the ORB listens, as offered to peers."""

    def points_offered(self, link: Link, points: tuple[Address, ...]) -> None:
        """Objects at these addresses may be called over this connection."""
