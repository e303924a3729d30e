"""Read-only views of a host, limited to what the caller may see."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from tidings.channel import questions as q
from tidings.channel.channel import Channel
from tidings.channel.holders import Admin, Proxy
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
from tidings.engine.access import OWNER, Caller, FilterId, Object
from tidings.errors import ChannelNotFound, NotFound, ProxyNotFound
from tidings.grants.model import Verb

if TYPE_CHECKING:
    from tidings.engine.host import Host


class Viewing:
    """Views of a host, as one principal may have them.

    Every method raises `Forbidden` if the principal may not view the object, and the matching
    `NotFound` if it does not exist.
    """

    def __init__(self, host: Host, principal: Caller = OWNER) -> None:
        self._host = host
        self._principal = principal

    def _require(self, target: Object, owner: str = "") -> None:
        self._host.access.require(self._principal, Verb.INSPECT, target, owner)

    def require_service(self) -> None:
        """Raise Forbidden unless the principal may inspect the service as a whole."""
        self._require(None)

    def _known(self, id: int) -> Channel:
        """Return a channel of which the principal may know."""
        self._host.access.require_known(self._principal, id)
        return self._host.factory.channel(id)

    def _channel(self, id: int) -> Channel:
        """Return a channel whose objects the principal may all see."""
        self._require(Place(id))
        return self._host.factory.channel(id)

    def _may_see(self, proxy: Proxy) -> bool:
        place = Place(proxy.channel.id, proxy.side, proxy=proxy.id)
        return self._host.access.may(self._principal, Verb.INSPECT, place, proxy.owner)

    def answer(self, question: Question[Any]) -> object:
        """Answer a question by the method with its fields as arguments."""
        answer = _ANSWERS.get(type(question))
        if answer is None:
            raise NotFound(f"nothing answers {type(question).__name__}: its core does not run here")
        fields: tuple[str, ...] = getattr(question, "__match_args__", ())
        return answer(self, *[getattr(question, name) for name in fields])

    def rules(self) -> Settings:
        """Return the settings that decide what is allowed."""
        self._host.access.require_known(self._principal, None)
        return self._host.settings

    def channel_ids(self) -> list[int]:
        """Return the ids of all channels of which the principal may know."""
        self._host.access.require_known(self._principal, None)
        knows = self._host.access.knows
        return [id for id in self._host.factory.channels if knows(self._principal, id)]

    def channels(self) -> list[ChannelInfo]:
        """Return all channels that the principal may see."""
        return [self.channel(id) for id in self.channel_ids()]

    def channel(self, which: int | str) -> ChannelInfo:
        """Return one channel, by its id or name."""
        if not isinstance(which, str):
            return view_channel(self._known(which))
        for channel in self._host.factory.channels.values():
            if which and channel.name == which:
                with suppress(NotFound):
                    return view_channel(self._known(channel.id))
        raise ChannelNotFound(f"there is no channel named {which!r}")

    def admin(self, channel: int, side: Side, id: int) -> AdminInfo:
        """Return one admin."""
        return view_admin(self._channel(channel).admin(side, id))

    def admins(self, channel: int) -> list[AdminInfo]:
        """Return all admins of a channel, those for suppliers first."""
        admins = self._channel(channel).admins
        return [view_admin(one) for side in Side for _, one in sorted(admins[side].items())]

    def proxy_ids(self, channel: int) -> list[int]:
        """Return the ids of the proxies of a channel that the principal may see."""
        proxies = self._known(channel).proxies
        return [id for id, proxy in proxies.items() if self._may_see(proxy)]

    def proxies(self, channel: int) -> list[ProxyInfo]:
        """Return the proxies of a channel that the principal may see."""
        found = self._known(channel).proxies
        return [view_proxy(proxy) for proxy in found.values() if self._may_see(proxy)]

    def proxy(self, channel: int, which: int | str) -> ProxyInfo:
        """Return one proxy, by its id or name."""
        found = self._known(channel)
        id = found.names.get(which) if isinstance(which, str) else which
        proxy = None if id is None else found.proxies.get(id)
        if proxy is not None and self._may_see(proxy):
            return view_proxy(proxy)
        if isinstance(which, str):
            raise ProxyNotFound(f"channel {channel} has no proxy named {which!r}")
        raise found.no_proxy(which)

    def outline(self, channel: int) -> tuple[Channel, list[Admin], list[Proxy]]:
        """Return a channel with those of its objects that the principal may see.

        They are for reading, at once: nothing of them is a copy.
        """
        found = self._known(channel)
        admins: list[Admin] = []
        if self._host.access.may(self._principal, Verb.INSPECT, Place(channel)):
            admins = [admin for side in Side for admin in found.admins[side].values()]
        return found, admins, [one for one in found.proxies.values() if self._may_see(one)]

    def filter(self, id: int) -> FilterInfo | MappingInfo:
        """Return one filter or mapping filter."""
        self._host.access.require_known(self._principal, None)
        # Viewing counts as use: a CORBA client may hold no more than its reference.
        found = self._host.factory.filters.use(id, self._host.clock.now())
        self._require(FilterId(id), found.owner)
        return view_filter(found)

    def filters(self, after: int, most: int) -> list[FilterInfo | MappingInfo]:
        """Return filters and mapping filters with ids above `after`, rising."""
        self._host.access.require_known(self._principal, None)
        may, filters = self._host.access.may, self._host.factory.filters.filters
        seen = (
            one
            for id, one in filters.items()
            if id > after and may(self._principal, Verb.INSPECT, FilterId(id), one.owner)
        )
        return [view_filter(one) for one in islice(seen, most)]

    def advertisement(self, channel: int) -> Advertisement:
        """Return the types offered and wanted in a channel, and by whom."""
        return advertisement(self._channel(channel))

    def highest_number(self, channel: int, producer: str) -> int | None:
        """Return a producer's highest accepted number; None if it is unknown."""
        return self._known(channel).marks.highest(producer)


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
