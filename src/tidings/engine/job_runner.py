"""The processes of jobs: starts them, listens to them, ends them, and keeps what they have found.

Spark never runs in the service: each job is a process of its own (`pipeline/__main__.py`), with
low priority and a process group of its own, which ends with the job, and with the service. What is
asked for goes into a file, never onto a command line. ::

    in the job's folder   request.json      what is asked for
                          result.json       what it has found, by the process
                          page.html         the same as a page, by the process
    by the process        {"percent": 40, "step": "picking samples"}
                          {"error": "..."}  why it ends
    to the process        (the end)         the service has ended: end, too
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shutil
import signal
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from tidings.engine.archiving import each_line, our_python
from tidings.errors import JavaNotFound, MissingExtra, NotFound, Stopping, StoreError, TidingsError
from tidings.java import find_java
from tidings.jobs import (
    NO_ARCHIVE,
    End,
    Forget,
    JobEnded,
    JobInfo,
    JobProgress,
    JobResult,
    JobsReady,
    Launch,
    LookAgain,
    SeeJobs,
)
from tidings.stores.files import disk_errors, make_folder, write_file

log = logging.getLogger(__name__)

FOLDER: Final = "jobs"
"""The folder of the jobs, in the data folder."""
REQUEST: Final = "request.json"
RESULT: Final = "result.json"
PAGE: Final = "page.html"

# Deliveries have priority, and so has the archive.
_NICER: Final = 10
_NEEDED: Final = ("pyspark", "pyarrow", "pandas", "jinja2", "altair", "vl_convert")
# Seconds between two looks whether what was missing is there.
_LOOK_AGAIN: Final = 10.0
# Seconds between two reports of progress.
_TELL: Final = 0.25
# Seconds that a process group may take to end before it is killed, and then to be gone.
_GRACE: Final = 5.0
_LOOK: Final = 0.02
_LAST_LINES: Final = 2.0
_LONGEST_LINE: Final = 2**16
_MOST_SAID: Final = 600
# A result has tables of some hundred rows; a page has charts and whole sample events, too.
_MOST_RESULT: Final = 2 * 2**20
_MOST_PAGE: Final = 32 * 2**20


@dataclass(frozen=True, slots=True)
class JobPlan:
    """Where jobs find the archive, and what they may use.

    Attributes:
        folder: Where their results are.
        archive: The archive; None if there is none.
        memory: Of Spark, such as 2g.
        patience: Seconds that a job may take.
    """

    folder: Path
    archive: Path | None
    memory: str = "2g"
    patience: float = 21_600.0


Command: TypeAlias = Callable[[JobPlan, Path], Sequence[str]]
"""Makes the command line of a job's process from the plan and the job's folder."""


def job_command(plan: JobPlan, folder: Path) -> list[str]:
    """Return the command line of a job, with the same Python and packages as this process."""
    return [*our_python(), "-m", "tidings.pipeline", str(folder), str(plan.archive), plan.memory]


def problem_of(plan: JobPlan) -> str:
    """Return what is missing for jobs, and what to install or set; empty if nothing is."""
    if plan.archive is None:
        return NO_ARCHIVE
    for name in _NEEDED:
        if find_spec(name) is None:
            return str(MissingExtra(f"{name}, which jobs need,", "spark"))
    try:
        find_java()
    except JavaNotFound as error:
        return str(error)
    return ""


@dataclass(slots=True)
class _Process:
    """A job's process, from before its start until its group has ended."""

    told: tuple[int, str] | None = None  # progress that the core does not know yet
    error: str = ""
    last_words: deque[str] = field(default_factory=lambda: deque(maxlen=20))
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)


