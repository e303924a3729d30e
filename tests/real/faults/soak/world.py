"""A real service with an archive, its publishers and consumers, each a process of its own.

The service runs under a shim that steps its clock and fills its disk, and with few descriptors.
"""

from __future__ import annotations

import asyncio
import contextlib
import mmap
import os
import resource
import shutil
import signal
import struct
import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple, Self

import httpx2

import tidings
from tests.real.e2e.served import Served
from tests.real.faults.fault import PROJECT
from tests.real.faults.service.ledgers import Consumed, Published
from tests.real.faults.service.programs import LANES
from tests.real.faults.service.scene import Program
from tidings import connect

__all__ = ["CONSUMERS", "DESCRIPTORS", "PUBLISHERS", "Part", "World", "build_shim"]

# Enough for a service at work, and few enough to be used up by idle connections.
DESCRIPTORS: Final = 512
_FLAGS: Final = ("-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-U_FORTIFY_SOURCE")
# What waits is read from the disk again.
_SETTINGS: Final = {
    "TIDINGS_STORE__CACHE": "4 KiB",
    "TIDINGS_STORE__SEGMENT_SIZE": "1 MiB",
    "TIDINGS_STORE__RETENTION_AGE": "1 d",
    "TIDINGS_ARCHIVE__SEAL_AFTER": "0.5 s",
}


class Part(NamedTuple):
    """A publisher or a consumer.

    Attributes:
        channel: Where it publishes, or what it is subscribed to.
        kind: How.
        lane: The lane its filter asks for; None for all events.
        pause: Seconds between two batches.
    """

    channel: str
    kind: str
    lane: int | None = None
    pause: float = 0.05

    def wants(self, number: int) -> bool:
        """Whether its filter lets an event of this number pass."""
        return self.lane is None or number % LANES == self.lane


PUBLISHERS: Final = {
    "alpha-socket": Part("alpha", "client"),
    "alpha-plain": Part("alpha", "plain"),
    "beta-socket": Part("beta", "client"),
}
CONSUMERS: Final = {
    "alpha-batches": Part("alpha", "batches", pause=0.0),
    "alpha-lane": Part("alpha", "each", lane=1, pause=0.0),
    "alpha-puller": Part("alpha", "pull", pause=0.0),
    "beta-each": Part("beta", "each", pause=0.0),
}


def build_shim(folder: Path) -> Path:
    """Compiles the shim into a folder."""
    shim = folder / "soak_shim.so"
    source = Path(__file__).with_name("shim.c")
    command = ["gcc", *_FLAGS, "-fPIC", "-shared", "-o", str(shim), str(source)]
    subprocess.run(command, check=True, capture_output=True)
    return shim


class Control:
    """What the shim does now.

    Args:
        path: The control file, made here.
    """

    def __init__(self, path: Path) -> None:
        path.write_bytes(bytes(16))
        with path.open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), 16)
        self.path = path

    def step_clock(self, seconds: int) -> None:
        """The service's clock is so far ahead of the real one."""
        struct.pack_into("q", self._memory, 0, seconds * 1_000_000)

    def fill_disk(self, full: bool) -> None:
        """Whether the service can write nothing."""
        struct.pack_into("q", self._memory, 8, full)


