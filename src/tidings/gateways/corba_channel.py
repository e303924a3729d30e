"""A channel of another CORBA service: how it is found, and our admins, proxies and filters there.

Only operations of the standards: of the Notification Service, or of the Event Service alone.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from tidings import errors
from tidings.channel.vocabulary import Side
from tidings.client.transports.backoff import Patience
from tidings.client.transports.iiop.errors import told
from tidings.client.transports.iiop.kinds import other_side, servant_for
from tidings.client.transports.iiop.lines import Line
from tidings.client.transports.iiop.objects import ADMINS, Far, Objects
from tidings.client.transports.iiop.transport import object_url
from tidings.cos import CosEventChannelAdmin_auto as event_admin
from tidings.cos import CosNotifyChannelAdmin_auto as channel_admin
from tidings.cos import CosNotifyFilter_auto as filters
from tidings.cos.CosNaming_auto import NamingContext_NotFound
from tidings.cos.kinds import Kind
from tidings.cos.mapping import constraint_out
from tidings.events.reference import Reference
from tidings.filters.constraint import Constraint, constraint
from tidings.filters.filter import GRAMMAR
from tidings.names import new_origin
from tidings.orb.aio import Orb
from tidings.orb.corbaloc import parse_object_url
from tidings.orb.exceptions import CorbaError
from tidings.orb.pseudo import IS_A
from tidings.orb.stubs import Interface

log = logging.getLogger(__name__)

MOST_REFERENCE: Final = 100_000
"""Characters of a reference in a file."""
_FILE: Final = "file:"
_BARE_ADMINS: Final = {
    Side.SUPPLIER: event_admin.SupplierAdmin_INTERFACE,
    Side.CONSUMER: event_admin.ConsumerAdmin_INTERFACE,
}


def check_reference(reference: str) -> None:
    """Raise InvalidUsage unless a reference can be one; a file is read when connecting."""
    if reference.startswith(_FILE):
        return
    try:
        parse_object_url(object_url(reference))
    except CorbaError as error:
        raise errors.InvalidUsage(
            f"{reference!r:.100} is no reference of an object: {error}; "
            "IOR:…, corbaloc::HOST:PORT/KEY, corbaname::HOST:PORT#NAME and file:PATH are"
        ) from error


async def resolve(orb: Orb, reference: str) -> Reference:
    """Find an object by its reference, asking the naming service or reading a file if need be."""
    if reference.startswith(_FILE):
        place = reference.removeprefix(_FILE)
        try:
            text = await asyncio.to_thread(Path(place).read_text, encoding="ascii")
        except (OSError, UnicodeDecodeError) as error:
            raise errors.InvalidUsage(f"{place} holds no reference: {error}") from error
        reference = text[:MOST_REFERENCE].strip()
        check_reference(reference)
    try:
        return await orb.resolve(object_url(reference))
    except NamingContext_NotFound as error:
        raise errors.NotFound("the naming service has no object of this name") from error
    except CorbaError as error:
        words = "naming service there"
        raise told(error, words, "resolve", errors.NotFound, repeatable=True) from error


class Proxy(NamedTuple):
    """A proxy of ours at the channel, and our end of it."""

    far: Far
    kind: Kind
    line: Line
    key: bytes


_MADE: Final[dict[object, dict[Far, str]]] = {}


def made_by(owner: object) -> dict[Far, str]:
    """Return what somebody in this process has made and not ended, with what ends it.

    A service that is away when its client leaves may have it still when it comes back.
    """
    return _MADE.setdefault(owner, {})


def ended(proxy: Proxy) -> str:
    """Say that a proxy is gone."""
    return f"the service has ended our {proxy.far.words}"


class Channel:
    """A channel, and what we have made there.

    Attributes:
        objects: Calls objects.
        proxies: Our proxies.
    """

    def __init__(
        self, orb: Orb, objects: Objects, far: Far, made: dict[Far, str], *, own_admins: bool
    ) -> None:
        self.objects = objects
        self.proxies: list[Proxy] = []
        self._orb = orb
        self._far = far
        self._own_admins = own_admins
        self._bare = far.interface is event_admin.EventChannel_INTERFACE
        self._admins: dict[Side, Far] = {}
        self._made = made

    @classmethod
    async def open(
        cls,
        orb: Orb,
        reference: Reference,
        id: int | None,
        *,
        bare: bool,
        own_admins: bool,
        made: dict[Far, str],
    ) -> Channel:
        """Find a channel by its reference, or by its factory's and its id; end what is left there.

        `made` is that of `made_by`.
        """
        objects = Objects(orb, reference, Patience(0))
        if id is not None:
            try:
                reference = await objects.factory("get_event_channel", id)
            except errors.ChannelNotFound as error:
                raise errors.ChannelNotFound(f"the factory has no channel {id}") from error
        module = event_admin if bare else channel_admin
        interface: Interface = vars(module)["EventChannel_INTERFACE"]
        far = Far("object with this reference", reference, interface, errors.Unreachable)
        if not await objects.call(far, IS_A, interface.id):
            raise errors.InvalidUsage(
                f"the object is no {interface.name}"
                f"{f', but a {reference.type_id}' if reference.type_id else ''}: give the reference"
                " of a channel, or that of a factory and channel, the id; model says of which"
                " service"
            )
        channel = cls(orb, objects, far, made, own_admins=own_admins)
        await channel.close()
        return channel

    async def call(self, far: Far, operation: str, *arguments: object) -> Any:  # noqa: ANN401
        """Call an operation of an object; errors are ours."""
        return await self.objects.call(far, operation, *arguments)

    async def _admin(self, side: Side) -> Far:
        """Return the admin of a side."""
        known = self._admins.get(side)
        if known is not None:
            return known
        interface = ADMINS[side]
        if self._bare:
            interface = _BARE_ADMINS[side]
            found = await self.call(self._far, f"for_{side.value}s")
        elif self._own_admins:
            both = channel_admin.InterFilterGroupOperator.AND_OP
            found, _ = await self.call(self._far, f"new_for_{side.value}s", both)
        else:
            found = await self.call(self._far, f"_get_default_{side.value}_admin")
        admin = Far(f"{side.value} admin", found, interface, errors.AdminNotFound)
        if self._own_admins:
            self._made[admin] = "destroy"
        self._admins[side] = admin
        return admin

    async def obtain(self, kind: Kind, line: Line) -> Proxy:
        """Have a proxy made; connect it with `join`."""
        admin = await self._admin(kind.side)
        what = f"{kind.style.value}_{other_side(kind.side).value}"
        if self._bare:
            reference = await self.call(admin, f"obtain_{what}")
        else:
            wanted = list(channel_admin.ClientType)[kind.form]
            reference, _ = await self.call(admin, f"obtain_notification_{what}", wanted)
        words = f"proxy {what.replace('_', ' ')}"
        far = Far(words, reference, kind.proxy, errors.ProxyNotFound)
        self._made[far] = _one(kind.proxy, "disconnect_")
        proxy = Proxy(far, kind, line, new_origin().encode())
        self.proxies.append(proxy)
        return proxy

    async def join(self, proxy: Proxy) -> None:
        """Connect our end with a proxy."""
        servant = servant_for(proxy.kind.client, proxy.line)
        reference = self._orb.activate(servant, proxy.key)
        await self.call(proxy.far, _one(proxy.kind.proxy, "connect_"), reference)

    async def end(self, proxy: Proxy) -> None:
        """End a proxy; nothing comes through it any more, even if the channel does not answer."""
        self.proxies.remove(proxy)
        proxy.line.close()
        try:
            await self.destroy(proxy.far)
        finally:
            self._orb.deactivate(proxy.key)

    async def destroy(self, far: Far) -> None:
        """End an object of ours; whatever the service says of it, it has had its chance."""
        try:
            await self.call(far, self._made[far])
        except errors.Unreachable:
            raise
        except errors.TidingsError as error:
            log.info("the %s has ended otherwise: %s", far.words, error)
        del self._made[far]

    async def missing(self) -> str:
        """Say which proxy the service has ended; empty if none."""
        for proxy in tuple(self.proxies):
            if await self.objects.is_gone(proxy.far) and proxy in self.proxies:
                return ended(proxy)
        return ""

    async def close(self) -> None:
        """End what we have made, the latest first."""
        for proxy in tuple(self.proxies):
            await self.end(proxy)
        for far in reversed(tuple(self._made)):
            await self.destroy(far)

    async def new_filter(self) -> Far:
        """Make a filter object; InvalidGrammar if the service lacks our language."""
        factory = Far(
            "factory of filters",
            await self.call(self._far, "_get_default_filter_factory"),
            filters.FilterFactory_INTERFACE,
            errors.Unreachable,
        )
        found = await self.call(factory, "create_filter", GRAMMAR)
        far = Far("filter", found, filters.Filter_INTERFACE, errors.FilterNotFound)
        self._made[far] = "destroy"
        return far


def _one(interface: Interface, begin: str) -> str:
    """Return the name of the one operation of a proxy that begins so."""
    [name] = [name for name in interface.operations if name.startswith(begin)]
    return name


_ALL: Final = constraint("TRUE")


class PlacedFilter:
    """A filter object at a proxy; it changes while events flow, and none is missed.

    Attributes:
        why: Why a constraint may be placed as a wider one.
    """

    def __init__(self, channel: Channel) -> None:
        self.why = "the service does not take this constraint"
        self._channel = channel
        self._far: Far | None = None
        self._placed: dict[Constraint, _Placed] = {}

    async def attach(self, proxy: Proxy) -> None:
        """Make the filter object for a proxy; without one if the service lacks our grammar."""
        try:
            self._far = await self._channel.new_filter()
        except errors.InvalidGrammar:
            self.why = f"the service does not speak {GRAMMAR}"
            return
        await self._channel.call(proxy.far, "add_filter", self._far.reference)

    async def change(self, wanted: Sequence[Constraint]) -> list[Constraint]:
        """Let pass what matches any of these; return what is placed for each, perhaps a wider one.

        The new ones are added before others are removed.
        """
        if self._far is None:
            return [_ALL for _ in wanted]
        added: dict[Constraint, _Placed] = {}
        try:
            for one in wanted:
                if one not in self._placed and one not in added:
                    added[one] = await self._add(self._far, one)
        except errors.TidingsError:
            with suppress(errors.TidingsError):
                await self._remove(self._far, added)
            raise
        old = {one: found for one, found in self._placed.items() if one not in wanted}
        self._placed |= added
        await self._remove(self._far, old)
        for one in old:
            del self._placed[one]
        return [self._placed[one].constraint for one in wanted]

    async def _remove(self, far: Far, old: Mapping[Constraint, _Placed]) -> None:
        ids = [id for found in old.values() for id in found.ids]
        if ids:
            await self._channel.call(far, "modify_constraints", ids, ())

    async def _add(self, far: Far, wanted: Constraint) -> _Placed:
        """Add a constraint, or what of it the service takes: its event types, or nothing."""
        wider = (constraint("TRUE", wanted.event_types), _ALL)
        for tried in (wanted, *wider[0 if wanted.event_types else 1 :]):
            try:
                found = await self._channel.call(far, "add_constraints", [constraint_out(tried)])
            except errors.InvalidConstraint:
                continue
            return _Placed([one.constraint_id for one in found], tried)
        raise errors.InvalidConstraint("the service takes no constraint at all", wanted.text)

    async def close(self) -> None:
        """Destroy the filter object."""
        if self._far is not None:
            await self._channel.destroy(self._far)


class _Placed(NamedTuple):
    """A constraint of the filter object, and its ids there."""

    ids: Sequence[int]
    constraint: Constraint
