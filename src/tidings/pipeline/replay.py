"""`tidings pipeline replay`: publish archived events into a channel, at any speed.

Each event's mark is its origin and sequence number there, so a channel accepts it once per run,
however often the run is interrupted and resumed. The order within each channel is kept.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final, NamedTuple

import msgspec
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as sf

from tidings.channel.questions import SeeHighestNumber
from tidings.client.client import Client
from tidings.client.connecting import connect
from tidings.client.publishing import Publisher
from tidings.errors import InvalidUsage, TidingsError
from tidings.events.anyvalue import Value
from tidings.events.codecs.json_codec import decode_event
from tidings.events.envelope import ProducerMark
from tidings.events.structured import StructuredEvent
from tidings.filters.constraint import constraint
from tidings.filters.to_spark import matching, plan_of
from tidings.names import new_origin
from tidings.pipeline import Progress
from tidings.pipeline.archive import Archive, Selection
from tidings.pipeline.frames import events_frame
from tidings.pipeline.sink.marks import Marked
from tidings.pipeline.sink.publishing import push_all

STAMP_ORIGIN: Final = "ReplayedOrigin"
STAMP_SEQ: Final = "ReplayedSeq"
STAMP_ARRIVAL: Final = "ReplayedArrival"
"""Header properties of a replayed event that identify the original."""

# Events published together.
AT_ONCE: Final = 500
# Seconds; events due within this time are published together.
_TOGETHER: Final = 0.005
_REASONS: Final = 5
_TELL_EVERY: Final = 0.5

# Approximate number of rows that the driver holds at a time.
_PARTITION: Final = 20_000


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """Result of a replay."""

    run: str  # name of the run
    into: str  # target channel
    selected: int  # number of events selected
    before: int = 0  # events that the channel had from earlier attempts of this run
    accepted: int = 0  # events accepted now
    stopped: int = 0  # events stopped by a supplier-side filter
    refused: int = 0
    reasons: tuple[str, ...] = ()  # why the first few were refused
    behind_ms: float = 0.0  # largest delay behind schedule, in milliseconds
    first_us: int | None = None  # arrival of the first event; None if there are no events
    last_us: int | None = None  # arrival of the last event
    how: str = "native"  # how Spark evaluated the constraint
    problems: tuple[str, ...] = ()  # what could not be read
    seconds: float = 0.0  # duration


def run_replay(spark: SparkSession, options: ReplayOptions, progress: Progress) -> ReplayResult:
    """Publish events of an archive into a channel.

    A run is one selection of events. Under the run's name the channel accepts each number once, so
    reusing the name with other options skips events before the run's last one. `progress` is called
    with the current step and the fraction done.
    """
    if options.speed is not None and not 0 < options.speed < float("inf"):
        raise InvalidUsage(f"a replay's speed is a number above 0, not {options.speed}")
    named = replace(options, run=options.run or new_origin()[:12])
    ProducerMark(_producer("0" * 32, named.run), 0)  # refuse an invalid name before the work
    return asyncio.run(_replay(spark, named, progress))


def _producer(origin: str, run: str) -> str:
    return f"replay/{origin}/{run}"


async def _replay(spark: SparkSession, options: ReplayOptions, progress: Progress) -> ReplayResult:
    client = await connect(options.url, token=options.token, patience=options.patience)
    async with client:
        into = options.into
        channel = await client.channel(int(into) if into.isdecimal() else into)
        progress("looking for events", 0.0)
        history = await asyncio.to_thread(history_of, spark, options, channel.origin)
        async with await client.publisher(channel) as publisher:
            run = _Run(history, options, client, publisher)
            await run.find_place()
            return await run.play(progress)


@dataclass
class _Run:
    history: History
    options: ReplayOptions
    client: Client
    publisher: Publisher

    def __post_init__(self) -> None:
        self._began = time.perf_counter()
        self._highest: dict[str, int] = {}
        self._points: dict[str, int] = {}
        self._sent = 0
        self._before = 0
        self._counts = {"accepted": 0, "stopped": 0, "refused": 0}
        self._reasons: list[str] = []

    async def find_place(self) -> None:
        """Ask the channel which events of this run it has, to skip them."""
        for origin in self.history.counts:
            producer = _producer(origin, self.options.run)
            number = await self.client.transport.request(
                SeeHighestNumber(self.publisher.channel, producer)
            )
            if number is not None:
                self._highest[origin] = number
        if self._highest:
            self._points, self._before = await asyncio.to_thread(
                resume_points, self.history, self._highest, AT_ONCE
            )

    async def play(self, progress: Progress) -> ReplayResult:
        rows = rows_in_order(self.history, self._points)
        first, end = self.history.first_us or 0, self.history.last_us or 0
        told, pace = 0.0, _Pace(self.options.speed, self._is_old)
        coming = asyncio.create_task(asyncio.to_thread(chunk_of, rows, AT_ONCE))
        try:
            while chunk := await coming:
                coming = asyncio.create_task(asyncio.to_thread(chunk_of, rows, AT_ONCE))
                for part in pace.parts(chunk):
                    await pace.wait(part)
                    await self._send(part)
                    now = time.perf_counter()
                    if now - told > _TELL_EVERY:
                        told = now
                        done = (part[-1].due_us - first) / (end - first) if end > first else 1.0
                        progress(f"{self._sent:,} events sent", min(0.99, done))
        finally:
            coming.cancel()
        progress("done", 1.0)
        return self._result(pace)

    def _result(self, pace: _Pace) -> ReplayResult:
        history, options = self.history, self.options
        return ReplayResult(
            run=options.run,
            into=options.into,
            selected=sum(history.counts.values()),
            before=self._before,
            **self._counts,
            reasons=tuple(self._reasons),
            behind_ms=pace.behind * 1_000,
            first_us=history.first_us,
            last_us=history.last_us,
            how=history.how,
            problems=history.problems,
            seconds=time.perf_counter() - self._began,
        )

    def _is_old(self, past: ArchivedEvent) -> bool:
        return past.seq <= self._highest.get(past.origin, -1)

    async def _send(self, events: Sequence[ArchivedEvent]) -> None:
        """Publish some events; retry while the channel is full."""
        good: list[ArchivedEvent] = []
        rows: list[Marked] = []
        run = self.options.run
        for past in events:
            try:
                event = self._event(past)
            except TidingsError as error:
                self._refuse(past, error)
                continue
            good.append(past)
            rows.append((event, ProducerMark.trusted(_producer(past.origin, run), past.seq)))

        def settle(at: int, answer: Any) -> None:  # noqa: ANN401 -- a number or an error
            if isinstance(answer, TidingsError):
                self._refuse(good[at], answer)
            elif not self._is_old(good[at]):
                self._counts["accepted" if answer else "stopped"] += 1

        full = (
            f"the channel {self.options.into} has been full for {{}} s; "
            f"--run {run} goes on with this replay later"
        )
        await push_all(self.client, self.publisher, rows, self.options.patience, full, settle)
        self._sent += len(events)

    def _event(self, past: ArchivedEvent) -> StructuredEvent:
        event = decode_event(past.raw)
        if not self.options.stamp:
            return event
        stamp: dict[str, Value] = {
            STAMP_ORIGIN: past.origin,
            STAMP_SEQ: past.seq,
            STAMP_ARRIVAL: past.due_us,
        }
        return msgspec.structs.replace(event, header={**event.header, **stamp})

    def _refuse(self, past: ArchivedEvent, error: TidingsError) -> None:
        self._counts["refused"] += 1
        if len(self._reasons) < _REASONS:
            self._reasons.append(f"event {past.seq} of {past.origin}: {error}")


class _Pace:
    """Schedule of events: the original pauses, divided by the speed; `behind` is in seconds."""

    def __init__(self, speed: float | None, is_old: Callable[[ArchivedEvent], bool]) -> None:
        self._speed = speed
        self._is_old = is_old
        self._start: tuple[float, int] | None = None
        self.behind = 0.0

    def parts(self, chunk: Sequence[ArchivedEvent]) -> Iterator[Sequence[ArchivedEvent]]:
        """Group events to publish together: due at about the same time, or sent before."""
        if self._speed is None:
            yield chunk
            return
        begin = 0
        for at in range(1, len(chunk) + 1):
            if at == len(chunk) or self._apart(chunk[begin], chunk[at]):
                yield chunk[begin:at]
                begin = at

    def _apart(self, first: ArchivedEvent, other: ArchivedEvent) -> bool:
        if self._is_old(first) or self._is_old(other):
            return self._is_old(first) is not self._is_old(other)
        assert self._speed is not None
        return (other.due_us - first.due_us) / 1_000_000 / self._speed > _TOGETHER

    async def wait(self, part: Sequence[ArchivedEvent]) -> None:
        if self._speed is None or self._is_old(part[0]):
            return
        now, due_us = time.perf_counter(), part[0].due_us
        if self._start is None:
            self._start = (now, due_us)
        began, first_us = self._start
        due = began + (due_us - first_us) / 1_000_000 / self._speed
        self.behind = max(self.behind, now - due)
        if due > now:
            await asyncio.sleep(due - now)


@dataclass(frozen=True, slots=True)
class ReplayOptions(Selection):
    """What to replay, and where to."""

    into: str  # target channel, by name or id
    url: str  # the service
    token: str | None = None  # access token of the service
    run: str = ""  # name of the run; an interrupted run resumes under it
    constraint: str = ""  # empty for all events
    # 1 for the original speed, 10 for ten times that; None for no pauses
    speed: float | None = 1.0
    stamp: bool = False  # whether to add header properties that identify the original
    patience: float = 30.0  # seconds to wait for a service that is down or a channel that is full


class ArchivedEvent(NamedTuple):
    """An archived event."""

    origin: str
    seq: int
    due_us: int  # arrival time, but not before that of a lower sequence number
    raw: bytes  # typed JSON


@dataclass(frozen=True, slots=True)
class History:
    """The selected events."""

    df: DataFrame  # with the columns of the archive
    counts: Mapping[str, int]  # by origin
    first_us: int | None  # arrival of the first; None if there are no events
    last_us: int | None  # arrival of the last
    how: str  # how Spark evaluates the constraint
    problems: tuple[str, ...]  # what could not be read


def history_of(spark: SparkSession, options: ReplayOptions, target: str) -> History:
    """Select the events to replay; the target's own events only if it is named as a source."""
    asked = constraint(options.constraint)
    seal = Archive(options.archive).manifest().last_seal
    frame = events_frame(spark, replace(options, upto_seal=seal))
    rows = frame.df if options.channels else frame.df.where(sf.col("origin") != target)
    matched = matching(rows, asked, frame.occurring)
    counted = (
        matched.groupBy("origin")
        .agg(
            sf.count(sf.lit(1)).alias("events"),
            sf.min("arrival_us").alias("first_us"),
            sf.max("arrival_us").alias("last_us"),
        )
        .collect()
    )
    return History(
        matched,
        {row["origin"]: row["events"] for row in counted},
        min((row["first_us"] for row in counted), default=None),
        max((row["last_us"] for row in counted), default=None),
        plan_of(asked, frame.occurring),
        frame.problems,
    )


