"""Access control: the one place that decides. The engine calls it, never the protocols.

A reference to an object is a capability: its key names a grant, and the grant a principal with a
scope. Keys are verified by computation alone, so they need no table and outlive restarts.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from tidings.changes.core import Changes
from tidings.channel.channel import Channel, no_channel
from tidings.channel.filter_host import no_filter
from tidings.channel.vocabulary import Place, Side
from tidings.cores import Core
from tidings.errors import BadInput, Forbidden, LimitExceeded, TradingNotImplemented
from tidings.filters.constraint import Constraint
from tidings.grants.core import Grants
from tidings.grants.decisions import Permission
from tidings.grants.model import Verb
from tidings.trader.core import Trader


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls, and owns what it creates.

    Attributes:
        name: The name of its principal.
        is_owner: Whether it owns the service; inside its scope only.
        scope: The channel, admin or proxy that it is confined to; None for no such bound.
        credential: The number of the credential it has shown; None for none.
        door: The protocol it calls through.
        peer: The address it calls from; empty inside this process.
    """

    name: str
    is_owner: bool = False
    scope: Place | None = None
    credential: int | None = None
    door: str = "in-process"
    peer: str = ""

    @property
    def owns_service(self) -> bool:
        """Whether it may do everything."""
        return self.is_owner and self.scope is None

    def __str__(self) -> str:
        return self.name


OWNER: Final = Caller("owner", is_owner=True)
ANONYMOUS: Final = Caller("anonymous")


@dataclass(frozen=True, slots=True)
class Grant:
    """What a reference stands for; references reached from it have the same grant."""

    id: int
    principal: Caller


class FilterId(NamedTuple):
    """A filter, which belongs to the service and not to a channel."""

    filter: int

    def __str__(self) -> str:
        return f"filter {self.filter}"


class OfferId(NamedTuple):
    """An offer of the trader, which belongs to the service."""

    offer: str

    def __str__(self) -> str:
        return f"offer {self.offer}"


class PartyId(NamedTuple):
    """A subscriber to changes of services, or a service evolver."""

    party: str

    def __str__(self) -> str:
        return self.party


Object: TypeAlias = Place | FilterId | OfferId | PartyId | None
"""A channel, admin or proxy; a filter; an offer; a party; None for the service itself."""

# Instead of the name of a channel that is missing: finding out takes as long as for a hidden one.
_NO_NAME: Final = ""

# Until grants are enforced, what principals may that own neither the service nor the object: known
# ones, and anonymous ones. A string names the setting that decides.
_TABLE: Final[dict[Verb, tuple[bool, bool | str]]] = {
    Verb.MANAGE: (False, "anonymous_may_manage"),
    Verb.PUBLISH: (True, "anonymous_may_publish"),
    Verb.SUBSCRIBE: (True, "anonymous_may_subscribe"),
    Verb.USE: (False, False),
    Verb.INSPECT: (True, "anonymous_may_subscribe"),
    Verb.ADMINISTER: (False, False),
}
_WORDS: Final[dict[Verb, str]] = {
    Verb.PUBLISH: "publish to",
    Verb.SUBSCRIBE: "subscribe to",
    Verb.ADMINISTER: "administer access to",
}
# Whoever may do one of these on a channel may use the proxies it owns there, by their side.
_USES_OWN: Final = {
    Side.SUPPLIER: (Verb.PUBLISH, Verb.USE),
    Side.CONSUMER: (Verb.SUBSCRIBE, Verb.USE),
    None: (Verb.PUBLISH, Verb.SUBSCRIBE, Verb.USE),
}


class _Pass(NamedTuple):
    """Says until when a principal may push events that match a fence, if nothing changes."""

    version: int
    until: int
    fence: tuple[Constraint, ...]


# Passes that are remembered, some 3 MB; and for how long at most: then a use is noted again.
_MOST_PASSES: Final = 10_000
_LONGEST_PASS: Final = 60_000_000


