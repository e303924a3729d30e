"""The service as CORBA clients see it: which object a key names, and which reference an object has.

Servants hold no state. One is made for each request from what its object key says: the kind, the
ids, and the grant under which the reference was given out. What is reached from an object by
navigation has the same grant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Final

from tidings.engine.access import OWNER, Grant, Keys, ObjectKey
from tidings.errors import Forbidden
from tidings.events.reference import Reference
from tidings.orb.bounded_cache import BoundedCache
from tidings.orb.ior import profile_of
from tidings.servants.callbacks import FilterCallbacks
from tidings.servants.calls import ClientOptions
from tidings.servants.clients import Clients
from tidings.servants.derived import DerivedOperations
from tidings.servants.door import GatheringDoor

if TYPE_CHECKING:
    from tidings.engine.host import Host
    from tidings.orb.aio.orb import Orb
    from tidings.orb.stubs import Interface, Servant

# Characters of a plain key that are told; a client can put anything there.
_LONGEST_WORDS: Final = 100

NIL: Final = Reference()


@dataclass(frozen=True, slots=True)
class ObjectServant(DerivedOperations):
    """What every servant of the service knows.

    Attributes:
        service: Makes the references of other objects.
        door: The host, as the grant's principal may use it.
        key: What this object's key says.
    """

    service: CorbaService
    door: GatheringDoor
    key: ObjectKey

    # Given by the generated base class of every servant.
    INTERFACE: ClassVar[Interface]

    def reference(self, kind: str, ids: tuple[int, ...], interface: Interface) -> Reference:
        """The reference of another object, under the same grant as this one."""
        return self.service.reference(ObjectKey(kind, ids, self.key.grant), interface)


ServantMaker = Callable[["CorbaService", GatheringDoor, ObjectKey], "Servant | None"]
"""Makes the servant for a key; None if there is no such object now."""


@dataclass(slots=True)
class CorbaService:
    """The objects of one host.

    Attributes:
        host: The channels.
        orb: Where requests come from, and through which clients are called.
        keys: Makes and reads object keys.
        makers: By kind of object (`engine.access.KINDS`), who makes its servants.
        well_known: Plain keys, such as `NameService`, and what they stand for.
        open_well_known: Whether callers of other machines may use plain keys.
        grants: By id, on whose behalf a reference is used; 0 is the owner of the service.
        client_options: How clients are called.
        clients: Those who are connected to proxies.
        callbacks: Those who are told when filters ask for other event types.
    """

    host: Host
    orb: Orb
    keys: Keys
    makers: Mapping[str, ServantMaker]
    well_known: dict[bytes, ObjectKey] = field(default_factory=dict)
    open_well_known: bool = False
    grants: dict[int, Grant] = field(default_factory=lambda: {0: Grant(0, OWNER)})
    client_options: ClientOptions = field(default_factory=ClientOptions)
    clients: Clients = field(init=False)
    callbacks: FilterCallbacks = field(init=False)
    _doors: dict[int, tuple[Grant, GatheringDoor]] = field(default_factory=dict)
    # Keys that were found to be ours: to find that out takes as long as to read a small event.
    _read: BoundedCache[bytes, ObjectKey] = field(default_factory=lambda: BoundedCache(4096))

    def __post_init__(self) -> None:
        self.clients = Clients(self.host, self.orb, self.client_options, self.own_key)
        self.callbacks = FilterCallbacks(self.orb, self.host.filters.filters.__contains__)
        self.host.watch_filters(self.callbacks.tell)

    def find(self, octets: bytes) -> Servant | None:
        """The servant for an object key: what the ORB asks for each request."""
        key = self._read.get(octets)
        if key is None:
            try:
                key = self.keys.read(octets)
            except Forbidden:
                return self.find_near(octets) if self.open_well_known else None
            self._read.keep(octets, key)
        return self._servant(key)

    def find_near(self, octets: bytes) -> Servant | None:
        """The servant for a plain key: what callers on this machine may use besides.

        The name of a channel is a plain key, too.
        """
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
        if maker is None or door is None:
            return None
        return maker(self, door, key)

    def reference(self, key: ObjectKey, interface: Interface) -> Reference:
        """The reference of an object, whose type says everything it can do."""
        return self.orb.reference(self.keys.make(key.kind, key.ids, key.grant), interface)

    def own_key(self, reference: Reference) -> ObjectKey | None:
        """What the key of one of our own references says; None for a reference of others."""
        profile = profile_of(reference)
        if profile is None:
            return None
        try:
            return self.keys.read(bytes(profile.key))
        except Forbidden:
            return None

    def words(self, octets: bytes) -> str:
        """What an object key stands for, in words; channels and proxies by the names they have."""
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
        """The host as the principal of a grant may use it; None for a grant that is no more."""
        given = self.grants.get(grant)
        if given is None:
            self._doors.pop(grant, None)
            return None
        known = self._doors.get(grant)
        if known is None or known[0] is not given:  # a grant may have become somebody else's
            door = GatheringDoor(self.host, given.principal, self.clients.heard)
            known = self._doors[grant] = (given, door)
        return known[1]
