"""Ten gateways of five services in circles: killed, held, started again; each event comes once."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

import pytest

from tests.patience import PATIENCE
from tidings.client.client import Client
from tidings.client.connecting import connect
from tidings.errors import TidingsError
from tidings.events.build import event
from tidings.federation import requests as r
from tidings.federation.control import CONTROL_SUBJECT
from tidings.federation.marks import unmarked

NAMES = "ABCDE"
# A ring with all its chords: whoever goes, the others have ways around.
LINKS = [(a, b) for i, a in enumerate(NAMES) for b in NAMES[i + 1 :]]
TIMES = {
    "TIDINGS_FEDERATION__HELLO": "300ms",
    "TIDINGS_FEDERATION__GONE": "3s",
}


class Service:
    """A service in a process of its own, with the channel `roads`."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder / name
        self.port = 0

    def begin(self) -> None:
        self.folder.mkdir(exist_ok=True)
        self._port_file = self.folder / "port"
        command = [
            *(sys.executable, "-m", "tidings", "serve", "--data", str(self.folder / "data")),
            *("--port", str(self.port), "--port-file", str(self._port_file)),
        ]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                command, stdout=log, stderr=log, env={**os.environ, **TIMES}
            )

    async def ready(self) -> None:
        async with asyncio.timeout(PATIENCE):
            while not self._port_file.exists():
                assert self.process.poll() is None, (self.folder / "log").read_text()
                await asyncio.sleep(0.02)
        self.url = json.loads(self._port_file.read_text())["url"]
        self.port = int(self.url.rpartition(":")[2].strip("/"))

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)
        self._port_file.unlink(missing_ok=True)

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(PATIENCE)

    def hold(self, held: bool) -> None:
        """Cut it off from everybody, or let it go on."""
        self.process.send_signal(signal.SIGSTOP if held else signal.SIGCONT)

    async def client(self) -> Client:
        return await connect(self.url, patience=PATIENCE)


@asynccontextmanager
async def network(folder: Path) -> AsyncIterator[dict[str, Service]]:
    services = {name: Service(name, folder) for name in NAMES}
    try:
        for one in services.values():
            one.begin()
        for one in services.values():
            await one.ready()
        yield services
    finally:
        for one in services.values():
            one.hold(False)
            one.stop()


async def join(services: dict[str, Service]) -> None:
    for one in services.values():
        async with await one.client() as client:
            await client.create_channel("roads")
    for here, there in LINKS:
        sides = (
            r.SideConfig("own", here, "tidings", {"channel": "roads"}),
            r.SideConfig("far", there, "tidings", {"channel": "roads", "url": services[there].url}),
        )
        async with await services[here].client() as client:
            await client.transport.ask(r.CreateGateway(f"{here}-{there}", sides))
    async with await services["A"].client() as client:
        for name in NAMES:
            asked = r.AskFederation("A-B", r.RequestKind.SUBSCRIBE, "subject = Speed", name)
            await client.transport.ask(asked)
        async with asyncio.timeout(PATIENCE):
            while True:
                found = await client.transport.request(r.SeeFederationRequests("A-B"))
                if all(len(one.applied) == len(NAMES) - 1 and not one.missing for one in found):
                    return
                await asyncio.sleep(0.1)


async def everything(service: Service) -> Counter[str]:
    """All events in a service's channel by name; what gateways say to each other is not there."""
    found: Counter[str] = Counter()
    async with await service.client() as client:
        for one in await client.peek("roads", most=100_000):
            assert one.event.name != CONTROL_SUBJECT
            found[str(unmarked(one.event)[0].data["id"])] += 1
    return found


async def all_of(service: Service, expected: set[str]) -> Counter[str]:
    """Wait until a service's channel has all these events."""
    async with asyncio.timeout(PATIENCE):
        while True:
            found = await everything(service)
            if set(found) == expected:
                return found
            await asyncio.sleep(0.2)


async def publish(service: Service, ids: list[str], begun: asyncio.Semaphore) -> None:
    """Publish each event, over whatever happens to the service."""
    async with await service.client() as client:
        publisher = await client.publisher("roads", producer=f"driver-{service.name}")
        begun.release()
        for id in ids:
            while True:
                try:
                    sent = event("Traffic", "Speed", "Speed", {"id": id, "rate": 1})
                    await publisher.publish(sent)
                    break
                except TidingsError:
                    await asyncio.sleep(0.05)
            await asyncio.sleep(0.01)


@pytest.mark.slow
async def test_every_event_arrives_once_everywhere_whoever_is_killed(tmp_path: Path) -> None:
    random = Random(16)
    async with network(tmp_path) as services:
        await join(services)
        count = 150
        sent = {name: [f"{name}-{n}" for n in range(count)] for name in NAMES}
        begun = asyncio.Semaphore(0)
        publishing = [
            asyncio.create_task(publish(services[name], ids, begun)) for name, ids in sent.items()
        ]
        for _ in publishing:
            await begun.acquire()
        for name in random.sample(NAMES, 2):
            await asyncio.sleep(0.5)
            services[name].kill()
            await asyncio.sleep(1)
            services[name].begin()
            await services[name].ready()
        held = random.sample(NAMES, 1)[0]
        services[held].hold(True)
        await asyncio.sleep(2)
        services[held].hold(False)
        await asyncio.gather(*publishing)
        expected = {id for ids in sent.values() for id in ids}
        for one in services.values():
            found = await all_of(one, expected)
            assert set(found.values()) == {1}, [id for id, n in found.items() if n > 1]
