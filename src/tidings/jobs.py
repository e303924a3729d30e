"""Jobs of the data pipeline that the service runs: which one runs when; a core of its own.

It decides and remembers. The processes are those of `engine/job_runner.py`, which carries out the
effects and tells what became of them. ::

    queued ──> running ──> done
       │          ├──────> failed
       │          ├──────> interrupted   the service ended meanwhile
       └──────────┴──────> cancelled
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from tidings.clock import span
from tidings.cores import Handled, Keep, Question, Request, State, answer_each
from tidings.errors import InvalidUsage, NotFound, StoreError, TooManyObjects, WrongState
from tidings.filters.constraint import Constraint, EventTypePattern, event_type
from tidings.names import MAX_NAME, is_readable

NAME: Final = "jobs"
"""The name of the core, in the journal too."""
MOST_CHANNELS: Final = 100
MOST_LISTED: Final = 1_000
"""Samples of a backtest, and rows of a report's long lists."""
NO_ARCHIVE: Final = (
    "jobs read the archive, and this service writes none: set archive.dir in tidings.toml, or "
    "start it with tidings serve --archive DIR"
)

_VERSION: Final = 1
_LAST: Final = "last"


class JobKind(StrEnum):
    """What a job does."""

    BACKTEST = "backtest"
    REPORT = "report"
    AUDIT = "audit"


