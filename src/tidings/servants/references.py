"""References that carry a grant: who uses them, what they lead to, and how they end.

A key names a credential of the grants, which says whose it is and the object it was issued for.
What is reached from there has the same credential in its key, and nothing else can be reached with
it: keys of other objects are not made, and are not served.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from tidings.channel.vocabulary import Place
from tidings.engine.access import Caller, FilterId, ObjectKey
from tidings.engine.references import place_of
from tidings.errors import Forbidden
from tidings.grants.model import CredentialKind, Verb
from tidings.servants.door import IIOP

if TYPE_CHECKING:
    from tidings.channel.channel import Channel
    from tidings.engine.host import Host

_FILTERS: Final = frozenset(("filter", "mapping"))
_CHANNELS: Final = _FILTERS | {"channel", "admin", "proxy", "filter factory"}
_TRADER: Final = frozenset(
    ("trader", "register", "link", "trader admin", "service types", "offer iterator")
) | {"offer id iterator"}
_CHANGES: Final = frozenset(
    ("service changes", "event manager", "publisher manager", "subscriber manager")
) | {"admin subscriber", "proxy subscriber"}
_KINDS: Final[Mapping[str, frozenset[str]]] = {
    "agent": _CHANNELS | _TRADER | _CHANGES | {"factory", "agent"},
    "factory": _CHANNELS | {"factory"},
    "channel": _CHANNELS,
    "admin": frozenset(("admin", "proxy")),
    "proxy": frozenset(("proxy",)),
    "trader": _TRADER,
}
"""The kinds of objects that a reference leads to, by the kind of object it was issued for."""


LEADING: Final = frozenset(_KINDS)
"""The kinds of objects that a reference can be issued for."""


class Issued(NamedTuple):
    """A reference that was issued: whom it stands for, and the kinds of objects it leads to."""

    caller: Caller
    kinds: frozenset[str]
    target: str


@dataclass(slots=True)
class References:
    """The references that were issued for principals of one host."""

    host: Host
    _known: dict[int, Issued] = field(default_factory=dict)

    def find(self, number: int) -> Issued | None:
        """Return a reference that can be used now, by the number of its credential."""
        grants, now = self.host.access.grants, self.host.time()
        credential = grants.credential(number, now)
        if credential is None or credential.kind is not CredentialKind.REFERENCE:
            return None
        grants.note_login(number, now)
        known = self._known.get(number)
        if known is None:
            target = credential.digest
            caller = Caller(
                credential.principal, scope=place_of(target), credential=number, door=IIOP
            )
            kinds = _KINDS[key_of(target, number).kind]
            known = self._known[number] = Issued(caller, kinds, target)
        return known

    def forget(self, numbers: Iterable[int]) -> None:
        """Forget references that have ended."""
        for number in numbers:
            self._known.pop(number, None)

    def check_leads_to(self, key: ObjectKey) -> None:
        """Raise Forbidden if the credential in a key does not lead to its object."""
        issued = self.find(key.grant)
        if issued is not None and not self.leads_to(issued, key):
            raise Forbidden(f"this reference leads to {issued.target}, and to nothing beside it")

    def leads_to(self, issued: Issued, key: ObjectKey) -> bool:
        """Return whether a reference leads to an object."""
        place, scope = key.place, issued.caller.scope
        within = scope is None or place is None or self.host.access.contains(scope, place)
        return key.kind in issued.kinds and within

    def is_hidden(self, caller: Caller, key: ObjectKey) -> bool:
        """Return whether the object of a key is to a caller as one that does not exist."""
        place, access = key.place, self.host.access
        if access.grants.is_open or caller.is_owner:
            return False
        if key.kind in _FILTERS:
            filter = self.host.filters.filters.get(key.ids[0])
            owner = "" if filter is None else filter.owner
            return not access.may(caller, Verb.INSPECT, FilterId(key.ids[0]), owner)
        if place is None:
            return False
        channel = self.host.channels.get(place.channel)
        if channel is None or not access.knows(caller, channel.id):
            return True
        return place.proxy is not None and not self._sees(caller, channel, place.proxy)

    def _sees(self, caller: Caller, channel: Channel, id: int) -> bool:
        proxy = channel.proxies.get(id)
        if proxy is None:
            return False
        place = Place(channel.id, proxy.side, proxy=id)
        return self.host.access.may(caller, Verb.INSPECT, place, proxy.owner)


def key_of(target: str, credential: int) -> ObjectKey:
    """Return the key of the object that a reference is issued for."""
    place = place_of(target)
    return ObjectKey(target, (), credential) if place is None else ObjectKey.at(place, credential)
