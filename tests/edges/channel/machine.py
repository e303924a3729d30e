"""A factory with one channel, a clock that is set by hand, and a memory for effects.

Tests tell stories with it: who connects, what is pushed, what the consumers get.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel.channel import Channel
from tidings.channel.consumer import ConsumerProxy
from tidings.channel.effects import Deliver, Done, Effect, Outcome, Pulled, Refill, Spill
from tidings.channel.entries import Entry
from tidings.channel.factory import Answer, Factory
from tidings.channel.holders import Proxy
from tidings.channel.settings import DEFAULT_SETTINGS, Settings
from tidings.channel.views import view_admin, view_channel, view_filter, view_proxy
from tidings.channel.vocabulary import Form, Item, Operator, Place, Side, Style
from tidings.events.build import event
from tidings.events.structured import StructuredEvent
from tidings.filters.constraint import constraint

ORIGIN = "0" * 32
SECOND = 1_000_000
PERSISTENT_CHANNEL = {"EventReliability": 1, "ConnectionReliability": 1}

E = TypeVar("E", bound=Effect)


def moment(microseconds: int) -> datetime:
    """A wall time for StartTime and StopTime."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)


def named(name: str, **more: object) -> StructuredEvent:
    """An event that is known by its name."""
    return event("Traffic", "Speed", name, **more)  # type: ignore[arg-type]


