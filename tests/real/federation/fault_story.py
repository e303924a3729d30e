"""A gateway between a service and a channel, and what goes wrong on the way to the service."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any

from tests.edges.gateways.test_runner import World, channel, world
from tests.patience import PATIENCE
from tests.promises.cutting import CuttingProxy
from tests.real.federation.rigs import Native, Rig
from tidings.federation import requests as r
from tidings.federation.gateway import GatewayTimes
from tidings.gateways.adapters.base import adapter_class
from tidings.gateways.sides import SideRunner

SECRET = "FAULT_STORY_SECRET"
RARELY = GatewayTimes(hello=3_600_000_000, gone=7_200_000_000)
"""What gateways tell each other would be on the line, too."""
INWARD = 5_000
"""Numbers from here on are published at the service, others at the channel."""


class FaultStory:
    """The gateway, and all that both ends have got.

    Attributes:
        at_service: How often a native client of the service has got each event of the channel.
        at_channel: How often a client of the channel has got each event of the service.
        sent: Numbers of the events that were published so far, both ways.
        line: What stands between the gateway and the service; None for nothing.
    """

    def __init__(self, made: World, rig: Rig, line: CuttingProxy | None) -> None:
        self.made, self.rig, self.line = made, rig, line
        self.at_service: Counter[int] = Counter()
        self.at_channel: Counter[int] = Counter()
        self.sent: Counter[bool] = Counter()
        self._native: Native
        self._come = asyncio.Event()

    @property
    def side(self) -> SideRunner:
        """The side at the service."""
        return self.made.gateways._running["G"]._sides["s"]

    async def hear_service(self, native: Native) -> None:
        """Count what a native client gets."""
        self._native = native
        async for one in native.received():
            if one.name != "Speed":
                continue
            self._count(self.at_service, one.data["license_no"], inward=False)

    async def hear_channel(self) -> None:
        """Count what a client of the channel gets."""
        async for delivery in await self.made.client.subscribe("roads"):
            self._count(self.at_channel, delivery.event.data["license_no"], inward=True)

    def _count(self, got: Counter[int], name: Any, *, inward: bool) -> None:
        number = int(name[3:])
        if (number >= INWARD) is inward:  # a client may hear itself
            got[number] += 1
            self._come.set()

    async def publish(self, count: int, *, inward: bool) -> range:
        """Publish so many events at the service or at the channel; return their numbers."""
        first = self.sent[inward] + INWARD * inward
        for number in range(first, first + count):
            if inward:
                await self._native.publish(self.rig.sample(number))
            else:
                await self.made.client.publish("roads", self.rig.sample(number))
        self.sent[inward] += count
        return range(first, first + count)

    async def until(self, done: Callable[[], bool]) -> None:
        """Wait until a condition holds."""
        async with asyncio.timeout(PATIENCE):
            while not done():
                self._come.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(0.02):
                        await self._come.wait()

    async def come(self, numbers: range) -> None:
        """Wait until events are where they go."""
        got = self.at_channel if numbers[0] >= INWARD else self.at_service
        await self.until(lambda: all(got[number] for number in numbers))

    def repeated(self) -> tuple[set[int], set[int]]:
        """Return what has come more than once to the service, and to the channel."""
        twice, again = (
            {number for number, count in got.items() if count > 1}
            for got in (self.at_service, self.at_channel)
        )
        return twice, again

    async def info(self, state: str) -> r.SideInfo:
        """Wait until the side at the service is in a state."""

        def reached(info: r.GatewayInfo) -> bool:
            return any(one.adapter == "s" and one.state == state for one in info.sides)

        found = await self.made.until(reached)
        return next(one for one in found.sides if one.adapter == "s")

    async def both_ways(self, count: int) -> None:
        """Pass some events without any fault."""
        for inward in (False, True):
            await self.come(await self.publish(count, inward=inward))

    async def lose_answers(self) -> range:
        """Let the service get events, and cut the line before it has answered; return them."""
        assert self.line is not None
        self.line.muting = True
        sent = await self.publish(10, inward=False)
        await self.until(lambda: bool(self.at_service[sent[0]]))
        await self.lose_line()
        return sent

    async def lose_acknowledgements(self) -> range:
        """Let the gateway hand events on, and cut the line before the service knows."""
        assert self.line is not None
        self.line.deafening = True
        sent = await self.publish(10, inward=True)
        await self.come(sent)
        await self.lose_line()
        return sent

    async def be_slow(self, most_queued: int) -> range:
        """Let the service take nothing for a while: what waits does so in the outbox.

        Returns the events that may have come twice: none, if the gateway was as patient.
        """
        assert self.line is not None
        before = self.side.info().reconnects
        self.line.hold()
        sent = await self.publish(3 * most_queued, inward=False)
        await self.until(
            lambda: self.side.waiting >= 2 * most_queued and len(self.side._queue) < most_queued
        )
        assert self.side.state == "up"
        self.line.release()
        await self.come(sent)
        return sent if self.side.info().reconnects > before else sent[:0]

    async def lose_line(self) -> None:
        """Cut the connection; it is down, with a cause, until `mend_line`."""
        assert self.line is not None
        self.line.refusing = True
        self.line.cut()
        assert (await self.info("down")).cause

    async def mend_line(self) -> None:
        """Let the gateway connect again, and wait until it has."""
        assert self.line is not None
        self.line.refusing = self.line.muting = self.line.deafening = False
        await self.info("up")
        await self.until(lambda: bool(self.side.info().wants))


@asynccontextmanager
async def fault_story(rig: Rig, kind: str) -> AsyncIterator[FaultStory]:
    """Join the service with a channel, so that each gets the other's events of the name Speed."""
    parameters = rig.parameters()
    async with AsyncExitStack() as stack:
        given, line = parameters, None
        if rig.port:
            line = CuttingProxy(rig.port)
            line.port = rig.front
            await stack.enter_async_context(line)
            given = rig.through(parameters, line.port)
        made = await stack.enter_async_context(world(times=RARELY))
        native = await stack.enter_async_context(rig.native(parameters))
        story = FaultStory(made, rig, line)
        for name in adapter_class(kind).secrets:
            if name in given:
                os.environ[SECRET] = given[name]
                given[name] = f"env:{SECRET}"
        await made.gateway(r.SideConfig("s", "S", kind, given), channel("c", "roads"))
        hearing = [
            asyncio.create_task(story.hear_service(native)),
            asyncio.create_task(story.hear_channel()),
        ]
        try:
            await made.want("Speed", "S")
            await made.want("Speed", "C")
            yield story
        finally:
            for task in hearing:
                task.cancel()
            await asyncio.gather(*hearing, return_exceptions=True)
            await made.gateways.stop()
