"""The event services of `tidings bench federation`: our own, and brokers as Debian has them.

Each runs as a process on a free port of this machine, with its data in a folder; a kind that is not
installed raises `Missing`.
"""

from __future__ import annotations

import asyncio
import getpass
import os
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, Final, Self

from tidings.bench.federation_relay import NAMES
from tidings.bench.harness import ServerProcess
from tidings.bench.iiop_load import free_port, program
from tidings.client.connecting import connect
from tidings.errors import MissingExtra
from tidings.gateways.adapters.base import adapter_class

_STARTS_IN: Final = 60.0
_RABBIT: Final = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
_ACTIVEMQ: Final = Path("/usr/share/activemq")


class Missing(Exception):
    """A kind of service that this machine does not have; the message says what is missing."""


class Service:
    """One event service, which ends with the context.

    Attributes:
        window: Events that may be on their way at one time.
        loses: Whether it may lose events.
        here: Whether it is in this process, so that links to it are, too.
    """

    window: ClassVar[int] = 1_000
    loses: ClassVar[bool] = False
    here: ClassVar[bool] = False

    def __init__(self, kind: str, folder: Path) -> None:
        self.kind = kind
        self.folder = folder
        folder.mkdir()
        try:
            adapter_class(kind)
            self.begin()
        except MissingExtra as error:
            raise Missing(str(error)) from error

    def begin(self) -> None:
        """Start it, or raise `Missing`."""

    def end(self) -> None:
        """Stop it."""

    async def place(self, name: str) -> dict[str, Any]:
        """Make a destination of a name; return the parameters of an adapter."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.end()


class _Tidings(Service):
    options: ClassVar[Sequence[str]] = ()
    reference: ClassVar[str] = "url"

    def begin(self) -> None:
        data = ("--data", str(self.folder / "data"), "--port", "0")
        command = ["tidings", "serve", *data, *self.options, "--port-file"]
        self.server = ServerProcess(command, self.folder / "port")

    def end(self) -> None:
        self.server.__exit__()

    async def place(self, name: str) -> dict[str, Any]:
        async with await connect(self.server.url) as client:
            await client.create_channel(name)
        return {"url": self.server.url, "channel": name}


class _Corba(_Tidings):
    options = ("--iiop", "127.0.0.1:0")

    async def place(self, name: str) -> dict[str, Any]:
        factory = self.server.announced["corba"].replace("/NameService", "/NotificationService")
        async with await connect(self.server.url) as client:
            channel = await client.create_channel(name)
        return {"reference": factory, "channel": channel.id, "form": "sequence"}


class _Memory(Service):
    here = True

    async def place(self, name: str) -> dict[str, Any]:
        return {"name": f"bench {os.getpid()} {name}"}


class _Cosmic(Service):
    window, loses, here = 500, True, True

    async def place(self, name: str) -> dict[str, Any]:
        fields = [
            {"name": "license_no", "type": "string", "octets": "0..6"},
            {"name": "rate", "type": "double", "octets": "7"},
        ]
        events = [{"subject": one, "id": id, "fields": fields} for one, id in NAMES.items()]
        channel = f"bench {os.getpid()} {name}"
        return {"interface": "virtual", "channel": channel, "events": events}


class _Steam(Service):
    window, loses = 64, True

    async def place(self, name: str) -> dict[str, Any]:
        return {"network": f"bench-{os.getpid()}-{name}", "position": "53.34, -6.25"}


class _Siena(Service):
    """A server for each destination: events have nothing else that keeps them apart."""

    def begin(self) -> None:
        self._servers: list[ServerProcess] = []

    def end(self) -> None:
        for server in self._servers:
            server.__exit__()

    async def place(self, name: str) -> dict[str, Any]:
        command = ["tidings.services.siena", "--listen", "127.0.0.1:0", "--advertised"]
        server = ServerProcess([*command, "--port-file"], self.folder / name)
        self._servers.append(server)
        return {"url": server.url}


class _Broker(Service):
    """A broker as a process.

    Attributes:
        hello: What is sent to find out whether it is ready, and what it then answers.
    """

    hello: ClassVar[tuple[bytes, bytes]] = (b"", b"")

    def run(self, *command: str, environment: Mapping[str, str] | None = None) -> None:
        """Start it; return when it answers."""
        self.process = self.start(*command, environment=environment)
        until = time.monotonic() + _STARTS_IN
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > until:
                self.end()
                raise Missing(f"{Path(command[0]).name} does not start")
            time.sleep(0.05)

    def start(
        self, *command: str, environment: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        """Start a program, and all that it starts as one group."""
        with (self.folder / "out").open("ab") as out:
            return subprocess.Popen(
                command, env={**os.environ, **(environment or {})}, cwd=self.folder,
                stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True,
            )  # fmt: skip

    def _answers(self) -> bool:
        says, expected = self.hello
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1) as line:
            line.settimeout(1)
            line.sendall(says)
            return not expected or expected in line.recv(4_096)
        return False

    def end(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    @property
    def port(self) -> int:
        """Where it listens."""
        if not hasattr(self, "_port"):
            self._port = free_port()
        return self._port


def _needed(name: str) -> str:
    found = program(name)
    if found is None:
        raise Missing(f"{name} is not installed")
    return found


class _Mqtt(_Broker):
    window = 500  # it drops what is more than a thousand

    def begin(self) -> None:
        broker = _needed("mosquitto")
        (self.folder / "conf").write_text(
            f"user {getpass.getuser()}\nlistener {self.port} 127.0.0.1\nallow_anonymous true\n"
            f"max_inflight_messages 256\npersistence true\npersistence_location {self.folder}/\n",
            encoding="utf-8",
        )
        self.run(broker, "-c", str(self.folder / "conf"))

    async def place(self, name: str) -> dict[str, Any]:
        return {"port": self.port, "topic": f"{name}/{{name}}"}


class _Nats(_Broker):
    hello = (b"", b"INFO")

    def begin(self) -> None:
        server = _needed("nats-server")
        (self.folder / "conf").write_text(
            f"listen: 127.0.0.1:{self.port}\njetstream {{ store_dir: {self.folder}/data }}\n",
            encoding="utf-8",
        )
        self.run(server, "-c", str(self.folder / "conf"))

    async def place(self, name: str) -> dict[str, Any]:
        import nats

        url = f"nats://127.0.0.1:{self.port}"
        client = await nats.connect(url)
        await client.jetstream().add_stream(name=name, subjects=[f"{name}.*"])
        await client.close()
        return {"servers": [url], "subject": f"{name}.{{name}}", "stream": name}


class _Amqp(_Broker):
    hello = (b"AMQP\x00\x00\x09\x01", b"version")

    def begin(self) -> None:
        if not _RABBIT.exists():
            raise Missing("rabbitmq-server is not installed")
        (self.folder / "plugins").write_text("[].", encoding="utf-8")
        (self.folder / "rabbitmq.conf").write_text(
            f"listeners.tcp.1 = 127.0.0.1:{self.port}\n", encoding="utf-8"
        )
        names, distribution = str(free_port()), str(free_port())
        environment = {
            "HOME": str(self.folder),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "ERL_EPMD_PORT": names,
            "RABBITMQ_ALLOW_INPUT": "1",  # Erlang in the place of the script, to be killed itself
            "RABBITMQ_CONFIG_FILE": str(self.folder / "rabbitmq"),
            "RABBITMQ_DIST_PORT": distribution,
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.folder / "plugins"),
            "RABBITMQ_LOG_BASE": str(self.folder / "log"),
            "RABBITMQ_MNESIA_BASE": str(self.folder / "data"),
            "RABBITMQ_NODENAME": f"bench-{self.port}@localhost",
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": (
                "+S 1 +sbwt none -noinput -start_epmd false "
                "-kernel inet_dist_use_interface {127,0,0,1}"
            ),
        }
        # Erlang would start one that outlives all.
        self._names = self.start(_needed("epmd"), "-address", "127.0.0.1", "-port", names)
        self.run(str(_RABBIT), environment=environment)

    def end(self) -> None:
        super().end()
        self._names.kill()
        self._names.wait()

    async def place(self, name: str) -> dict[str, Any]:
        return {"port": self.port, "exchange": name}


_BEANS: Final = "http://www.springframework.org/schema/beans"
_CORE: Final = "http://activemq.apache.org/schema/core"
_BROKER: Final = f"""
<beans xmlns="{_BEANS}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xsi:schemaLocation="{_BEANS} {_BEANS}/spring-beans.xsd {_CORE} {_CORE}/activemq-core.xsd">
  <broker xmlns="{_CORE}" brokerName="bench" useJmx="false" dataDirectory="PLACE/data"
          advisorySupport="false" schedulerSupport="false">
    <persistenceAdapter><kahaDB directory="PLACE/data"/></persistenceAdapter>
    <transportConnectors>
      <transportConnector name="stomp" uri="stomp://127.0.0.1:PORT"/>
    </transportConnectors>
  </broker>
