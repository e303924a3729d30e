"""What all benches share: figures with targets, rounds, sample events, checks of what came."""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self, TypeVar
from urllib.parse import urlsplit

import msgspec

from tidings.channel.effects import Message
from tidings.channel.entries import NEVER, PERSISTENT
from tidings.client.client import Client
from tidings.client.subscription import Subscription
from tidings.engine.host import Host
from tidings.events.build import event
from tidings.events.structured import StructuredEvent
from tidings.server.embedded import local_client
from tidings.stores.payloads import StoredEvent, event_payload

_T = TypeVar("_T")

Progress = Callable[[str], None]
"""Told what is being done."""

# Whoever waits longer for events that were accepted waits for ever.
PATIENCE: Final = 60.0
PRODUCER: Final = "0" * 32
_PRIORITIES: Final = 5
_STARTS_IN: Final = 30.0
# With a process's id, what clock_getcpuclockid(3) makes of it.
_PROCESS_CLOCK: Final = 2


def silent(step: str) -> None:
    """Ignore progress."""


@dataclass
class Figures:
    """The rows of a report, in the order they were measured."""

    rows: list[dict[str, Any]] = field(default_factory=list)

    def figure(self, name: str, value: float, unit: str) -> None:
        """A figure without a target."""
        self._add(name, value, unit, None, ok=True)

    def at_most(self, name: str, value: float, unit: str, target: float) -> None:
        """A figure that must not be larger than its target."""
        self._add(name, value, unit, f"<= {target:g}", ok=value <= target)

    def at_least(self, name: str, value: float, unit: str, target: float) -> None:
        """A figure that must not be smaller than its target."""
        self._add(name, value, unit, f">= {target:g}", ok=value >= target)

    def _add(self, name: str, value: float, unit: str, target: str | None, ok: bool) -> None:
        row = {"name": name, "value": round(value, 4), "unit": unit, "target": target, "ok": ok}
        self.rows.append(row)

    def waits(self, name: str, seconds: Sequence[float]) -> float:
        """The median and the 99th percentile of waits; the median, in milliseconds."""
        for share in (0.5, 0.99):
            self.figure(f"{name}, p{share * 100:.0f}", percentile(seconds, share) * 1e3, "ms")
        return percentile(seconds, 0.5) * 1e3

    def loop(self, host: Host) -> None:
        """How long the loop was blocked."""
        self.figure("blocks of the loop over 5 ms", host.watchdog.blocks, "blocks")
        self.figure("longest block of the loop", host.watchdog.longest / 1_000, "ms")

    def report(self, bench: str) -> dict[str, Any]:
        """The result of a bench."""
        return {"bench": bench, "results": self.rows}


class Series(defaultdict[str, list[float]]):
    """What each round gave, by a name; the median counts."""

    def __init__(self) -> None:
        super().__init__(list)

    def median(self, name: str) -> float:
        """The median of all rounds."""
        return statistics.median(self[name])


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this share of all values does not exceed."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def rounds(
    what: str, count: int, progress: Progress, series: Sequence[Series] = ()
) -> Iterator[int]:
    """Numbers of rounds, which are told; before them -1 to warm up, which is forgotten again."""
    if series:
        progress(f"{what}: warming up")
        yield -1
    for one in series:
        one.clear()
    for at in range(count):
        progress(f"{what}: round {at + 1} of {count}")
        yield at


def demand(is_right: bool, what: str) -> None:
    """End a bench whose answers are wrong: figures of wrong answers mean nothing."""
    if not is_right:
        raise AssertionError(f"nothing is reported, because the answers are wrong: {what}")


def sample_event(at: int, area: int = 0) -> StructuredEvent:
    """An event of five fields with a Priority; different for each number."""
    data = {"rate": 57.5 + at, "area": area, "lane": at % 4, "zone": at, "car": f"x{at}"}
    return event("Traffic", "Speed", f"car-{at}", data, priority=at % _PRIORITIES)


def sample_events(first: int, count: int, area: int = 0) -> tuple[list[StructuredEvent], float]:
    """Different events, and what it took to build one, in microseconds."""
    start = time.perf_counter()
    events = [sample_event(at, area) for at in range(first, first + count)]
    return events, (time.perf_counter() - start) / count * 1e6


def stored_payload(
    octets: bytes, number: int, plan: int = 1, priority: int = 0, recipients: tuple[int, ...] = ()
) -> bytes:
    """An encoded event as the journal has it, but for the time of its arrival."""
    return event_payload(
        StoredEvent(
            0, plan, priority, NEVER, None, PERSISTENT, PRODUCER, number, (), recipients, {}, False,
            octets,
        )
    )  # fmt: skip