class Machine:
    """A factory, its channel and what came out of it.

    Attributes:
        now: Host time.
        effects: Of the latest command.
        everything: Of all commands.
        channel: The id of the channel made first.
        supplier: The id of its first supplier's proxy.
    """

    def __init__(
        self,
        settings: Settings = DEFAULT_SETTINGS,
        *,
        spills: bool = False,
        qos: Mapping[str, object] | None = None,
        admin: Mapping[str, object] | None = None,
    ) -> None:
        self.factory = Factory(settings, spills=spills)
        self.now = 0
        self.effects: list[Effect] = []
        self.everything: list[Effect] = []
        self.disk: dict[int, list[Entry]] = {}
        self.channel = self.do(m.CreateChannel(ORIGIN, qos or {}, admin or {}))
        self.supplier = self.new_supplier()

    # Commands.

    def do(self, command: c.Command) -> Answer:
        """Carries out a command; its answer."""
        answer, effects = self.factory.handle(command, self.now)
        self._remember(effects)
        return answer

    def do_many(self, *commands: c.Command) -> list[Answer]:
        """Carries out commands at once; their answers and errors."""
        answers, effects = self.factory.handle_many(commands, self.now)
        self._remember(effects)
        return answers

    def _remember(self, effects: list[Effect]) -> None:
        self.effects = effects
        self.everything += effects
        for effect in self.of(Spill):
            self.disk.setdefault(effect.proxy, []).extend(effect.entries)

    def new_supplier(self, style: Style = Style.PUSH, form: Form = Form.STRUCTURED) -> int:
        """A connected supplier."""
        made: int = self.do(m.ObtainProxy(self.channel, Side.SUPPLIER, style, form))
        self.do(m.Connect(self.channel, made, reachable=style is Style.PULL))
        return made

    def new_consumer(
        self,
        style: Style = Style.PUSH,
        form: Form = Form.STRUCTURED,
        *,
        window: int = 1,
        admin: int = 0,
        connect: bool = True,
        suspended: bool = False,
        **qos: object,
    ) -> int:
        """A consumer's proxy, connected unless told otherwise."""
        made: int = self.do(m.ObtainProxy(self.channel, Side.CONSUMER, style, form, admin, qos))
        if connect:
            self.do(m.Connect(self.channel, made, window=window))
        if suspended:
            self.do(m.Suspend(self.channel, made))
        return made

    def pull_consumer(self, form: Form = Form.STRUCTURED, **qos: object) -> int:
        """A connected consumer that pulls."""
        return self.new_consumer(Style.PULL, form, **qos)  # type: ignore[arg-type]

    def push(self, *items: Item | str) -> list[Answer]:
        """Pushes events, or events of these names; the answers."""
        events = [named(item) if isinstance(item, str) else item for item in items]
        answers: list[Answer] = self.do(c.Push(self.channel, self.supplier, events))
        return answers

    def ack(self, proxy: int, *seqs: int) -> None:
        """A consumer acknowledges."""
        self.do(c.Ack(self.channel, proxy, seqs))

    def fail(self, proxy: int, *seqs: int, reason: str = "no answer") -> None:
        """Events could not be handed over."""
        self.do(c.Failed(self.channel, proxy, seqs, reason))

    def pull(
        self,
        proxy: int,
        most: int = 1,
        *,
        wait: int | None = None,
        lease: int | None = None,
        token: int = 1,
    ) -> list[int] | None:
        """A consumer pulls; what it gets at once, None if it must wait."""
        self.do(c.Pull(self.channel, proxy, token, most, wait, lease))
        return self.pulled(token)

    def wait(self, microseconds: int) -> list[Effect]:
        """Time passes, with a Tick whenever one is due; all effects."""
        until = self.now + microseconds
        found: list[Effect] = []
        for _ in range(10_000):
            due = self.factory.wake_at
            if due is None or due > until:
                break
            self.now = max(self.now, due)
            self.do(c.Tick())
            found += self.effects
        else:
            raise AssertionError("Tick after Tick is due, without end")
        self.now = until
        self.effects = found
        return found

    def filtered(self, place: Place, text: str) -> int:
        """Attaches a new filter; the filter's id."""
        filter_id: int = self.do(m.CreateFilter([constraint(text)]))[0]
        self.do(m.AddFilter(place, filter_id))
        return filter_id

    def new_admin(self, operator: Operator = Operator.AND, side: Side = Side.CONSUMER) -> int:
        """An admin of the channel."""
        made: int = self.do(m.NewAdmin(self.channel, side, operator))
        return made

    def set_admin(self, **properties: object) -> None:
        """Sets admin properties of the channel."""
        self.do(m.SetAdminProperties(self.channel, properties))

    def resume(self, proxy: int) -> None:
        """Goes on with a proxy."""
        self.do(m.Resume(self.channel, proxy))

    def refill(self, proxy: int, *before: c.Command) -> list[int]:
        """Answers the Refill of the latest command as the disk would, after what came between."""
        [asked] = [e for e in self.of(Refill) if e.proxy == proxy]
        keys = {
            "fifo": lambda e: (e.seq,),
            "priority": lambda e: (-e.priority, e.seq),
            "deadline": lambda e: (e.expiry, e.seq),
        }
        waiting = sorted(self.disk.get(proxy, []), key=keys[asked.order])
        back, self.disk[proxy] = waiting[: asked.most], waiting[asked.most :]
        self.do_many(*before, c.Refilled(self.channel, proxy, back, len(self.disk[proxy])))
        return [entry.seq for entry in back]

    # What came out.

    def of(self, kind: type[E]) -> list[E]:
        """The effects of a kind of the latest command."""
        return [effect for effect in self.effects if isinstance(effect, kind)]

    def batches(self, proxy: int) -> list[list[int]]:
        """What the latest command hands to a push consumer, in order, batch by batch."""
        found = [effect for effect in self.of(Deliver) if effect.proxy == proxy]
        return [[entry.seq for entry in effect.entries] for effect in found]

    def delivered(self, proxy: int) -> list[int]:
        """The same, as one list."""
        return [seq for batch in self.batches(proxy) for seq in batch]

    def pulled(self, token: int = 1) -> list[int] | None:
        """What the latest command gives to a pull; None if nothing was answered."""
        found = [effect for effect in self.of(Pulled) if effect.token == token]
        return [entry.seq for entry in found[0].entries] if found else None

    def done(self, proxy: int) -> dict[Outcome, int]:
        """What became of a consumer's copies with the latest command."""
        found: dict[Outcome, int] = {}
        for effect in self.of(Done):
            if effect.proxy == proxy:
                found[effect.outcome] = found.get(effect.outcome, 0) + effect.copies
        return found

    def drained(self, proxy: int) -> list[int]:
        """Everything that waits for a push consumer, in the order it is handed over."""
        return self.delivered(proxy) + self.drained_after(proxy, self.delivered(proxy))

    def drained_after(self, proxy: int, flight: list[int]) -> list[int]:
        """The same, while these are in flight."""
        order: list[int] = []
        while (asked := any(x.proxy == proxy for x in self.of(Refill))) or flight:
            if asked:
                self.refill(proxy)
            else:
                self.ack(proxy, flight.pop(0))
            order += self.delivered(proxy)
            flight = flight + self.delivered(proxy)
        return order

    # What is inside.

    @property
    def core_channel(self) -> Channel:
        """The channel itself."""
        return self.factory.channel(self.channel)

    def proxy(self, id: int) -> Proxy:
        """A proxy itself."""
        return self.core_channel.proxy(id)

    def consumer(self, id: int) -> ConsumerProxy:
        """A consumer's proxy itself."""
        return self.core_channel.consumer(id)

    def waiting(self, proxy: int) -> list[int]:
        """What waits for a consumer in memory, in the order of delivery."""
        consumer = self.consumer(proxy).consumer
        return [] if consumer is None else [entry.seq for entry in consumer.queue.entries()]

    def is_empty(self) -> bool:
        """Whether nothing is left of any event."""
        channels = self.factory.channels.values()
        return self.factory.core.octets == 0 and not any(x.live or x.spilled for x in channels)

    def view(self) -> object:
        """Everything a client could see."""
        return [
            (
                view_channel(channel),
                [view_admin(a) for side in channel.admins.values() for a in side.values()],
                [view_proxy(proxy) for proxy in channel.proxies.values()],
            )
            for channel in self.factory.channels.values()
        ] + [view_filter(hosted) for hosted in self.factory.filters.filters.values()]