</beans>
"""


class _Jms(_Broker):
    hello = (b"CONNECT\naccept-version:1.2\nhost:x\n\n\0", b"CONNECTED")

    def begin(self) -> None:
        if not _ACTIVEMQ.exists():
            raise Missing("activemq is not installed")
        java, place = _needed("java"), self.folder
        broker = _BROKER.replace("PLACE", str(place)).replace("PORT", str(self.port))
        (place / "broker.xml").write_text(broker, encoding="utf-8")
        opened = ("lang", "net", "util")
        self.run(
            *(java, "-Xmx256m", "-XX:+UseSerialGC"),
            *(
                part
                for one in opened
                for part in ("--add-opens", f"java.base/java.{one}=ALL-UNNAMED")
            ),
            *(f"-Dactivemq.{name}={place}" for name in ("home", "base")),
            *("-cp", f"{_ACTIVEMQ}/lib/*:{_ACTIVEMQ}/lib/optional/*"),
            *("org.apache.activemq.console.Main", "start", f"xbean:file:{place}/broker.xml"),
        )

    async def place(self, name: str) -> dict[str, Any]:
        return {"port": self.port, "topic": name}


KINDS: Final[Mapping[str, type[Service]]] = {
    "tidings": _Tidings,
    "memory": _Memory,
    "corba": _Corba,
    "jms": _Jms,
    "mqtt": _Mqtt,
    "nats": _Nats,
    "amqp": _Amqp,
    "siena": _Siena,
    "steam": _Steam,
    "cosmic": _Cosmic,
}
"""The kinds of services, in the order in which they are measured."""


async def start(kind: str, folder: Path) -> Service:
    """Start a service of a kind, beside the loop; raises `Missing`."""
    return await asyncio.to_thread(KINDS[kind], kind, folder)
