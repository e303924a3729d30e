"""Read-only views of a host, limited to what the caller may see."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from tidings.channel import questions as q
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

    def _may(self, channel: int | None) -> None:
        target = None if channel is None else Place(channel)
        self._host.access.require(self._principal, Verb.INSPECT, target)

    def answer(self, question: Question[Any]) -> object:
        """Answer a question."""
        answer = _ANSWERS.get(type(question))
        if answer is None:
            raise NotFound(f"nothing answers {type(question).__name__}: its core does not run here")
        return answer(self, question)

    def rules(self) -> Settings:
        """Return the settings that decide what is allowed."""
        self._may(None)
        return self._host.settings

    def channel_ids(self) -> list[int]:
        """Return the ids of all channels that the principal may see."""
        self._may(None)
        may, channels = self._host.access.may, self._host.factory.channels
        return [id for id in channels if may(self._principal, Verb.INSPECT, Place(id))]

    def channels(self) -> list[ChannelInfo]:
        """Return all channels that the principal may see."""
        channels = self._host.factory.channels
        return [view_channel(channels[id]) for id in self.channel_ids()]

    def channel(self, id: int) -> ChannelInfo:
        """Return one channel."""
        self._may(id)
        return view_channel(self._host.factory.channel(id))

    def channel_named(self, name: str) -> ChannelInfo:
        """Return a channel by its name."""
        for channel in self._host.factory.channels.values():
            if name and channel.name == name:
                self._may(channel.id)
                return view_channel(channel)
        raise ChannelNotFound(f"there is no channel named {name!r}")

    def admin(self, channel: int, side: Side, id: int) -> AdminInfo:
        """Return one admin."""
        self._may(channel)
        return view_admin(self._host.factory.channel(channel).admin(side, id))

    def admins(self, channel: int) -> list[AdminInfo]:
        """Return all admins of a channel, those for suppliers first."""
        self._may(channel)
        admins = self._host.factory.channel(channel).admins
        return [view_admin(one) for side in Side for _, one in sorted(admins[side].items())]

    def proxy(self, channel: int, id: int) -> ProxyInfo:
        """Return one proxy."""
        self._may(channel)
        return view_proxy(self._host.factory.channel(channel).proxy(id))

    def proxy_ids(self, channel: int) -> list[int]:
        """Return the ids of all proxies of a channel."""
        self._may(channel)
        return list(self._host.factory.channel(channel).proxies)

    def proxies(self, channel: int) -> list[ProxyInfo]:
        """Return all proxies of a channel."""
        self._may(channel)
        return [view_proxy(proxy) for proxy in self._host.factory.channel(channel).proxies.values()]

    def proxy_named(self, channel: int, name: str) -> ProxyInfo:
        """Return a proxy by its name."""
        self._may(channel)
        found = self._host.factory.channel(channel)
        if name not in found.names:
            raise ProxyNotFound(f"channel {channel} has no proxy named {name!r}")
        return view_proxy(found.proxies[found.names[name]])

    def filter(self, id: int) -> FilterInfo | MappingInfo:
        """Return one filter or mapping filter."""
        self._may(None)
        # Viewing counts as use: a CORBA client may hold no more than its reference.
        return view_filter(self._host.factory.filters.use(id, self._host.clock.now()))

    def filters(self, after: int, most: int) -> list[FilterInfo | MappingInfo]:
        """Return filters and mapping filters with ids above `after`, rising."""
        self._may(None)
        filters = self._host.factory.filters.filters
        ids = islice((id for id in filters if id > after), most)
        return [view_filter(filters[id]) for id in ids]

    def advertisement(self, channel: int) -> Advertisement:
        """Return the types offered and wanted in a channel, and by whom."""
        self._may(channel)
        return advertisement(self._host.factory.channel(channel))

    def highest_number(self, channel: int, producer: str) -> int | None:
        """Return a producer's highest accepted number; None if it is unknown."""
        self._may(channel)
        return self._host.factory.channel(channel).marks.highest(producer)


def _channel(views: Viewing, asked: q.SeeChannel) -> ChannelInfo:
    name = asked.channel
    return views.channel_named(name) if isinstance(name, str) else views.channel(name)


def _proxy(views: Viewing, asked: q.SeeProxy) -> ProxyInfo:
    channel, name = asked.channel, asked.proxy
    if isinstance(name, str):
        return views.proxy_named(channel, name)
    return views.proxy(channel, name)


_ANSWERS: Final[Mapping[type, Callable[[Viewing, Any], object]]] = {
    q.SeeAdmin: lambda views, x: views.admin(x.channel, x.side, x.admin),
    q.SeeAdmins: lambda views, x: views.admins(x.channel),
    q.SeeAdvertisement: lambda views, x: views.advertisement(x.channel),
    q.SeeChannel: _channel,
    q.SeeChannels: lambda views, x: views.channels(),
    q.SeeFilter: lambda views, x: views.filter(x.filter),
    q.SeeFilters: lambda views, x: views.filters(x.after, x.most),
    q.SeeHighestNumber: lambda views, x: views.highest_number(x.channel, x.producer),
    q.SeeProxies: lambda views, x: views.proxies(x.channel),
    q.SeeProxy: _proxy,
    q.SeeRules: lambda views, x: views.rules(),
}
