"""The load of `tidings bench iiop`, a program in C++ on omniORB, and the two services."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple, Self, TypeAlias

from tidings.bench.harness import PATIENCE, Series, ServerProcess, demand
from tidings.errors import InvalidUsage

_PACKAGES: Final = {
    "g++": "g++",
    "omniidl": "omniidl",
    "omniNames": "omniorb-nameserver",
    "omniEvents": "omnievents",
    "eventc": "omnievents",
}
"""By program, the Debian package it is in."""
_BESIDES: Final = ("libomniorb4-dev",)
# Debian keeps servers where only the administrator's search path leads.
_SBIN: Final = "/usr/sbin"
_LOCAL: Final = ("-ORBendPoint", "giop:tcp:127.0.0.1:")
_PATIENT: Final = ("-ORBclientCallTimeOutPeriod", "60000")
# Between two paced events, in seconds.
_PAUSE: Final = 0.005
_STARTS_IN: Final = 30.0
# omniEvents hands events on once a cycle. Its own 100 ms would be all that is measured.
_CYCLE_NANOSECONDS: Final = 100_000
# It throws away what a consumer is behind with; by default after a thousand events.
_QUEUE: Final = 1_000_000
# The bench connects more clients from one address than the limits allow.
_SETTINGS: Final = """\
[iiop]
max_connections = 4000
max_connections_per_host = 4000
"""


def program(name: str) -> str | None:
    """Where a program is; None if it is missing."""
    return shutil.which(name) or shutil.which(name, path=_SBIN)


def check_programs() -> None:
    """Refuse to run without the programs that the bench needs beside Python."""
    missing = [name for name in _PACKAGES if program(name) is None]
    if missing:
        raise InvalidUsage(
            f"the bench needs {', '.join(missing)}; on Debian: apt-get install {_packages()}"
        )


def _packages() -> str:
    return " ".join([*dict.fromkeys(_PACKAGES.values()), *_BESIDES])


def build() -> Path:
    """Compile the load, unless that was done before."""
    with (
        as_file(files("tidings.bench") / "cpp") as sources,
        as_file(files("tidings.cos") / "idl") as idl,
    ):

        def make(folder: Path) -> None:
            _run(folder, "omniidl", "-bcxx", "-Wbinline", f"-I{idl}", str(sources / "load.idl"))
            _run(
                folder,
                *("g++", "-std=c++17", "-O2", "-w", "-I.", f"-I{sources}"),
                *(str(sources / "load.cc"), "loadSK.cc", "-o", "load"),
                *("-lomniORB4", "-lomniDynamic4", "-lomnithread"),
            )

        return built_once("load", [Path(__file__), sources, idl], make) / "load"


def built_once(name: str, sources: Iterable[Path], make: Callable[[Path], None]) -> Path:
    """The folder with a program in C++, kept in the user's cache for all processes.

    `make` builds it in an empty folder, again if one of the `sources`, which are files and folders,
    or the compiler changes. The caller is one of them, because it has the commands.
    """
    digest = hashlib.sha256()
    for command in (("g++", "--version"), ("omniidl", "-V")):
        said = subprocess.run(command, capture_output=True, check=False)
        digest.update(said.stdout + said.stderr)
    for source in sources:
        within = sorted(source.rglob("*.*")) if source.is_dir() else [source]
        for file in within:
            if file.suffix != ".pyc":
                digest.update(f"{file.name} {file.stat().st_size} ".encode() + file.read_bytes())
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tidings" / "built"
    cache.mkdir(parents=True, exist_ok=True)
    place = cache / f"{name}-{digest.hexdigest()[:20]}"
    with (cache / f"{place.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            with TemporaryDirectory(dir=cache) as temporary:
                folder = Path(temporary) / name
                folder.mkdir()
                make(folder)
                folder.rename(place)
    return place


def _run(folder: Path, *command: str) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr)
        raise InvalidUsage(
            f"the load client cannot be built: {first.strip()}; "
            f"on Debian it needs: apt-get install {_packages()}"
        )


class Came(NamedTuple):
    """What came to a group of consumers."""

    events: int
    wrong: int
    last: int
    """When the last one came, in nanoseconds."""


class Load:
    """One process of the load, which ends with the context; `options` are omniORB's."""

    def __init__(self, built: Path, *options: str) -> None:
        self._process = subprocess.Popen(
            [str(built), *_PATIENT, *(options or _LOCAL)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def ask(self, *words: object) -> list[str]:
        """Run a command; return its answer."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(" ".join(map(str, words)) + "\n")
        stdin.flush()
        state, *answer = stdout.readline().split() or ["error", "the load client has ended"]
        demand(state == "ok", f"{words[0]}: {' '.join(answer)}")
        return answer

    def number(self, *words: object) -> int:
        """Has a command carried out that is answered with a number."""
        return int(self.ask(*words)[0])

    def came(self, group: int, seconds: float) -> Came:
        """What has come to a group when all has, or when the time is over."""
        return Came(*map(int, self.ask("await", group, seconds)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._process.kill()
        self._process.communicate()


class Flow:
    """A supplier, a channel and its consumers, who all must get all events, once and in order.

    A supplier pushes any, structured or sequence in batches of so many events.

    What the `rounds` give: `rate`, deliveries a second over all consumers; `accepted`, calls of the
    supplier a second, times the batch; `waits`, from the push to the consumer, of all paced events.
    """

    def __init__(self, channel: str, supplier: Load, form: str = "any", batch: int = 1) -> None:
        self.channel = channel
        self.rounds = Series()
        self._form = form
        self._batch = batch
        self._supplier = supplier
        self._handle = supplier.number("supply", channel, form)
        self._crowd: list[tuple[Load, int, int]] = []
        self._silent: list[tuple[Load, int]] = []
        self._next = 0

    def add_consumers(self, loads: Sequence[Load], count: int, *, times: bool = False) -> None:
        """Connects so many consumers, shared out evenly to processes."""
        for load in loads:
            each = count // len(loads)
            group = load.number("consume", self.channel, self._form, each, int(times))
            self._crowd.append((load, group, each))

    def add_filtered(self, load: Load, count: int) -> None:
        """Connects so many consumers with filters, of which the first matches."""
        self._crowd.append((load, load.number("filtered", self.channel, 0, 1), 1))
        if count > 1:
            self._silent.append((load, load.number("filtered", self.channel, 1, count - 1)))

    def round(self, events: int) -> None:
        """Pushes events as fast as they are taken, and waits until all have come."""
        first = self._begin(events)
        asked = ("push", self._handle, events, first, self._batch)
        start, end = map(int, self._supplier.ask(*asked))
        last = self._all_came(events)
        consumers = sum(count for _, _, count in self._crowd)
        self.rounds["rate"].append(events * consumers / (last - start) * 1e9)
        self.rounds["accepted"].append(events / (end - start) * 1e9)

    def pace(self, events: int) -> None:
        """Pushes single events with pauses; notes how long each took to the first consumer."""
        first = self._begin(events)
        sent = map(int, self._supplier.ask("pace", self._handle, events, first, _PAUSE))
        self._all_came(events)
        load, group, _ = self._crowd[0]
        came = map(int, load.ask("times", group))
        waits = [(later - earlier) / 1e9 for earlier, later in zip(sent, came, strict=True)]
        self.rounds["waits"] += waits

    def _begin(self, events: int) -> int:
        """Tells the consumers what to expect; the number of the first event."""
        first = self._next
        self._next += events
        for load, group, _ in self._crowd:
            load.ask("begin", group, events, first)
        return first

    def _all_came(self, events: int) -> int:
        """Wait until all events came once, in order, to the right consumer; when the last did."""
        last = 0
        for load, group, count in self._crowd:
            came = load.came(group, PATIENCE)
            wanted = events * count
            demand(came.events == wanted, f"{came.events} of {wanted} events came")
            demand(came.wrong == 0, f"{came.wrong} of {wanted} events out of order, or not whole")
            last = max(last, came.last)
        for load, group in self._silent:
            came = load.came(group, 0)
            demand(came.events == 0, f"{came.events} events came to consumers that did not ask")
        return last

    @property
    def rate(self) -> float:
        """The median of all rounds."""
        return self.rounds.median("rate")


class TidingsIiop(ServerProcess):
    """Our service, with everything in memory."""

    name: Final = "tidings"

    def __init__(self, folder: Path) -> None:
        settings = folder / "settings.toml"
        settings.write_text(_SETTINGS, encoding="utf-8")
        command = ["tidings", "serve", "--memory", "--port", "0", "--settings", str(settings)]
        command += ["--iiop", "127.0.0.1:0", "--port-file"]
        super().__init__(command, folder / "iiop.json")
        self._factory = self.announced["corba"].replace("/NameService", "/NotificationService")

    def channel(self, load: Load) -> str:
        """A new channel of the Notification Service, which is one of the Event Service."""
        return load.ask("channel", self._factory)[0]


class OmniEvents:
    """omniEvents with the naming service it needs, which end with the context."""

    name: Final = "omniEvents"

    def __init__(self, folder: Path) -> None:
        self._running = ExitStack()
        self._names, self._port = free_port(), free_port()
        self._made = 0
        home = folder / "omniEvents"
        home.mkdir()
        self._start("omniNames", "-start", str(self._names), "-logdir", str(home))
        _wait_for(self._names)
        port = str(self._port)
        arguments = ("-f", "-p", port, "-l", str(home), *self._initial)
        self._server = self._start("omniEvents", *arguments)
        _wait_for(self._port)

    @property
    def _initial(self) -> tuple[str, str]:
        return "-ORBInitRef", f"NameService=corbaloc::127.0.0.1:{self._names}/NameService"

    def pause(self) -> None:
        """Stops it while others are measured: it looks at its queues every cycle, idle or not."""
        self._server.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Goes on after `pause`."""
        self._server.send_signal(signal.SIGCONT)

    def _start(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [program(name) or name, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._running.callback(process.wait)
        self._running.callback(process.kill)
        return process

    def channel(self, load: Load) -> str:
        """A new channel, made by the tool that comes with it."""
        self._made += 1
        name, at = f"bench{self._made}", f"corbaloc::127.0.0.1:{self._port}"
        options = ["-c", str(_CYCLE_NANOSECONDS), "-q", str(_QUEUE), *self._initial]
        done = subprocess.run(
            ["eventc", "-n", name, "-i", name, *options, f"{at}/omniEvents"],
            capture_output=True,
            text=True,
            check=False,
        )
        demand(done.returncode == 0, f"eventc: {done.stderr or done.stdout}")
        return f"{at}/{name}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._running.close()


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_for(port: int) -> None:
    until = time.monotonic() + _STARTS_IN
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            demand(time.monotonic() < until, f"nobody listens at port {port}")
            time.sleep(0.02)
        else:
            return


EventService: TypeAlias = TidingsIiop | OmniEvents
"""A service whose channels take plain events."""
