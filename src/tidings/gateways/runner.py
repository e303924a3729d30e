"""Runs the gateways of a service: machines, sides, time; carries out what the core decides."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from tidings.client.client import Client
from tidings.clock import Clock, SystemClock
from tidings.errors import TidingsError
from tidings.federation import requests as r
from tidings.federation.control import CONTROL_SUBJECT
from tidings.federation.gateway import (
    Delivery,
    Fresh,
    Gateway,
    GatewayKeys,
    GatewayTimes,
    KeepNotes,
    Offer,
    Publish,
    Want,
)
from tidings.filters.constraint import Constraint
from tidings.gateways.adapters.base import Arrival, Placed, Side
from tidings.gateways.outbox import Outbox
from tidings.gateways.sides import SideRunner, read_secret
from tidings.names import new_origin

log = logging.getLogger(__name__)

_SECOND: Final = 1_000_000
_LONGEST_NAP: Final = 0.5

Tell = Callable[[Any], None]


class GatewayRunner:
    """Runs one gateway.

    Attributes:
        machine: What decides.
    """

    def __init__(
        self, told: r.RunGateway, local: Callable[[str], Client], tell: Tell, clock: Clock,
        times: GatewayTimes | None = None,
    ) -> None:  # fmt: skip
        config = told.config
        self.config = config
        self._local = local
        self._tell = tell
        self._clock = clock
        self._flows = asyncio.Event()
        self._under_way: dict[tuple[str, str, int], list[Arrival]] = {}
        secrets = {name: read_secret(ref, name).encode() for name, ref in config.keys.items()}
        keys = GatewayKeys(next(iter(secrets), ""), secrets, clients=not config.clients_sign)
        self.machine = Gateway(
            config.name, config.system, new_origin()[:12], clock.now(), notes=told.notes,
            keys=keys, times=times, window=config.window,
        )  # fmt: skip
        self._sides: dict[str, SideRunner] = {}
        self._broken: dict[str, r.SideInfo] = {}
        for side in config.sides:
            self._add(side)
        self._ticking: asyncio.Task[None] | None = None
        self._let_flow(told)

    def _let_flow(self, told: r.RunGateway) -> None:
        (self._flows.clear if told.draining else self._flows.set)()

    def _add(self, config: r.SideConfig) -> SideRunner | None:
        """Add a side; one that cannot run, such as without its package, does not stop the rest."""
        try:
            return self._added(config)
        except TidingsError as error:
            log.warning(
                "gateway %s, side %s cannot run: %s", self.config.name, config.adapter, error
            )
            self._broken[config.adapter] = r.SideInfo(
                config.adapter, config.service, config.kind, r.SideState.STOPPED, str(error),
                self._clock.now(),
            )  # fmt: skip
            return None

    def _added(self, config: r.SideConfig) -> SideRunner:
        gateway = self.config
        outbox = Outbox(
            partial(self._local, ""),
            f"{r.OF_GATEWAYS}{gateway.name}/{config.adapter}",
            dict(config.outbox),
        )
        side = Side(
            gateway.system, gateway.name, config.adapter, config.service, {"client": self._local}
        )
        made = SideRunner(
            config, side, outbox, self._clock,
            heard=self._heard, changed=self._changed, placed=self._placed,
        )  # fmt: skip
        self._sides[config.adapter] = made
        self.machine.attach(config.adapter, config.service, made.capabilities, config.trusts)
        return made

    def start(self) -> None:
        """Connect all sides."""
        for side in self._sides.values():
            side.start()
        self._ticking = asyncio.get_running_loop().create_task(self._tick())

    async def stop(self, *, delete: bool = False) -> None:
        """Disconnect all sides."""
        if self._ticking is not None:
            self._ticking.cancel()
            await asyncio.wait((self._ticking,))
        for side in self._sides.values():
            await (side.delete() if delete else side.stop())

    async def change(self, told: r.RunGateway) -> None:
        """Go on like this; sides that stay as they were are not touched."""
        wanted = {side.adapter: side for side in told.config.sides}
        for adapter, side in list(self._sides.items()):
            if wanted.get(adapter) != side.config:
                await (side.stop() if adapter in wanted else side.delete())
                self.machine.detach(adapter)
                del self._sides[adapter]
        self.config = told.config
        self._let_flow(told)
        self._broken.clear()
        for adapter, config in wanted.items():
            if adapter not in self._sides and (added := self._add(config)) is not None:
                added.start()
        self.work()

    def sides(self) -> tuple[r.SideInfo, ...]:
        """Return its sides as they are now."""
        return (*map(self._info, self._sides), *self._broken.values())

    def _info(self, adapter: str) -> r.SideInfo:
        requested, placed = self.machine.filters(adapter)
        return replace(self._sides[adapter].info(), requested=requested, placed=placed)

    # What happens.

    def _changed(self, adapter: str, up: bool) -> None:
        (self.machine.side_up if up else self.machine.side_down)(adapter)
        self.work()

    def _placed(
        self, adapter: str, filters: Sequence[Constraint], placed: Sequence[Placed] | str
    ) -> None:
        if isinstance(placed, str):
            self.machine.refused(adapter, filters, placed)
        else:
            self.machine.placed(adapter, filters, placed)
        self.work()

    async def _heard(self, adapter: str, arrivals: Sequence[Arrival]) -> None:
        """Take events of a side: each goes where it must, and is taken when it is safe there."""
        source = self._sides[adapter]
        await self._flows.wait()  # while it drains, the service keeps what it holds
        now = self._clock.now()
        finished: list[Arrival] = []
        asked = False
        towards: set[str] = set()
        for arrival in arrivals:
            under_way = self._under_way.get((adapter, arrival.stream, arrival.number))
            if under_way is not None:
                under_way.append(arrival)  # handed over again
                continue
            fresh = Fresh(arrival.event, arrival.mark, arrival.stream, arrival.number)
            if arrival.event.name == CONTROL_SUBJECT:
                deliveries = self.machine.control_arrived(adapter, fresh, now)
                asked = True
            else:
                deliveries = self.machine.route(adapter, fresh)
            if deliveries:
                towards |= {one.adapter for one in deliveries}
                self._send(source, arrival, deliveries)
            else:
                finished.append(arrival)
        if finished:
            source.taken(finished)
        if asked:
            self.work()
        for name in towards:
            if name in self._sides:
                await self._sides[name].room()

    def _send(self, source: SideRunner, arrival: Arrival, deliveries: list[Delivery]) -> None:
        left = len(deliveries)
        key = (source.config.adapter, arrival.stream, arrival.number)
        copies = [arrival]
        if arrival.number:
            self._under_way[key] = copies

        def done() -> None:
            nonlocal left
            left -= 1
            if not left:
                self._under_way.pop(key, None)
                source.taken(copies)

        for delivery in deliveries:
            side = self._sides.get(delivery.adapter)
            if side is None:
                done()
            else:
                side.send(delivery, done)

    def work(self) -> None:
        """Carry out what the machine wants."""
        self.machine.refresh(self._clock.now())
        for effect in self.machine.take_effects():
            match effect:
                case Want(adapter, filters):
                    self._sides[adapter].want(filters)
                case Offer(adapter, subjects):
                    self._sides[adapter].offer(subjects)
                case Publish(adapter, event, mark):
                    self._sides[adapter].send(Delivery(adapter, event, mark), _nothing)
                case KeepNotes(notes):
                    self._tell(r.NotesTaken(self.config.name, notes))

    async def _tick(self) -> None:
        while True:
            now = self._clock.now()
            self.machine.tick(now)
            self.work()
            pause = (self.machine.wake_at - now) / _SECOND
            await asyncio.sleep(min(_LONGEST_NAP, max(0.01, pause)))


def _nothing() -> None:
    """Nobody waits for a control event of the gateway's own."""


