"""Loops: channels of this service that feed each other, so that events would come back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tidings.channel.vocabulary import Side
from tidings.errors import InvalidUsage
from tidings.servants.client_kinds import ClientKind

if TYPE_CHECKING:
    from tidings.engine.access import ObjectKey
    from tidings.engine.host import Host
    from tidings.events.reference import Reference

__all__ = ["Loops"]


class Loops:
    """Knows which channels feed which, through references to proxies of this service.

    Args:
        host: The channels.
        own_key: Tells the key of one of our own references; None for those of others.
    """

    def __init__(self, host: Host, own_key: Callable[[Reference], ObjectKey | None]) -> None:
        self._host = host
        self._own_key = own_key
        self._edges: dict[tuple[int, int], tuple[int, int]] = {}  # by channel and proxy

    def check(self, channel: int, kind: ClientKind, client: Reference) -> None:
        """Refuses a client through which events of a channel would come back to it.

        Raises:
            InvalidUsage: They would.
        """
        edge = self._edge(channel, kind, client)
        if edge is None:
            return
        source, target = edge
        self._edges = {place: kept for place, kept in self._edges.items() if self._is_there(place)}
        reached, new = set[int](), {target}
        while new:
            reached |= new
            new = {after for before, after in self._edges.values() if before in new} - reached
        if source in reached:
            first, last = (self._host.factory.channel(each) for each in edge)
            raise InvalidUsage(
                f"events would go from channel {first.name or first.id} to channel "
                f"{last.name or last.id}, and from there back without end: connect no channel "
                "with one that it gets events from"
            )

    def note(self, channel: int, proxy: int, kind: ClientKind, client: Reference) -> None:
        """A client is connected."""
        edge = self._edge(channel, kind, client)
        if edge is not None:
            self._edges[channel, proxy] = edge

    def _edge(self, channel: int, kind: ClientKind, client: Reference) -> tuple[int, int] | None:
        """From which channel to which events go if this client is connected."""
        key = self._own_key(client)
        if key is None or key.kind != "proxy" or key.ids[0] not in self._host.factory.channels:
            return None
        other = key.ids[0]
        return (channel, other) if kind.side is Side.CONSUMER else (other, channel)

    def _is_there(self, place: tuple[int, int]) -> bool:
        channel = self._host.factory.channels.get(place[0])
        proxy = None if channel is None else channel.proxies.get(place[1])
        return proxy is not None and proxy.connected
