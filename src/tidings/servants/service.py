"""The service as CORBA clients see it: servants by object key, and references of objects.

Servants hold no state. One is created per request from its object key: the kind, the ids, and the
grant under which the reference was issued. Objects reached by navigation have the same grant.
`references.py` has the grants of principals; grant 0 is of references that say not who calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, Final

from tidings.admission import is_loopback
from tidings.changes.requests import SubscriberDisconnected
from tidings.engine.access import ANONYMOUS, OWNER, Caller, Grant, Keys, Object, ObjectKey
from tidings.engine.operation_log import AUTHENTICATE
from tidings.errors import Forbidden, NotFound
from tidings.events.reference import Reference
from tidings.grants.core import AccessChanged
from tidings.grants.model import Verb
from tidings.orb.aio.targets import caller as peer_address
from tidings.orb.bounded_cache import BoundedCache
from tidings.orb.ior import profile_of, to_ior
from tidings.servants.certificates import Certificates
from tidings.servants.changes import FilterCallbacks
from tidings.servants.clients import Clients
from tidings.servants.door import IIOP, GatheringDoor
from tidings.servants.endpoints import ClientOptions
from tidings.servants.linked_traders import LinkedTraders
from tidings.servants.operations import DerivedOperations
from tidings.servants.references import References, key_of

if TYPE_CHECKING:
    from tidings.engine.host import Host
    from tidings.orb.aio.orb import Orb
    from tidings.orb.stubs import Interface, Servant

# Most characters of a plain key in messages; a client can put anything there.
_LONGEST_WORDS: Final = 100

NIL: Final = Reference()


@dataclass(slots=True, eq=False)
class ObjectServant(DerivedOperations):
    """Base of all servants; `door` is the host as the grant's principal may use it."""

    service: CorbaService
    door: GatheringDoor
    key: ObjectKey

    # Set by the generated base class of every servant.
    INTERFACE: ClassVar[Interface]

    def reference(self, kind: str, ids: tuple[int, ...], interface: Interface) -> Reference:
        """Return the reference of another object under the same grant.

        Raises:
            Forbidden: The reference that the client began with does not lead there.
        """
        key = ObjectKey(kind, ids, self.key.grant)
        self.service.references.check_leads_to(key)
        return self.service.reference(key, interface)

    def require_known(self) -> None:
        """Where grants decide, refuse those who are no principal: they are told nothing."""
        self.service.host.access.require_known(self.door.principal, None)


ServantMaker = Callable[["CorbaService", GatheringDoor, ObjectKey], "Servant | None"]
"""Creates the servant for a key; returns None if there is no such object now."""


OWNERS: Final = 0
"""The grant of references that the service hands out by itself: of its owner, until grants decide,
and then of anonymous callers."""


