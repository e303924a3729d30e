"""The CORBA door: opened when all that was kept is there again, closed when all has left."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from tidings.admission import Admission, AdmissionLimits
from tidings.channel.management import CreateChannel
from tidings.cos.CosNaming_auto import Name, NameComponent
from tidings.cos.names import look_up, register
from tidings.engine.host import Host
from tidings.errors import InvalidUsage, StoreError, Unreachable
from tidings.events.reference import Reference
from tidings.names import is_origin, new_origin
from tidings.orb.aio import Address, Bidirectional, Options, Orb, Targets
from tidings.orb.corbaloc import make_corbaloc, parse_name
from tidings.orb.exceptions import CorbaError
from tidings.orb.ior import to_ior
from tidings.orb.limits import DEFAULT_LIMITS
from tidings.servants.endpoints import ClientOptions
from tidings.servants.opening import Opened, open_service
from tidings.server.announce import reachable_host
from tidings.server.files import replace_file, write_secret
from tidings.server.layers import OLD_KEYS
from tidings.server.requests import OperationLog
from tidings.server.settings import (
    CORBA_PORT,
    IiopSection,
    ServerSettings,
    read_address,
    shown_settings,
)
from tidings.server.tls import Tls

log = logging.getLogger(__name__)

SECRET_FILE: Final = "object.secret"
"""The name of the file in the data folder that object keys are made with."""

_LONGEST_IOR: Final = 511
"""Old clients read an IOR file into a buffer of 512 characters."""

_HALF: Final = 32  # characters: the secret is two random numbers of 128 bits
_FIRST_PAUSE: Final = 1.0
_LONGEST_PAUSE: Final = 30.0


def object_secret(settings: ServerSettings) -> bytes:
    """The secret of object keys, kept with the data, so that references outlive restarts."""
    made = new_origin() + new_origin()
    if settings.store.memory:
        return made.encode()
    path = settings.store.dir / SECRET_FILE
    try:
        if not path.exists():
            write_secret(path, made)
            return made.encode()
        text = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"the secret of object keys in {path} cannot be used: {error}") from error
    if len(text) != 2 * _HALF or not (is_origin(text[:_HALF]) and is_origin(text[_HALF:])):
        raise StoreError(
            f"{path} holds no secret of object keys, which is {2 * _HALF} hexadecimal digits; "
            "without the file a new one is made, and references that clients keep are void"
        )
    return text.encode()


def agent_properties(settings: ServerSettings) -> Mapping[str, str]:
    """What the agent tells: every setting by its name, and by its old name if it has one."""
    shown = shown_settings(settings)
    old = {key: shown[name] for key, (name, _) in OLD_KEYS.items() if name in shown}
    return {**shown, **old}


def calling_options(iiop: IiopSection, tls: Tls | None = None) -> Options:
    """The options of an ORB that only calls; `tls` is that of the service, if it has a certificate.

    It uses TLS where nothing else is offered, or first if the service's own CORBA has it.
    """
    return Options(
        limits=replace(DEFAULT_LIMITS, message_size=iiop.max_message),
        max_output=iiop.max_output,
        message_seconds=iiop.read_patience,
        write_seconds=iiop.write_patience,
        idle_seconds=iiop.idle,
        connect_seconds=iiop.connect_patience,
        call_seconds=iiop.call_patience,
        client_tls=None if tls is None or not iiop.tls else tls.outgoing,
        targets=Targets(iiop.callback_networks, "iiop.callback_networks"),
    )


def orb_options(iiop: IiopSection, limits: AdmissionLimits, tls: Tls | None = None) -> Options:
    """The options of the service's ORB."""
    advertise = iiop.advertise_host
    further = [read_address(text, CORBA_PORT) for text in iiop.alternates]
    return replace(
        calling_options(iiop, tls),
        max_connections=limits.most,
        max_opened=limits.most,
        max_connections_per_host=limits.most_per_address,
        max_unauthenticated=limits.most_unauthenticated,
        limit_loopback=limits.limit_loopback,
        max_requests=iiop.max_requests,
        advertise=None if advertise is None else Address(advertise, iiop.advertise_port),
        advertise_tls_port=iiop.advertise_tls_port,
        server_tls=None if tls is None or not iiop.tls else tls.context,
        alternates=tuple([address for address in further if address is not None]),
        accept_bidirectional=Bidirectional[iiop.bidirectional.upper().replace("-", "_")],
    )


def client_options(iiop: IiopSection) -> ClientOptions:
    """How clients are called."""
    return ClientOptions(
        window=iiop.ahead, call_seconds=iiop.call_patience, probe_seconds=iiop.probe_after
    )