def resume_points(
    history: History, highest: Mapping[str, int], again: int
) -> tuple[dict[str, int], int]:
    """Return the first number to send by origin, and how many events were sent before.

    `highest` is the highest number of each origin that the channel has. The last `again` events are
    resent: of those published together, some may be missing, and the channel drops those it has.
    """
    points: dict[str, int] = {}
    before = 0
    for origin, number in highest.items():
        sent = history.df.where((sf.col("origin") == origin) & (sf.col("seq") <= number))
        numbers = sent.select("seq")
        before += numbers.count()
        first = numbers.orderBy(sf.desc("seq")).limit(again).agg(sf.min("seq")).first()
        points[origin] = number + 1 if first is None or first[0] is None else first[0]
    return points, before


def rows_in_order(history: History, points: Mapping[str, int]) -> Iterator[ArchivedEvent]:
    """Yield events by time, each origin's by sequence number; the driver holds a part at a time."""
    df = history.df
    for origin, first in points.items():
        df = df.where((sf.col("origin") != origin) | (sf.col("seq") >= first))
    # A clock that was set back must not change the order of a channel.
    so_far = Window.partitionBy("origin").orderBy("seq")
    due = sf.max("arrival_us").over(so_far)
    parts = sum(history.counts.values()) // _PARTITION + 1
    keys = ("due_us", "origin", "seq")
    rows = df.select("origin", "seq", due.alias("due_us"), "raw")
    # Dividing by range reads everything once more, which few events do not need.
    divided = rows.coalesce(1) if parts == 1 else rows.repartitionByRange(parts, *keys)
    ordered = divided.sortWithinPartitions(*keys)
    for origin, seq, due_us, raw in ordered.toLocalIterator(prefetchPartitions=True):
        yield ArchivedEvent(origin, seq, due_us, bytes(raw))


def chunk_of(rows: Iterator[ArchivedEvent], most: int) -> list[ArchivedEvent]:
    """Return the next events; empty at the end."""
    return list(islice(rows, most))
