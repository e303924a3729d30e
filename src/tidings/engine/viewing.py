"""Read-only views of a host, limited to what the caller may see."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, wraps
from importlib.metadata import version
from inspect import unwrap
from itertools import islice
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, TypeAlias, TypeVar

from tidings.channel import questions as q
from tidings.channel.channel import Channel
from tidings.channel.effects import Notice
from tidings.channel.holders import Admin, Proxy
from tidings.channel.settings import Settings
from tidings.channel.views import (
    AdminInfo,
    Advertisement,
    ChannelInfo,
    FilterInfo,
    MappingInfo,
    ProxyInfo,
    ServiceStatus,
    SettingInfo,
    advertisement,
    view_admin,
    view_channel,
    view_filter,
    view_proxy,
)
from tidings.channel.vocabulary import Place, Side
from tidings.cores import Question
from tidings.engine.access import OWNER, Caller, FilterId, Object
from tidings.engine.authority import own_producer
from tidings.errors import ChannelNotFound, NotFound, ProxyNotFound, TidingsError
from tidings.grants.model import Verb

if TYPE_CHECKING:
    from tidings.engine.host import Host


# Instead of the id of an object that is missing.
_NOBODYS: Final = 0

_Parameters = ParamSpec("_Parameters")
_Seen = TypeVar("_Seen")
_Method: TypeAlias = "Callable[Concatenate[Viewing, _Parameters], _Seen]"


def _noted(
    kind: Callable[..., Question[Any]],
) -> Callable[[_Method[_Parameters, _Seen]], _Method[_Parameters, _Seen]]:
    """Have what a method refuses noted as the refusal of a question with its arguments."""

    def decorated(method: _Method[_Parameters, _Seen]) -> _Method[_Parameters, _Seen]:
        @wraps(method)
        def look(
            self: Viewing, /, *arguments: _Parameters.args, **named: _Parameters.kwargs
        ) -> _Seen:
            try:
                return method(self, *arguments, **named)
            except TidingsError as error:
                self.note(kind(*arguments, *named.values()), error)
                raise

        return look

    return decorated


class Viewing:
    """Views of a host, as one principal may have them.

    Every method raises `Forbidden` if the principal may not view the object, and the matching
    `NotFound` if it does not exist.
    """

    def __init__(
        self,
        host: Host,
        principal: Caller = OWNER,
        note: Callable[[Question[Any], TidingsError], None] = lambda *_: None,
    ) -> None:
        self._host = host
        self._principal = principal
        self.note = note

    def _require(self, target: Object, owner: str = "") -> None:
        self._host.access.require(self._principal, Verb.INSPECT, target, owner)

    def _known(self, id: int) -> Channel:
        """Return a channel of which the principal may know."""
        self._host.access.require_known(self._principal, id)
        return self._host.factory.channel(id)

    def _channel(self, id: int) -> Channel:
        """Return a channel whose objects the principal may all see."""
        self._require(Place(id))
        return self._host.factory.channel(id)

    def may_see(self, proxy: Proxy) -> bool:
        """Return whether the principal may see a proxy."""
        place = Place(proxy.channel.id, proxy.side, proxy=proxy.id)
        return self._host.access.may(self._principal, Verb.INSPECT, place, proxy.owner)

    def answer(self, question: Question[Any]) -> object:
        """Answer a question by the method with its fields as arguments; its caller notes it."""
        answer = _ANSWERS.get(type(question))
        if answer is None:
            raise NotFound(f"nothing answers {type(question).__name__}: its core does not run here")
        fields: tuple[str, ...] = getattr(question, "__match_args__", ())
        return unwrap(answer)(self, *[getattr(question, name) for name in fields])

    @property
    def oversees(self) -> bool:
        """Whether the principal may inspect the service as a whole."""
        return self._host.access.may(self._principal, Verb.INSPECT, None)

    def notices(self) -> list[Notice]:
        """Return the latest notices; those of what the principal may see, if not all."""
        self._host.access.require_known(self._principal, None)
        kept = self._host.notices
        return list(kept) if self.oversees else [one for one in kept if self._concerns(one)]

    def _concerns(self, notice: Notice) -> bool:
        channel = self._host.factory.channels.get(notice.channel)
        if channel is None or not self._host.access.knows(self._principal, channel.id):
            return False
        proxy = channel.proxies.get(notice.proxy)
        return not notice.proxy or (proxy is not None and self.may_see(proxy))

    @_noted(q.SeeRules)
    def rules(self) -> Settings:
        """Return the settings that decide what is allowed."""
        self._host.access.require_known(self._principal, None)
        return self._host.settings

    @_noted(q.SeeSettings)
    def settings(self) -> tuple[SettingInfo, ...]:
        """Return the settings that the service was started with, or has reloaded."""
        self._require(None)
        return self._host.told_settings

    def status(self) -> ServiceStatus:
        """Return how the service is; what its settings leave open is for those who run it."""
        host = self._host
        channels = len(self.channel_ids())
        runs = host.access.may(self._principal, Verb.INSPECT, None)
        return ServiceStatus(
            _version(),
            host.disk_error is None,
            channels,
            host.losses.sentence,
            tuple(host.warnings) if runs else (),
        )

    @_noted(q.SeeChannels)
    def channel_ids(self) -> list[int]:
        """Return the ids of all channels of which the principal may know."""
        self._host.access.require_known(self._principal, None)
        knows = self._host.access.knows
        return [id for id in self._host.factory.channels if knows(self._principal, id)]

    @_noted(q.SeeChannels)
    def channels(self) -> list[ChannelInfo]:
        """Return all channels that the principal may see."""
        return [self.channel(id) for id in self.channel_ids()]

    @_noted(q.SeeChannel)
    def channel(self, which: int | str) -> ChannelInfo:
        """Return one channel, by its id or name."""
        if not isinstance(which, str):
            return view_channel(self._known(which))
        channels = self._host.factory.channels
        found = [id for id, channel in channels.items() if which and channel.name == which]
        try:  # a name that is missing takes as long as one that is hidden
            return view_channel(self._known(found[0] if found else _NOBODYS))
        except NotFound:
            raise ChannelNotFound(f"there is no channel named {which!r}") from None

    @_noted(q.SeeAdmin)
    def admin(self, channel: int, side: Side, id: int) -> AdminInfo:
        """Return one admin."""
        self._require(Place(channel, side, id))
        return view_admin(self._host.factory.channel(channel).admin(side, id))

    def admin_ids(self, channel: int) -> list[tuple[Side, int]]:
        """Return the sides and ids of all admins of a channel, those for suppliers first."""
        admins = self._channel(channel).admins
        return [(side, id) for side in Side for id in sorted(admins[side])]

    @_noted(q.SeeAdmins)
    def admins(self, channel: int) -> list[AdminInfo]:
        """Return all admins of a channel, those for suppliers first."""
        return [self.admin(channel, *one) for one in self.admin_ids(channel)]

    @_noted(q.SeeProxies)
    def proxy_ids(self, channel: int) -> list[int]:
        """Return the ids of the proxies of a channel that the principal may see."""
        proxies = self._known(channel).proxies
        return [id for id, proxy in proxies.items() if self.may_see(proxy)]

    @_noted(q.SeeProxies)
    def proxies(self, channel: int) -> list[ProxyInfo]:
        """Return the proxies of a channel that the principal may see."""
        found = self._known(channel).proxies
        return [view_proxy(proxy) for proxy in found.values() if self.may_see(proxy)]

    @_noted(q.SeeProxy)
    def proxy(self, channel: int, which: int | str) -> ProxyInfo:
        """Return one proxy, by its id or name."""
        found = self._known(channel)
        id = found.names.get(which) if isinstance(which, str) else which
        proxy = None if id is None else found.proxies.get(id)
        # Also of a proxy that is missing, which must take as long.
        side, owner = (None, "") if proxy is None else (proxy.side, proxy.owner)
        place = Place(channel, side, proxy=_NOBODYS if proxy is None else proxy.id)
        may = self._host.access.may(self._principal, Verb.INSPECT, place, owner)
        if proxy is not None and may:
            return view_proxy(proxy)
        if isinstance(which, str):
            raise ProxyNotFound(f"channel {channel} has no proxy named {which!r}")
        raise found.no_proxy(which)

    def outline(
        self, channel: int, *, inside: bool = True
    ) -> tuple[Channel, list[Admin], list[Proxy]]:
        """Return a channel, with those of its objects that the principal may see if `inside`.

        They are for reading, at once: nothing of them is a copy.
        """
        found = self._known(channel)
        if not inside:
            return found, [], []
        admins: list[Admin] = []
        if self._host.access.may(self._principal, Verb.INSPECT, Place(channel)):
            admins = [admin for side in Side for admin in found.admins[side].values()]
        return found, admins, [one for one in found.proxies.values() if self.may_see(one)]

    @_noted(q.SeeFilter)
    def filter(self, id: int) -> FilterInfo | MappingInfo:
        """Return one filter or mapping filter."""
        self._host.access.require_known(self._principal, None)
        filters = self._host.factory.filters
        found = filters.filters.get(id)
        # Also of a filter that is missing, which must take as long.
        self._require(FilterId(id), "" if found is None else found.owner)
        # Viewing counts as use: a CORBA client may hold no more than its reference.
        return view_filter(filters.use(id, self._host.clock.now()))

    @_noted(q.SeeFilters)
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

    @_noted(q.SeeAdvertisement)
    def advertisement(self, channel: int) -> Advertisement:
        """Return the types offered and wanted in a channel, and by whom."""
        return advertisement(self._channel(channel))

    @_noted(q.SeeHighestNumber)
    def highest_number(self, channel: int, producer: str) -> int | None:
        """Return a producer's highest accepted number; None if it is unknown."""
        own = own_producer(self._host.access, self._principal, producer)
        return self._known(channel).marks.highest(own)


@cache
def _version() -> str:
    return version("tidings")


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
    q.SeeSettings: Viewing.settings,
    q.SeeStatus: Viewing.status,
}
