"""Mosquitto, as Debian has it."""

from __future__ import annotations

import getpass
import itertools
import json
import re
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiomqtt

from tests.patience import PATIENCE
from tests.real.federation import rigs
from tidings.events.build import event
from tidings.events.structured import StructuredEvent

BROKER = "/usr/sbin/mosquitto"
MOST_OCTETS = 100_000
_NAMES = itertools.count()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def version() -> str:
    shown = subprocess.run([BROKER, "-h"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"version ([0-9.]+)", shown)
    assert found is not None, shown
    return found[1]


class Native(rigs.Native):
    def __init__(self, client: aiomqtt.Client, prefix: str) -> None:
        self._client = client
        self._prefix = prefix

    async def publish(self, sent: StructuredEvent) -> None:
        payload = json.dumps(dict(sent.data))
        await self._client.publish(f"{self._prefix}/{sent.name}", payload, qos=1)

    async def received(self) -> AsyncIterator[StructuredEvent]:
        async for message in self._client.messages:
            name = message.topic.value.rpartition("/")[2]
            yield event("", "", name, json.loads(message.payload))


class Rig(rigs.Rig):
    options = "allow_anonymous true\nmax_inflight_messages 100\n"

    def start(self) -> None:
        self.part = ("mosquitto", version())
        self.folder = tempfile.TemporaryDirectory(prefix="tidings-")
        self.port = free_port()
        place = Path(self.folder.name)
        (place / "conf").write_text(
            f"user {getpass.getuser()}\n"
            f"listener {self.port} 127.0.0.1\n"
            f"persistence true\npersistence_location {place}/\n"
            f"max_packet_size {MOST_OCTETS}\n{self.options}"
        )
        self.restart()

    def restart(self) -> None:
        place = Path(self.folder.name)
        with (place / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [BROKER, "-c", str(place / "conf")], stdout=log, stderr=log
            )
        until = time.monotonic() + PATIENCE
        while True:
            assert self.process.poll() is None, (place / "log").read_text()
            assert time.monotonic() < until
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                time.sleep(0.02)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)

    def end(self) -> None:
        """End it in order: it writes its sessions down."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)

    def stop(self) -> None:
        self.end()
        self.folder.cleanup()

    def parameters(self) -> dict[str, Any]:
        return {"port": self.port, "topic": f"suite{next(_NAMES)}/{{name}}"}

    @asynccontextmanager
    async def native(self, parameters: dict[str, Any]) -> AsyncIterator[rigs.Native]:
        prefix = parameters["topic"].partition("/")[0]
        async with aiomqtt.Client("127.0.0.1", self.port) as client:
            await client.subscribe(f"{prefix}/Speed", qos=1)
            yield Native(client, prefix)

    def unmappable(self) -> StructuredEvent | None:
        return event("", "", "Speed", {"license_no": "x" * MOST_OCTETS, "rate": 1.0})