@dataclass(slots=True)
class Access:
    """The access rules: the settings while there is no principal, the grants afterwards.

    Anonymous clients that may subscribe may also view objects.
    """

    anonymous_may_publish: bool = True
    anonymous_may_subscribe: bool = True
    anonymous_may_manage: bool = False
    grants: Grants = field(default_factory=Grants)
    _channels: Mapping[int, Channel] = field(default_factory=dict, init=False)
    _now: Callable[[], int] = field(default=int, init=False)
    _trader: Trader | None = field(default=None, init=False)
    _changes: Changes | None = field(default=None, init=False)
    _passes: dict[tuple[str, int, int], _Pass] = field(default_factory=dict, init=False)

    def attach(
        self, channels: Mapping[int, Channel], now: Callable[[], int], cores: Iterable[Core]
    ) -> None:
        """Learn the host's channels, its time, and its grants if it runs their core."""
        self._channels, self._now = channels, now
        for core in cores:
            if isinstance(core, Grants):
                self.grants = core
            elif isinstance(core, Trader):
                self._trader = core
            elif isinstance(core, Changes):
                self._changes = core

    def offer_owner(self, id: str) -> str:
        """Return who exported an offer, or raise the error for a missing one."""
        return "" if self._trader is None else self._trader.owner_of(id)

    @property
    def changes(self) -> Changes:
        """The subscribers and evolvers; TradingNotImplemented if the host has none."""
        if self._changes is None:
            raise TradingNotImplemented("this service does not tell of changes of services")
        return self._changes

    def may(self, principal: Caller, verb: Verb, target: Object, owner: str = "") -> bool:
        """Return whether a principal may do something; `owner` is the object's, empty for none."""
        scope = principal.scope
        if scope is not None and isinstance(target, Place) and not self.contains(scope, target):
            return False
        # An owner within a scope does not own what lies outside it.
        if principal.is_owner and (scope is None or isinstance(target, Place)):
            return True
        own = bool(owner) and owner == principal.name
        if not self.grants.is_open:
            return self._is_granted(principal, verb, target, own)
        if own:
            return verb is not Verb.ADMINISTER
        allowed = _TABLE[verb][principal.name == ANONYMOUS.name]
        return allowed if isinstance(allowed, bool) else bool(getattr(self, allowed))

    def contains(self, scope: Place, place: Place) -> bool:
        """Return whether an object is another one, or a part of it, or was made by it."""
        if scope.proxy is not None or scope.channel != place.channel:
            return (scope.channel, scope.proxy) == (place.channel, place.proxy)
        if scope.admin is None:
            return True
        if place.proxy is None:
            return (scope.side, scope.admin) == (place.side, place.admin)
        channel = self._channels.get(place.channel)
        proxy = None if channel is None else channel.proxies.get(place.proxy)
        return proxy is not None and (proxy.side, proxy.admin.id) == (scope.side, scope.admin)

    def _is_granted(self, principal: Caller, verb: Verb, target: Object, own: bool) -> bool:
        name, scope = principal.name, principal.scope
        if scope is not None and not isinstance(target, Place):
            return self._is_granted_within(scope, name, verb, target, own)
        if isinstance(target, FilterId | OfferId | PartyId):
            return own or any(
                self.permission(name, one, None) is not None for one in {verb, Verb.MANAGE}
            )
        if target is None and verb in (Verb.PUBLISH, Verb.SUBSCRIBE):  # filters, for any channel
            return self.grants.holds(name, verb, self._now())
        if target is None:
            return self.permission(name, verb, None) is not None
        verbs: tuple[Verb, ...] = (verb,)
        if own and verb in (Verb.USE, Verb.INSPECT):
            verbs = _USES_OWN[target.side]
        elif verb is Verb.INSPECT:  # who changes an object may see it
            verbs = (verb, Verb.MANAGE) if target.proxy is None else (verb, Verb.MANAGE, Verb.USE)
        return any(self.permission(name, one, target.channel) is not None for one in verbs)

    def _is_granted_within(
        self, scope: Place, name: str, verb: Verb, target: Object, own: bool
    ) -> bool:
        """What belongs to the service: within a channel those the principal made."""
        if scope != Place(scope.channel):
            return False
        if isinstance(target, FilterId | OfferId | PartyId):
            return own
        creates = verb in (Verb.PUBLISH, Verb.SUBSCRIBE)
        return creates and self.permission(name, verb, scope.channel) is not None

    def permission(self, name: str, verb: Verb, channel: int | None) -> Permission | None:
        """Return what a principal is granted on a channel, or on the service; None for nothing."""
        if channel is None:
            return self.grants.permission(name, verb, None, self._now())
        found = self._channels.get(channel)
        called = _NO_NAME if found is None else found.name
        allowed = self.grants.permission(name, verb, called, self._now())
        return None if found is None else allowed

    def pushes(self, principal: Caller, channel: int, proxy: int) -> tuple[Constraint, ...] | None:
        """Return the fence of events that a principal may push, if that was found out before.

        A push is short, and nearly all of them are like the one before: it must not pay again for
        what has not changed.
        """
        found = self._passes.get((principal.name, channel, proxy))
        if found is None or found.version != self.grants.version or principal.scope is not None:
            return None
        return None if self._now() >= found.until else found.fence

    def allow_pushes(self, principal: Caller, channel: int, proxy: int) -> tuple[Constraint, ...]:
        """Return the fence of events that a principal may push, and remember that it may."""
        if principal.is_owner:
            return ()
        allowed, now = self.permission(principal.name, Verb.PUBLISH, channel), self._now()
        fence = () if allowed is None else allowed.fence
        if principal.scope is None:
            end = self.grants.settled_until(principal.name, self._channels[channel].name, now)
            until = now + _LONGEST_PASS if end is None else min(end, now + _LONGEST_PASS)
            if len(self._passes) >= _MOST_PASSES:
                self._passes.clear()
            key = (principal.name, channel, proxy)
            self._passes[key] = _Pass(self.grants.version, until, fence)
        return fence

    def knows(self, principal: Caller, channel: int) -> bool:
        """Return whether a principal may know of a channel: it may do something there.

        The answer is False for a missing channel, and takes as long as for a hidden one.
        """
        found = self._channels.get(channel)
        if principal.scope is not None and principal.scope.channel != channel:
            return False
        if principal.is_owner or self.grants.is_open:
            return self.may(principal, Verb.INSPECT, Place(channel)) and found is not None
        called = _NO_NAME if found is None else found.name
        return self.grants.knows(principal.name, called, self._now()) and found is not None

    def fence(self, name: str, channel: int) -> tuple[Constraint, ...] | None:
        """Return what the events match that a principal may see on a channel.

        Empty for all events; None if it may see none of them.
        """
        found = self._channels.get(channel)
        if not name or name == OWNER.name or self.grants.is_open or found is None:
            return ()
        allowed = self.grants.sees(name, found.name, self._now())
        return None if allowed is None else allowed.fence

    def require(self, principal: Caller, verb: Verb, target: Object, owner: str = "") -> None:
        """Raise Forbidden unless `may` allows it.

        What the principal may not know of is missing to it: the error is the one for an object
        that does not exist.
        """
        if self.may(principal, verb, target, owner):
            return
        if isinstance(target, Place):
            self.hide(principal, target)
        elif isinstance(target, FilterId) and not self.grants.is_open:
            raise no_filter(target.filter)
        if isinstance(target, Place) and verb in (Verb.PUBLISH, Verb.SUBSCRIBE):
            target = Place(target.channel)
        shown = self._named(target) if isinstance(target, Place) else target or "the service"
        whose = f" of {owner}" if owner and owner != principal.name else ""
        raise Forbidden(f"{principal} may not {_WORDS.get(verb, verb.value)} {shown}{whose}")

    def _named(self, place: Place) -> str:
        channel = self._channels.get(place.channel)
        if channel is None or not channel.name:
            return str(place)
        return str(place).replace(f"channel {place.channel}", f"channel {channel.name}")

    def require_known(self, principal: Caller, channel: int | None) -> None:
        """Raise the error for a missing channel unless the principal may know of it.

        Without a channel, raise Forbidden unless the caller is a principal at all.
        """
        if self.grants.is_open or principal.is_owner:
            self.require(principal, Verb.INSPECT, None if channel is None else Place(channel))
        elif channel is not None:
            self.hide(principal, Place(channel))
        elif self.grants.principal(principal.name) is None:
            raise Forbidden(f"{principal} may not inspect the service")

    def hide(self, principal: Caller, place: Place) -> None:
        """Raise the error for a missing object if the principal may not know of it."""
        if self.grants.is_open or principal.is_owner:
            return
        if not self.knows(principal, place.channel):
            raise no_channel(place.channel)
        if place.proxy is not None and not self.may(principal, Verb.INSPECT, Place(place.channel)):
            raise self._channels[place.channel].no_proxy(place.proxy)