class JobRunner:
    """Runs the jobs of one host."""

    def __init__(
        self,
        ask: Callable[[Any], asyncio.Future[Any]],
        tell: Callable[[Any], None],
        on_effect: Callable[[type[Any], Callable[[Any], None]], None],
        plan: JobPlan,
        command: Command = job_command,
        missing: Callable[[JobPlan], str] = problem_of,
    ) -> None:
        self._ask = ask
        self._tell = tell
        self._plan = plan
        self._command = command
        self._missing = missing
        self._loop = asyncio.get_running_loop()
        self._processes: dict[int, _Process] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._looked = -_LOOK_AGAIN
        self._stopping = False
        on_effect(Launch, self._launch)
        on_effect(End, self._end)
        on_effect(Forget, lambda told: self._spawn(self._forget(told.job)))
        on_effect(LookAgain, self._look_again)

    def start(self) -> None:
        """Delete what an earlier service has left, and let jobs run if they can."""
        self._spawn(self._start())

    async def _start(self) -> None:
        self._looked = self._loop.time()  # no look beside this one
        try:
            found = await self._ask(SeeJobs())
        except Stopping:  # the service ends as soon as it has begun
            return
        kept = {job.id for job in found.jobs if job.octets}
        try:
            await asyncio.to_thread(_sweep, self._plan.folder, kept)
        except OSError as error:
            log.warning("what jobs have left in %s stays: %s", self._plan.folder, error)
        await self._look()

    async def stop(self) -> None:
        """End all processes with their groups; their jobs count as interrupted."""
        self._stopping = True
        for process in self._processes.values():
            process.cancelled.set()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=3 * _GRACE)

    # Whether jobs can run.

    def _look_again(self, _: LookAgain) -> None:
        if self._loop.time() - self._looked >= _LOOK_AGAIN:
            self._looked = self._loop.time()
            self._spawn(self._look())

    async def _look(self) -> None:
        self._tell(JobsReady(await asyncio.to_thread(self._missing, self._plan)))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # One job.

    def _launch(self, told: Launch) -> None:
        if self._stopping:
            return
        process = self._processes[told.job.id] = _Process()
        self._spawn(self._run(told.job, process))

    def _end(self, told: End) -> None:
        if (process := self._processes.get(told.job)) is not None:
            process.cancelled.set()

    async def _run(self, job: JobInfo, process: _Process) -> None:
        """Run a job to its end, and tell what became of it."""
        folder, found, octets = self._folder(job.id), None, 0
        try:
            cause = await self._life(job, folder, process)
            if not cause:
                found, octets = await asyncio.to_thread(_checked_result, folder)
        except TidingsError as error:
            cause = str(error)
        except Exception as fault:
            log.exception("job %d cannot be run", job.id)
            cause = f"the service has met a fault: {fault!r}"
        if found is None:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        self._processes.pop(job.id, None)
        if not self._stopping:
            counts = {} if found is None else found.counts
            self._tell(JobEnded(job.id, cause, counts, octets))

    async def _life(self, job: JobInfo, folder: Path, process: _Process) -> str:
        """Run a job's process to its end; return why there is no result, empty if there is one."""
        await asyncio.to_thread(_prepare, folder, json.dumps(_request(job)).encode())
        pipe = asyncio.subprocess.PIPE
        try:
            child = await asyncio.create_subprocess_exec(
                *self._command(self._plan, folder),
                stdin=pipe, stdout=pipe, stderr=pipe, limit=_LONGEST_LINE, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            return f"its process cannot be started: {error.strerror or error}"
        with suppress(OSError):  # it has ended already
            os.setpriority(os.PRIO_PGRP, child.pid, _NICER)
        assert child.stdout is not None
        assert child.stderr is not None
        hearing = [
            self._loop.create_task(each_line(child.stdout, partial(_heard, process))),
            self._loop.create_task(each_line(child.stderr, partial(_warned, process))),
            self._loop.create_task(self._tell_progress(job.id, process)),
        ]
        try:
            in_time = await self._over(child, process)
            await _end_group(child.pid)
            code = await child.wait()
            await asyncio.wait(hearing[:2], timeout=_LAST_LINES)
        finally:
            for task in hearing:
                task.cancel()
        if process.cancelled.is_set():
            return "it was cancelled"
        if not in_time:
            return f"it took longer than {self._plan.patience:g} s (jobs.patience)"
        return _cause(code, process)

    async def _over(self, child: asyncio.subprocess.Process, process: _Process) -> bool:
        """Wait until a process has ended or is to end; return whether that was in time."""
        waits = [
            self._loop.create_task(child.wait()),
            self._loop.create_task(process.cancelled.wait()),
        ]
        try:
            done, _ = await asyncio.wait(
                waits, timeout=self._plan.patience, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            for task in waits:
                task.cancel()
        return bool(done)

    async def _tell_progress(self, job: int, process: _Process) -> None:
        """Tell how far a job is, at a limited rate, whatever its process says."""
        while True:
            await asyncio.sleep(_TELL)
            if process.told is not None:
                self._tell(JobProgress(job, *process.told))
                process.told = None

    # Results.

    async def result(self, job: int) -> JobResult:
        """Return what a job has found."""
        return await asyncio.to_thread(_read_result, self._folder(job))

    async def page(self, job: int) -> bytes:
        """Return the page of a job."""
        return await asyncio.to_thread(_read, self._folder(job) / PAGE, _MOST_PAGE)

    async def _forget(self, job: int) -> None:
        await asyncio.to_thread(shutil.rmtree, self._folder(job), ignore_errors=True)

    def _folder(self, job: int) -> Path:
        return self._plan.folder / str(job)


# What a process says.


def _heard(process: _Process, line: bytes) -> None:
    """Take in a line of a process; whatever is none of ours is passed over."""
    try:
        said: dict[str, Any] = json.loads(line)
        if "error" in said:
            process.error = str(said["error"])[:_MOST_SAID]
        else:
            process.told = int(said["percent"]), str(said["step"])[:_MOST_SAID]
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        log.debug("the process of a job says what nobody understands: %.200r", line)


def _warned(process: _Process, line: bytes) -> None:
    if said := line[:_MOST_SAID].decode("utf-8", "backslashreplace").strip():
        process.last_words.append(said)


def _cause(code: int, process: _Process) -> str:
    """Return why a process has not done its work; empty if it has."""
    if code == 0:
        return ""
    if process.error:
        return process.error
    if code == -signal.SIGKILL:
        return "its process was killed; if the machine ran out of memory, set jobs.memory lower"
    how = f"signal {-code}" if code < 0 else f"code {code}"
    last = f": {process.last_words[-1]}" if process.last_words else ""
    return f"its process ended with {how}{last}"


async def _end_group(group: int) -> None:
    """End all that is left of a process group: first in order, then at once."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGKILL):
        if not _signal(group, number):
            return
        until = loop.time() + _GRACE
        while _signal(group, 0) and loop.time() < until:  # noqa: ASYNC110 -- it tells nobody
            await asyncio.sleep(_LOOK)


def _signal(group: int, number: int) -> bool:
    """Send a signal to a process group; return whether there is still one."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


# Files: in threads, since a disk may be slow.


def _request(job: JobInfo) -> dict[str, Any]:
    names = ("kind", "channels", "since", "until", "constraint", "types", "live", "most")
    return {name: value for name, value in asdict(job).items() if name in names}


def _prepare(folder: Path, request: bytes) -> None:
    with disk_errors(f"{folder} cannot be written"):
        make_folder(folder.parent)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(0o700)
        write_file(folder / REQUEST, request)


def _checked_result(folder: Path) -> tuple[JobResult, int]:
    """Return what a process has left, and its octets; nothing else stays in the folder."""
    found = _read_result(folder)
    if not (folder / PAGE).is_file():
        raise StoreError("its process has ended without a page")
    sizes = {path: path.stat().st_size for path in (folder / RESULT, folder / PAGE)}
    if sizes[folder / PAGE] > _MOST_PAGE:
        raise StoreError(f"its page is larger than {_MOST_PAGE // 2**20} MiB: ask for less at once")
    for path in folder.iterdir():
        if path not in sizes:
            path.unlink()
    return found, sum(sizes.values())


def _read_result(folder: Path) -> JobResult:
    try:
        return msgspec.json.decode(_read(folder / RESULT, _MOST_RESULT), type=JobResult)
    except msgspec.MsgspecError as error:
        raise StoreError(f"its result cannot be read: {error}") from error


def _read(path: Path, most: int) -> bytes:
    try:
        with path.open("rb") as file:
            octets = file.read(most + 1)
    except FileNotFoundError as error:
        raise NotFound(f"{path.name} of the job is missing: start it again") from error
    except OSError as error:
        raise StoreError(f"{path.name} cannot be read: {error.strerror}") from error
    if len(octets) > most:
        raise StoreError(f"{path.name} is larger than {most // 2**20} MiB: ask for less at once")
    return octets


def _sweep(folder: Path, kept: set[int]) -> None:
    """Delete the folders of all other jobs: the service was killed before it could."""
    if not folder.is_dir():
        return
    for path in folder.iterdir():
        if not (path.name.isdecimal() and int(path.name) in kept):
            shutil.rmtree(path, ignore_errors=True)
