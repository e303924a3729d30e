"""Settings become parts: the host, the options of the door, and what serves it."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import socket
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from importlib.util import find_spec
from typing import Any, Final

import uvicorn
from fastapi import FastAPI

from tidings.admission import ACCEPT_AT_ONCE, Admission
from tidings.engine.archiving import ArchivePlan
from tidings.engine.host import Host
from tidings.engine.job_runner import FOLDER as JOBS
from tidings.engine.job_runner import JobPlan
from tidings.engine.trail_file import TrailOptions
from tidings.errors import InvalidUsage, StoreError
from tidings.federation.gateway import GatewayTimes
from tidings.jobs import JobLimits
from tidings.server.connections import SocketConnection, Unread, admitted
from tidings.server.cores import service_cores
from tidings.server.rules import channel_settings
from tidings.server.settings import ArchiveSection, ServerSettings
from tidings.stores.retention import Retention
from tidings.web.app import build_app
from tidings.web.options import WebOptions

_SECOND: Final = 1_000_000
# Waiting connections; the kernel has its own bound as well.
_BACKLOG: Final = 2_048
# How long requests may take to end once the door closes, before the client is hung up on, and
# before what then still runs is cancelled; in seconds.
_HANG_UP = 0.5
_GRACE = 3


def retention(settings: ServerSettings) -> Retention:
    """How much of the past the journal keeps."""
    age = settings.store.retention_age
    kept = None if age is None else round(age * _SECOND)
    return Retention(settings.store.retention_size, kept)


def archive_plan(archive: ArchiveSection) -> ArchivePlan | None:
    """Where the archive is and how it is kept; None if there is none."""
    if archive.dir is None:
        return None
    if find_spec("pyarrow") is None:
        raise InvalidUsage(
            f"archive.dir is {archive.dir}, and pyarrow, which writes the archive, is not "
            "installed: pip install tidings[arrow]"
        )
    age = archive.retention_age
    return ArchivePlan(
        archive.dir,
        archive.seal_after,
        archive.seal_size,
        archive.seal_rows,
        archive.retention_size,
        None if age is None else round(age * _SECOND),
        archive.hold,
    )


def job_plan(settings: ServerSettings) -> JobPlan | None:
    """Where jobs find the archive, and what they may use; None if nothing is kept on disk."""
    if settings.store.memory:
        return None
    archive, jobs = settings.archive.dir, settings.jobs
    return JobPlan(
        settings.store.dir.absolute() / JOBS,
        None if archive is None else archive.absolute(),
        jobs.memory,
        jobs.patience,
    )


def gateway_times(settings: ServerSettings) -> GatewayTimes:
    """How fast gateways notice what changes."""
    given = settings.federation
    return GatewayTimes(*(round(one * _SECOND) for one in (given.hello, given.gone, given.settle)))


async def open_host(
    settings: ServerSettings, archived: Mapping[bytes, tuple[str, int]] | None = None
) -> Host:
    """Open the channels; `archived` has by origin each channel's name and highest number."""
    store, jobs = settings.store, settings.jobs
    limits = JobLimits(jobs.at_once, jobs.waiting, jobs.keep, jobs.keep_size)
    try:
        return await Host.open(
            None if store.memory else store.dir,
            settings=channel_settings(settings.rules, settings.limits),
            segment_octets=store.segment_size,
            cache_octets=store.cache,
            retention=retention(settings),
            disk_quota=store.disk_quota,
            archived=archived,
            cores=service_cores(limits),
            trail=TrailOptions(settings.audit.file_size, settings.audit.old_files),
        )
    except OSError as error:
        raise StoreError(f"the folder {store.dir} cannot be used: {error.strerror}") from error


def web_options(settings: ServerSettings, token: str | None) -> WebOptions:
    """What the web door is told: what section http has by the same names, and the token."""
    names = {one.name for one in fields(WebOptions)} - {"token"}
    return WebOptions(token=token, **{name: getattr(settings.http, name) for name in names})


