"""The service as CORBA clients see it: servants by object key, and references of objects.

Servants hold no state. One is created per request from its object key: the kind, the ids, and the
grant under which the reference was issued. Objects reached by navigation have the same grant.
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
from tidings.servants.changes import FilterCallbacks
from tidings.servants.clients import Clients
from tidings.servants.door import GatheringDoor
from tidings.servants.endpoints import ClientOptions
from tidings.servants.operations import DerivedOperations

if TYPE_CHECKING:
    from tidings.engine.host import Host
    from tidings.orb.aio.orb import Orb
    from tidings.orb.stubs import Interface, Servant

# Most characters of a plain key in messages; a client can put anything there.
_LONGEST_WORDS: Final = 100

NIL: Final = Reference()


@dataclass(frozen=True, slots=True)
class ObjectServant(DerivedOperations):
    """Base of all servants; `door` is the host as the grant's principal may use it."""

    service: CorbaService
    door: GatheringDoor
    key: ObjectKey

    # Set by the generated base class of every servant.
    INTERFACE: ClassVar[Interface]

    def reference(self, kind: str, ids: tuple[int, ...], interface: Interface) -> Reference:
        """Return the reference of another object under the same grant."""
        return self.service.reference(ObjectKey(kind, ids, self.key.grant), interface)


ServantMaker = Callable[["CorbaService", GatheringDoor, ObjectKey], "Servant | None"]
"""Creates the servant for a key; returns None if there is no such object now."""


OWNERS: Final = 0
"""The grant of references that the service hands out by itself: of its owner, until grants are
enforced, and then of nobody."""


@dataclass(slots=True)
class CorbaService:
    """The objects of one host.

    `makers` are by kind of object (`engine.access.KINDS`), `well_known` by plain key such as
    `NameService`, which `open_well_known` opens to other machines. Grant 0 is the service's owner.
    """

    host: Host
    orb: Orb
    keys: Keys
    makers: Mapping[str, ServantMaker]
    well_known: dict[bytes, ObjectKey] = field(default_factory=dict)
    open_well_known: bool = False
    grants: dict[int, Grant] = field(default_factory=lambda: {OWNERS: Grant(OWNERS, OWNER)})
    client_options: ClientOptions = field(default_factory=ClientOptions)
    clients: Clients = field(init=False)
    callbacks: FilterCallbacks = field(init=False)
    _doors: dict[int, tuple[Grant, GatheringDoor]] = field(default_factory=dict)
    # Verified keys: verifying one takes as long as decoding a small event.
    _read: BoundedCache[bytes, ObjectKey] = field(default_factory=lambda: BoundedCache(4096))

    def __post_init__(self) -> None:
        self.clients = Clients(self.host, self.orb, self.client_options, self.own_key)
        self.callbacks = FilterCallbacks(self.orb, self.host.filters.filters.__contains__)
        self.host.watch_filters(self.callbacks.tell)

    def find(self, octets: bytes) -> Servant | None:
        """Return the servant for an object key, once per request of the ORB."""
        key = self._read.get(octets)
        if key is None:
            try:
                key = self.keys.read(octets)
            except Forbidden:
                return self.find_near(octets) if self.open_well_known else None
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
        if maker is None or door is None:
            return None
        return maker(self, door, key)

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
        given = self.grants.get(grant)
        if grant == OWNERS and not self.host.access.grants.is_open:
            given = None  # a reference that was handed to anybody leads nowhere now
        if given is None:
            self._doors.pop(grant, None)
            return None
        known = self._doors.get(grant)
        if known is None or known[0] is not given:  # the grant may have changed hands
            door = GatheringDoor(self.host, given.principal, self.clients.heard)
            known = self._doors[grant] = (given, door)
        return known[1]
