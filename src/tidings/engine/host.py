"""The host: one process's channels, with their mailbox, disk, clock and clients.

Everything here runs on one event loop; the disk has its own thread.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final, Self, TypeVar

from tidings.channel import commands as c
from tidings.channel import effects as e
from tidings.channel import management as m
from tidings.channel.channel import Channels
from tidings.channel.commands import Command
from tidings.channel.effects import Message, Outcome
from tidings.channel.factory import Factory
from tidings.channel.filter_host import FilterHost
from tidings.channel.settings import DEFAULT_SETTINGS, Settings
from tidings.channel.unused import Unused
from tidings.channel.views import SettingInfo
from tidings.channel.vocabulary import Place
from tidings.clock import Clock, SystemClock
from tidings.cores import Core, OperationDone
from tidings.engine.access import OWNER, Access, Caller
from tidings.engine.archiving import ArchivePlan, Archiving, archive_command
from tidings.engine.archiving import Command as ArchiveCommand
from tidings.engine.authority import authorise, check_polled, may_poll, with_own_producers
from tidings.engine.bodies import CACHE_OCTETS, Bodies
from tidings.engine.callers import Callers
from tidings.engine.cores import Cores
from tidings.engine.dead_letters import DeadLetters
from tidings.engine.disk import DiskThread, Done
from tidings.engine.endpoints import Endpoint, EventBatch
from tidings.engine.enforcing import Enforcing
from tidings.engine.fates import Fates
from tidings.engine.history import History
from tidings.engine.housekeeping import Housekeeping, Kept
from tidings.engine.job_runner import Command as JobCommand
from tidings.engine.job_runner import JobPlan, JobRunner, job_command, problem_of
from tidings.engine.judging import Judging
from tidings.engine.limiting import Limiting
from tidings.engine.loop_time import Timer, Watchdog
from tidings.engine.losses import Losses, LossReports
from tidings.engine.mailbox import Mailbox, Post, Waiting
from tidings.engine.notices import NoticePublisher
from tidings.engine.operation_log import OperationLog
from tidings.engine.perform import Performer
from tidings.engine.recording import Recorder
from tidings.engine.recovery import recover
from tidings.engine.resuming import Resumed, last_words, resume
from tidings.engine.sender import Sender
from tidings.engine.spilling import Spilling
from tidings.engine.steady import SteadyClock
from tidings.engine.storage import Storage
from tidings.engine.store import Store, Writable
from tidings.engine.trading import Others
from tidings.engine.trail_file import TrailFile, TrailOptions
from tidings.engine.writing import Writer, must_last
from tidings.errors import Disconnected, JournalBroken, Stopping, StoreError, TidingsError
from tidings.grants.core import AccessChanged, AccessWidened
from tidings.stores.journal import SEGMENT_OCTETS
from tidings.stores.retention import Retention

log = logging.getLogger(__name__)

_T = TypeVar("_T")

# How often the clocks are compared and a full disk is tried again, in seconds.
_LOOK_AROUND: Final = 1.0
_NOTICES: Final = 1_000


class Host:
    """Channels that live in this process; created by `Host.open`.

    `store` is None if everything is only in memory; `broken` is done, with the reason, when the
    journal accepts nothing more until a restart.
    """

    housekeeping: Housekeeping
    archiving: Archiving | None = None
    jobs: JobRunner | None = None
    trail: TrailFile | None = None
    issue_reference: Callable[[str, int], str] | None = None
    """Make a CORBA reference, from what it leads to and a credential; set by that protocol."""
    others: Others | None = None
    """Who calls other traders, and the objects that evaluate dynamic properties; set by whoever
    speaks CORBA."""
    told_settings: tuple[SettingInfo, ...] = ()
    """The settings of the service, for those who run it; set by the server."""

    def __init__(self, settings: Settings, clock: Clock, access: Access, store: Store | None,
                 disk: DiskThread, cache_octets: int,
                 cores: Iterable[Core] = ()) -> None:  # fmt: skip
        self.loop = asyncio.get_running_loop()
        self.settings = settings
        self.access = access
        self.store = store
        self.disk = disk
        self.clock = SteadyClock(clock)
        self.factory = Factory(settings, spills=store is not None)
        self.cores = Cores(self.factory, cores)
        access.attach(self.factory.channels, self.time, self.cores.others)
        self.limiting = Limiting(access.grants, self.clock.now)
        self.callers = Callers(access.grants, self.clock.now, self.time)
        self.bodies = Bodies(cache_octets)
        self.recorder = Recorder()
        self.writer = Writer(self.bodies, self._write, self._revoke, self._refused, self._taken)
        self.storage = Storage(store, disk, self.bodies, self.recorder, self.writer)
        now, channels = self.clock.now, self.factory.channels
        self.reports = LossReports(self.storage, self.notice, now)
        self.out = Sender(
            self.storage, channels, self.ask, self.tell, now, self.notice, self.reports.lost,
            partial(may_poll, self), partial(check_polled, self),
        )  # fmt: skip
        self.spilling = Spilling(self.storage, channels, self.at_once)
        self.dead_letters = DeadLetters(self.storage, settings.limits, self.ask, self.reports.lost)
        self.history = History(self.storage, channels, self.reports)
        self.fates = Fates(self.storage, self.reports, self.history.guide)
        self.watchdog = Watchdog(self.loop)
        self.notices: deque[e.Notice] = deque(maxlen=_NOTICES)
        self.operations = OperationLog(access, self._channel_name, now, self._operation_done)
        self.broken: asyncio.Future[str] = self.loop.create_future()
        self.disk_error: StoreError | None = None
        self.warnings: list[str] = []
        """What the settings leave open, for those who run the service."""
        self._judging = Judging(self.factory, self.cores, self.clock.now)
        self._mailbox = Mailbox(settings.limits.batch_events, self._judging.ready)
        self._performer = Performer(
            self.storage,
            self.out,
            self.spilling,
            self.dead_letters,
            self.reports,
            self.notice,
            self._revoke,
            now,
        )
        self.counts: Counter[Outcome] = self._performer.counts
        self._timer = Timer(self.loop, self.clock.now, self._tick)
        self._scheduled = False
        self._stopping = False
        self._closed = False
        self._closing = asyncio.Lock()
        self._watchers: list[Callable[[e.Notice], None]] = []
        self._around = self.loop.call_later(_LOOK_AROUND, self._look_around)
        self._enforcing = Enforcing(access, self.limiting, channels, self.endpoint, self.tell)
        self.on_effect(AccessChanged, self._enforcing.access_changed)
        self.on_effect(AccessWidened, self._enforcing.access_widened)
        self._notices = NoticePublisher(self.ask, self.tell, self.on_effect, channels)
        self.watchdog.start()

    @classmethod
    async def open(  # noqa: PLR0913 -- each a setting, by its name
        cls,
        folder: Path | None = None,
        *,
        settings: Settings = DEFAULT_SETTINGS,
        clock: Clock | None = None,
        access: Access | None = None,
        segment_octets: int = SEGMENT_OCTETS,
        cache_octets: int = CACHE_OCTETS,
        retention: Retention | None = None,
        disk_quota: int | None = None,
        archived: Mapping[bytes, tuple[str, int]] | None = None,
        cores: Iterable[Core] = (),
        trail: TrailOptions | None = None,
    ) -> Self:
        """Start a host; a `folder` of None keeps everything in memory.

        `archived` is what the journal's archive knows: by origin, name and highest number of each
        channel. For `disk_quota` see `Housekeeping`; `cores` must be new. `trail` says how much
        of the audit trail is kept in the folder.

        Raises:
            InvalidUsage: Two cores have one name, or list one request.
            JournalInUse: Another process uses the folder.
            JournalTooNew: A newer version has written it; nothing was changed.
            StoreError: The folder cannot be used.
        """
        disk = DiskThread()
        store = found = host = None
        try:
            if folder is not None:
                job = partial(recover, folder, settings.limits, segment_octets, clock)
                store, found = await disk.submit(job)
            host = cls(settings, clock or SystemClock(), access or Access(), store, disk,
                       cache_octets, cores)  # fmt: skip
            if folder is not None:
                options = trail or TrailOptions()
                host.trail = TrailFile(folder, options, disk.call, host._trail_fails)
            if found is not None:
                await resume(host._resumed(), found, archived)
                host._enforcing.confine_all()
            host.housekeeping = Housekeeping(retention, disk_quota)
            host.housekeeping.start(host._kept())
        except BaseException:
            if host is not None:
                host._end_timers()
            if store is not None:
                disk.call(store.close, lambda *_: None)
            disk.close()
            raise
        return host

    def _resumed(self) -> Resumed:
        return Resumed(
            self.factory,
            self.cores,
            self.storage,
            self.reports,
            self.perform_alone,
            self.clock.now,
        )

    def _kept(self) -> Kept:
        return Kept(
            self.storage,
            self.factory,
            self.cores,
            self.clock.now,
            self.ask,
            self.at_once,
            self.notice,
            lambda: self.dead_letters.waiting,
        )

    @property
    def losses(self) -> Losses:
        """What damage in the journal has cost."""
        return self.reports.losses

    @property
    def origins(self) -> Mapping[int, str]:
        """The first half of event ids, by channel."""
        return self.recorder.origin_texts

    def new_archiving(
        self,
        plan: ArchivePlan,
        command: ArchiveCommand = archive_command,
        problems: tuple[str, ...] = (),
    ) -> Archiving:
        """Return an archiver of the journal, not started yet; see `Archiving`."""
        return Archiving(self.storage, self.notice, self._hold, plan, command, problems)

    def _hold(self, archiving: Archiving) -> None:
        """Make the journal keep what is not archived yet."""
        self.archiving = archiving
        self.housekeeping.unarchived = archiving.held

    def new_jobs(
        self,
        plan: JobPlan,
        command: JobCommand = job_command,
        missing: Callable[[JobPlan], str] = problem_of,
    ) -> JobRunner:
        """Return what runs the jobs of this host, not started yet; see `JobRunner`."""
        self.jobs = JobRunner(self.ask, self.tell, self.on_effect, plan, command, missing)
        return self.jobs

    # State for protocols.

    @property
    def channels(self) -> Channels:
        """The channels by id."""
        return self.factory.channels

    @property
    def filters(self) -> FilterHost:
        """The filters."""
        return self.factory.filters

    @property
    def unattended(self) -> Unused[tuple[int, int]]:
        """Proxies whose client cannot be called."""
        return self.factory.unattended

    @property
    def folder(self) -> Path | None:
        """The data folder; None if everything is only in memory."""
        return None if self.store is None else self.store.folder

    @property
    def content_octets(self) -> int:
        """Content of events that is only in memory."""
        return self.bodies.octets

    @property
    def disk_jobs(self) -> int:
        """The number of jobs that wait for the disk."""
        return self.disk.waiting

    def time(self) -> int:
        """Return the time, microseconds since 1970."""
        return self.clock.now() + self.clock.offset

    def endpoint(self, channel: int, proxy: int) -> Endpoint | None:
        """Return how a proxy's client is reached; None if it is not."""
        reached = self.out.endpoints.get((channel, proxy))
        return None if reached is None else reached[0]

    def endpoints(self) -> dict[tuple[int, int], Endpoint]:
        """Return a copy of the endpoints, by channel and proxy."""
        return {key: endpoint for key, (endpoint, _) in self.out.endpoints.items()}

    def end_pulls(
        self, error: TidingsError, concerns: Callable[[Caller, Place], bool] = lambda *_: True
    ) -> None:
        """Answer waiting pulls with an error: all, or those of some callers and proxies."""
        self.out.end_pulls(error, concerns)

    async def message(self, channel: int, seq: int) -> Message | None:
        """Return a waiting event, None if it does not wait; StoreError if unreadable now."""
        found = self.bodies.get(channel, seq)
        place = self.bodies.of(channel).get(seq)
        if found is not None or not isinstance(place, int):
            return found
        return (await self.storage.fetch([place]))[0]

    # Commands.

    def ask(
        self, command: Command, principal: Caller = OWNER, source: Hashable | None = None
    ) -> asyncio.Future[Any]:
        """Run a command; the future gets its answer or error."""
        future = self.loop.create_future()
        self.post(command, future, principal, source)
        return future

    def post(
        self,
        command: Command,
        waiting: Waiting,
        principal: Caller = OWNER,
        source: Hashable | None = None,
    ) -> None:
        """Run a command, and hand its answer or error to `waiting`.

        Events of one `source` are in order and share their turns; see `Mailbox.post`.
        """
        if command.__class__ is m.ObtainProxy:
            command = self._enforcing.confined(command, self.limiting.of(principal))
        if self._stopping or self.disk_error is not None or not principal.owns_service:
            try:
                command = self._admitted(command, principal)
            except TidingsError as error:
                waiting.set_exception(error)
                return
        self._mailbox.post(command, waiting, source)
        self._schedule()

    def tell(self, command: Command, done: asyncio.Future[Any] | None = None) -> None:
        """Run a command without an access check; does nothing after the end."""
        if self._closed:
            return
        self._mailbox.post(command, done)
        self._schedule()

    def _admitted(self, command: Command, principal: Caller) -> Command:
        """Return a command as it is run for a principal; raise if it may not be run."""
        if self._stopping:
            raise Stopping("the service is stopping; it takes nothing more")
        if self.disk_error is not None and must_last(command):
            raise type(self.disk_error)(f"nothing can be changed: {self.disk_error}")
        try:
            authorise(self, command, principal)
            self.limiting.check(command, principal)
            if isinstance(command, c.Push):
                return with_own_producers(self.access, command, principal)
        except TidingsError as error:
            self.operations.note_uncounted(command, principal, error)
            raise
        return command

    async def connect(
        self,
        command: m.Connect,
        endpoint: Endpoint | None,
        principal: Caller = OWNER,
        *,
        connected_by: Caller | None = None,
    ) -> None:
        """Connect a client to a proxy, reached through the endpoint from then on.

        `connected_by` is who did so before a restart.
        """
        key = (command.channel, command.proxy)
        before = self.out.endpoints.get(key)
        proxy = self.factory.channel(command.channel).proxy(command.proxy)
        if before is not None:
            before[0].flush()
        if endpoint is not None and (before is None or command.again):
            endpoint.attach(self, connected_by or principal)
            self.out.reach(key, endpoint, proxy.form)
        elif command.again:
            self.out.endpoints.pop(key, None)
        try:
            await self.ask(command, principal)
        except BaseException:
            if before is None:
                self.out.endpoints.pop(key, None)
            else:
                self.out.endpoints[key] = before
            raise
        if before is not None and before[0] is not endpoint:
            before[0].close(Disconnected("another client has taken the connection over"))

    async def pull(
        self,
        channel: int,
        proxy: int,
        most: int = 1,
        wait: int | None = None,
        lease: int | None = None,
        principal: Caller = OWNER,
    ) -> EventBatch:
        """Pull events, waiting as long as requested."""
        return await self.out.pull(channel, proxy, most, wait, lease, principal)

    # Answers of endpoints.

    def ack(self, channel: int, proxy: int, seqs: Sequence[int]) -> None:
        """Acknowledge events."""
        self.tell(c.Ack(channel, proxy, seqs))

    def failed(
        self, channel: int, proxy: int, seqs: Sequence[int], reason: str, gone: bool = False
    ) -> None:
        """Report a failed delivery; what waits behind the events fails with them."""
        self.out.failed(c.Failed(channel, proxy, seqs, reason, gone))

    def reject(self, channel: int, proxy: int, seqs: Sequence[int], reason: str) -> None:
        """Refuse events for good."""
        self.tell(c.Reject(channel, proxy, seqs, reason))

    # The loop.

    def before_drain(self, act: Callable[[], None]) -> None:
        """Have a protocol post what it gathers, just before the mailbox is drained."""
        self._mailbox.gather(act)
        self._schedule()

    def _schedule(self) -> None:
        if not self._scheduled:
            self._scheduled = True
            self.loop.call_soon(self._drain)

    def _drain(self) -> None:
        self.watchdog.entered()
        posts = self._mailbox.slice()
        self._scheduled = False
        if not posts:
            self.watchdog.left()
            if self._mailbox:
                self._schedule()
            return
        commands = [post.command for post in posts]
        try:
            answers, effects = self._judging.handle_many(commands, self.clock.now())
            for post, answer in zip(posts, answers, strict=True):
                if isinstance(answer, TidingsError):
                    self._note_error(post, answer)
            self._performer.perform(posts, answers, effects)
        except Exception as fault:  # an internal fault: callers must not wait for ever
            log.exception("a batch of commands could not be carried out")
            for post in posts:
                post.fail(fault)
            if type(commands[0]) is not c.Tick:
                self._tick()  # carries out the effects of the other commands
        self._timer.set(self.cores.wake_at)
        spent = self.watchdog.left()
        if self.cores.only_first:  # others say nothing of what events cost
            self._mailbox.took(spent)
        if self._mailbox:
            self._schedule()
        else:
            self._judging.forget()

    def _note_error(self, post: Post, error: TidingsError) -> None:
        if error.__class__ is TidingsError:
            log.error("a command has met a fault", exc_info=error)
        if not post.last and isinstance(post.command, c.Push) and post.command.whole:
            self._mailbox.drop_rest(post)

    def _tick(self) -> None:
        self.tell(c.Tick())

    def _look_around(self) -> None:
        offset = self.clock.check()
        if offset is not None:
            log.warning("the clock was set; host time is %d µs away from it", offset)
            # Both at once: records must use the core's offset.
            self.recorder.offset = self.cores.offset = offset
            self.at_once(c.ClockSet(offset))
        if self.store is not None:
            self.reports.find()
            self.reports.keep()
            self.dead_letters.try_again()
        if self.disk_error is not None and not self.broken.done():
            self.writer.try_again()
        self.operations.tell_counted()
        if self.trail is not None:
            self.trail.write()
        self._around = self.loop.call_later(_LOOK_AROUND, self._look_around)

    # For the performer.

    def submit(self, job: Callable[[], _T]) -> asyncio.Future[_T]:
        """Run a job on the disk thread."""
        return self.disk.submit(job)

    def _write(self, records: Sequence[Writable], sync: bool, done: Done) -> None:
        assert self.store is not None
        self.disk.call(partial(self.store.write, records, sync=sync), done)

    def _revoke(self, command: c.Revoke) -> None:
        """Hold back events that were not accepted, and tell the core before it goes on."""
        self.out.withdraw(command.channel, command.seqs)
        self.at_once(command)

    def at_once(self, command: Command) -> None:
        """Run a command before all that waits."""
        _, effects = self.factory.handle_many([command], self.clock.now())
        self.perform_alone(effects)

    def perform_alone(self, effects: Sequence[e.Effect]) -> None:
        """Carry out effects without a command."""
        self._performer.perform([], [], effects)
        self._timer.set(self.cores.wake_at)

    def _refused(self, error: StoreError) -> None:
        """Refuse changes until the disk accepts writes again."""
        if self.disk_error is None:
            log.error("the disk refuses: %s", error)
        self.disk_error = error
        if isinstance(error, JournalBroken) and not self.broken.done():
            self.broken.set_result(str(error))
            self.notice(e.Notice(e.NoticeKind.FAILING, 0, 0, str(error)))

    def _taken(self) -> None:
        if self.disk_error is not None and not self.writer.owed:
            log.warning("the disk takes records again")
            self.disk_error = None

    def notice(self, notice: e.Notice) -> None:
        """Keep a notice, with its time and names, and tell the watchers."""
        channel = self.factory.channels.get(notice.channel)
        proxy = None if channel is None else channel.proxies.get(notice.proxy)
        notice = notice._replace(
            channel_name=notice.channel_name or (channel.name if channel else ""),
            proxy_name=notice.proxy_name or (proxy.name if proxy else ""),
            time=self.clock.now() + self.clock.offset,
        )
        level = logging.WARNING if notice.kind is e.NoticeKind.LOST else logging.INFO
        log.log(level, "%s%s%s: %s", notice.kind, *notice.place, notice.detail)
        self.notices.append(notice)
        for watcher in self._watchers:
            self.loop.call_soon(watcher, notice)

    def watch(self, watcher: Callable[[e.Notice], None]) -> Callable[[], None]:
        """Call a function with every notice; return a function that ends that."""
        self._watchers.append(watcher)
        return partial(self._watchers.remove, watcher)

    def watch_filters(self, watcher: Callable[[e.FilterTypesChanged], None]) -> None:
        """Call a function whenever a filter asks for other event types."""
        self.on_effect(e.FilterTypesChanged, watcher)

    def on_effect(self, kind: type[_T], act: Callable[[_T], None]) -> None:
        """Call a function with each effect of a class that the host itself does not handle.

        The call comes after all durable parts of the effect's batch are on disk.
        """
        self._performer.listeners.setdefault(kind, []).append(act)

    def _channel_name(self, id: int) -> str:
        channel = self.factory.channels.get(id)
        return "" if channel is None else channel.name

    def _operation_done(self, done: OperationDone) -> None:
        """Tell the interested core at once, without a turn of the mailbox, and write the line.

        Nothing is told to the core while the disk refuses writes: too many records would be owed.
        """
        if self._closed:
            return
        told, number = replace(done, at=self.time()), 0
        if self.disk_error is None and self.cores.routes(OperationDone):
            (number, *_), effects = self.cores.handle_many([told], self.clock.now())
            self.perform_alone(effects)
        if self.trail is not None:
            self.trail.add(told, number)

    def _trail_fails(self, text: str) -> None:
        self.notice(e.Notice(e.NoticeKind.FAILING, 0, 0, text))

    # The end.

    async def drain(self, seconds: float = 10.0) -> bool:
        """Stop accepting and let accepted events leave; return whether all have."""
        self._stopping = True
        until = self.loop.time() + seconds
        while self.loop.time() < until:
            if not self.broken.done():  # else what is owed is never written
                self.writer.flush()
            leaving = any(one.is_leaving() for one in self.factory.channels.consumers())
            written = self.writer.idle or self.broken.done()
            if not (self._mailbox or leaving or self.disk.waiting) and written:
                return True
            await asyncio.sleep(0.005)
        return False

    async def close(self, seconds: float = 1.0) -> None:
        """Stop: what was accepted is on disk when this returns."""
        async with self._closing:
            if self._closed:
                return
            await self.housekeeping.stop()
            await self.drain(seconds)
            await self._notices.stop()
            await self.out.stop()
            while self._mailbox:
                self._drain()
            self.operations.tell_counted(everything=True)
            self._closed = True
            self._end_timers()
            try:
                if self.store is not None:
                    self.reports.keep()
                    self.writer.ride(last_words(self.factory, self.recorder))
                    await self.writer.finish()
                    await self.disk.submit(self.store.close)
            finally:
                self.disk.close()

    def _end_timers(self) -> None:
        self._around.cancel()
        self._timer.set(None)
        self.watchdog.stop()
