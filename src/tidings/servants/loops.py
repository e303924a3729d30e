"""Loop detection: channels that feed each other would circulate events without end.

Connections that close a circle of this service's channels are refused. Across services, each push
names the channels its events have passed in a service context; an event that returns to a channel
is dropped there.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from tidings.channel.effects import Notice, NoticeKind
from tidings.channel.vocabulary import Side
from tidings.cos.kinds import Kind
from tidings.errors import InvalidUsage
from tidings.events.envelope import MAX_HOPS
from tidings.orb.aio.serving import request_contexts

if TYPE_CHECKING:
    from tidings.engine.access import ObjectKey
    from tidings.engine.host import Host
    from tidings.events.reference import Reference

_log: Final = logging.getLogger(__name__)

# The id of the service context, "TDNH", and how long each origin in it is.
_PATH: Final = 0x54444E48
_ORIGIN_OCTETS: Final = 16
# Most proxies for which a logged notice is remembered.
_MOST_TOLD: Final = 1_000


def path_context(origins: tuple[str, ...]) -> tuple[tuple[int, bytes], ...]:
    """Return the service context with the channels that events have passed, oldest first."""
    return ((_PATH, b"".join([bytes.fromhex(origin) for origin in origins])),)


class Loops:
    """The graph of channels linked through this service's proxies.

    `dropped` counts the pushes whose events had come back.
    """

    def __init__(self, host: Host, own_key: Callable[[Reference], ObjectKey | None]) -> None:
        self._host = host
        self._own_key = own_key
        self.dropped = 0
        self._told: set[tuple[int, int]] = set()
        self._edges: dict[tuple[int, int], tuple[int, int]] = {}  # by channel and proxy

    def check(self, channel: int, kind: Kind, client: Reference) -> None:
        """Raise InvalidUsage if a client would send a channel's events back to it."""
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

    def note(self, channel: int, proxy: int, kind: Kind, client: Reference) -> None:
        """Record a connected client."""
        edge = self._edge(channel, kind, client)
        if edge is not None:
            self._edges[channel, proxy] = edge

    def passed(self, channel: int, proxy: int) -> tuple[str, ...] | None:
        """Return the origins of the channels that the current push has passed.

        Returns None if this channel is among them or there are too many. The caller then drops the
        events without an error, because the sender would resend refused ones.
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

    def _edge(self, channel: int, kind: Kind, client: Reference) -> tuple[int, int] | None:
        """Return the two channels that a connection of this client would link, source first."""
        key = self._own_key(client)
        if key is None or key.kind != "proxy" or key.ids[0] not in self._host.channels:
            return None
        other = key.ids[0]
        return (channel, other) if kind.side is Side.CONSUMER else (other, channel)

    def _is_there(self, place: tuple[int, int]) -> bool:
        channel = self._host.channels.get(place[0])
        proxy = None if channel is None else channel.proxies.get(place[1])
        return proxy is not None and proxy.connected