KEY_OCTETS: Final = 47
KINDS: Final = (
    "factory",
    "channel",
    "admin",
    "proxy",
    "filter",
    "mapping",
    "filter factory",
    "naming context",
    "binding iterator",
    "agent",
    "advertiser",
    "generic factory",
    "trader",
    "register",
    "link",
    "trader admin",
    "service types",
    "offer iterator",
    "offer id iterator",
    "service changes",
    "event manager",
    "publisher manager",
    "subscriber manager",
    "admin subscriber",
    "proxy subscriber",
)
"""The kinds of objects with keys; numbered by index, so append new kinds."""

_SIDES: Final = (Side.SUPPLIER, Side.CONSUMER)
"""Sides by their numbers in keys."""

_VERSION: Final = 1
_MAC_OCTETS: Final = 16
_LEAST_OCTETS: Final = 3 + _MAC_OCTETS
_LEAST_SECRET: Final = 16
# Keys of the HMAC are not shared with other uses of the same secret.
_PURPOSE: Final = b"tidings object key"


class ObjectKey(NamedTuple):
    """The content of a key: a kind of `KINDS`, ids such as (channel, proxy), and a grant id."""

    kind: str
    ids: tuple[int, ...]
    grant: int

    @classmethod
    def at(cls, place: Place, grant: int) -> ObjectKey:
        """Return the key of a channel, admin or proxy."""
        if place.proxy is not None:
            return cls("proxy", (place.channel, place.proxy), grant)
        if place.side is not None and place.admin is not None:
            return cls("admin", (place.channel, _SIDES.index(place.side), place.admin), grant)
        return cls("channel", (place.channel,), grant)

    @property
    def place(self) -> Place | None:
        """The channel, admin or proxy that it is the key of, or the channel that is advertised."""
        match self.kind, self.ids:
            case "channel" | "advertiser", (channel,):
                return Place(channel)
            case "admin", (channel, side, admin):
                return Place(channel, _SIDES[side], admin)
            case "proxy", (channel, proxy):
                return Place(channel, proxy=proxy)
        return None


