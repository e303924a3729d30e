"""What happens in a world: rules that matter and change, and every way an event can end."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from tests.edges.engine.hosts import connected, soon, turns
from tidings import constraint, event
from tidings.channel import management as m
from tidings.channel.commands import Push
from tidings.channel.vocabulary import Form, Item, Operator, Place, Side, Style
from tidings.clock import SystemClock
from tidings.engine.endpoints import BufferEndpoint
from tidings.engine.host import Host
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any as AnyValue
from tidings.events.envelope import ProducerMark
from tidings.events.structured import StructuredEvent
from tidings.filters.constraint import EventTypePattern
from tidings.filters.mapping import MappedConstraint
from tidings.names import new_origin

if TYPE_CHECKING:
    from tests.archive_worlds import World

__all__ = ["Story"]

PERSISTENT = {"EventReliability": 1, "ConnectionReliability": 1}
SEVERITY = tc.enum("IDL:World/Severity:1.0", "Severity", ["minor", "major", "critical"])
SPEEDS = EventTypePattern("Traffic", "Speed*")
_SECOND = 10_000_000  # in the units of TimeT, 100 ns
_HOP = "0af7651916cd43dd8448eb211c80319c"


class Story:
    """One sequence of happenings, in two acts with a restart between them.

    Args:
        world: Where it happens.
        dice: Steers it.
        events: How many events are pushed.
    """

    host: Host

    def __init__(self, world: World, dice: random.Random, events: int) -> None:
        self.world = world
        self.dice = dice
        self.share = max(events // 20, 1)
        self.numbers: dict[str, int] = {}
        self.who: dict[str, int] = {}
        self.ends: dict[str, BufferEndpoint] = {}
        self.channel = 0

    async def begin(self, host: Host) -> None:
        """Events, answers, and rules that change; a channel that is destroyed."""
        self.host, share = host, self.share
        self.channel = main = await self.new_channel("world")
        await self.make_consumers(main)
        feed = await self.supplier(main)
        await self.push(main, feed, share * 5)
        await self.answer()
        await self.change_rules(main)
        await self.push(main, feed, share * 4)
        await self.purge(main)
        bare = await self.supplier(main, Form.ANY)
        await self.push(main, bare, share, bare=True)
        await self.answer()
        for name in ("", "doomed"):
            other = await self.new_channel(name)
            await self.join(name, await self.consumer(other, "$speed > 40"), other)
            await self.push(other, await self.supplier(other), share)
            await self.take(self.ends[name])
            await self.push(other, await self.supplier(other), share)
        await self.leave(main)
        await self.end_channel(other)
        await self.push(main, feed, share * 2)

    async def go_on(self, host: Host) -> None:
        """After the restart: consumers come back or not, and the rules have new versions."""
        self.host, share = host, self.share
        main = self.channel
        # A connection that is not durable does not outlive the restart: another one is made.
        passing = await self.consumer(main, "$speed < 70", qos={"ConnectionReliability": 0})
        await self.join("passing", passing, main)
        for name in ("takes", "rejects", "changes"):
            self.ends[name] = BufferEndpoint()
            await connected(host, main, self.who[name], self.ends[name], again=True)
        feed = await self.supplier(main)
        await self.push(main, feed, share * 3)
        await self.purge(main)
        await self.answer()
        durable = Place(main, proxy=self.who["changes"])
        for reliability in (0, 1):
            await soon(host.ask(m.SetQoS(durable, {"ConnectionReliability": reliability})))
            await self.push(main, feed, share)
        await self.take(self.ends["changes"])
        await self.host.writer.finish()

    # Objects.

    async def new_channel(self, name: str) -> int:
        origin = new_origin()
        self.world.channels[origin] = name
        id = await soon(self.host.ask(m.CreateChannel(origin, PERSISTENT, name=name)))
        assert isinstance(id, int)
        self.world.channels[origin] = name or str(id)
        return id

    def origin(self, channel: int) -> str:
        return self.host.recorder.origins[channel].hex()

    async def supplier(self, channel: int, form: Form = Form.STRUCTURED) -> int:
        obtain = m.ObtainProxy(channel, Side.SUPPLIER, Style.PUSH, form)
        proxy = await soon(self.host.ask(obtain))
        await soon(self.host.connect(m.Connect(channel, proxy, reachable=False), None))
        assert isinstance(proxy, int)
        return proxy

    async def consumer(
        self,
        channel: int,
        text: str = "",
        *,
        admin: int = 0,
        qos: Mapping[str, int] | None = None,
        types: Sequence[EventTypePattern] = (),
    ) -> int:
        """A consumer's proxy with a filter, or several (`;` between them)."""
        obtain = m.ObtainProxy(channel, Side.CONSUMER, Style.PUSH, admin=admin, qos=qos or {})
        proxy = await soon(self.host.ask(obtain))
        assert isinstance(proxy, int)
        place = Place(channel, proxy=proxy)
        for each in text.split(";") if text else ():
            await self.add_filter(place, each)
        if types:
            await soon(self.host.ask(m.SubscriptionChange(place, types)))
        if not qos or qos.get("ConnectionReliability", 1):
            self.world.proxies.setdefault(self.origin(channel), []).append(proxy)
        return proxy

    async def join(self, name: str, proxy: int, channel: int, window: int = 256) -> None:
        self.who[name] = proxy
        end = self.ends[name] = BufferEndpoint()
        await connected(self.host, channel, proxy, end, window=window)

    async def add_filter(self, place: Place, text: str, *types: EventTypePattern) -> None:
        made = m.CreateFilter([constraint(text, types)], private=True)
        filter, _ = await soon(self.host.ask(made))
        await soon(self.host.ask(m.AddFilter(place, filter)))

    async def add_mapping(
        self, place: Place, purpose: str, default: AnyValue, text: str, value: AnyValue
    ) -> None:
        mapped = [MappedConstraint(constraint(text), value)]
        made, _ = await soon(self.host.ask(m.CreateMapping(default, mapped, private=True)))
        await soon(self.host.ask(m.SetMapping(place, purpose, made)))

    async def make_consumers(self, channel: int) -> None:
        """Durable and other consumers, named by what becomes of their events."""
        ask = self.host.ask
        either = await soon(ask(m.NewAdmin(channel, Side.CONSUMER, Operator.OR)))
        both = await soon(ask(m.NewAdmin(channel, Side.CONSUMER, Operator.AND)))
        await self.add_filter(Place(channel, Side.CONSUMER, either), "$zone == 3")
        await self.add_filter(Place(channel, Side.CONSUMER, both), "$speed > 30")
        passing = {"ConnectionReliability": 0}
        made = {
            "takes": await self.consumer(channel),
            "rejects": await self.consumer(channel, "$speed > 40 and $area != 'south'"),
            "waits": await self.consumer(channel, "$zone == 1;$zone == 2", admin=either),
            "purged": await self.consumer(channel, "$zone < 3"),
            "hoards": await self.consumer(channel, "$zone < 4", qos={"MaxEventsPerConsumer": 5}),
            "late": await self.consumer(channel, "$zone > 2", admin=both, types=[SPEEDS]),
            "passing": await self.consumer(channel, "$speed < 50", qos=passing),
            "leaves": await self.consumer(channel, "$severity == 'major'; $zone > 0", admin=both),
            "changes": await self.consumer(channel, "2 in $lanes or exist $plate"),
        }
        await self.add_filter(Place(channel, proxy=made["late"]), "$ok == TRUE", SPEEDS)
        for place in (Place(channel, proxy=made["late"]), Place(channel, Side.CONSUMER, either)):
            one, nine = AnyValue(tc.SHORT, 1), AnyValue(tc.SHORT, 9)
            await self.add_mapping(place, "priority", one, "$speed > 80", nine)
            hour, minute = (AnyValue(tc.ULONGLONG, n * _SECOND) for n in (3600, 60))
            await self.add_mapping(place, "lifetime", hour, "$zone == 3", minute)
        for name, proxy in made.items():
            await self.join(name, proxy, channel, window=1 if name in {"hoards", "purged"} else 256)

    async def change_rules(self, channel: int) -> None:
        """The rules change while events come."""
        await self.add_filter(Place(channel, proxy=self.who["rejects"]), "$zone >= 3")
        await self.join("more", await self.consumer(channel, "$zone == 4 or $speed > 95"), channel)
        place = Place(channel, proxy=self.who["waits"])
        await soon(self.host.ask(m.SetQoS(place, {"Priority": 5, "Timeout": 7200 * _SECOND})))

    async def purge(self, channel: int) -> None:
        """Drops the backlog of a consumer, who takes none of it."""
        assert await soon(self.host.ask(m.Purge(channel, self.who["purged"])))

    async def leave(self, channel: int) -> None:
        proxy = self.who.pop("leaves")
        await soon(self.host.ask(m.Disconnect(channel, proxy)))
        self.world.gone.add((self.origin(channel), proxy))

    async def end_channel(self, channel: int) -> None:
        origin = self.origin(channel)
        await soon(self.host.ask(m.DestroyChannel(channel)))
        self.world.destroyed.add(origin)
        self.world.gone |= {(origin, proxy) for proxy in self.world.proxies.get(origin, ())}

    # Events.

    def header(self) -> dict[str, Any]:
        dice = self.dice
        now = datetime.fromtimestamp(SystemClock().now() // 1_000_000, UTC)
        return {
            name: value
            for often, name, value in (
                (0.3, "Priority", dice.randrange(-3, 4)),
                (0.1, "Timeout", 3600 * _SECOND),
                (0.08, "Timeout", 1),  # 100 ns: it expires where it waits
                (0.1, "EventReliability", 0),
                (0.2, "route", dice.choice(["north", "south"])),
                (0.1, "weights", [1, 2]),
                (0.1, "code", AnyValue(tc.CHAR, "h")),
                (0.05, "start", now + timedelta(hours=1)),
                (0.05, "stop", now + timedelta(hours=2)),
            )
            if dice.random() < often
        }

    def data(self) -> dict[str, Any]:
        dice = self.dice
        data: dict[str, Any] = {
            "speed": dice.choice([dice.randrange(100), dice.uniform(0, 100)]),
            "zone": dice.randrange(5),
            "area": dice.choice(["north", "south", "é"]),
        }
        others = (
            ("plate", f"ABC-{dice.randrange(20)}"),
            ("ok", dice.random() < 0.5),
            ("severity", AnyValue(SEVERITY, dice.choice(["minor", "major"]))),
            ("letter", AnyValue(tc.CHAR, "c")),
            ("fee", Decimal("1.50")),
            ("big", 2**63 + dice.randrange(5)),
            ("lanes", [dice.randrange(4) for _ in range(dice.randrange(3))]),
            ("weights", [1.5, dice.random()]),
            ("tags", ["a", dice.choice("xyz")]),
            ("flags", [True, False]),
            ("mixed", [1, "a"]),
            ("picture", b"\x00\x01"),
            ("driver", {"name": "Ada", "age": 36}),
            ("edge", dice.choice([2**63 - 1, -(2**63), 0])),
            ("zone", "three"),
        )
        return data | {name: value for name, value in others if dice.random() < 0.25}

    def event(self) -> StructuredEvent:
        kinds = [("Traffic", "Speed"), ("Traffic", "SpeedLimit"), ("Telecom", "Alarm"), ("", "")]
        domain, kind = self.dice.choice(kinds)
        header = self.header()
        times = {name: header.pop(name, None) for name in ("start", "stop")}
        name = f"e{self.dice.randrange(1000)}"
        return event(domain, kind, name, self.data(), header=header, body="rest", **times)

    async def push(self, channel: int, proxy: int, count: int, *, bare: bool = False) -> None:
        dice = self.dice
        while count > 0:
            some = min(count, dice.randrange(1, 12))
            count -= some
            producer = dice.choice(["cam-1", "cam-2", ""])
            marks = None
            if producer:
                first = self.numbers.get(producer, 0)
                marks = [ProducerMark(producer, first + n) for n in range(1, some + 1)]
                self.numbers[producer] = first + some
            items: list[Item] = [self.event() for _ in range(some)]
            if bare:
                items = [AnyValue(tc.LONG, dice.randrange(9)) for _ in range(some)]
            hops = (_HOP,) if dice.random() < 0.1 else ()
            await soon(self.host.ask(Push(channel, proxy, items, marks, hops)))

    # Outcomes.

    async def take(self, end: BufferEndpoint) -> None:
        """Takes what is there for a consumer."""
        while found := await _now(end):
            for message in found:
                end.ack(message)

    async def answer(self) -> None:
        """Some are delivered, some rejected and redriven; the others wait, expire or go."""
        host = self.host
        for name in ("takes", "passing"):
            await self.take(self.ends[name])
        end = self.ends["rejects"]
        for message in (await _now(end))[:4]:
            end.reject(message, f"no {message.event.name}")
        await turns(20)
        await host.writer.finish()
        for letter in (await host.dead_letters.list(self.channel))[:2]:
            await soon(host.dead_letters.redrive(letter.id))
        again = await _now(end)
        for message in again[1:]:
            end.ack(message)
        await turns(20)


async def _now(end: BufferEndpoint) -> list[Any]:
    """What is there for a consumer."""
    await turns(20)
    try:
        return list(await asyncio.wait_for(end.batch(1_000), 0.01))
    except TimeoutError:
        return []
