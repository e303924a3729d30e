"""A service to talk to over IIOP, and what the scenes know of events that CORBA does not tell."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from unittest import mock

from tests.promises.services import SETTINGS
from tidings.channel import effects
from tidings.channel.vocabulary import Form, Item
from tidings.client.client import Client
from tidings.client.transports.iiop.transport import IiopTransport
from tidings.client.transports.iiop.values import UNKNOWN, CorbaMessage, Events
from tidings.cos.CosNotifyChannelAdmin_auto import EventChannelFactory_INTERFACE
from tidings.engine import perform
from tidings.engine.access import OWNER, Caller, Grant, ObjectKey
from tidings.engine.host import Host
from tidings.engine.writing import Write
from tidings.events.anyvalue import Value
from tidings.events.fields import is_any
from tidings.events.structured import StructuredEvent
from tidings.orb.aio import Options
from tidings.orb.ior import to_ior
from tidings.servants.endpoints import ClientOptions
from tidings.servants.opening import Opened, open_service
from tidings.server.cores import service_cores
from tidings.server.embedded import local_client

__all__ = ["IiopService"]

_SECRET = b"the secret of a service that is tested"
_MARK = "TestMark"
_CLIENTS = ClientOptions(call_seconds=5.0, notice_seconds=1.0, check_seconds=1.0)


class _Marks(Events):
    """Puts a mark on each event that leaves a client, and tells its number when it comes back.

    The scenes know events by their numbers, which CORBA does not tell. The mark is a field of
    the header that nobody looks at; which number its event has is seen at the host.
    """

    def __init__(self) -> None:
        self._next = count(1)
        self._numbers: dict[object, int] = {}

    def outgoing(self, item: Item, form: Form) -> StructuredEvent:
        event = super().outgoing(item, form)
        if is_any(event):  # it is its value, and has no place for a mark
            return event
        return _with_header(event, {**event.header, _MARK: next(self._next)})

    def incoming(self, given: StructuredEvent) -> CorbaMessage:
        found = super().incoming(given)
        header = dict(found.event.header)
        found.seq = self._numbers.get(header.pop(_MARK, None), UNKNOWN)
        found.event = _with_header(found.event, header)
        return found

    def note(self, message: effects.Message) -> None:
        """An event was accepted."""
        self._numbers[message.event.header.get(_MARK)] = message.seq


def _with_header(event: StructuredEvent, header: Mapping[str, Value]) -> StructuredEvent:
    return StructuredEvent(
        event.domain,
        event.type,
        event.name,
        header,
        event.data,
        event.body,
    )


class IiopService:
    """Clients over IIOP, to a real service on the loopback.

    Args:
        folder: Where its data is; None keeps everything in memory.
    """

    tells_state = tells_reasons = False

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._host: Host | None = None
        self._opened: Opened | None = None
        self._grants: dict[Caller, int] = {OWNER: 0}
        self._killed: list[Host] = []
        self._clients: list[Client] = []
        self._port = 0
        self._marks = _Marks()
        self._noting = mock.patch.dict(perform._PERFORM, {effects.Message: self._accepted})

    def _accepted(
        self, performer: perform.Performer, message: effects.Message, write: Write
    ) -> None:
        self._marks.note(message)
        performer._accepted(message, write)

    async def client(self, principal: Caller = OWNER) -> Client:
        """A new client; the service is started if it does not run."""
        opened = await self._start()
        grant = self._grants.setdefault(principal, len(self._grants))
        opened.service.grants[grant] = Grant(grant, principal)
        key = ObjectKey("factory", (), grant)
        factory = to_ior(opened.service.reference(key, EventChannelFactory_INTERFACE))
        made = Client(await IiopTransport.open(factory, events=self._marks))
        self._clients.append(made)
        return made

    async def inside(self) -> Client:
        """A client in the process, which sees what CORBA does not tell."""
        await self._start()
        assert self._host is not None
        return local_client(self._host, OWNER)

    async def _start(self) -> Opened:
        if self._opened is None:
            if not self._killed:
                self._noting.start()
            self._host = await Host.open(self._folder, settings=SETTINGS, cores=service_cores())
            options = Options(close_seconds=0.2)
            self._opened = open_service(self._host, options, _SECRET, dict, clients=_CLIENTS)
            self._port = (await self._opened.service.orb.listen("127.0.0.1", self._port)).port
            self._opened.publish(None)
            await self._opened.reconnect()
        return self._opened

    async def restart(self, *, kill: bool = False) -> None:
        """Stops the service, in good order or not, and starts it again; clients are gone."""
        for client in self._clients:
            assert isinstance(client.transport, IiopTransport)
            await client.transport._orb.close()  # gone without a word
        self._port = 0
        await self._stop(kill=kill)

    async def begin_anew(self, *, kill: bool) -> None:
        """Stops the service, and starts it again at the same place; clients stay."""
        await self._stop(kill=kill)
        await self._start()

    async def _stop(self, *, kill: bool) -> None:
        assert self._folder is not None, "what is in memory only cannot be started again"
        host, opened = self._host, self._opened
        self._host = self._opened = None
        if host is None or opened is None:
            return
        if kill:
            self._killed.append(host)
            copied = self._folder.with_name(f"{self._folder.name}-{len(self._killed)}")
            self._folder = Path(shutil.copytree(self._folder, copied))
        else:
            await host.close(0.0)
        await opened.close()

    async def close(self) -> None:
        """Ends everything, the killed ones last."""
        for client in self._clients:
            await client.close()
        for host in [self._host, *self._killed]:
            if host is not None:
                await host.close(0.0)
        if self._opened is not None:
            await self._opened.close()
            self._noting.stop()
