"""The two services of `tidings bench iiop`: ours, and omniEvents of Debian."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Final, Protocol, Self

import msgspec

from tidings.bench.figures import demand
from tidings.bench.iiop_load import Load, program
from tidings.bench.web_service import ServerProcess

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


class EventService(Protocol):
    """A service whose channels take plain events."""

    @property
    def name(self) -> str:
        """What figures call it."""
        ...

    def channel(self, load: Load) -> str:
        """A new channel: where clients find it."""
        ...


class TidingsIiop(ServerProcess):
    """Our service, with everything in memory."""

    name: Final = "tidings"

    def __init__(self, folder: Path) -> None:
        settings = folder / "settings.toml"
        settings.write_text(_SETTINGS, encoding="utf-8")
        port_file = folder / "iiop.json"
        command = ["tidings", "serve", "--memory", "--port", "0", "--settings", str(settings)]
        super().__init__([*command, "--iiop", "127.0.0.1:0", "--port-file"], port_file)
        names: str = msgspec.json.decode(port_file.read_bytes())["corba"]
        self._factory = names.replace("/NameService", "/NotificationService")

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