def reloaded_options(
    current: WebOptions, settings: ServerSettings, token: str | None
) -> WebOptions:
    """The same options with what a reload can change."""
    http = settings.http
    return replace(
        current,
        token=token,
        allowed_hosts=http.allowed_hosts,
        allowed_origins=http.allowed_origins,
    )


def built_app(host: Host, options: WebOptions) -> FastAPI:
    """The web door, with all made that else the first request would wait for."""
    app = build_app(host, options)
    app.middleware_stack = app.build_middleware_stack()
    return app


def bound_socket(host: str, port: int) -> socket.socket:
    """A socket with its address that does not listen yet; an error says what to do."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise InvalidUsage(f"http.host: {host} is no address of this machine: {error}") from error
    family, kind, protocol, _, address = found[0]
    made = socket.socket(family, kind, protocol)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
    except OSError as error:
        made.close()
        raise address_refused(host, port, error) from error
    return made


def address_refused(host: str, port: int, error: OSError) -> InvalidUsage:
    """What to say of an address that cannot be listened on."""
    if error.errno == errno.EADDRINUSE:
        return InvalidUsage(
            f"port {port} on {host} is in use by another program: choose another one with --port "
            "or http.port; 0 takes a free one"
        )
    if error.errno == errno.EACCES:
        return InvalidUsage(
            f"port {port} on {host} needs rights this process has not: choose one from 1024 on"
        )
    if error.errno == errno.EADDRNOTAVAIL:
        return InvalidUsage(f"http.host: {host} is no address of this machine")
    return InvalidUsage(
        f"{host} port {port} cannot be listened on: {os.strerror(error.errno or 0)}"
    )


class HttpServer(uvicorn.Server):
    """Serves an application in a loop that others share; it ignores signals.

    Clients may read nothing of what was written for `patience` seconds; `listening` is set once it
    can be reached.
    """

    def __init__(self, config: uvicorn.Config, patience: float) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()
        self._unread = Unread()
        self._patience = patience
        self._next_look = 0.0

    async def on_tick(self, counter: int) -> bool:
        """Has a look at the connections now and then; called ten times a second."""
        now = asyncio.get_running_loop().time()
        if now >= self._next_look:
            self._next_look = now + self._patience
            self._unread.look(self.server_state.connections)
        return await super().on_tick(counter)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Lets signals go to whoever runs the process."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begins to listen, and says so."""
        await super().startup(sockets=sockets)
        for listening in sockets or ():
            listening.listen(_BACKLOG)  # more may wait than are accepted at once
        self.listening.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Lets requests end; streams, which never would, are ended soon."""
        soon = asyncio.get_running_loop().call_later(_HANG_UP, self._hang_up)
        try:
            await super().shutdown(sockets=sockets)
        finally:
            soon.cancel()

    def _hang_up(self) -> None:
        # Whoever waits for the client sees that it is gone, and ends in order.
        for connection in list(self.server_state.connections):
            connection.transport.close()

    def stop_accepting(self) -> None:
        """Lets nobody new in; who is in may stay."""
        for server in getattr(self, "servers", ()):
            server.close()


def http_server(
    app: Any,  # noqa: ANN401
    settings: ServerSettings,
    admission: Admission,
    tls: ssl.SSLContext | None = None,
) -> HttpServer:
    """The server of an ASGI application; `admission` decides which connections stay open."""
    http = settings.http
    return HttpServer(
        uvicorn.Config(
            app,
            http=admitted(admission, http.read_patience),
            ws=SocketConnection,
            ws_max_size=http.max_body,
            ws_ping_interval=http.ping_interval,
            ws_ping_timeout=http.ping_interval,
            # Frames are small and many; packing each one costs more than it saves nearby.
            ws_per_message_deflate=False,
            lifespan="off",  # whoever runs the service begins and ends what is behind the door
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            backlog=ACCEPT_AT_ONCE,
            timeout_graceful_shutdown=_GRACE,
            ssl_context_factory=None if tls is None else lambda *_: tls,
        ),
        http.write_patience,
    )
