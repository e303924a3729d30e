"""nats-server with JetStream, as Debian has it."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from nats.aio.client import Client
from nats.aio.subscription import Subscription

from tests.patience import PATIENCE
from tests.real.federation import rigs
from tidings.events.build import event
from tidings.events.structured import StructuredEvent
from tidings.gateways.adapters.nats import round_trip

SERVER = "/usr/sbin/nats-server"
MOST_OCTETS = 65_536
_NAMES = itertools.count()


def version() -> str:
    shown = subprocess.run([SERVER, "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"v([0-9.]+)", shown.stdout)
    assert found is not None, shown
    return found[1]


class Native(rigs.Native):
    def __init__(self, client: Client, prefix: str, heard: Subscription) -> None:
        self._client = client
        self._prefix = prefix
        self._heard = heard

    async def publish(self, sent: StructuredEvent) -> None:
        await self._client.publish(
            f"{self._prefix}.{sent.name}", json.dumps(dict(sent.data)).encode()
        )
        await round_trip(self._client)

    async def received(self) -> AsyncIterator[StructuredEvent]:
        async for message in self._heard.messages:
            name = message.subject.rpartition(".")[2]
            yield event("", "", name, json.loads(message.data))


class Rig(rigs.Rig):
    options = ""

    def start(self) -> None:
        self.part = ("nats-server", version())
        self.folder = tempfile.TemporaryDirectory(prefix="tidings-")
        self.port = -1  # the server chooses one
        self._begin()

    def _begin(self) -> None:
        place = Path(self.folder.name)
        (place / "conf").write_text(
            f"listen: 127.0.0.1:{self.port}\nmax_payload: {MOST_OCTETS}\n"
            f"jetstream {{ store_dir: {place}/data }}\nports_file_dir: {place}\n{self.options}\n"
        )
        with (place / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [SERVER, "-c", str(place / "conf")], stdout=log, stderr=log
            )
        ports = place / f"nats-server_{self.process.pid}.ports"
        until = time.monotonic() + PATIENCE
        while "Server is ready" not in (place / "log").read_text() or not ports.exists():
            assert self.process.poll() is None, (place / "log").read_text()
            assert time.monotonic() < until
            time.sleep(0.02)
        self.url = json.loads(ports.read_text())["nats"][0]
        self.port = int(self.url.rpartition(":")[2])
        (place / "log").unlink()

    def restart(self) -> None:
        self._begin()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.folder.cleanup()

    def parameters(self) -> dict[str, Any]:
        name = f"suite{next(_NAMES)}"
        return {
            "servers": [self.url],
            "subject": f"{name}.{{name}}",
            "stream": name,
            "create": True,
        }

    @asynccontextmanager
    async def native(self, parameters: dict[str, Any]) -> AsyncIterator[rigs.Native]:
        prefix = parameters["subject"].partition(".")[0]
        client = Client()
        await client.connect(self.url)
        heard = await client.subscribe(f"{prefix}.Speed")
        await round_trip(client)
        yield Native(client, prefix, heard)
        await client.close()

    def unmappable(self) -> StructuredEvent | None:
        return event("", "", "Speed", {"license_no": "x" * MOST_OCTETS, "rate": 1.0})
