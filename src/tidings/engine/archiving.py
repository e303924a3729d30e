"""The engine's side of the archive: a child process copies the journal into files for analysis.

The child is a separate process, so that neither its work nor its faults affect deliveries: it is
told up to where the journal is durable and reports what it has sealed. Only the end of the service
waits for it. A child that dies is restarted with back-off; meanwhile the journal keeps what is not
archived yet (`Housekeeping.unarchived`).

The protocol, line by line::

    to the child     upto SEGMENT OFFSET     the journal is durable up to there
                     seal                    seal what was read now
                     options {...}           new options, as JSON
                     (the end)               seal, and end
    by the child     {"sealed": 12, "cursor": [3, 4096], "rows": 800, "manifest": 9000}
                     {"idle": [3, 5000]}     nothing before this place waits to be sealed
                     {"error": "..."}        why it ends
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeAlias

from tidings.channel.effects import Notice, NoticeKind
from tidings.engine.storage import Storage
from tidings.engine.turns import Turns
from tidings.errors import Stopping
from tidings.stores.segments import Cursor, segment_path

log = logging.getLogger(__name__)

# The minimum interval between messages to the child, in seconds.
_TELL: Final = 0.2
# The back-off before a dead child is restarted, in seconds.
_PAUSE: Final = 1.0
_LONGEST_PAUSE: Final = 60.0
# How long the last lines of an ended child may take, in seconds.
_LAST_LINES: Final = 2.0
_LONGEST_LINE: Final = 2**20
# More moments of the journal's length than this are thinned out: an archive may be days behind.
_MOST: Final = 512
# How many damaged lines of the manifest are reported one by one.
_TOLD: Final = 100


@dataclass(frozen=True, slots=True)
class ArchivePlan:
    """The location and limits of the archive.

    Unsealed rows are at most `seal_seconds` old, a file has about `seal_octets` and `seal_rows` at
    most. Files that are older than `keep_microseconds`, or make the archive larger than
    `keep_octets`, are deleted. `hold` octets of the journal wait for the archive before they go
    without it.
    """

    folder: Path
    seal_seconds: float = 30.0
    seal_octets: int = 64 * 2**20
    seal_rows: int = 200_000
    keep_octets: int | None = None
    keep_microseconds: int | None = None
    hold: int = 4 * 2**30

    def options(self) -> str:
        """Return the child's options as JSON."""
        names = asdict(self).items()
        return json.dumps({name: it for name, it in names if name not in ("folder", "hold")})


Command: TypeAlias = Callable[[ArchivePlan, Path], Sequence[str]]
"""Makes the child's command line from the plan and the journal's folder."""


def our_python() -> list[str]:
    """Return how a command line begins that has the same Python and packages as this process."""
    # A file of the current folder must not be taken for a module, unless ours come from there.
    safe = [] if {"", str(Path.cwd())} & set(sys.path) else ["-P"]
    return [sys.executable, *safe]


def archive_command(plan: ArchivePlan, journal: Path) -> list[str]:
    """Return the archiver's command line."""
    folders = [str(journal.absolute()), str(plan.folder.absolute())]
    return [*our_python(), "-m", "tidings.stores.archive", *folders, plan.options()]


@dataclass(frozen=True, slots=True)
class ArchivingState:
    """The state of the archive; counts are since the start.

    `behind_octets` and `behind_seconds` are the size and age of the unarchived part of the journal;
    `problems` is damage found in the manifest at the start.
    """

    folder: Path
    running: bool
    seals: int
    rows: int
    restarts: int
    error: str
    behind_octets: int
    behind_seconds: float
    manifest_octets: int = 0
    problems: tuple[str, ...] = ()