class JobState(StrEnum):
    """How far a job is."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"


_WAITING: Final = (JobState.QUEUED, JobState.RUNNING)


@dataclass(frozen=True, slots=True)
class JobLimits:
    """How many jobs there may be.

    Attributes:
        at_once: Jobs that run at one time.
        waiting: Jobs that wait for that.
        keep: Ended jobs that are kept, with their results.
        keep_octets: Octets of all results; the oldest go first.
    """

    at_once: int = 1
    waiting: int = 8
    keep: int = 50
    keep_octets: int = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class JobInfo:
    """A job as it is now.

    Attributes:
        id: Its id; they rise.
        kind: What it does.
        state: How far it is. `interrupted`: the service ended while it ran.
        by: Who has started it.
        created: When that was, microseconds since 1970.
        started: When it began to run; null if it has not.
        ended: When it ended; null if it has not, or nobody saw it.
        channels: The channels whose events it reads, by name; [] for all.
        since: Of events from then on, microseconds since 1970; null for the first.
        until: Of events before then; null for no end.
        constraint: Of a backtest: the constraint.
        types: Of a backtest: the event types of the constraint.
        live: Of a backtest: whether the present subscriptions are asked, too.
        most: The samples, or rows of long lists, that it was to give.
        percent: How much is done, 0 to 100.
        step: What it does now.
        cause: Why it failed or was interrupted.
        counts: What it has counted, such as `events` and `matched`, once it is done.
        octets: The size of its result.
    """

    id: int
    kind: JobKind
    state: JobState
    by: str
    created: int
    started: int | None = None
    ended: int | None = None
    channels: tuple[str, ...] = ()
    since: int | None = None
    until: int | None = None
    constraint: str = ""
    types: tuple[str, ...] = ()
    live: bool = False
    most: int = 10
    percent: int = 0
    step: str = ""
    cause: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    octets: int = 0


@dataclass(frozen=True, slots=True)
class JobList:
    """All jobs.

    Attributes:
        problem: Why none can be started, and what to install or set; empty if they can.
        jobs: The latest first.
    """

    problem: str
    jobs: tuple[JobInfo, ...]


@dataclass(frozen=True, slots=True)
class JobFigure:
    """A key figure.

    Attributes:
        title: What it is.
        value: As people read it.
        note: More about it; may be empty.
    """

    title: str
    value: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class JobTable:
    """A table of a result.

    Attributes:
        title: What it has.
        text: More about it; may be empty.
        headings: Of the columns.
        numbers: The columns that have numbers, counted from 0.
        rows: The first rows, as people read them.
        more: How many rows are only on the page.
    """

    title: str
    text: str
    headings: tuple[str, ...]
    numbers: tuple[int, ...]
    rows: tuple[tuple[str, ...], ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class JobResult:
    """What a job has found.

    Attributes:
        figures: The key figures.
        tables: The tables, shortened.
        problems: What of the archive could not be read.
        counts: What it has counted.
    """

    figures: tuple[JobFigure, ...]
    tables: tuple[JobTable, ...]
    problems: tuple[str, ...]
    counts: Mapping[str, int]


# Requests.


class StartJob(Request):
    """Start a job.

    Attributes:
        channels: The channels whose events it reads, by name or origin; [] for all.
        since: Of events from then on: `2026-11-15T08:30:00Z`, or `24h` for so long ago.
        until: Of events before then; as `since`.
    """

    __slots__ = ()
    channels: Sequence[str]
    since: str | None
    until: str | None
    by: str


@dataclass(frozen=True, slots=True)
class StartBacktest(StartJob):
    """Start a backtest: how many events of the archive a constraint matches, by type, and examples.

    Answer: Its id.

    Attributes:
        constraint: What a filter would say.
        samples: The newest matching events to show, 0 to 1,000.
        live: Ask all present subscriptions, too, side by side.
    """

    constraint: Constraint
    channels: Sequence[str] = ()
    since: str | None = None
    until: str | None = None
    samples: int = 10
    live: bool = False
    by: str = ""


@dataclass(frozen=True, slots=True)
class StartReport(StartJob):
    """Start a report: volumes, rates, latencies, suppliers and consumers.

    Answer: Its id.

    Attributes:
        top: Rows of long lists, 1 to 1,000.
    """

    channels: Sequence[str] = ()
    since: str | None = None
    until: str | None = None
    top: int = 20
    by: str = ""


@dataclass(frozen=True, slots=True)
class StartAudit(StartJob):
    """Start an audit: whether every event was accounted for.

    Answer: Its id.

    Attributes:
        sample: Events to name in a finding, 1 to 1,000.
    """

    channels: Sequence[str] = ()
    since: str | None = None
    until: str | None = None
    sample: int = 20
    by: str = ""


@dataclass(frozen=True, slots=True)
class SeeJobs(Question[JobList]):
    """See all jobs, the latest first, and whether more can be started."""


@dataclass(frozen=True, slots=True)
class SeeJob(Question[JobInfo]):
    """See one job as it is now: its state, progress, and why it failed."""

    job: int


@dataclass(frozen=True, slots=True)
class SeeJobResult(Question[JobResult]):
    """See what a job has found; its page, with charts, is at `/jobs/{job}/page`."""

    job: int


@dataclass(frozen=True, slots=True)
class CancelJob(Request):
    """Cancel a job that waits or runs."""

    job: int


@dataclass(frozen=True, slots=True)
class DeleteJob(Request):
    """Delete a job that has ended, with its result."""

    job: int


# What the runner tells.


@dataclass(frozen=True, slots=True)
class JobsReady(Request):
    """Jobs can be run from now on; or they cannot, and `problem` says why."""

    problem: str


@dataclass(frozen=True, slots=True)
class JobProgress(Request):
    """How far a running job is."""

    job: int
    percent: int
    step: str


@dataclass(frozen=True, slots=True)
class JobEnded(Request):
    """A job's process has ended; `cause` is empty if there is a result."""

    job: int
    cause: str
    counts: Mapping[str, int]
    octets: int


# What the runner is to do.


class Launch(NamedTuple):
    """Start the process of a job."""

    job: JobInfo


class End(NamedTuple):
    """End the process of a job."""

    job: int


class Forget(NamedTuple):
    """Delete what is kept of a job."""

    job: int


class LookAgain(NamedTuple):
    """Somebody asks for jobs, which cannot be run: see whether that is still so."""


_Effect: TypeAlias = Keep | Launch | End | Forget | LookAgain


