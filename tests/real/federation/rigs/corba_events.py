"""omniEvents, an Event Service in C++."""

from __future__ import annotations

import asyncio
import itertools
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.real.federation import rigs
from tidings.cos import CosEventChannelAdmin_auto as event_service
from tidings.cos.CosEventComm_auto import PushConsumerServant
from tidings.cos.CosLifeCycle_auto import NVP, GenericFactory
from tidings.cos.CosNaming_auto import NameComponent
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any as Box
from tidings.events.anyvalue import Value
from tidings.events.reference import Reference
from tidings.events.structured import StructuredEvent, event_in_any
from tidings.federation.marks import unmarked
from tidings.orb.aio import Orb

_NAMES = itertools.count()
_CHANNEL = (NameComponent("EventChannel", "object interface"),)
# Nanoseconds between two rounds of a channel; usually a tenth of a second.
_CYCLE = 1_000_000


def beside(work: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine to its end, whether a loop runs here or not."""
    thread = threading.Thread(target=asyncio.run, args=(work,))
    thread.start()
    thread.join()


class Consumer(PushConsumerServant):
    """A push consumer on our ORB, for anys."""

    def __init__(self) -> None:
        self.waiting: asyncio.Queue[Value] = asyncio.Queue()

    async def push(self, data: Value) -> None:
        self.waiting.put_nowait(data)

    async def disconnect_push_consumer(self) -> None:
        """Nothing waits here."""


class Native(rigs.Native):
    def __init__(self, source: event_service.ProxyPushConsumer, consumer: Consumer) -> None:
        self.source = source
        self._consumer = consumer

    async def publish(self, sent: StructuredEvent) -> None:
        await self.source.push(sent.as_any())

    async def received(self) -> AsyncIterator[StructuredEvent]:
        while True:
            event = event_in_any(await self._consumer.waiting.get())
            assert event is not None
            if event.name == "Speed":
                yield unmarked(event)[0]


class Rig(rigs.Rig):
    adapter = "corba"
    characters = "UTF-8"
    """The service's own code set; without being told, ISO-8859-1."""

    def start(self) -> None:
        if not shutil.which("omniEvents"):
            pytest.skip("needs omniEvents: tools/system_packages.sh tests")
        told = subprocess.run(["omniEvents", "-V"], capture_output=True, text=True, check=False)
        self.part = ("omniEvents", (told.stdout + told.stderr).split()[1])
        self._folder = tempfile.TemporaryDirectory(prefix="omnievents-")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = int(free.getsockname()[1])
        self.restart()

    def restart(self) -> None:
        folder = self._folder.name
        here = f"giop:tcp:127.0.0.1:{self.front or self._port}"
        self._process = subprocess.Popen(
            [
                *("omniEvents", "-f", "-p", str(self._port), "-l", folder),
                *("-t", f"{folder}/trace", "-ORBendPointPublish", here),
                *("-ORBnativeCharCodeSet", self.characters),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until = time.monotonic() + PATIENCE
        while True:
            try:
                socket.create_connection(("127.0.0.1", self._port)).close()
                return
            except OSError:
                assert self._process.poll() is None, Path(folder, "trace").read_text()
                assert time.monotonic() < until
                time.sleep(0.02)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(PATIENCE)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(PATIENCE)
        self._folder.cleanup()

    def kept(self) -> str:
        """Return what the service would know after a restart: its channels, and their proxies."""
        [log] = Path(self._folder.name).glob("omnievents-*.log")
        return log.read_text()

    def parameters(self) -> dict[str, Any]:
        name = f"suite-{next(_NAMES)}"
        beside(self._make(name))
        return {"reference": f"corbaloc::127.0.0.1:{self._port}/{name}", "model": "events"}

    async def _make(self, name: str) -> None:
        async with Orb() as orb:
            url = f"corbaloc::127.0.0.1:{self._port}/omniEvents"
            criteria = (
                NVP("InsName", name),
                *(
                    NVP(what, Box(tc.ULONG, value))
                    for what, value in (("CyclePeriod_ns", _CYCLE), ("PullRetryPeriod_ms", 20))
                ),
            )
            await orb.stub(GenericFactory, url).create_object(_CHANNEL, criteria)

    @asynccontextmanager
    async def native(self, parameters: dict[str, Any]) -> AsyncIterator[rigs.Native]:
        async with Orb() as orb:
            await orb.listen()
            channel = orb.stub(event_service.EventChannel, parameters["reference"])
            consumers = orb.stub(event_service.ConsumerAdmin, await channel.for_consumers())
            suppliers = orb.stub(event_service.SupplierAdmin, await channel.for_suppliers())
            consumer = Consumer()
            pushes = orb.stub(
                event_service.ProxyPushSupplier, await consumers.obtain_push_supplier()
            )
            await pushes.connect_push_consumer(orb.activate(consumer, b"native"))
            source = orb.stub(
                event_service.ProxyPushConsumer, await suppliers.obtain_push_consumer()
            )
            await source.connect_push_supplier(Reference())
            yield Native(source, consumer)
            await pushes.disconnect_push_supplier()
            await source.disconnect_push_consumer()

    def unmappable(self) -> StructuredEvent:
        return StructuredEvent(name="Speed", data={"license_no": "x" * 2_100_000})
