"""Clients of proxies: connecting, reconnecting after a restart, and health checks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias
from weakref import WeakValueDictionary

from tidings.changes.requests import SubscriberDisconnected
from tidings.channel.holders import Proxy
from tidings.channel.management import Connect, Detach, Resume, Suspend
from tidings.channel.vocabulary import Form, Place, Style
from tidings.cos import CosEventChannelAdmin_auto as event_admin
from tidings.cos import CosEventComm_auto as event_comm
from tidings.cos import CosNotifyChannelAdmin_auto as channel_admin
from tidings.cos import CosNotifyComm_auto as comm
from tidings.cos import scncomm_auto as scncomm
from tidings.cos.change_notices import SUBSCRIBER_KINDS
from tidings.cos.kinds import Kind, kind_of
from tidings.engine.access import OWNER, Caller, Object
from tidings.errors import Forbidden, NotFound, TidingsError, WrongClient
from tidings.events.reference import Reference
from tidings.grants.core import AccessChanged
from tidings.grants.model import Verb
from tidings.orb.exceptions import SystemException
from tidings.orb.ior import from_ior, is_nil, to_ior
from tidings.orb.pseudo import IS_A
from tidings.orb.stubs import Interface
from tidings.servants.door import IIOP, GatheringDoor
from tidings.servants.endpoints import Calls, ClientEndpoint, ClientOptions, Seat, endpoint_for
from tidings.servants.loops import Loops
from tidings.servants.probing import Probing

if TYPE_CHECKING:
    from tidings.engine.access import ObjectKey
    from tidings.engine.host import Host
    from tidings.orb.aio.orb import Orb

_log: Final = logging.getLogger(__name__)

MayStill: TypeAlias = Callable[[Caller, Verb, Object, str], bool]
"""Whether a caller of before may do something to an object of an owner."""

_IOR: Final = "IOR:"
# Between a reference, the address it came from, who gave it, and the dialect of its kind; old
# journals lack the latter two.
_GIVEN_BY: Final = "#"
# Seconds between checks whether the last calls have ended.
_LOOK_AGAIN: Final = 0.005


# All standard interfaces a client can have; proxies of other channels are clients, too.
_KNOWN: Final[dict[str, Interface]] = {
    found.id: found
    for module in (event_comm, event_admin, comm, channel_admin, scncomm)
    for found in vars(module).values()
    if isinstance(found, Interface)
}


class Clients:
    """The CORBA clients of one host; `own_key` returns the key of this service's references.

    `may_still` tells whether a caller of before may do something to an object of an owner.
    """

    def __init__(
        self,
        host: Host,
        orb: Orb,
        options: ClientOptions,
        own_key: Callable[[Reference], ObjectKey | None],
        may_still: MayStill,
    ) -> None:
        self.heard: dict[tuple[int, int], float] = {}
        """Loop time of each client's last push or pull, by channel and proxy."""
        self._host = host
        self._options = options
        self._may_still = may_still
        self._calls = Calls(orb, options)
        self.events = self._calls.events
        """Encodings of events, shared between consumers."""
        self.loops = Loops(host, own_key)
        """Detection of channels that feed each other."""
        self._probing = Probing(host, self._calls, self.heard)
        self._reading: WeakValueDictionary[tuple[int, ...], asyncio.Lock] = WeakValueDictionary()

    def reading(self, proxy: tuple[int, ...]) -> asyncio.Lock:
        """Return the lock that keeps the events of a proxy in order while they are decoded."""
        return self._reading.setdefault(proxy, asyncio.Lock())

    async def connect(
        self, door: GatheringDoor, channel: int, proxy: int, kind: Kind, client: Reference
    ) -> None:
        """Connect a client to a proxy; check permissions before calling the client.

        Raises:
            WrongClient: The client says it is of another kind than the proxy serves.
            InvalidUsage: The reference is nil and the client must be called; or events would loop.
            NO_PERMISSION: The service may not connect to the client's address.
        """
        if is_nil(client):
            await door.connect(Connect(channel, proxy, reachable=False, notices=False), None)
            return
        who = door.caller
        given_by = who.peer
        again = self._was_cut_off(channel, proxy)
        command = self._command(channel, proxy, kind, client, who, again=again)
        door.check(command)  # before any call to an address that the client chose
        self.loops.check(channel, kind, client)
        if kind.transfer is not None:
            await self._calls.orb.admit(client)
            await self._check(kind, client)
        elif given_by:
            self._calls.orb.trust(client, given_by)
        await door.connect(command, self._endpoint(channel, proxy, kind, client))
        self.loops.note(channel, proxy, kind, client)
        self._probing.start()

    def _command(
        self,
        channel: int,
        proxy: int,
        kind: Kind,
        client: Reference,
        who: Caller,
        *,
        again: bool,
    ) -> Connect:
        """Return the command that connects a client, with what finds it again after a restart."""
        dialect = (kind.dialect,) if kind.dialect else ()
        return Connect(
            channel,
            proxy,
            notices=_can_be_told(kind, client),
            window=self._window(channel, proxy),
            address=_GIVEN_BY.join((to_ior(client), who.peer, _words(who), *dialect)),
            again=again,
        )

    async def connect_subscriber(
        self, channel: int, proxy: int, kind: Kind, client: Reference, peer: str
    ) -> None:
        """Connect a subscriber of change notices, in the place of one that was there before.

        It may do what the owner of its subscription may. A nil client is never called.

        Raises:
            WrongClient: The client says it is of another kind than the proxy serves.
            InvalidUsage: The reference is nil and the client must be called.
            NO_PERMISSION: The service may not connect to the client's address.
        """
        found = self._host.channels.find(channel).proxy(proxy)
        if is_nil(client):
            nil = Connect(channel, proxy, reachable=False, notices=False, again=True)
            await self._host.connect(nil, None)
            return
        await self._calls.orb.admit(client)
        await self._check(kind, client)
        who = _caller_in(found.owner, peer)
        command = self._command(channel, proxy, kind, client, who, again=True)
        endpoint = self._endpoint(channel, proxy, kind, client)
        await self._host.connect(command, endpoint, connected_by=who)
        if found.suspended:
            await self._host.ask(Resume(channel, proxy))
        self._probing.start()

    def release_subscriber(self, told: SubscriberDisconnected) -> None:
        """Call a subscriber no more, also after a restart; its notices wait."""
        for channel in self._host.channels.values():
            id = channel.names.get(told.subscription) if channel.name == told.channel else None
            if id is None or (endpoint := self.reached(channel.id, id)) is None:
                continue
            endpoint.close()
            found = channel.proxies[id]
            pushes = found.style is Style.PUSH
            if pushes and not found.suspended:
                self._host.tell(Suspend(channel.id, id))
            nobody = Connect(channel.id, id, reachable=pushes, notices=False, again=True)
            self._host.tell(nobody)

    def _window(self, channel: int, proxy: int) -> int:
        """Return how many events to queue ahead: the window, at most MaxEventsPerConsumer."""
        qos = self._host.channels.find(channel).proxy(proxy).qos
        return min(self._options.window, qos.max_events_per_consumer or self._options.window)

    def _was_cut_off(self, channel: int, proxy: int) -> bool:
        """Return whether a client is connected that is not called any more: another may follow."""
        found = self._host.channels.find(channel).proxy(proxy)
        return found.connected and found.reachable and not found.attached

    def _endpoint(self, channel: int, proxy: int, kind: Kind, client: Reference) -> ClientEndpoint:
        return endpoint_for(self._calls, kind, client, Seat(self._host, channel, proxy))

    async def _check(self, kind: Kind, client: Reference) -> None:
        """Refuse a client of another kind; accept one that cannot be asked."""
        if kind.form is Form.ANY:  # anys allow plain Event Service clients
            kind = kind_of(kind.side, kind.style, kind.form, bare=True)
        required = kind.client.id
        known = _KNOWN.get(client.type_id)
        if known is not None:
            fits = required in known.ids
        else:
            seconds = self._options.check_seconds
            try:
                fits = bool(await self._calls.orb.call(client, IS_A, (required,), seconds))
            except SystemException:
                fits = True
        if not fits:
            raise WrongClient(f"the client is a {client.type_id}; the proxy serves a {required}")

    def reached(self, channel: int, proxy: int) -> ClientEndpoint | None:
        """Return the endpoint of a proxy's client, or None if it is not a CORBA client."""
        endpoint = self._host.endpoint(channel, proxy)
        return endpoint if isinstance(endpoint, ClientEndpoint) else None

    async def reconnect(self) -> int:
        """Reconnect clients from the journal after a restart; return how many there are."""
        found = 0
        for proxy in list(self._lost()):
            channel, id = proxy.channel.id, proxy.id
            try:
                ior, given_by, words, dialect = (*proxy.address.split(_GIVEN_BY), "", "", "")[:4]
                who = _caller_in(words or proxy.owner, given_by)
                if not self._may_still(who, Verb.USE, _place_of(proxy), proxy.owner):
                    raise Forbidden(f"{who} may not use it any more")
                client = from_ior(ior)
                kind = SUBSCRIBER_KINDS.get(dialect) or kind_of(
                    proxy.side, proxy.style, proxy.form, proxy.bare
                )
                self._calls.orb.trust(client, given_by)
                self.loops.note(channel, id, kind, client)
                command = Connect(
                    channel,
                    id,
                    notices=proxy.notices,
                    window=self._window(channel, id),
                    address=proxy.address,
                    again=True,
                )
                endpoint = self._endpoint(channel, id, kind, client)
                await self._host.connect(command, endpoint, connected_by=who)
            except TidingsError as error:
                _log.warning("the client of %s cannot be found again: %s", proxy.place, error)
                continue
            found += 1
        if found:
            self._probing.start()
        return found

    def _lost(self) -> Iterator[Proxy]:
        for channel in self._host.channels.values():
            for proxy in channel.proxies.values():
                connected = proxy.connected and proxy.reachable
                if (
                    connected
                    and proxy.address.startswith(_IOR)
                    and self._host.endpoint(channel.id, proxy.id) is None
                ):
                    yield proxy

    def end_forbidden(self, changed: AccessChanged) -> None:
        """Call no more clients, and let none wait, whose connection is not allowed any more.

        Their proxies stay, and events wait there as for any client that is away.
        """
        for (channel, proxy), endpoint in self._host.endpoints().items():
            if self._is_over(changed, endpoint.connected_by, channel, proxy):
                endpoint.close()
                self._host.tell(Detach(channel, proxy))
        self._host.end_pulls(
            NotFound("the reference was revoked or has expired, or what it allows was taken back"),
            lambda who, place: self._is_over(changed, who, place.channel, place.proxy),
        )

    def _is_over(self, changed: AccessChanged, who: Caller, channel: int, id: int | None) -> bool:
        if who.door != IIOP or not changed.concerns(who.name, who.credential):
            return False
        found = self._host.channels.get(channel)
        proxy = None if found is None or id is None else found.proxies.get(id)
        if proxy is None:
            return False  # it has ended, and its client with it
        return not self._may_still(who, Verb.USE, _place_of(proxy), proxy.owner)

    async def close(self, seconds: float = 0.0) -> None:
        """Stop all calls, after up to `seconds` for running event calls.

        A cancelled call counts neither as delivered nor as failed: its consumer receives the events
        after the next start if they are retained.
        """
        loop = asyncio.get_running_loop()
        endpoints = self._host.endpoints().values()
        clients = [one for one in endpoints if isinstance(one, ClientEndpoint)]
        for client in clients:
            client.finish()
        until = loop.time() + seconds
        while any(client.carries for client in clients):
            if loop.time() >= until:
                break
            await asyncio.sleep(_LOOK_AGAIN)
        for client in clients:
            client.close()
            client.cancel()
        await self._calls.close()
        await asyncio.sleep(0)  # let cancelled tasks finish


def _place_of(proxy: Proxy) -> Place:
    return Place(proxy.channel.id, proxy.side, proxy=proxy.id)


def _words(caller: Caller) -> str:
    """Who a caller is, for the journal."""
    return f"{caller.name}:{caller.credential or ''}"


def _caller_in(words: str, peer: str) -> Caller:
    """Return the caller that `_words` or, in old journals, the proxy's owner names."""
    name, _, credential = words.partition(":")
    known = OWNER if name in ("", OWNER.name) else Caller(name)
    number = int(credential) if credential else None
    return replace(known, credential=number, door=IIOP, peer=peer)


def _can_be_told(kind: Kind, client: Reference) -> bool:
    """Return whether a client may have the operation for changed event types."""
    known = _KNOWN.get(client.type_id)
    return kind.notice is not None and (known is None or kind.notice.name in known.operations)