@contextmanager
def undisturbed() -> Iterator[None]:
    """Keeps what is in memory now out of collections: they would be charged to who runs then."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


# Where it runs.


@contextmanager
def bench_folder(inside: Path | None = None) -> Iterator[Path]:
    """A folder for data, which is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="tidings-bench-", dir=inside) as made:
        yield Path(made)


@asynccontextmanager
async def local_service(folder: Path | None = None) -> AsyncIterator[tuple[Host, Client]]:
    """A service in this process, and a client of it."""
    host = await Host.open(folder)
    try:
        async with local_client(host) as client:
            yield host, client
    finally:
        await host.close()


def in_fresh_process(function: Callable[..., _T], *given: object) -> _T:
    """What a function gives in a process that has done nothing else."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *given).result()


def resident_octets(process: int | str = "self") -> int:
    """How much memory a process has now, as the system counts it."""
    statm = Path(f"/proc/{process}/statm").read_text(encoding="ascii")
    return int(statm.split()[1]) * resource.getpagesize()


def raise_open_files() -> None:
    """Let this process and its children open as many files as they may; a socket is one."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


class ServerProcess:
    """A server in a process of its own, which ends with the context.

    It gets the name of a file as its last argument, and writes there as JSON where it is.
    """

    def __init__(self, command: Sequence[str], port_file: Path) -> None:
        port_file.unlink(missing_ok=True)
        self._process = subprocess.Popen(
            [sys.executable, "-m", *command, str(port_file)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.announced: dict[str, Any] = self._wait_for(port_file)
        self.url: str = self.announced["url"]
        self.port = urlsplit(self.url).port or 0

    def _wait_for(self, port_file: Path) -> Any:  # noqa: ANN401 -- JSON
        until = time.monotonic() + _STARTS_IN
        while time.monotonic() < until and self._process.poll() is None:
            with suppress(OSError, msgspec.DecodeError):
                return msgspec.json.decode(port_file.read_bytes())
            time.sleep(0.02)
        self._process.kill()
        raise AssertionError(f"the server did not start: {self._process.args!r}")

    def resident_octets(self) -> int:
        """How much memory the process has now."""
        return resident_octets(self._process.pid)

    def processor_seconds(self) -> float:
        """How much time of a processor the process has taken."""
        return time.clock_gettime(~self._process.pid << 3 | _PROCESS_CLOCK)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._process.kill()
        self._process.wait()


# What came.


class Recording:
    """Consumers of one channel that record what they get, in the order it came."""

    def __init__(self, receiving: Sequence[Subscription], others: Sequence[Subscription]) -> None:
        self.got: list[list[Message]] = [[] for _ in receiving]
        self._others = others
        self._missing = 0
        self._all_here = asyncio.Event()
        self._tasks = [
            asyncio.create_task(self._record(subscription, got))
            for subscription, got in zip(receiving, self.got, strict=True)
        ]

    async def _record(self, subscription: Subscription, got: list[Message]) -> None:
        async for messages in subscription.batches():
            got += messages
            self._missing -= len(messages)
            if self._missing <= 0:
                self._all_here.set()

    def expect(self, deliveries: int) -> None:
        """Forgets what was recorded; so many deliveries are to come."""
        for got in self.got:
            got.clear()
        self._missing = deliveries
        self._all_here.clear()

    async def all_here(self, seconds: float = PATIENCE) -> None:
        """Wait for the deliveries."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._all_here.wait(), seconds)
        demand(self._missing <= 0, f"{self._missing} deliveries did not come")

    async def check(self, events: Sequence[StructuredEvent], *, fifo: bool) -> None:
        """Demand that what should have come was recorded."""
        for _ in range(10):
            await asyncio.sleep(0)  # what is too much may come now
        for got in self.got:
            check_received([message.event for message in got], events, fifo=fifo)
        stray = sum(map(len, self._others))
        demand(not stray, f"{stray} events came to consumers whose filters do not match them")

    def stop(self) -> None:
        """Ends the recording."""
        for task in self._tasks:
            task.cancel()


def check_received(
    got: Sequence[StructuredEvent], events: Sequence[StructuredEvent], *, fifo: bool
) -> None:
    """Demand that a consumer got every event once, and in a right order.

    Without `fifo` only events of one priority keep the order in which they were published.
    """
    numbers = {event.name: number for number, event in enumerate(events)}
    places = [numbers.get(event.name, -1) for event in got]
    demand(sorted(places) == list(range(len(events))), "a consumer did not get every event once")
    same = all(one is events[at] or one == events[at] for one, at in zip(got, places, strict=True))
    demand(same, "an event has another content than was published")
    lines: dict[object, list[int]] = defaultdict(list)
    for one, at in zip(got, places, strict=True):
        lines[None if fifo else one.header.get("Priority")].append(at)
    demand(all(line == sorted(line) for line in lines.values()), "events came out of order")
