"""From start to end: settings, journal, door, ready; then drain, close, gone."""

from __future__ import annotations

import asyncio
import logging
import os
import resource
import signal
import socket
import ssl
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import tidings
from tidings.admission import Admission
from tidings.clock import utc_now
from tidings.engine.host import Host
from tidings.engine.interfaces import load_files
from tidings.engine.recovery import JOURNAL
from tidings.errors import Stopping
from tidings.gateways.runner import Gateways
from tidings.server.announce import (
    drop_stale_port_file,
    forget_port_file,
    is_everywhere,
    notify_manager,
    service_url,
    write_port_file,
)
from tidings.server.build import (
    HttpServer,
    address_refused,
    archive_plan,
    bound_socket,
    built_app,
    gateway_times,
    http_server,
    job_plan,
    open_host,
    web_options,
)
from tidings.server.descriptors import budget, raised_limit
from tidings.server.embedded import client_for
from tidings.server.interpreter import Interpreter
from tidings.server.layers import Loaded, Sources
from tidings.server.logs import Logs, loop_fault
from tidings.server.others import LateOthers
from tidings.server.reload import Reloader
from tidings.server.requests import RequestLog
from tidings.server.settings import left_open
from tidings.server.tls import Tls
from tidings.server.tokens import (
    make_token,
    open_to_others,
    owner_token,
    recover_access,
    recovered_path,
    token_path,
)
from tidings.stores.archive.archive_end import check_journal_reaches
from tidings.web.state import WebState

if TYPE_CHECKING:
    from tidings.server.corba import CorbaDoor

log = logging.getLogger(__name__)

FAULT: Final = 1
"""The exit code of a service that a fault of its own has ended."""

# What the service and its archive write, others on this machine cannot read.
_OWNER_ONLY: Final = 0o077
_HTTP: Final = "what serves HTTP"
_ENDING: Final = (signal.SIGTERM, signal.SIGINT)
# What host.close may still take once its door is closed, in seconds.
_LAST_WORDS: Final = 0.2
# What the archive may take for the rest of the journal, in seconds.
_LAST_SEAL: Final = 20.0


async def run(
    sources: Sources, loaded: Loaded, port_file: Path | None = None, recover: str | None = None
) -> int:
    """Serves until a signal ends it; the exit code.

    SIGTERM and SIGINT end it in order, a second one at once. SIGHUP reads the `sources` of the
    settings again. The service writes its address to `port_file` once it is ready. `recover` is
    the principal that gets access back.
    """
    umask = os.umask(_OWNER_ONLY)
    logs = Logs(loaded.settings.log.level, loaded.settings.log.format)
    logs.install()
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(loop_fault)
    # Until it is ready there is nothing to reload: the settings were read just now.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        if port_file is not None:
            drop_stale_port_file(port_file)
        for text in loaded.warnings:
            log.warning("%s", text)
        async with Service(sources, loaded, logs, recover) as service:
            return await _until_told(service, port_file)
    finally:
        logs.uninstall()
        os.umask(umask)


async def _until_told(service: Service, port_file: Path | None) -> int:
    loop = asyncio.get_running_loop()
    ending: asyncio.Future[str] = loop.create_future()
    reloads: set[asyncio.Task[bool]] = set()

    def end(number: signal.Signals) -> None:
        if ending.done():
            _die(number)
        ending.set_result(f"{number.name} came")

    def reload() -> None:
        task = loop.create_task(service.reloader.reload())
        reloads.add(task)
        task.add_done_callback(reloads.discard)

    for number in _ENDING:
        loop.add_signal_handler(number, end, number)
    loop.add_signal_handler(signal.SIGHUP, reload)
    try:
        if port_file is not None:
            write_port_file(port_file, service.url, service.corba_url)
        with Interpreter():
            service.ready()
            await asyncio.wait((ending, service.fault), return_when=asyncio.FIRST_COMPLETED)
            if not ending.done():
                ending.set_result(service.fault.result())
            await service.stop(ending.result())
        return FAULT if service.fault.done() else 0
    finally:
        if port_file is not None:
            forget_port_file(port_file)
        for task in reloads:
            task.cancel()
        loop.remove_signal_handler(signal.SIGHUP)


def _die(number: signal.Signals) -> None:
    """Ends the process at once, as the signal would have done; the journal is made for that."""
    log.warning("%s came again: ending at once", number.name)
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