class Lag:
    """Tracks the age of the unarchived part of the journal; `now` is any clock in seconds."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.reached: Cursor | None = None
        self._now = now
        self._ends: deque[tuple[Cursor, float]] = deque()

    def told(self, end: Cursor) -> None:
        """Note that the journal is now durable up to `end`."""
        if self.reached is not None and end <= self.reached:
            return
        if len(self._ends) >= _MOST:
            self._ends = deque(islice(self._ends, 0, None, 2))
        self._ends.append((end, self._now()))

    def archived(self, place: Cursor) -> None:
        """Note that everything up to `place` is archived."""
        self.reached = place
        while self._ends and self._ends[0][0] <= place:
            self._ends.popleft()

    def seconds(self) -> float:
        """Return the age of the oldest unarchived part; 0 if there is none."""
        return self._now() - self._ends[0][1] if self._ends else 0.0


class Archiving:
    """Supervises the child that archives a host's journal.

    `sealed` is up to where the journal is archived for good, None while unknown; `pause` is the
    back-off before a dead child is restarted, in seconds, and doubles each time.
    """

    def __init__(
        self,
        storage: Storage,
        notice: Callable[[Notice], None],
        hold: Callable[[Archiving], None],
        plan: ArchivePlan,
        command: Command = archive_command,
        problems: tuple[str, ...] = (),
    ) -> None:
        self.plan = plan
        self.sealed: Cursor | None = None
        self.error = ""
        self.problems = problems
        self.pause = _PAUSE
        self._storage = storage
        self._store = storage.journal
        self._notice = notice
        self._hold = hold
        self._command = command
        self._seals = self._rows = self._restarts = self._manifest_octets = 0
        self._lag = Lag(asyncio.get_running_loop().time)
        self._synced = self._seen = Cursor(0, 0)
        self._sizes: dict[int, int] = {}  # of the journal's segments
        self._process: asyncio.subprocess.Process | None = None
        self._told: Cursor | None = None
        self._complaint = ""  # the child's reason for its end
        self._stop = asyncio.Event()
        self._last: Cursor | None = None  # where the journal ends, once it is closed
        self._given_up = False
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Start; from now on the journal keeps what is not archived yet."""
        self._hold(self)
        for problem in self.problems[:_TOLD]:
            text = f"damage in the archive {self.plan.folder}: {problem}"
            self._notice(Notice(NoticeKind.LOST, 0, 0, text))
        loop = asyncio.get_running_loop()
        self._tasks = [
            loop.create_task(self._keep(), name="what keeps the archive's process"),
            loop.create_task(self._look(), name="what tells the archive of the journal"),
        ]

    def change(self, plan: ArchivePlan) -> None:
        """Switch to another plan with the same folder."""
        self.plan = plan
        if self._stdin is not None:
            self._stdin.write(f"options {plan.options()}\n".encode())

    @property
    def _stdin(self) -> asyncio.StreamWriter | None:
        return None if self._process is None else self._process.stdin

    async def stop(self, patience: float) -> bool:
        """Stop, after `Host.close`, with `patience` in seconds; return whether all is archived."""
        if not self._tasks:
            return False
        self._last = self._store.journal.synced
        self._seen_durable(self._last)
        self._stop.set()
        self._finish()
        _, late = await asyncio.wait(self._tasks, timeout=patience)
        if late:
            log.warning("the archive is not complete after %g s; it goes on after the next start",
                        patience)  # fmt: skip
            self._given_up = True
            if self._process is not None:
                self._process.kill()
            _, late = await asyncio.wait(late, timeout=_LAST_LINES)
            for task in late:
                task.cancel()
        return self._lag.reached is not None and self._lag.reached >= self._last

    def state(self) -> ArchivingState:
        """Return the state of the archive."""
        return ArchivingState(
            self.plan.folder,
            self._process is not None,
            self._seals,
            self._rows,
            self._restarts,
            self.error,
            self._behind(),
            self._lag.seconds(),
            self._manifest_octets,
            self.problems,
        )

    def _behind(self) -> int:
        reached = self._lag.reached or Cursor(0, 0)
        sizes = {**self._sizes, self._synced.segment: self._synced.offset}
        octets = sum(size for number, size in sizes.items() if number >= reached.segment)
        return max(0, octets - (reached.offset if reached.segment in sizes else 0))

    # For retention.

    def held(self) -> tuple[int, int]:
        """Return the first unarchived segment, and how many octets to keep at most."""
        return (0 if self.sealed is None else self.sealed.segment), self.plan.hold

    # The child's life.

    async def _keep(self) -> None:
        pause = self.pause
        while True:
            seals = self._seals
            try:
                why = await self._one_life()
            except Exception as fault:
                log.exception("the archive's process cannot be kept")
                why = repr(fault)
            if self._last is not None:
                if why:
                    self._failing(why, "the next start")
                return
            self._failing(why, "a pause")
            if self._seals > seals:
                pause = self.pause
            await self._rest(pause)  # asked to stop, it has one more chance
            pause = min(2 * pause, _LONGEST_PAUSE)
            self._restarts += 1

    async def _rest(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stop.wait(), seconds)

    async def _one_life(self) -> str:
        """Run a child to its end; return why it ended, empty if it was asked to."""
        command, pipe = self._command(self.plan, self._store.folder), asyncio.subprocess.PIPE
        self._complaint, self._told = "", None
        try:
            process = await asyncio.create_subprocess_exec(
                *command, stdin=pipe, stdout=pipe, stderr=pipe, limit=_LONGEST_LINE
            )
        except OSError as error:
            return f"its process cannot be started: {error.strerror or error}"
        if self._given_up:
            process.kill()
        self._process = process
        assert process.stdout is not None
        assert process.stderr is not None
        if self._last is not None:
            self._finish()
        loop = asyncio.get_running_loop()
        hearing = [
            loop.create_task(each_line(process.stdout, self._heard)),
            loop.create_task(each_line(process.stderr, self._warned)),
        ]
        try:
            code = await process.wait()
            await asyncio.wait(hearing, timeout=_LAST_LINES)
        finally:
            self._process = None
            if process.returncode is None:
                process.kill()
            for task in hearing:
                task.cancel()
        if self._given_up or (code == 0 and self._last is not None):
            return ""
        return self._complaint or f"its process has ended with code {code}"

    def _finish(self) -> None:
        """Tell the child where the journal ends, and that no more comes."""
        stdin = self._stdin
        if stdin is not None and self._last is not None:
            stdin.write(f"upto {self._last.segment} {self._last.offset}\nseal\n".encode())
            stdin.close()

    # The journal.

    async def _look(self) -> None:
        """Tell the child how far it can read, at a limited rate."""
        while not self._stop.is_set():
            # Torn between two segments it would be wrong; it only shows that there is more.
            end = self._store.journal.end
            if end != self._seen or end != self._synced:
                self._seen = end
                with suppress(Stopping):
                    self._seen_durable(await self._storage.submit(self._durable))
            self._tell()
            await self._rest(_TELL)

    def _tell(self) -> None:
        stdin = self._stdin
        if stdin is None or self._synced == self._told or self._last is not None:
            return
        # A busy child is told later, and then only the latest position.
        if not stdin.transport.get_write_buffer_size():
            self._told = self._synced
            stdin.write(f"upto {self._synced.segment} {self._synced.offset}\n".encode())

    def _durable(self) -> Cursor:
        """On the disk thread: return up to where the journal is durable; note segment sizes."""
        journal = self._store.journal
        if journal.segments[-1] not in self._sizes:
            folder = journal.folder
            self._sizes = {n: segment_path(folder, n).stat().st_size for n in journal.segments}
        return journal.synced

    def _seen_durable(self, synced: Cursor) -> None:
        if synced != self._synced:
            self._synced = synced
            self._lag.told(synced)

    # The child's messages.

    def _heard(self, line: bytes) -> None:
        try:
            said: dict[str, Any] = json.loads(line)
            if "error" in said:
                self._complaint = str(said["error"])
            elif "idle" in said:
                self._reached(Cursor(*said["idle"]))
            else:
                self._has_sealed(said)
        except (ValueError, TypeError, KeyError):
            log.warning("the archive's process says what nobody understands: %.200r", line)

    def _has_sealed(self, said: dict[str, Any]) -> None:
        number, place, rows = said["sealed"], said["cursor"], said["rows"]
        if place is not None:
            self.sealed = Cursor(*place)
        if number:
            self._seals += 1
            self._rows += rows
            self._manifest_octets = said.get("manifest", 0)
            log.debug("the archive has seal %d, %d rows, up to %s", number, rows, self.sealed)
            self._well()
        if self.sealed is not None:
            self._reached(self.sealed)

    def _reached(self, place: Cursor) -> None:
        self._lag.archived(place)
        if place >= self._synced:
            self._well()

    def _warned(self, line: bytes) -> None:
        if said := line.decode("utf-8", "backslashreplace").rstrip():
            log.warning("the archive's process: %s", said)

    def _failing(self, why: str, when: str) -> None:
        if why == self.error:
            return
        self.error = why
        where = self.plan.folder
        text = f"the archive in {where} stands still: {why}; it is tried again after {when}"
        log.error("%s", text)
        self._notice(Notice(NoticeKind.FAILING, 0, 0, text))

    def _well(self) -> None:
        if self.error:
            self.error = ""
            text = f"the archive in {self.plan.folder} goes on"
            log.warning("%s", text)
            self._notice(Notice(NoticeKind.CAUGHT_UP, 0, 0, text))


async def each_line(stream: asyncio.StreamReader, act: Callable[[bytes], None]) -> None:
    """Call a function with each line of a child, however fast it writes."""
    turns = Turns()
    while True:
        try:
            line = await stream.readline()
        except ValueError:  # too long to be valid; the rest comes as another line
            continue
        if not line:
            return
        act(line)
        await turns.give()