class Gateways:
    """Runs all gateways of a host."""

    def __init__(
        self,
        tell: Tell,
        on_effect: Callable[[type[Any], Callable[[Any], None]], None],
        local: Callable[[str], Client],
        clock: Clock | None = None,
        times: GatewayTimes | None = None,
    ) -> None:
        self._tell = tell
        self._local = local
        self._clock = clock or SystemClock()
        self._times = times
        self._running: dict[str, GatewayRunner] = {}
        self._changes: asyncio.Queue[Callable[[], Coroutine[Any, Any, None]]] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        on_effect(r.RunGateway, lambda told: self._changes.put_nowait(partial(self._run, told)))
        on_effect(r.EndGateway, lambda told: self._changes.put_nowait(partial(self._end, told)))
        on_effect(r.WakeGateway, self._wake)

    def start(self) -> None:
        """Run the gateways that there are, and whatever comes."""
        self._task = asyncio.get_running_loop().create_task(self._work())
        self._tell(r.GatewaysReady())

    async def stop(self) -> None:
        """Stop all gateways; what waits stays in their outboxes."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait((self._task,))
        for runner in self._running.values():
            await runner.stop()
        self._running.clear()

    async def _work(self) -> None:
        while True:
            change = await self._changes.get()
            try:
                await change()
            except Exception:
                log.exception("a gateway could not be changed")

    async def _run(self, told: r.RunGateway) -> None:
        name = told.config.name
        runner = self._running.get(name)
        try:
            if told.config.paused:
                await self._pause(name, runner)
                return
            if runner is None or _identity(runner.config) != _identity(told.config):
                await self._pause(name, runner)
                runner = GatewayRunner(told, self._local, self._tell, self._clock, self._times)
                self._running[name] = runner
                runner.start()
            else:
                await runner.change(told)
        except TidingsError as error:
            await self._pause(name, self._running.get(name))
            self._tell(r.GatewayRuns(name, None, tuple, str(error)))
            log.warning("gateway %s does not run: %s", name, error)
            return
        self._tell(r.GatewayRuns(name, runner.machine, runner.sides))

    async def _pause(self, name: str, runner: GatewayRunner | None) -> None:
        if runner is not None:
            self._running.pop(name, None)
            await runner.stop()
        self._tell(r.GatewayRuns(name, None, tuple, "it rests"))

    async def _end(self, told: r.EndGateway) -> None:
        runner = self._running.pop(told.name, None)
        if runner is not None:
            await runner.stop(delete=True)

    def _wake(self, told: r.WakeGateway) -> None:
        runner = self._running.get(told.name)
        if runner is not None:
            runner.work()


def _identity(config: r.GatewayConfig) -> object:
    """What of a gateway cannot change while it runs."""
    return config.name, config.system, dict(config.keys), config.clients_sign, config.window