class Service:
    """A service that listens while the context is open.

    Attributes:
        url: Where programs on this machine reach it; empty without HTTP.
        fault: Done, with the reason, when an essential part has ended.
        reloader: Reads the settings again.
    """

    host: Host
    url: str
    reloader: Reloader

    def __init__(
        self, sources: Sources, loaded: Loaded, logs: Logs, recover: str | None = None
    ) -> None:
        self.fault: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._sources = sources
        self._loaded = loaded
        self._settings = loaded.settings
        self._logs = logs
        self._recover = recover
        self._stopping = False
        self._watched: set[asyncio.Task[Any]] = set()
        self._behind_the_door = AsyncExitStack()
        self._budget = budget(loaded.settings, raised_limit())
        _forbid_core_dumps()
        self._serving: asyncio.Task[None] | None = None
        self._corba: CorbaDoor | None = None
        self._tls: Tls | None = None

    async def __aenter__(self) -> Self:
        http = self._settings.http
        socket_ = bound_socket(http.host, http.port) if http.enabled else None
        try:
            if self._settings.http.token_file is not None:
                owner_token(self._settings)  # found out before a long recovery
            if self._settings.tls.certificate is not None:
                self._tls = Tls(self._settings.tls, utc_now())
            recovered = self._recover and recovered_path(self._settings, self._recover)
            plan, known = archive_plan(self._settings.archive), None
            if plan is not None and not self._settings.store.memory:
                data = self._settings.store.dir
                known = await asyncio.to_thread(
                    check_journal_reaches, data, data / JOURNAL, plan.folder
                )
            self._watched = asyncio.all_tasks()
            self.host = await open_host(self._settings, known and known.present)
            self.host.broken.add_done_callback(self._broken)
            self.host.warnings += left_open(self._settings)
            self.host.told_settings = self._loaded.told()
            for text in self.host.warnings:
                log.warning("%s", text)
            if plan is not None:
                self.host.new_archiving(plan, problems=known.problems if known else ()).start()
            jobs = job_plan(self._settings)
            if jobs is not None:
                self.host.new_jobs(jobs).start()
            self._gateways = Gateways(
                self.host.tell,
                self.host.on_effect,
                partial(client_for, self.host),
                times=gateway_times(self._settings),
            )
            self._gateways.start()
            self._watch_over()
        except BaseException:
            _close(socket_)
            raise
        try:
            await load_files(self.host, self._settings.interfaces.files)
            if self._recover and recovered:
                await recover_access(self.host, self._recover, recovered)
            await self._open_door(socket_)
            await self._open_corba()
            if socket_ is not None:
                await self._listening(socket_)
        except BaseException:
            _close(socket_)
            await self._close_corba(0.0)
            await self._behind_the_door.aclose()
            await self._close_host(0.0)
            raise
        return self

    @property
    def corba_url(self) -> str:
        """Where CORBA clients on this machine begin; empty if they cannot."""
        return "" if self._corba is None else self._corba.url

    async def _open_corba(self) -> None:
        if not self._settings.iiop.enabled:
            self.host.others = others = LateOthers(self._settings.iiop, self._tls)
            self._behind_the_door.push_async_callback(others.close)
            return
        from tidings.server.corba import CorbaDoor  # takes a while, and not all want it

        self._corba = CorbaDoor(
            self.host,
            self._settings,
            lambda: self.reloader.settings,
            self._budget.iiop,
            lambda: self._logs.level,
            self._tls,
        )
        self._web.counts.admissions["iiop"] = self._corba.admission
        await self._corba.open()
        self._web.counts.looped = lambda: 0 if self._corba is None else self._corba.looped
        self._web.counts.corba = lambda: 0 if self._corba is None else self._corba.connections
        self._watch_over()

    async def _close_corba(self, seconds: float) -> None:
        door, self._corba = self._corba, None
        if door is not None:
            await door.close(seconds)

    async def _open_door(self, bound: socket.socket | None) -> None:
        token = self._token()
        app = built_app(self.host, web_options(self._settings, token))
        self._web: WebState = app.state.web
        self._web.readiness.phase = "starting"
        await self._behind_the_door.enter_async_context(app.router.lifespan_context(app))
        door = RequestLog(app, lambda: self._logs.level)
        admission = Admission(self._budget.http)
        self._web.counts.admissions["http"] = admission
        self._server: HttpServer = http_server(door, self._settings, admission, self._http_tls())
        self.url, self._beside = "", ""
        if bound is not None:
            address = bound.getsockname()[:2]
            self.url = service_url(address, tls=self._settings.http.tls)
            self._beside = ", and on every other address" if is_everywhere(address) else ""
        self.reloader = Reloader(
            self._sources, self._loaded, self.host, self._web, door, self._logs, self._tls
        )

    def _http_tls(self) -> ssl.SSLContext | None:
        for text in () if self._tls is None else self._tls.warnings:
            log.warning("%s", text)
        return self._tls.context if self._tls is not None and self._settings.http.tls else None

    def _token(self) -> str | None:
        made = make_token(self._settings)
        if made is not None:
            log.info("the owner's token is in %s", made)
        token = owner_token(self._settings)
        self._logs.hide(() if token is None else (token,))
        path = token_path(self._settings)
        if path is not None and open_to_others(path):
            log.warning("others on this machine can read the token file %s: chmod 600 it", path)
        return token

    async def _listening(self, bound: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        serving = self._serving = loop.create_task(self._server.serve([bound]), name=_HTTP)
        listening = loop.create_task(self._server.listening.wait())
        await asyncio.wait((listening, serving), return_when=asyncio.FIRST_COMPLETED)
        listening.cancel()
        if serving.done() and (error := serving.exception()) is not None:
            if isinstance(error, OSError):
                http = self._settings.http
                raise address_refused(http.host, http.port, error) from error
            raise error
        self._watch_over()

    def _watch_over(self) -> None:
        """What the service's parts run by now has to run as long as the service does."""
        for task in asyncio.all_tasks() - self._watched:
            if task is not asyncio.current_task():
                self._watched.add(task)
                task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        error = None if task.cancelled() else task.exception()
        too_early = task.get_name() == _HTTP and not self._stopping
        if error is None and not too_early:
            return
        log.critical("%s has ended by a fault", task.get_name(), exc_info=error)
        self._fail("a part of the service has ended by a fault")

    def _broken(self, broken: asyncio.Future[str]) -> None:
        """The journal cannot go on in this process: whoever supervises it has to start another."""
        if not broken.cancelled():
            log.critical("%s", broken.result())
            self._fail(f"the journal cannot go on: {broken.result()}")

    def _fail(self, reason: str) -> None:
        if not self.fault.done():
            self.fault.set_result(reason)

    def ready(self) -> None:
        """Says that work is taken from now on."""
        store = self._settings.store
        if not store.memory and open_to_others(store.dir):
            log.warning("others on this machine can look into the data folder %s: chmod 700 it",
                        store.dir.absolute())  # fmt: skip
        where = "nothing is kept on disk" if store.memory else f"data in {store.dir.absolute()}"
        if self.host.archiving is not None:
            where += f", archive in {self.host.archiving.plan.folder.absolute()}"
        self._web.readiness.phase = "ready"
        version = tidings.__version__
        doors = [f"{self.url}{self._beside}"] if self.url else []
        corba = () if self._corba is None else (self._corba.url, self._corba.tls_url)
        doors += [f"for CORBA at {url}" for url in dict.fromkeys(corba) if url]
        log.info("listening on %s, %s (tidings %s)", " and ".join(doors), where, version)
        notify_manager("READY=1")

    async def stop(self, reason: str) -> None:
        """Accept nothing more, deliver what was accepted, then close the door.

        WebSockets learn that the service restarts (1012).
        """
        self._stopping = True
        patience = self.reloader.settings.stop.patience
        log.info("stopping: %s", reason)
        notify_manager("STOPPING=1")
        self._web.readiness.phase = "draining"
        if self.fault.done():
            self._web.readiness.reason = self.fault.result()
        self._server.stop_accepting()
        await self._gateways.stop()
        self.host.end_pulls(Stopping("the service is stopping"))
        until = asyncio.get_running_loop().time() + patience
        if not await self.host.drain(patience):
            log.warning("not all events have left within %g s; what is kept on disk leaves after "
                        "the next start", patience)  # fmt: skip
        await self._close_corba(until - asyncio.get_running_loop().time())
        self._server.should_exit = True
        if self._serving is not None:
            await asyncio.wait((self._serving,))
        await self._behind_the_door.aclose()

    async def __aexit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if not self._stopping:
            await self.stop("it could not be announced" if kind is not None else "it is over")
        await self._close_host(_LAST_WORDS)
        log.info("stopped")

    async def _close_host(self, seconds: float) -> None:
        """Ends gateways and jobs, closes the journal, then lets the archive take the rest of it."""
        try:
            await self._gateways.stop()
            if self.host.jobs is not None:
                await self.host.jobs.stop()
            await self.host.close(seconds)
        finally:
            if self.host.archiving is not None:
                await self.host.archiving.stop(_LAST_SEAL)


def _close(bound: socket.socket | None) -> None:
    if bound is not None:
        bound.close()


def _forbid_core_dumps() -> None:
    """Keep tokens and events in memory: a core file would have them all.

    `prlimit --core=unlimited --pid PID` allows one again, for whoever may look into the process.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