class CorbaDoor:
    """The service for CORBA clients.

    `settings` are as at the start, `current` returns those in force now.

    Attributes:
        url: Its naming service, where clients begin; by TLS if nothing else is spoken.
        tls_url: The same by TLS; empty without it.
    """

    url: str
    tls_url: str = ""

    def __init__(
        self,
        host: Host,
        settings: ServerSettings,
        current: Callable[[], ServerSettings],
        limits: AdmissionLimits,
        log_depth: Callable[[], int],
        tls: Tls | None = None,
    ) -> None:
        self._host = host
        self._settings = settings
        self._registering: asyncio.Task[None] | None = None
        operations = OperationLog(log_depth, self._words)
        self._opened: Opened = open_service(
            host,
            replace(
                orb_options(settings.iiop, limits, tls),
                on_request=operations,
                max_elements=host.settings.limits.event_values // 10 or 1,
            ),
            object_secret(settings),
            lambda: agent_properties(current()),
            clients=client_options(settings.iiop),
            open_well_known=settings.iiop.open_well_known,
            open_loopback=settings.iiop.open_loopback,
            max_names=settings.iiop.max_names,
        )

    def _words(self, key: bytes) -> str:
        return self._opened.service.words(key)

    @property
    def connections(self) -> int:
        """How many connections are open, of clients and to them."""
        return self._opened.service.orb.connections

    @property
    def looped(self) -> int:
        """How many pushes were dropped, since their events had come back."""
        return self._opened.service.clients.loops.dropped

    @property
    def admission(self) -> Admission:
        """Which connections of clients stay open."""
        return self._opened.service.orb.admission

    async def open(self) -> None:
        """Listen, and call the clients again that were connected before."""
        await self._listen(self._settings.iiop)
        self._opened.publish(await self._default_channel())
        await self._opened.reconnect()
        self._write_files()
        registrations = self._registrations()
        if registrations:
            self._registering = asyncio.get_running_loop().create_task(
                self._register(registrations), name="what registers at the naming service"
            )

    async def _listen(self, iiop: IiopSection) -> None:
        orb, setting = self._opened.service.orb, "iiop.tls_port"
        try:
            if iiop.tls:
                self.url = self.tls_url = _begin(
                    await orb.listen_tls(iiop.host, iiop.tls_port), tls=True
                )
            setting = "iiop.port"
            if not iiop.tls_only:
                self.url = _begin(await orb.listen(iiop.host, iiop.port), tls=False)
        except Unreachable as error:
            raise InvalidUsage(
                f"iiop: {error}: choose another address with --iiop, or with iiop.host and "
                f"{setting}; port 0 takes a free one"
            ) from error

    async def _default_channel(self) -> int | None:
        name = self._settings.iiop.default_channel
        if not name:
            return None
        for channel in self._host.channels.values():
            if channel.name == name:
                return channel.id
        made: int = await self._host.ask(CreateChannel(new_origin(), name=name))
        return made

    def _write_files(self) -> None:
        files = self._settings.ior_file
        for path, plain in (
            (files.factory, "NotificationService"),
            (files.filter_factory, "DefaultFilterFactory"),
            (files.agent, "NotificationServiceAgent"),
        ):
            if path is not None:
                _write_ior(path, to_ior(self._opened.reference(plain)))

    # ------------------------------------------------------------ another naming service

    def _registrations(self) -> list[tuple[Name, Reference]]:
        naming = self._settings.naming
        if not naming.enabled:
            return []
        asked = {
            "NotificationService": naming.factory,
            "DefaultFilterFactory": naming.filter_factory,
        }
        return [
            (tuple(NameComponent(*one) for one in parse_name(name)), self._opened.reference(plain))
            for plain, name in asked.items()
            if name is not None
        ]

    async def _register(self, registrations: list[tuple[Name, Reference]]) -> None:
        """Registers; goes on trying while the naming service does not answer."""
        url, pause = self._settings.naming.url, _FIRST_PAUSE
        while True:
            try:
                # The operator's own choice of an address: callback_networks does not limit it.
                async with Orb(names=look_up) as orb:
                    root = await orb.resolve(url)
                    for name, reference in registrations:
                        await register(orb, root, name, reference)
            except CorbaError as error:
                if pause == _FIRST_PAUSE:
                    log.warning("not registered at %s, it is tried again: %s", url, error)
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
            else:
                log.info("registered at %s", url)
                return

    async def close(self, seconds: float) -> None:
        """End all calls, after `seconds` those that carry events; what waits stays on disk."""
        if self._registering is not None:
            self._registering.cancel()
        await self._opened.close(seconds)


def _begin(address: Address, *, tls: bool) -> str:
    host = reachable_host(address.host)
    return make_corbaloc(host, address.port, b"NameService", tls=tls)


def _write_ior(path: Path, ior: str) -> None:
    if len(ior) > _LONGEST_IOR:
        log.warning(
            "the address in %s has %d characters, and old clients read %d: a shorter "
            "iiop.advertise_host or fewer iiop.alternates help",
            *(path, len(ior), _LONGEST_IOR),
        )
    replace_file(path, ior)
