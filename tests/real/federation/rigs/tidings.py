"""A service of Tidings in a process of its own, over HTTP."""

from __future__ import annotations

import itertools
import json
import signal
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
from tidings.client.client import Client
from tidings.client.connecting import connect
from tidings.client.subscription import Subscription
from tidings.events.structured import StructuredEvent
from tidings.federation.marks import unmarked

_NAMES = itertools.count()


class Native(rigs.Native):
    def __init__(self, client: Client, channel: str, heard: Subscription) -> None:
        self._client = client
        self._channel = channel
        self._heard = heard

    async def publish(self, sent: StructuredEvent) -> None:
        await self._client.publish(self._channel, sent)

    async def received(self) -> AsyncIterator[StructuredEvent]:
        async for delivery in self._heard:
            yield unmarked(delivery.event)[0]


class Rig(rigs.Rig):
    part = None

    def start(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="tidings-")
        self.port = 0
        self._begin()

    def _begin(self) -> None:
        place = Path(self._folder.name)
        port_file = place / "port"
        port_file.unlink(missing_ok=True)
        command = [
            *(sys.executable, "-m", "tidings", "serve", "--data", str(place / "data")),
            *("--port", str(self.port), "--port-file", str(port_file)),
        ]
        with (place / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        until = time.monotonic() + PATIENCE
        while not port_file.exists():
            assert self._process.poll() is None, (place / "log").read_text()
            assert time.monotonic() < until
            time.sleep(0.02)
        self._url = json.loads(port_file.read_text())["url"]
        self.port = int(self._url.rpartition(":")[2].strip("/"))

    def stop(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(PATIENCE)
        self._folder.cleanup()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(PATIENCE)

    def restart(self) -> None:
        self._begin()

    def parameters(self) -> dict[str, Any]:
        return {"url": self._url, "channel": f"suite-{next(_NAMES)}", "create": True}

    @asynccontextmanager
    async def native(self, parameters: dict[str, Any]) -> AsyncIterator[rigs.Native]:
        async with await connect(self._url) as client:
            name = parameters["channel"]
            if name not in {one.name for one in await client.channels()}:
                await client.create_channel(name)
            heard = await client.subscribe(name, "$event_name == 'Speed'")
            yield Native(client, name, heard)