class Jobs:
    """All jobs by id.

    Attributes:
        problem: Why no job can be started; empty if one can.
    """

    name: Final = NAME
    requests: Final = (
        *(StartBacktest, StartReport, StartAudit, SeeJobs, SeeJob, CancelJob, DeleteJob),
        *(JobsReady, JobProgress, JobEnded),
    )
    wake_at: int | None = None

    def __init__(self, limits: JobLimits | None = None) -> None:
        self.problem = NO_ARCHIVE
        self._limits = limits or JobLimits()
        self._jobs: dict[int, JobInfo] = {}
        self._last = 0
        self._processes: set[int] = set()  # a cancelled job has its process until that has ended
        self._effects: list[_Effect] = []
        self._handlers: dict[type, Callable[[Any, int], object]] = {
            StartBacktest: self._start,
            StartReport: self._start,
            StartAudit: self._start,
            SeeJobs: self._see_all,
            SeeJob: lambda asked, _: self._find(asked.job),
            CancelJob: self._cancel,
            DeleteJob: self._delete,
            JobsReady: self._ready,
            JobProgress: self._progress,
            JobEnded: self._ended,
        }

    def handle_many(self, commands: Sequence[Any], now: int) -> Handled:
        """Run commands, and let jobs begin that can."""
        answers = answer_each(self._handlers, commands, now)
        self._begin(now)
        effects, self._effects = self._effects, []
        return answers, list(effects)

    # Operations.

    def _start(self, asked: StartBacktest | StartReport | StartAudit, now: int) -> int:
        if self.problem:
            self._effects.append(LookAgain())
            raise WrongState(self.problem)
        job = _asked_job(asked, self._last + 1, now)
        waiting = sum(one.state is JobState.QUEUED for one in self._jobs.values())
        if waiting >= self._limits.waiting:
            raise TooManyObjects(
                f"{waiting} jobs wait already (jobs.waiting): cancel one, or wait until one ends"
            )
        self._last = job.id
        self._effects.append(Keep(NAME, _LAST, {"version": _VERSION, "last": job.id}))
        self._put(job)
        return job.id

    def _see_all(self, asked: SeeJobs, now: int) -> JobList:
        if self.problem:
            self._effects.append(LookAgain())
        return JobList(self.problem, tuple(reversed(self._jobs.values())))

    def _cancel(self, asked: CancelJob, now: int) -> None:
        job = self._find(asked.job)
        if job.state not in _WAITING:
            raise WrongState(f"job {job.id} has ended: it is {job.state.value}")
        self._put(replace(job, state=JobState.CANCELLED, ended=now, step=""))
        if job.id in self._processes:
            self._effects.append(End(job.id))
        self._tidy()

    def _delete(self, asked: DeleteJob, now: int) -> None:
        job = self._find(asked.job)
        if job.state in _WAITING:
            raise WrongState(f"job {job.id} has not ended: cancel it first")
        if job.id in self._processes:
            raise WrongState(f"job {job.id} is being cancelled: try again when that is done")
        self._drop(job.id)

    # What the runner tells.

    def _ready(self, told: JobsReady, now: int) -> None:
        self.problem = told.problem

    def _progress(self, told: JobProgress, now: int) -> None:
        job = self._jobs.get(told.job)
        if job is not None and job.state is JobState.RUNNING:
            # It never goes back: a job that restarts a step would look as if it did not move.
            percent = max(job.percent, min(100, told.percent))
            self._jobs[job.id] = replace(job, percent=percent, step=told.step)

    def _ended(self, told: JobEnded, now: int) -> None:
        self._processes.discard(told.job)
        job = self._jobs.get(told.job)
        if job is None or job.state is not JobState.RUNNING:
            return
        job = replace(job, ended=now, step="", cause=told.cause)
        if told.cause:
            self._put(replace(job, state=JobState.FAILED))
        else:
            self._put(replace(job, state=JobState.DONE, percent=100, counts=dict(told.counts),
                              octets=told.octets))  # fmt: skip
        self._tidy()

    # Rules.

    def _begin(self, now: int) -> None:
        if self.problem:
            return
        queued = [one for one in self._jobs.values() if one.state is JobState.QUEUED]
        for job in queued[: max(0, self._limits.at_once - len(self._processes))]:
            begun = replace(job, state=JobState.RUNNING, started=now)
            self._processes.add(job.id)
            self._put(begun)
            self._effects.append(Launch(begun))

    def _tidy(self) -> None:
        """Drop the oldest ended jobs beyond the limits; the latest one stays in any case."""
        ended = [one for one in self._jobs.values() if one.state not in _WAITING]
        octets = sum(one.octets for one in ended)
        count = len(ended)
        for job in ended[:-1]:
            if count <= self._limits.keep and octets <= self._limits.keep_octets:
                return
            if job.id not in self._processes:
                self._drop(job.id)
                count, octets = count - 1, octets - job.octets

    def _find(self, id: int) -> JobInfo:
        found = self._jobs.get(id)
        if found is None:
            raise NotFound(f"there is no job {id}")
        return found

    def _put(self, job: JobInfo) -> None:
        self._jobs[job.id] = job
        self._effects.append(Keep(NAME, str(job.id), _state(job)))

    def _drop(self, id: int) -> None:
        del self._jobs[id]
        self._effects += [Keep(NAME, str(id), None), Forget(id)]

    # The journal.

    def snapshot(self) -> list[tuple[str, State]]:
        """All jobs, and the last id that was given."""
        last: State = {"version": _VERSION, "last": self._last}
        return [(_LAST, last), *((str(id), _state(job)) for id, job in self._jobs.items())]

    def restore(self, states: Mapping[str, State]) -> Sequence[str]:
        """Take the jobs back; what ran has ended with the service."""
        for key, state in states.items():
            _check_version(state)
            if key == _LAST:
                self._last = max(self._last, int(state["last"]))
                continue
            job = _job_of(state)
            if job.state is JobState.RUNNING:
                cause = "the service ended while the job ran: start it again"
                job = replace(job, state=JobState.INTERRUPTED, cause=cause, percent=0, step="")
            self._jobs[job.id] = job
            self._last = max(self._last, job.id)
        self._jobs = dict(sorted(self._jobs.items()))
        return ()


