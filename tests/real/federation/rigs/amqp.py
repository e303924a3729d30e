"""RabbitMQ, with a name, a cookie and a folder of its own."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import aio_pika

from tests.patience import PATIENCE
from tests.real.federation import rigs
from tidings.events.build import event
from tidings.events.structured import StructuredEvent

_NAMES = itertools.count()
_SCRIPTS = Path("/usr/lib/rabbitmq/bin")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


class Native(rigs.Native):
    """Headers are what it sets and sees: it knows nothing of our bodies."""

    def __init__(self, exchange: aio_pika.abc.AbstractExchange) -> None:
        self._exchange = exchange
        self.waiting: asyncio.Queue[aio_pika.abc.AbstractIncomingMessage] = asyncio.Queue()

    async def publish(self, sent: StructuredEvent) -> None:
        headers: Any = {"event_name": sent.name, **sent.data}
        await self.send(aio_pika.Message(b"", headers=headers))

    async def send(self, message: aio_pika.Message, routing_key: str = "") -> None:
        await self._exchange.publish(message, routing_key, mandatory=False)

    async def received(self) -> AsyncIterator[StructuredEvent]:
        while True:
            headers = dict((await self.waiting.get()).headers)
            headers.pop("Federation", None)
            yield event("", "", str(headers.pop("event_name")), headers)


class Rig(rigs.Rig):
    """One broker; with a folder of `certificates` it speaks TLS, too."""

    def __init__(self, certificates: Path | None = None) -> None:
        self.certificates = certificates

    def start(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="rabbit-")
        self._place = Path(self._folder.name)
        (self._place / "plugins").write_text("[].")
        self.port, self.tls_port, epmd, distribution = (free_port() for _ in range(4))
        (self._place / "rabbitmq.conf").write_text(self._configuration())
        self._environment = {
            **os.environ,
            "HOME": str(self._place),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "ERL_EPMD_PORT": str(epmd),
            "RABBITMQ_ALLOW_INPUT": "1",  # Erlang in the place of the script, to be killed itself
            "RABBITMQ_CONFIG_FILE": str(self._place / "rabbitmq"),
            "RABBITMQ_DIST_PORT": str(distribution),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self._place / "plugins"),
            "RABBITMQ_LOG_BASE": str(self._place / "log"),
            "RABBITMQ_MNESIA_BASE": str(self._place / "data"),
            "RABBITMQ_NODENAME": f"tidings-{self.port}@localhost",
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": (
                "+S 1 +sbwt none -noinput -start_epmd false "
                "-kernel inet_dist_use_interface {127,0,0,1}"
            ),
        }
        # In the foreground: Erlang would start one that outlives all.
        self._epmd = self._started("epmd", "-address", "127.0.0.1", "-port", str(epmd))
        try:
            self.restart()
        except BaseException:
            self.stop()
            raise

    def _configuration(self) -> str:
        lines = [f"listeners.tcp.1 = 127.0.0.1:{self.port}"]
        if self.certificates is not None:
            lines += [
                f"listeners.ssl.1 = 127.0.0.1:{self.tls_port}",
                f"ssl_options.cacertfile = {self.certificates}/ca.pem",
                f"ssl_options.certfile = {self.certificates}/service.pem",
                f"ssl_options.keyfile = {self.certificates}/service.key",
            ]
        return "\n".join((*lines, ""))

    def _started(self, *command: str) -> subprocess.Popen[bytes]:
        with (self._place / "out").open("ab") as out:
            return subprocess.Popen(
                command, env=self._environment, cwd=self._place,
                stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True,
            )  # fmt: skip

    def restart(self) -> None:
        self._process = self._started(str(_SCRIPTS / "rabbitmq-server"))
        until = time.monotonic() + PATIENCE
        while not self._answers():
            assert self._process.poll() is None, (self._place / "out").read_text()
            assert time.monotonic() < until
            time.sleep(0.05)

    def _answers(self) -> bool:
        """Whether it says what it is: it takes connections before it is ready."""
        found = b""
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1) as line:
            line.settimeout(PATIENCE)
            line.sendall(b"AMQP\x00\x00\x09\x01")
            found = line.recv(4_096).partition(b"versionS")[2]
            self.part = ("RabbitMQ", found[4 : 4 + int.from_bytes(found[:4])].decode())
        return bool(found)

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(PATIENCE)

    def stop(self) -> None:
        self.kill()
        self._epmd.kill()
        self._epmd.wait(PATIENCE)
        self._folder.cleanup()

    def parameters(self) -> dict[str, Any]:
        return {"port": self.port, "exchange": f"suite-{next(_NAMES)}"}

    @asynccontextmanager
    async def native(self, parameters: dict[str, Any]) -> AsyncIterator[rigs.Native]:
        async with await aio_pika.connect(host="127.0.0.1", port=self.port) as connection:
            channel = await connection.channel()
            exchange = await channel.declare_exchange(
                parameters["exchange"], aio_pika.ExchangeType.HEADERS, durable=True
            )
            made = Native(exchange)
            queue = await channel.declare_queue(exclusive=True)
            await queue.bind(exchange, arguments={"x-match": "all", "event_name": "Speed"})
            await queue.consume(made.waiting.put, no_ack=True)
            yield made
