"""Channels, trader and service changes as pure cores, with time that a test moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from tidings.changes import requests as r
from tidings.changes.core import Changes
from tidings.changes.model import (
    ChangeKind,
    Notice,
    ServiceDescription,
    ServiceTypeDescription,
)
from tidings.changes.notice_event import notice_of
from tidings.channel import commands as c
from tidings.channel import effects as e
from tidings.channel.factory import Factory
from tidings.channel.management import Connect, ObtainProxy
from tidings.channel.vocabulary import Side
from tidings.cores import Keep
from tidings.engine.cores import Cores
from tidings.engine.notices import PRODUCER
from tidings.errors import TidingsError
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any as AnyValue
from tidings.events.envelope import ProducerMark
from tidings.events.structured import StructuredEvent
from tidings.trader.core import Trader

NOW: Final = 1_800_000_000_000_000
MINUTE: Final = 60_000_000
DAY: Final = 1_440 * MINUTE
ORIGIN: Final = "0" * 32


def described(type_: str, *bases: str, **properties: Any) -> ServiceDescription:
    """A service of a type."""
    return ServiceDescription(
        ServiceTypeDescription(type_, bases), properties, f"corbaloc::192.0.2.9/{type_}"
    )


def bank(name: str, fund: int, rate: float, type_: str = "Bank") -> ServiceDescription:
    """A bank of the test facts."""
    rate_ = AnyValue(tc.FLOAT, rate)
    return described(type_, Name=name, ReservedFund=fund, Interest_rate=rate_)


_PRINTER: Final = described("Printer", Type="Laser Printer", Name="HP LaserJet 1100", Speed=20)
# The five notices of the test facts.
FACTS: Final = (
    r.Announcement(
        ChangeKind.INSTANTIATION_SERVICE, after=bank("CU-Bank", 1_000_000_000, 5.0),
        priority=5, expiry=NOW + 3 * DAY, objective="a bank for the university",
    ),
    r.Announcement(
        ChangeKind.REMOVAL_SERVICE, _PRINTER, priority=10, expiry=NOW + 7 * DAY,
        reason="it is broken",
    ),
    r.Announcement(
        ChangeKind.CHANGE_PROPERTY_VAL, _PRINTER, priority=8, expiry=NOW + 5 * DAY,
        modified={"Name": "HP LaserJet Super Turbo", "Speed": 30},
    ),
    r.Announcement(
        ChangeKind.CHANGE_TYPE, bank("ISEL-Bank", 800_000_000, 5.0),
        bank("ISEL-Bank", 800_000_000, 5.0, "Bank_2"), priority=10, expiry=NOW + 7 * DAY,
    ),
    r.Announcement(
        ChangeKind.INSTANTIATION_SERVICE, after=bank("CP-Bank", 15_000_000, 5.2),
        priority=5, expiry=NOW + 3 * DAY,
    ),
)  # fmt: skip


class World:
    """The cores, as their host runs them; events go where their subscriptions say."""

    def __init__(self, *, publishes: bool = True) -> None:
        self.now = NOW
        self.publishes = publishes
        self.changes = Changes(lambda: ORIGIN)
        self.factory, self.trader = Factory(), Trader()
        self.cores = Cores(self.factory, [self.trader, self.changes])
        self.kept: dict[str, Any] = {}
        self.handed_out: list[r.PublishNotices] = []
        self._events: dict[int, StructuredEvent] = {}
        self._batches: list[list[Notice]] = []
        self._supplier = 0

    def ask(self, command: Any) -> Any:
        """Run a command; its answer, or its error is raised."""
        (answer,), effects = self.cores.handle_many([command], self.now)
        self._perform(effects)
        if isinstance(answer, TidingsError):
            raise answer
        return answer

    def pass_time(self, microseconds: int) -> None:
        """Let time pass."""
        self.now += microseconds
        self._perform(self.cores.handle_many([c.Tick()], self.now)[1])

    def announce(self, *changes: r.Announcement) -> list[str]:
        """Announce changes one by one."""
        return [id for one in changes for id in self.ask(r.AnnounceChanges("evolver", (one,)))]

    def subscriber(self, id: str = "ann", **admin: Any) -> str:
        """Register a subscriber, and the evolver."""
        if admin:
            self.ask(r.SetChangeSettings(**admin))
        self.ask(r.RegisterSubscriber(id))
        if not self.ask(r.SeeEvolvers()):
            self.ask(r.RegisterEvolver("evolver"))
        return id

    def proxy(self, type_: r.ProxyType, subscriber: str = "ann", **qos: Any) -> str:
        """Create and connect a proxy."""
        proxy: str = self.ask(r.CreateProxySubscriber(subscriber, type_))
        if qos:
            self.ask(r.SetSubscriberQoS(subscriber, qos, proxy))
        self.ask(r.ConnectProxySubscriber(subscriber, proxy))
        return proxy

    def place(self, proxy: str, subscriber: str = "ann") -> tuple[int, int]:
        """The channel and the proxy there."""
        (channel,) = self.factory.channels.values()
        return channel.id, channel.names[f"{subscriber}/{proxy}"]

    def listen(self, proxy: str, subscriber: str = "ann") -> None:
        """Connect a client to a proxy that pushes."""
        self.ask(Connect(*self.place(proxy, subscriber), window=100, again=True))

    def pull(self, proxy: str, most: int = 1, wait: int = 0) -> list[list[str]]:
        """Pull until nothing comes; the ids of the notices, by batch."""
        found: list[list[str]] = []
        while True:
            self.ask(c.Pull(*self.place(proxy), len(found), most, wait))
            batches = self.batches()
            if not batches:
                return found
            found += batches

    def batches(self) -> list[list[str]]:
        """The ids of the notices that were handed out since the last look, by batch."""
        found, self._batches = self._batches, []
        return [[notice.id for notice in batch] for batch in found if batch]

    def notices(self) -> list[Notice]:
        """The notices that were handed out since the last look."""
        found, self._batches = self._batches, []
        return [notice for batch in found for notice in batch]

    def _perform(self, effects: Sequence[Any]) -> None:
        for effect in effects:
            match effect:
                case Keep("changes", key, state):
                    self.kept.pop(key, None) if state is None else self.kept.update({key: state})
                case e.Message(event=event, seq=seq):
                    self._events[seq] = event
                case e.Deliver(entries=entries, channel=channel, proxy=proxy):
                    self._batches.append([notice_of(self._events[one.seq]) for one in entries])
                    self.ask(c.Ack(channel, proxy, [one.seq for one in entries]))
                case e.Pulled(entries=entries, channel=channel, proxy=proxy):
                    self._batches.append([notice_of(self._events[one.seq]) for one in entries])
                    self.ask(c.Ack(channel, proxy, [one.seq for one in entries]))
                case r.PublishNotices():
                    self.handed_out.append(effect)
                    if self.publishes:
                        self.publish()

    def publish(self, *, tell: bool = True) -> None:
        """Publish what was handed out, as the host does; it may be killed before it tells."""
        (channel,) = self.factory.channels
        if not self._supplier:
            self._supplier = self.ask(ObtainProxy(channel, Side.SUPPLIER))
            self.ask(Connect(channel, self._supplier, reachable=False))
        told = self.handed_out.pop(0)
        marks = [ProducerMark(PRODUCER, number) for number, _ in told.events]
        events = [event for _, event in told.events]
        for event, seq in zip(
            events, self.ask(c.Push(channel, self._supplier, events, marks)), strict=True
        ):
            assert not isinstance(seq, TidingsError), seq
            self._events.setdefault(seq, event)
        if tell:
            self.ask(r.NoticesPublished(told.events[-1][0]))

    def published(self) -> list[Notice]:
        """All notices that are in the channel."""
        return [notice_of(self._events[seq]) for seq in sorted(self._events)]

    def restarted(self) -> World:
        """What comes back from what was kept; the channels as they are."""
        made = World(publishes=self.publishes)
        made.factory, made.trader = self.factory, self.trader
        made._events, made._supplier = self._events, self._supplier
        made.cores = Cores(self.factory, [self.trader, made.changes])
        made.kept = dict(self.kept)
        assert not made.changes.restore(self.kept)
        return made
