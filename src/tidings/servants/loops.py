"""Loops: channels that feed each other, so that events would come back without end.

Channels of this service are not connected in a circle. Where other services are in between, each
push names the channels that its events have passed, in a service context, and an event that comes
back to a channel is dropped there.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from tidings.channel.effects import Notice, NoticeKind
from tidings.channel.vocabulary import Side
from tidings.errors import InvalidUsage
from tidings.events.envelope import MAX_HOPS
from tidings.orb.aio.serving import request_contexts
from tidings.servants.client_kinds import ClientKind

if TYPE_CHECKING:
    from tidings.engine.access import ObjectKey
    from tidings.engine.host import Host
    from tidings.events.reference import Reference

_log: Final = logging.getLogger(__name__)

# The id of the service context, "TDNH", and how long each origin in it is.
_PATH: Final = 0x54444E48
_ORIGIN_OCTETS: Final = 16
# Of more proxies it is not known whether a notice has told of them.
_MOST_TOLD: Final = 1_000


def path_context(origins: tuple[str, ...]) -> tuple[tuple[int, bytes], ...]:
    """The service context that names the channels which events have passed, oldest first."""
    return ((_PATH, b"".join([bytes.fromhex(origin) for origin in origins])),)


class Loops:
    """Knows which channels feed which, through references to proxies of this service.

    Args:
        host: The channels.
        own_key: Tells the key of one of our own references; None for those of others.

    Attributes:
        dropped: How many pushes were dropped, since their events had come back.
    """

    def __init__(self, host: Host, own_key: Callable[[Reference], ObjectKey | None]) -> None:
        self._host = host
        self._own_key = own_key
        self.dropped = 0
        self._told: set[tuple[int, int]] = set()
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
            first, last = (self._host.channels.find(each) for each in edge)
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

    def passed(self, channel: int, proxy: int) -> tuple[str, ...] | None:
        """The channels that the events of the push in progress have passed.

        Returns:
            Their origins; None if this channel is among them, or they are too many: then the
            events are dropped, since the sender would send them again if they were refused.
        """
        contexts = request_contexts.get()
        octets = next((data for id, data in contexts if id == _PATH), b"") if contexts else b""
        if not octets:
            return ()
        ends = range(_ORIGIN_OCTETS, len(octets) + 1, _ORIGIN_OCTETS)
        hops = tuple([octets[end - _ORIGIN_OCTETS : end].hex() for end in ends])
        origin = self._host.origins.get(channel)
        if origin not in hops and len(hops) <= MAX_HOPS:
            return hops
        self.dropped += 1
        if (channel, proxy) not in self._told:
            if len(self._told) >= _MOST_TOLD:
                self._told.clear()
            self._told.add((channel, proxy))
            why = "come back to the channel" if origin in hops else f"passed {len(hops)} channels"
            text = f"events that have {why} are dropped: a loop of channels leads here"
            _log.warning("channel %d, proxy %d: %s", channel, proxy, text)
            self._host.notice(Notice(NoticeKind.FAILING, channel, proxy, text))
        return None

    def _edge(self, channel: int, kind: ClientKind, client: Reference) -> tuple[int, int] | None:
        """From which channel to which events go if this client is connected."""
        key = self._own_key(client)
        if key is None or key.kind != "proxy" or key.ids[0] not in self._host.channels:
            return None
        other = key.ids[0]
        return (channel, other) if kind.side is Side.CONSUMER else (other, channel)

    def _is_there(self, place: tuple[int, int]) -> bool:
        channel = self._host.channels.get(place[0])
        proxy = None if channel is None else channel.proxies.get(place[1])
        return proxy is not None and proxy.connected
