"""Read-only views of a host, limited to what the caller may see."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from tidings.channel import questions as q
from tidings.channel.channel import Channel
from tidings.channel.settings import Settings
from tidings.channel.views import (
    AdminInfo,
    Advertisement,
    ChannelInfo,
    FilterInfo,
    MappingInfo,
    ProxyInfo,
    advertisement,
    view_admin,
    view_channel,
    view_filter,
    view_proxy,
)
from tidings.channel.vocabulary import Place, Side
from tidings.cores import Question
from tidings.engine.access import OWNER, Principal, Verb
from tidings.errors import ChannelNotFound, NotFound, ProxyNotFound

if TYPE_CHECKING:
    from tidings.engine.host import Host


class Viewing:
    """Views of a host, as one principal may have them.

    Every method raises `Forbidden` if the principal may not view the object, and the matching
    `NotFound` if it does not exist.
    """

    def __init__(self, host: Host, principal: Principal = OWNER) -> None:
        self._host = host
        self._principal = principal

    def _may(self, channel: int | None = None) -> None:
        target = None if channel is None else Place(channel)
        self._host.access.require(self._principal, Verb.INSPECT, target)

    def _channel(self, id: int) -> Channel:
        self._may(id)
        return self._host.factory.channel(id)

    def answer(self, question: Question[Any]) -> object:
        """Answer a question by the method with its fields as arguments."""
        answer = _ANSWERS.get(type(question))
        if answer is None:
            raise NotFound(f"nothing answers {type(question).__name__}: its core does not run here")
        fields: tuple[str, ...] = getattr(question, "__match_args__", ())
        return answer(self, *[getattr(question, name) for name in fields])

    def rules(self) -> Settings:
        """Return the settings that decide what is allowed."""
        self._may()
        return self._host.settings

    def channel_ids(self) -> list[int]:
        """Return the ids of all channels that the principal may see."""
        self._may()
        may, channels = self._host.access.may, self._host.factory.channels
        return [id for id in channels if may(self._principal, Verb.INSPECT, Place(id))]

    def channels(self) -> list[ChannelInfo]:
        """Return all channels that the principal may see."""
        return [self.channel(id) for id in self.channel_ids()]

    def channel(self, which: int | str) -> ChannelInfo:
        """Return one channel, by its id or name."""
        if not isinstance(which, str):
            return view_channel(self._channel(which))
        for channel in self._host.factory.channels.values():
            if which and channel.name == which:
                return view_channel(self._channel(channel.id))
        raise ChannelNotFound(f"there is no channel named {which!r}")

    def admin(self, channel: int, side: Side, id: int) -> AdminInfo:
        """Return one admin."""
        return view_admin(self._channel(channel).admin(side, id))

    def admins(self, channel: int) -> list[AdminInfo]:
        """Return all admins of a channel, those for suppliers first."""
        admins = self._channel(channel).admins
        return [view_admin(one) for side in Side for _, one in sorted(admins[side].items())]

    def proxy_ids(self, channel: int) -> list[int]:
        """Return the ids of all proxies of a channel."""
        return list(self._channel(channel).proxies)

    def proxies(self, channel: int) -> list[ProxyInfo]:
        """Return all proxies of a channel."""
        return [view_proxy(proxy) for proxy in self._channel(channel).proxies.values()]

    def proxy(self, channel: int, which: int | str) -> ProxyInfo:
        """Return one proxy, by its id or name."""
        found = self._channel(channel)
        if not isinstance(which, str):
            return view_proxy(found.proxy(which))
        if which not in found.names:
            raise ProxyNotFound(f"channel {channel} has no proxy named {which!r}")
        return view_proxy(found.proxies[found.names[which]])

    def filter(self, id: int) -> FilterInfo | MappingInfo:
        """Return one filter or mapping filter."""
        self._may()
        # Viewing counts as use: a CORBA client may hold no more than its reference.
        return view_filter(self._host.factory.filters.use(id, self._host.clock.now()))

    def filters(self, after: int, most: int) -> list[FilterInfo | MappingInfo]:
        """Return filters and mapping filters with ids above `after`, rising."""
        self._may()
        filters = self._host.factory.filters.filters
        ids = islice((id for id in filters if id > after), most)
        return [view_filter(filters[id]) for id in ids]

    def advertisement(self, channel: int) -> Advertisement:
        """Return the types offered and wanted in a channel, and by whom."""
        return advertisement(self._channel(channel))

    def highest_number(self, channel: int, producer: str) -> int | None:
        """Return a producer's highest accepted number; None if it is unknown."""
        return self._channel(channel).marks.highest(producer)


_ANSWERS: Final[Mapping[type, Callable[..., object]]] = {
    q.SeeAdmin: Viewing.admin,
    q.SeeAdmins: Viewing.admins,
    q.SeeAdvertisement: Viewing.advertisement,
    q.SeeChannel: Viewing.channel,
    q.SeeChannels: Viewing.channels,
    q.SeeFilter: Viewing.filter,
    q.SeeFilters: Viewing.filters,
    q.SeeHighestNumber: Viewing.highest_number,
    q.SeeProxies: Viewing.proxies,
    q.SeeProxy: Viewing.proxy,
    q.SeeRules: Viewing.rules,
}
