"""Runs the gateways of a service: machines, sides, time; carries out what the core decides."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from tidings.client.client import Client
from tidings.clock import Clock, SystemClock
from tidings.errors import TidingsError
from tidings.federation import requests as r
from tidings.federation.control import CONTROL_SUBJECT
from tidings.federation.gateway import (
    Delivery,
    Gateway,
    GatewayKeys,
    GatewayTimes,
    LosesMarks,
    Offer,
    Publish,
    Remember,
    Want,
)
from tidings.filters.constraint import Constraint
from tidings.gateways.adapters.base import Arrival, Placed, Side
from tidings.gateways.outbox import Outbox
from tidings.gateways.sides import LEAVING, SideRunner, outbox_qos, read_secret
from tidings.names import new_origin

log = logging.getLogger(__name__)

_SECOND: Final = 1_000_000
_LONGEST_NAP: Final = 0.5
_LOOK: Final = 0.05
# After so many looks at which nothing was under way, what services hold for a gateway has come.
_IDLE: Final = 4
# How long others may take to serve what a gateway yields, in times of its `gone`.
_YIELD: Final = 3
MOST_HELD: Final = 1_000
"""Events of one gateway that wait until a way leads where they go."""
_HOLD: Final = 60 * _SECOND

Tell = Callable[[Any], None]


@dataclass(slots=True)
class _UnderWay:
    """An event that was taken from a side, and is not safe yet.

    Attributes:
        source: The side.
        copies: It, and it again where the service has handed it over again.
        since: When it came.
        left: What is not safe yet.
    """

    source: SideRunner
    copies: list[Arrival]
    since: int
    left: int = 0


@dataclass(slots=True)
class _Parting:
    """A side that leaves.

    Attributes:
        task: What it does.
        yields: Whether it still serves what others are about to serve; it may stay then.
    """

    task: asyncio.Task[None]
    yields: bool = True


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
        self._times = times or GatewayTimes()
        self._flows = asyncio.Event()
        self._informed = asyncio.Event()
        self._under_way: dict[object, _UnderWay] = {}
        self._held: dict[object, _UnderWay] = {}
        secrets = {name: read_secret(ref, name).encode() for name, ref in config.keys.items()}
        keys = GatewayKeys(next(iter(secrets), ""), secrets, clients=not config.clients_sign)
        self.machine = Gateway(
            config.name, config.system, new_origin()[:12], clock.now(), memory=told.memory,
            keys=keys, times=self._times, window=config.window,
        )  # fmt: skip
        self._sides: dict[str, SideRunner] = {}
        self._broken: dict[str, r.SideInfo] = {}
        for side in config.sides:
            self._add(side)
        self._ticking: asyncio.Task[None] | None = None
        self._draining: asyncio.Task[None] | None = None
        self._parting: dict[str, _Parting] = {}
        self._let_flow(told)

    def _let_flow(self, told: r.RunGateway) -> None:
        if self._draining is not None:
            self._draining.cancel()
            self._draining = None
        self.machine.rest(told.draining)
        if told.draining:
            self._draining = asyncio.get_running_loop().create_task(self._drain())
        else:
            self._flows.set()

    async def _drain(self) -> None:
        await self._yield()
        self._flows.clear()

    async def _yield(self) -> None:
        """Go on until others serve what this gateway has served, if there are any."""
        idle = 0
        with suppress(TimeoutError):
            async with asyncio.timeout(_YIELD * self._times.gone / _SECOND):
                while idle < _IDLE:
                    self.work()
                    busy = self.machine.is_yielding(self._clock.now()) or self._under_way
                    idle = 0 if busy else idle + 1
                    await asyncio.sleep(_LOOK)

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
            outbox_qos(config),
        )
        side = Side(
            gateway.system, gateway.name, config.adapter, config.service, {"client": self._local}
        )
        made = SideRunner(
            config, side, outbox, self._clock,
            heard=self._heard, changed=self._changed, placed=self._placed,
        )  # fmt: skip
        self._sides[config.adapter] = made
        self.machine.attach(
            config.adapter, config.service, made.capabilities, config.trusts, made.place
        )
        return made

    def start(self) -> None:
        """Connect all sides."""
        for side in self._sides.values():
            side.start()
        self._ticking = asyncio.get_running_loop().create_task(self._tick())

    async def leave(self) -> None:
        """Yield to others, and disconnect for good: nothing is left at the services."""
        self.machine.rest(True)
        await self._yield()
        self._flows.clear()
        self.machine.leave()
        self.work()
        await self.stop(delete=True)

    async def stop(self, *, delete: bool = False) -> None:
        """Disconnect all sides."""
        yielding = [one.task for one in self._parting.values() if one.yields]
        tasks = [one for one in (self._ticking, self._draining, *yielding) if one is not None]
        for task in tasks:
            task.cancel()
        tasks += [one.task for one in self._parting.values() if not one.yields]
        if tasks:
            await asyncio.wait(tasks)
        for side in self._sides.values():
            await (side.delete() if delete else side.stop())

    async def change(self, told: r.RunGateway) -> None:
        """Go on like this; sides that stay as they were are not touched."""
        wanted = {side.adapter: side for side in told.config.sides}
        for adapter in self._parting.keys() & wanted.keys():
            await self._stay(adapter)
        before = dict(self._sides)
        for adapter, side in before.items():
            if adapter not in wanted:
                self._part(adapter)
            elif wanted[adapter] != side.config:
                await side.stop()
                self._detach(adapter)
        self.config = told.config
        self._let_flow(told)
        self._broken.clear()
        for adapter, config in wanted.items():
            if adapter not in self._sides and (added := self._add(config)) is not None:
                added.start()
        for adapter, old in before.items():
            if (now := self._sides.get(adapter)) is not old:
                old.pass_on(now)
        for way in self._under_way.values():  # they are handed over again what was not taken
            way.source = self._sides.get(way.source.config.adapter, way.source)
        self.work()

    # A side that leaves: others take over what it serves, and then it goes.

    def _part(self, adapter: str) -> None:
        """Have a side leave, in a task of its own."""
        if adapter not in self._parting:
            self.machine.rest(True, adapter)
            self.work()
            task = asyncio.get_running_loop().create_task(self._leave_at(adapter))
            self._parting[adapter] = _Parting(task)

    async def _leave_at(self, adapter: str) -> None:
        await self._yield()
        side = self._sides[adapter]
        self._parting[adapter].yields = False
        try:
            await side.delete()
        finally:
            del self._parting[adapter]
            self._detach(adapter)
            side.pass_on(None)
            for key, way in list(self._held.items()):
                if way.source is side:
                    del self._held[key], self._under_way[key]
            self.work()

    async def _stay(self, adapter: str) -> None:
        """Have a side stay that was about to leave; if it is leaving, wait until it has."""
        parting = self._parting[adapter]
        if parting.yields:
            parting.task.cancel()
        await asyncio.wait((parting.task,))
        if parting.yields:
            del self._parting[adapter]
            self.machine.rest(False, adapter)
            self.work()

    def _detach(self, adapter: str) -> None:
        self.machine.detach(adapter)
        del self._sides[adapter]

    def sides(self) -> tuple[r.SideInfo, ...]:
        """Return its sides as they are now."""
        return (*map(self._info, self._sides), *self._broken.values())

    def _info(self, adapter: str) -> r.SideInfo:
        requested, placed = self.machine.filters(adapter)
        info = replace(self._sides[adapter].info(), requested=requested, placed=placed)
        if adapter in self._parting:
            info = replace(info, cause="it leaves, when others serve what it has served")
        return info

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
        await self._flows.wait()  # while it drains, the service keeps what it holds
        talk = [one for one in arrivals if one.event.name == CONTROL_SUBJECT]
        towards = self._take(adapter, talk)
        if talk:
            self.work()
        if len(talk) < len(arrivals):
            await self._informed.wait()
            events = [one for one in arrivals if one.event.name != CONTROL_SUBJECT]
            towards |= self._take(adapter, events if talk else arrivals)
        for name in towards:
            if name in self._sides:
                await self._sides[name].room()

    def _take(self, adapter: str, arrivals: Sequence[Arrival]) -> set[str]:
        """Send events where they go; return the adapters."""
        source, now = self._sides[adapter], self._clock.now()
        towards: set[str] = set()
        for arrival in arrivals:
            key = (adapter, arrival.stream, arrival.number) if arrival.number else object()
            way = self._under_way.get(key)
            if way is not None:
                way.copies.append(arrival)  # it was handed over again
                continue
            way = self._under_way[key] = _UnderWay(source, [arrival], now)
            self._route(key, way, now, towards)
        return towards

    def _route(self, key: object, way: _UnderWay, now: int, towards: set[str]) -> None:
        """Send an event where it goes, and add the adapters."""
        arrival, adapter = way.copies[0], way.source.config.adapter
        try:
            if arrival.event.name == CONTROL_SUBJECT:
                deliveries, held = self.machine.control_arrived(adapter, arrival, now)
            else:
                deliveries, held = self.machine.route(adapter, arrival)
        except Exception as fault:
            log.exception("gateway %s has a fault with an event of %s", self.config.name, adapter)
            self._under_way.pop(key, None)
            self._held.pop(key, None)
            way.source.set_aside(way.copies, f"the gateway has a fault: {fault!r}")
            return

        def done() -> None:
            way.left -= 1
            if not way.left and key not in self._held:
                self._under_way.pop(key, None)
                way.source.taken(way.copies)

        if held:
            self._held[key] = way
        elif self._held:
            self._held.pop(key, None)
        way.left = len(deliveries) or 1
        for delivery in deliveries:
            towards.add(delivery.adapter)
            side = self._sides.get(delivery.adapter)
            if side is None:
                done()
            else:
                side.send(delivery, done)
        if not deliveries:
            done()

    def _try_held(self) -> None:
        """Try again what no way led to, and give up after a while."""
        now = self._clock.now()
        for key, way in list(self._held.items()):
            if way.left:
                continue  # a part of it is not safe yet
            if now - way.since > _HOLD or len(self._held) > MOST_HELD:
                del self._held[key]
                self._under_way.pop(key, None)
                self.machine.give_up()
                way.source.taken(way.copies)
            else:
                self._route(key, way, now, set())

    def work(self) -> None:
        """Carry out what the machine wants."""
        now = self._clock.now()
        self.machine.refresh(now)
        if self.machine.is_informed(now):
            self._informed.set()
        for effect in self.machine.take_effects():
            if isinstance(effect, Remember):
                self._tell(r.GatewayRemembers(self.config.name, effect.memory))
                continue
            side = self._sides.get(effect.adapter)
            if side is None:
                continue  # it was removed meanwhile
            match effect:
                case Want(_, filters):
                    side.want(filters)
                case Offer(_, subjects):
                    side.offer(subjects)
                case LosesMarks():
                    side.loses_marks()
                case Publish(adapter, event, mark):
                    side.send(Delivery(adapter, event, mark), _nothing)

    async def _tick(self) -> None:
        while True:
            now = self._clock.now()
            try:
                self.machine.tick(now)
                self.work()
                self._try_held()
            except Exception:
                log.exception("gateway %s has a fault", self.config.name)
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
        self._leaving: dict[str, asyncio.Task[None]] = {}
        self._next: dict[str, r.RunGateway] = {}  # of the names of those that leave
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
        if self._leaving:
            await asyncio.wait(self._leaving.values())
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
        if name in self._leaving:
            self._next[name] = told
            most = _YIELD * (self._times or GatewayTimes()).gone / _SECOND + LEAVING
            problem = (
                "it starts when the deleted gateway of this name has left its services, "
                f"within {most:.0f} s"
            )
            self._tell(r.GatewayRuns(name, None, tuple, problem))
            return
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
        self._next.pop(told.name, None)
        runner = self._running.pop(told.name, None)
        if runner is not None:
            task = self._leaving[told.name] = asyncio.create_task(runner.leave())
            task.add_done_callback(lambda _: self._left(told.name))

    def _left(self, name: str) -> None:
        """A deleted gateway has gone: one that was made under its name meanwhile starts."""
        del self._leaving[name]
        if (told := self._next.pop(name, None)) is not None:
            self._changes.put_nowait(partial(self._run, told))

    def _wake(self, told: r.WakeGateway) -> None:
        runner = self._running.get(told.name)
        if runner is not None:
            runner.work()


def _identity(config: r.GatewayConfig) -> object:
    """What of a gateway cannot change while it runs."""
    return config.name, config.system, dict(config.keys), config.clients_sign, config.window