@dataclass(slots=True)
class CorbaService:
    """The objects of one host.

    `makers` are by kind of object (`engine.access.KINDS`), `well_known` by plain key such as
    `NameService`, which `open_well_known` opens to other machines. Grant 0 is the service's owner;
    with `open_loopback` it stays the owner's on this machine when grants decide.
    """

    host: Host
    orb: Orb
    keys: Keys
    makers: Mapping[str, ServantMaker]
    well_known: dict[bytes, ObjectKey] = field(default_factory=dict)
    open_well_known: bool = False
    open_loopback: bool = False
    grants: dict[int, Grant] = field(default_factory=lambda: {OWNERS: Grant(OWNERS, OWNER)})
    client_options: ClientOptions = field(default_factory=ClientOptions)
    certificates: Certificates = field(init=False)
    clients: Clients = field(init=False)
    callbacks: FilterCallbacks = field(init=False)
    references: References = field(init=False)
    traders: LinkedTraders = field(init=False)
    _doors: dict[tuple[int, str, int | None], GatheringDoor] = field(default_factory=dict)
    # Objects that a caller may know of, and the version of the grants that say so.
    _shown: BoundedCache[tuple[ObjectKey, str], int] = field(
        default_factory=lambda: BoundedCache(4096)
    )
    # Verified keys: verifying one takes as long as decoding a small event.
    _read: BoundedCache[bytes, ObjectKey] = field(default_factory=lambda: BoundedCache(4096))

    def __post_init__(self) -> None:
        self.certificates = Certificates(self.host, self.orb)
        self.references = References(self.host)
        self.host.issue_reference = self.issue
        self.traders = LinkedTraders(self.orb, self.orb.options)
        self.host.others = self.traders
        self.clients = Clients(
            self.host, self.orb, self.client_options, self.own_key, self.may_still
        )
        self.callbacks = FilterCallbacks(self.orb, self.host.filters.filters.__contains__)
        self.host.watch_filters(self.callbacks.tell)
        self.host.on_effect(AccessChanged, self._end_forbidden)
        self.host.on_effect(SubscriberDisconnected, self.clients.release_subscriber)

    def find(self, octets: bytes) -> Servant | None:
        """Return the servant for an object key, once per request of the ORB."""
        key = self._read.get(octets)
        if key is None:
            try:
                key = self.keys.read(octets)
            except Forbidden as error:
                known = self.open_well_known or self.certificates.caller() is not None
                if octets not in self.well_known and self._named(octets) is None:
                    stranger = replace(ANONYMOUS, door=IIOP, peer=peer_address.get())
                    self.host.operations.refuse(stranger, AUTHENTICATE, error)
                return self.find_near(octets) if known else None
            self._read.keep(octets, key)
        return self._servant(key)

    def find_near(self, octets: bytes) -> Servant | None:
        """Return the servant for a plain key or channel name; for callers on this machine."""
        key = self.well_known.get(octets) or self._named(octets)
        return None if key is None else self._servant(key)

    def _named(self, octets: bytes) -> ObjectKey | None:
        name = octets.decode("utf-8", "replace")
        for channel in self.host.channels.values():
            if name and channel.name == name:
                return ObjectKey("channel", (channel.id,), 0)
        return None

    def _servant(self, key: ObjectKey) -> Servant | None:
        maker, door = self.makers.get(key.kind), self.door(key.grant)
        if maker is None or door is None or not self._shows(door.principal, key):
            return None
        return maker(self, door, key)

    def _shows(self, caller: Caller, key: ObjectKey) -> bool:
        """Return whether a caller may know of an object, and has a reference that leads to it."""
        grants, own = self.host.access.grants, key.grant in self.grants
        if own and grants.is_open:
            return True
        version = grants.version
        if self._shown.get((key, caller.name)) == version:
            return True
        issued = None if own else self.references.find(key.grant)
        if issued is not None and not self.references.leads_to(issued, key):
            return False
        if self.references.is_hidden(caller, key):
            return False
        self._shown.keep((key, caller.name), version)
        return True

    def issue(self, target: str, credential: int) -> str:
        """Return a reference that carries a credential, to what was named by `leads_to`."""
        key = key_of(target, credential)
        door = self.door(credential)
        servant = None if door is None else self.makers[key.kind](self, door, key)
        if servant is None:
            raise NotFound(f"there is no {target} any more")
        return to_ior(self.reference(key, servant.INTERFACE))

    def reference(self, key: ObjectKey, interface: Interface) -> Reference:
        """Return the reference of an object, with its most derived type."""
        return self.orb.reference(self.keys.make(key.kind, key.ids, key.grant), interface)

    def own_key(self, reference: Reference) -> ObjectKey | None:
        """Return the key of one of our own references, or None for others."""
        profile = profile_of(reference)
        if profile is None:
            return None
        try:
            return self.keys.read(bytes(profile.key))
        except Forbidden:
            return None

    def words(self, octets: bytes) -> str:
        """Describe an object key, with channels and proxies by name."""
        try:
            key = self._read.get(octets) or self.keys.read(octets)
        except Forbidden:
            return octets.decode("utf-8", "replace")[:_LONGEST_WORDS]
        if key.kind not in ("channel", "admin", "proxy") or not key.ids:
            return " ".join([key.kind, *map(str, key.ids)])
        channel = self.host.channels.get(key.ids[0])
        told = f"channel {channel.name if channel and channel.name else key.ids[0]}"
        if key.kind == "channel":
            return told
        id = key.ids[-1]
        found = channel.proxies.get(id) if channel and key.kind == "proxy" else None
        return f"{key.kind} {found.name if found and found.name else id} of {told}"

    def door(self, grant: int) -> GatheringDoor | None:
        """Return the host as a grant's principal may use it, or None if the grant is gone."""
        certified = self.certificates.caller() if grant == OWNERS else None
        caller = certified or self._caller(grant, peer_address.get())
        if caller is None:
            return None
        key = (grant, caller.name, caller.credential)
        known = self._doors.get(key)
        if known is None or known.principal is not caller:  # the grant may have changed hands
            known = self._doors[key] = GatheringDoor(self.host, caller, self.clients.heard)
        return known

    def _caller(self, grant: int, peer: str) -> Caller | None:
        """Return whom a grant stands for now, when it is used from an address."""
        given = self.grants.get(grant)
        if given is None:
            issued = self.references.find(grant)
            return None if issued is None else issued.caller
        if grant != OWNERS or self.host.access.grants.is_open:
            return given.principal
        return OWNER if self.open_loopback and is_loopback(peer) else ANONYMOUS

    def may_still(self, caller: Caller, verb: Verb, target: Object, owner: str = "") -> bool:
        """Return whether a caller of before may do something that it has begun."""
        access, number = self.host.access, caller.credential
        now = self._caller(OWNERS, caller.peer) if caller.is_owner else caller
        if number is not None and access.grants.credential(number, self.host.time()) is None:
            return False
        return now is not None and access.may(now, verb, target, owner)

    def _end_forbidden(self, changed: AccessChanged) -> None:
        """End what was begun by callers that may do less than before."""
        ended = changed.credentials
        for known in [one for one in self._doors if one[0] in ended or one[2] in ended]:
            del self._doors[known]
        self.references.forget(ended)
        self.clients.end_forbidden(changed)
        self.callbacks.end_forbidden(changed, self.may_still, self.host.filters.filters)