def _asked_job(asked: StartBacktest | StartReport | StartAudit, id: int, now: int) -> JobInfo:
    """Make a job of a request; InvalidUsage if there is no such job."""
    _check_channels(asked.channels)
    since, until = span(asked.since, asked.until, now)
    job = JobInfo(
        id, JobKind.REPORT, JobState.QUEUED, asked.by, now, channels=tuple(asked.channels),
        since=since, until=until,
    )  # fmt: skip
    if isinstance(asked, StartReport):
        return replace(job, most=_listed("top", asked.top, 1))
    if isinstance(asked, StartAudit):
        return replace(job, kind=JobKind.AUDIT, most=_listed("sample", asked.sample, 1))
    return replace(
        job,
        kind=JobKind.BACKTEST,
        most=_listed("samples", asked.samples, 0),
        constraint=asked.constraint.text,
        types=tuple(map(_type_text, asked.constraint.event_types)),
        live=asked.live,
    )


def _check_channels(channels: Sequence[str]) -> None:
    if isinstance(channels, str):
        raise InvalidUsage(f"channels: a list of names, not {channels!r:.60}")
    if len(channels) > MOST_CHANNELS:
        raise InvalidUsage(f"channels: at most {MOST_CHANNELS}, not {len(channels)}; [] for all")
    for name in channels:
        if not name or len(name) > MAX_NAME or not is_readable(name):
            raise InvalidUsage(f"channels: no channel can be named {name!r:.60}")


def _listed(name: str, count: int, least: int) -> int:
    if not least <= count <= MOST_LISTED:
        raise InvalidUsage(f"{name} is a number from {least} to {MOST_LISTED}, not {count}")
    return count


def _type_text(pattern: EventTypePattern) -> str:
    """Return a pattern as the pipeline takes it."""
    text = f"{pattern.domain}::{pattern.type}"
    if event_type(text) != pattern:
        raise InvalidUsage(f"types: a backtest takes no domain with colons: {pattern.domain!r:.60}")
    return text


def _state(job: JobInfo) -> State:
    return {"version": _VERSION, **asdict(job), "kind": job.kind.value, "state": job.state.value}


def _check_version(state: State) -> None:
    if state.get("version") != _VERSION:
        raise StoreError(
            f"a job was written in form {state.get('version')!r}; "
            f"this version of Tidings reads {_VERSION}"
        )


def _job_of(state: State) -> JobInfo:
    try:
        return msgspec.convert(dict(state), JobInfo)
    except msgspec.ValidationError as error:
        raise StoreError(f"a job cannot be understood: {error}") from error