class World:
    """A service under load.

    Args:
        folder: For all files.
        package: The folder of another copy of the package; None for the real one.

    Attributes:
        control: Of the shim.
        programs: Publishers and consumers, by name.
        patience: How long nothing may happen, in seconds.
    """

    def __init__(self, folder: Path, package: Path | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.control = Control(folder / "control")
        self.patience = 60.0
        sources = package or Path(tidings.__file__).parents[1]
        self._path = {"PYTHONPATH": os.pathsep.join([str(sources), str(PROJECT)])}
        self.env = {
            **self._path,
            **_SETTINGS,
            "LD_PRELOAD": str(build_shim(folder)),
            "SOAK_CONTROL": str(self.control.path),
            "SOAK_FOLDER": str(self.data),
        }
        self._read_from = 0
        self._children: list[Path] = []  # of the service that ended last
        self._served = self._started("0")
        self.url = self._served.ready().url
        self.programs: dict[str, Program] = {}
        asyncio.run(self._make_objects())
        for name, part in (CONSUMERS | PUBLISHERS).items():
            self.programs[name] = self._program(name, part)
            self.programs[name].start()

    async def _make_objects(self) -> None:
        async with await connect(self.url) as client:
            for channel in sorted({part.channel for part in PUBLISHERS.values()}):
                await client.create_channel(channel, qos={"OrderPolicy": 1}, persistent=True)
            for name, part in CONSUMERS.items():
                # All are there before the first event: each has to get everything.
                make = client.puller if part.kind == "pull" else client.subscribe
                made = await make(part.channel, _filter_of(part) or None, name=name)
                await made.close()

    def _program(self, name: str, part: Part) -> Program:
        module = "publisher" if name in PUBLISHERS else "consumer"
        ledger = self.folder / f"{name}.ledger"
        command = [
            *(f"tests.real.faults.service.{module}", self.url, str(ledger), name),
            *("--kind", part.kind, "--channel", part.channel, "--pause", str(part.pause)),
            *("--filter", _filter_of(part)),
        ]
        return Program(command, ledger, {**os.environ, **self._path})

    # The service.

    @property
    def data(self) -> Path:
        """Its data folder; the archive's name begins with it."""
        return self.folder / "service" / "data"

    @property
    def archive(self) -> Path:
        """Its archive."""
        return self.folder / "service" / "data.archive"

    @property
    def pid(self) -> int:
        """Its process."""
        return self._served.process.pid

    def _started(self, port: str) -> Served:
        served = Served(
            self.data.parent, "--port", port, "--archive", str(self.archive), env=self.env
        )
        limit = (DESCRIPTORS, DESCRIPTORS)
        resource.prlimit(served.process.pid, resource.RLIMIT_NOFILE, limit)
        return served

    @property
    def words(self) -> str:
        """What the service has written to its log since its last start."""
        return self._served.log.read_bytes()[self._read_from :].decode()

    def stop_service(self, number: signal.Signals = signal.SIGKILL) -> None:
        """Ends the service, at once or in order."""
        process = self._served.process
        if process.poll() is None:
            self._children = _children(process.pid)
            process.send_signal(number)
        process.wait(self.patience)

    def start_service(self) -> None:
        """Starts it again, where it was, and waits until it is ready."""
        self._read_from = self._served.log.stat().st_size
        self._served = self._started(self.url.rpartition(":")[2])
        self._served.ready()

    def copied_to(self, folder: Path) -> Path:
        """A copy of the stopped service's files, when its process for the archive has ended."""
        until = time.monotonic() + self.patience
        while any(map(_lives, self._children)):
            if time.monotonic() > until:
                raise TimeoutError(f"the archive's process goes on: {self._children}")
            time.sleep(0.02)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.data.parent, folder, ignore=shutil.ignore_patterns("port.json", "log"))
        return folder

    def get(self, path: str, **asked: Any) -> Any:
        """Asks the service."""
        with httpx2.Client(base_url=self.url, trust_env=False, timeout=30) as http:
            response = http.get(path, params=asked)
            response.raise_for_status()
            return response.json() if "json" in response.headers["content-type"] else response.text

    def kept_events(self, channel: str) -> list[tuple[int, str, int]]:
        """What the history of a channel has: sequence number, producer, its number."""
        kept = []
        page: dict[str, Any] = {"next": 0, "end": False}
        while not page["end"]:
            page = self.get(f"/v1/channels/{channel}/events", after=page["next"], most=1_000)
            for one in page["events"]:
                data = one["event"]["data"]
                kept.append((one["seq"], data["producer"], data["number"]))
        return kept

    @property
    def archive_is_behind(self) -> bool:
        """Whether something in the journal is not in the archive."""
        metrics = self.get("/metrics")
        [line] = [one for one in metrics.splitlines() if one.startswith("tidings_archive_behind_o")]
        return float(line.split()[-1]) > 0

    # The ledgers.

    @property
    def published(self) -> dict[str, Published]:
        """The ledgers of the publishers as they are now."""
        return {name: Published(self.programs[name].ledger) for name in PUBLISHERS}

    @property
    def consumed(self) -> dict[str, Consumed]:
        """The ledgers of the consumers as they are now."""
        return {name: Consumed(self.programs[name].ledger) for name in CONSUMERS}

    def wait(
        self, happens: Callable[[], object], what: str, at_work: Program | None = None
    ) -> None:
        """Waits until something is so; whoever was killed meanwhile is started again.

        Args:
            happens: Whether it is so.
            what: What is said if it does not become so.
            at_work: While this program's ledger grows, nobody loses patience.

        Raises:
            TimeoutError: It does not become so.
        """
        until, written = 0.0, -1
        while not happens():
            octets = 0 if at_work is None else at_work.octets
            if octets != written:
                until, written = time.monotonic() + self.patience, octets
            if self._served.process.poll() is not None:
                raise TimeoutError(f"{what}: the service has ended: {self.words[-2_000:]}")
            if time.monotonic() > until:
                raise TimeoutError(f"{what} for {self.patience:g} s: {self.words[-2_000:]}")
            for program in self.programs.values():
                program.revive()
            time.sleep(0.02)

    def await_progress(self) -> None:
        """Waits until every publisher and consumer has written into its ledger once more."""
        for name, program in self.programs.items():
            self.wait(partial(_has_grown, program, program.octets), f"{name} stands still")

    def drain(self) -> list[str]:
        """Has publishers end and consumers take the rest; what went wrong with the programs."""
        wrong = [self.programs[name].finish(self.patience) for name in PUBLISHERS]
        for name, part in CONSUMERS.items():
            done = partial(self._is_done, part.channel, name)
            self.wait(done, f"{name} has not taken all", self.programs[name])
        wrong += [self.programs[name].finish(self.patience) for name in CONSUMERS]
        self.wait(lambda: not self.archive_is_behind, "the archive is behind")
        return [one for one in wrong if one is not None]

    def _is_done(self, channel: str, consumer: str) -> bool:
        proxy = self.get(f"/v1/channels/{channel}/proxies/{consumer}")
        return (proxy["waiting"], proxy["in_flight"]) == (0, 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for program in self.programs.values():
            program.kill()
        self.stop_service()


def _filter_of(part: Part) -> str:
    return "" if part.lane is None else f"$lane == {part.lane}"


def _children(pid: int) -> list[Path]:
    found = []
    for path in Path("/proc", str(pid), "task").glob("*/children"):
        with contextlib.suppress(OSError):  # a thread that has ended
            found += [Path("/proc", one) for one in path.read_text().split()]
    return found


def _lives(process: Path) -> bool:
    try:
        return bool((process / "cmdline").read_bytes())  # empty when it only waits to be reaped
    except OSError:
        return False


def _has_grown(program: Program, octets: int) -> bool:
    return program.octets > octets