class Keys:
    """Makes and reads object keys: version, grant, kind, ids, truncated HMAC-SHA256 (128 bits).

    The store's secret has at least 16 octets, else BadInput.
    """

    def __init__(self, secret: bytes) -> None:
        if len(secret) < _LEAST_SECRET:
            raise BadInput(
                f"a secret of {len(secret)} octets is too short: {_LEAST_SECRET} or more"
            )
        self._secret = hmac.digest(secret, _PURPOSE, hashlib.sha256)

    def make(self, kind: str, ids: tuple[int, ...], grant: int) -> bytes:
        """Return the key of an object, at most `KEY_OCTETS` long, else LimitExceeded."""
        if kind not in KINDS:
            raise BadInput(f"{kind!r} is no kind of object: {', '.join(KINDS)}")
        body = bytearray((_VERSION,))
        for number in (grant, KINDS.index(kind), *ids):
            _append(body, number)
        if len(body) + _MAC_OCTETS > KEY_OCTETS:
            raise LimitExceeded(f"the ids {ids} do not fit into a key of {KEY_OCTETS} octets")
        return bytes(body) + self._mac(bytes(body))

    def read(self, key: bytes) -> ObjectKey:
        """Return the content of a key, or raise Forbidden if this secret did not make it."""
        body, mac = key[:-_MAC_OCTETS], key[-_MAC_OCTETS:]
        if not _LEAST_OCTETS <= len(key) <= KEY_OCTETS or not hmac.compare_digest(
            mac, self._mac(body)
        ):
            raise Forbidden("this reference is not one of ours, or was changed: obtain a new one")
        if body[0] != _VERSION:
            raise Forbidden(f"this reference has the form {body[0]}: obtain one of form {_VERSION}")
        grant, kind, *ids = _numbers(body[1:])
        return ObjectKey(KINDS[kind], tuple(ids), grant)

    def _mac(self, body: bytes) -> bytes:
        return hmac.digest(self._secret, body, hashlib.sha256)[:_MAC_OCTETS]


def _append(body: bytearray, number: int) -> None:
    """Append a number, seven bits an octet, lowest first; the high bit says that more follow."""
    if number < 0:
        raise BadInput(f"{number} cannot be part of an object key: 0 or more")
    while number > 0x7F:
        body.append(number & 0x7F | 0x80)
        number >>= 7
    body.append(number)


def _numbers(octets: bytes) -> list[int]:
    found, number, shift = [], 0, 0
    for octet in octets:
        number |= (octet & 0x7F) << shift
        shift += 7
        if octet < 0x80:
            found.append(number)
            number, shift = 0, 0
    return found
