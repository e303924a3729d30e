"""A service of Tidings in a process of its own, over IIOP: for us any Notification Service."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.patience import PATIENCE
from tests.real.federation import rigs
from tests.real.federation.rigs.corba_events import beside
from tidings.client.client import Client
from tidings.client.connecting import connect
from tidings.client.subscription import Subscription
from tidings.cos.CosNotifyChannelAdmin_auto import EventChannelFactory
from tidings.events.structured import StructuredEvent
from tidings.federation.marks import unmarked
from tidings.orb.aio import Orb


class Native(rigs.Native):
    def __init__(self, client: Client, channel: int, heard: Subscription) -> None:
        self._client = client
        self._channel = channel
        self._heard = heard

    async def publish(self, sent: StructuredEvent) -> None:
        await self._client.publish(self._channel, sent)

    async def received(self) -> AsyncIterator[StructuredEvent]:
        async for delivery in self._heard:
            yield unmarked(delivery.event)[0]


class Rig(rigs.Rig):
    def start(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="tidings-")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._address = f"127.0.0.1:{free.getsockname()[1]}"
        self.url = f"corbaloc::{self._address}/NotificationService"
        self.restart()

    def restart(self) -> None:
        place = Path(self._folder.name)
        port_file = place / "port"
        port_file.unlink(missing_ok=True)
        command = [
            *(sys.executable, "-m", "tidings", "serve", "--data", str(place / "data")),
            *("--port", "0", "--port-file", str(port_file), "--iiop", self._address),
        ]
        with (place / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        until = time.monotonic() + PATIENCE
        while not port_file.exists():
            assert self._process.poll() is None, (place / "log").read_text()
            assert time.monotonic() < until
            time.sleep(0.02)
        assert json.loads(port_file.read_text())["corba"]

    def stop(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(PATIENCE)
        self._folder.cleanup()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(PATIENCE)

    def parameters(self) -> dict[str, Any]:
        beside(self._make())
        return {"reference": self.url, "channel": self._channel}

    async def _make(self) -> None:
        async with Orb() as orb:
            factory = orb.stub(EventChannelFactory, self.url)
            _, self._channel = await factory.create_channel((), ())

    @asynccontextmanager
    async def native(self, parameters: dict[str, Any]) -> AsyncIterator[rigs.Native]:
        channel = parameters["channel"]
        async with await connect(self.url) as client:
            heard = await client.subscribe(channel, "$event_name == 'Speed'")
            yield Native(client, channel, heard)

    def unmappable(self) -> StructuredEvent:
        return StructuredEvent(name="Speed", data={"license_no": "x" * 2_100_000})
