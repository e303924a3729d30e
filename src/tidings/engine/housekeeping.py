"""Background work of the engine, in short steps between which pushes go on.

Old segments of the journal are compacted (`compaction.py`), entries of idle consumers are swapped
out (`swapping.py`), and a journal above its quota accepts no more Persistent events.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

from tidings.channel.commands import Command, RefusePersistent
from tidings.channel.effects import Notice, NoticeKind
from tidings.channel.factory import Factory
from tidings.engine.compaction import JournalCompaction
from tidings.engine.cores import Cores
from tidings.engine.storage import Storage
from tidings.engine.swapping import Swapping
from tidings.errors import InvalidUsage, Stopping, TidingsError
from tidings.stores.retention import Retention, SegmentInfo, droppable, held_from
from tidings.stores.segments import segment_path

log = logging.getLogger(__name__)

_SECOND: Final = 1_000_000
# How often the journal is measured, in seconds.
_LOOK: Final = 1.0
# Finding out that nothing can be removed means reading old segments: at most this often, seconds.
_LONGEST_PAUSE: Final = 600.0
# Segments that were written while others went may go, too, if the journal is still too long.
_ROUNDS: Final = 3


class Kept(NamedTuple):
    """What housekeeping needs of a host; `letters_wait`: whether dead letters need their events."""

    storage: Storage
    factory: Factory
    cores: Cores
    now: Callable[[], int]
    ask: Callable[[Command], Awaitable[Any]]
    at_once: Callable[[RefusePersistent], None]
    notice: Callable[[Notice], None]
    letters_wait: Callable[[], bool]


class Housekeeping:
    """Keeps a host's journal and memory small.

    Above `disk_quota` octets, if nothing can be removed, Persistent events are refused.
    """

    def __init__(self, retention: Retention | None = None, disk_quota: int | None = None) -> None:
        if disk_quota is not None and (type(disk_quota) is not int or disk_quota < 1):
            raise InvalidUsage(f"a disk quota is a number of octets from 1 on, not {disk_quota!r}")
        self.retention = Retention() if retention is None else retention
        self.disk_quota = disk_quota
        self.every = 10.0  # the interval of all checks, in seconds; a full segment triggers one too
        self.idle_seconds = 300.0  # consumers that took nothing for so long may be swapped out,
        self.most_entries = 200_000  # if more entries than this are in memory
        # The first segment that the archive still needs, and how many octets are kept for it.
        self.unarchived: Callable[[], tuple[int, int]] | None = None
        self._kept: Kept | None = None
        self._swapping: Swapping | None = None
        self._task: asyncio.Task[None] | None = None
        self._stop = asyncio.Event()
        self._running = asyncio.Lock()
        self._end: tuple[int, int] | None = None
        self._always = 0  # what had to be written the last time beside events and dead letters
        self._pause = 0.0
        self._not_before = 0.0
        self._told: str | None = None
        self._full = ""  # why Persistent events are refused; empty if they are not

    def start(self, host: Kept) -> None:
        """Start; without a disk there is nothing to do."""
        self._kept = host
        if host.storage.store is not None:
            self._swapping = Swapping(host.factory.channels, host.now, host.ask)
            self._task = asyncio.get_running_loop().create_task(self._keep())

    async def stop(self) -> None:
        """Stop, after the step that runs."""
        self._stop.set()
        if self._task is not None:
            await self._task
        async with self._running:
            pass

    async def run_once(self) -> None:
        """Do everything once, ignoring back-off pauses."""
        await self._run(at_once=True)

    async def _keep(self) -> None:
        loop = asyncio.get_running_loop()
        last = loop.time()
        while not self._stop.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), min(_LOOK, self.every))
                return
            full = await self._attempt(self._look, "the journal cannot be looked at")
            if full or loop.time() >= last + self.every:
                await self._run()
                last = loop.time()

    async def _run(self, *, at_once: bool = False) -> None:
        look = partial(self._attempt, self._look, "the journal cannot be looked at")
        async with self._running:
            if at_once:
                self._not_before = 0.0
            if self._swapping is None or self._stop.is_set():
                return
            for _ in range(_ROUNDS):
                await look()
                went = await self._attempt(self._retain, "old segments of the journal are kept")
                if not went or not self._full:
                    break
            await look()
            await self._attempt(self._swap_out, "entries stay in memory")

    async def _attempt(self, work: Callable[[], Coroutine[None, None, bool]], what: str) -> bool:
        """Do one kind of work; report an error once, and retry later."""
        try:
            done = await work()
        except Stopping:
            return False
        except Exception as error:
            log.exception("%s", what)
            reason = str(error) if isinstance(error, TidingsError) else repr(error)
            self._tell(NoticeKind.FAILING, f"{what}: {reason}; this is tried again")
            return False
        if done:
            self._told = None
        return done

    @property
    def _host(self) -> Kept:
        assert self._kept is not None
        return self._kept

    def _tell(self, kind: NoticeKind, text: str) -> None:
        if text != self._told:
            self._told = text
            self._host.notice(Notice(kind, 0, 0, text))

    def _check(self) -> None:
        if self._stop.is_set():
            raise Stopping("the service is stopping")

    # The journal.

    async def _look(self) -> bool:
        """Measure the journal and enforce the quota; return whether a segment was finished."""
        self._check()
        segments = await self._host.storage.submit(self._segments)
        number, octets, *_ = segments[-1]
        before = self._end
        self._end = (number, octets)
        self._keep_quota(sum(one.octets for one in segments))
        return before is not None and before[0] != number

    def _segments(self) -> list[SegmentInfo]:
        """On the disk thread: return number, size and age of each segment."""
        store = self._host.storage.journal
        return [
            SegmentInfo(number, segment_path(store.folder, number).stat().st_size, age)
            for number, age in sorted(store.journal.ages().items())
        ]

    def _keep_quota(self, octets: int) -> None:
        quota = self.disk_quota
        if quota is not None and octets > quota:
            text = (
                f"the journal has {octets} octets and may have {quota}: Persistent events are "
                "refused until consumers have taken some that wait"
            )
            if not self._full:
                self._tell(NoticeKind.FAILING, text)
            self._refuse_persistent(text)
        elif self._full:
            self._refuse_persistent("")
            self._tell(NoticeKind.CAUGHT_UP, f"the journal has {octets} octets again")

    def _refuse_persistent(self, reason: str) -> None:
        self._full = reason
        self._host.at_once(RefusePersistent(reason))

    async def _retain(self) -> bool:
        """Remove old segments, as far as that pays; return whether some were removed."""
        host = self._host
        if asyncio.get_running_loop().time() < self._not_before or host.letters_wait():
            return False
        infos = await host.storage.submit(self._segments)
        # Objects, rules and marks are always written again.
        infos[0] = infos[0]._replace(needed=self._always)
        if not self._droppable(infos):
            return False
        parts = (host.storage, host.factory, host.cores, host.ask)
        async with JournalCompaction(*parts, self._check) as carrying:
            gone = self._droppable(infos)
            if not await carrying.is_free():
                needed = await carrying.needed(gone[-1] + 1)
                infos = [i._replace(needed=i.needed + needed.get(i.number, 0)) for i in infos]
                gone = self._droppable(infos)
            if gone:
                await carrying.carry(gone[-1] + 1)
                self._always = carrying.octets
        self._rest(bool(gone))
        if gone:
            self._say_why([info for info in infos if info.number in gone])
        return bool(gone)

    def _say_why(self, gone: list[SegmentInfo]) -> None:
        keep = self.retention.keep_microseconds
        old = [info for info in gone if keep is not None and info.age > keep]
        log.info(
            "segments %d to %d of the journal went: %d were older than store.retention_age "
            "(the oldest %.0f s of observed time), %d made the journal too long",
            gone[0].number,
            gone[-1].number,
            len(old),
            gone[0].age / _SECOND,
            len(gone) - len(old),
        )

    def _droppable(self, infos: list[SegmentInfo]) -> list[int]:
        kept = self.retention
        most = None
        if self.disk_quota is not None:
            # What is written meanwhile must not exceed it.
            most = max(0, self.disk_quota * 9 // 10 - self._always)
            kept = replace(kept, keep_octets=min(kept.keep_octets, most))
        held = None
        if self.unarchived is not None:
            first, hold = self.unarchived()
            # Refusing events would be worse than not archiving some.
            held = held_from(infos, first, hold if most is None else min(hold, most))
        return droppable(infos, kept, held)

    def _rest(self, useful: bool) -> None:
        """Back off after an attempt in vain, longer each time."""
        self._pause = (
            0.0 if useful or self._full else min(2 * self._pause + self.every, _LONGEST_PAUSE)
        )
        self._not_before = asyncio.get_running_loop().time() + self._pause

    # Memory.

    async def _swap_out(self) -> bool:
        assert self._swapping is not None
        idle = round(self.idle_seconds * _SECOND)
        return await self._swapping.relieve(self.most_entries, idle) > 0
