"""A simulated federation: services as buses, gateways as they are, time and order from a seed."""

from __future__ import annotations

import heapq
import itertools
from collections import Counter, defaultdict
from collections.abc import Callable
from random import Random

from tidings.events.build import event
from tidings.events.fields import StructuredFields
from tidings.events.structured import StructuredEvent
from tidings.federation.control import CONTROL_SUBJECT, ControlKind
from tidings.federation.gateway import (
    Gateway,
    GatewayKeys,
    GatewayTimes,
    LosesMarks,
    Publish,
    Remember,
    Want,
)
from tidings.federation.marks import Mark
from tidings.federation.records import Memory, Note
from tidings.filters.constraint import Constraint
from tidings.gateways.adapters.base import Arrival
from tidings.gateways.adapters.memory import MemoryAdapter

MILLI = 1_000
TIMES = GatewayTimes(hello=200 * MILLI, gone=700 * MILLI)


class Member:
    """A gateway with its sides."""

    capabilities = MemoryAdapter.capabilities

    def __init__(self, network: Network, name: str, services: list[str]) -> None:
        self.network = network
        self.name = name
        self.services = services
        self.alive = True
        self.ahead = 0  # its clock
        self.lies: list[str] = []
        self.memory = Memory()
        self.wants: dict[str, tuple[Constraint, ...]] = {}
        self.machine = self._new()

    def _new(self) -> Gateway:
        life = f"life{next(self.network.lives)}"
        network = self.network
        made = Gateway(
            self.name,
            network.systems.get(self.name, "sim"),
            life,
            self.now,
            times=TIMES,
            memory=self.memory,
            keys=GatewayKeys(next(iter(network.keys), ""), network.keys, network.clients),
        )
        for service in self.services:
            made.attach(service, service, self.capabilities)
            made.side_up(service)
        return made

    @property
    def now(self) -> int:
        return self.network.now + self.ahead

    def restart(self) -> None:
        self.alive = True
        self.wants = {}
        self.machine = self._new()
        self.work()

    def work(self) -> None:
        if not self.alive:
            return
        self.machine.refresh(self.now)
        effects = self.machine.take_effects()
        for effect in effects:
            if isinstance(effect, Want):
                self.wants[effect.adapter] = effect.filters
                how = [(one.text, True, "") for one in effect.filters]
                self.machine.placed(effect.adapter, effect.filters, how)
            elif isinstance(effect, Publish):
                self.network.publish(effect.adapter, effect.event, effect.mark, self)
            elif isinstance(effect, LosesMarks):
                self.lies.append(effect.adapter)
            elif isinstance(effect, Remember):
                self.memory = effect.memory
        if effects:
            self.work()

    def hear(self, service: str, sent: StructuredEvent, mark: Mark | None, number: int) -> None:
        fields = StructuredFields(sent)
        if not self.alive or not any(one.matches(fields) for one in self.wants.get(service, ())):
            return
        fresh = Arrival(sent, mark, f"stream-{service}", number)
        if sent.name == CONTROL_SUBJECT:
            found = self.machine.control_arrived(service, fresh, self.now)
        else:
            found = self.machine.route(service, fresh)
        for delivery in found.deliveries:
            self.network.publish(delivery.adapter, delivery.event, delivery.mark, self)
        self.work()

    def tick(self) -> None:
        if self.alive:
            self.machine.tick(self.now)
            self.work()
        self.network.later(50 * MILLI, self.tick)


class Network:
    """Services, gateways, and what is on its way.

    Attributes:
        delivered: How often each event (by name) was published into each service from elsewhere.
        accepted: Numbers and names of the events that each service got of each other one, in order,
            as a channel accepts them: each once.
        messages: Events and publications that were published, states not counted.
        talk: Answers to clients, with their services.
    """

    def __init__(
        self,
        seed: int,
        attached: dict[str, list[str]],
        *,
        systems: dict[str, str] | None = None,
        keys: dict[str, bytes] | None = None,
        clients: bool = True,
        members: type[Member] = Member,
    ) -> None:
        self.systems, self.keys, self.clients = systems or {}, keys or {}, clients
        self.talk: list[tuple[str, StructuredEvent]] = []
        self.random = Random(seed)
        self.now = 1_000_000_000
        self.lives = itertools.count()
        self._order = itertools.count()
        self._queue: list[tuple[int, int, Callable[[], None]]] = []
        self._fifo: dict[tuple[str, str, bool], int] = {}
        self._numbers: Counter[str] = Counter()
        self.cut: set[str] = set()
        self.delivered: Counter[tuple[str, str]] = Counter()
        self.accepted: dict[tuple[str, str], list[tuple[int, str]]] = defaultdict(list)
        self.messages = 0
        self.members: dict[str, Member] = {}
        self._new_member = members
        self._on: defaultdict[str, list[Member]] = defaultdict(list)
        for name, sides in attached.items():
            self.join(name, sides)

    def join(self, name: str, services: list[str]) -> None:
        member = self.members[name] = self._new_member(self, name, services)
        for service in services:
            self._on[service].append(member)
        self.later(self.random.randrange(50 * MILLI), member.tick)

    def part(self, name: str) -> None:
        """A gateway is deleted: it yields to others first."""
        member = self.members[name]
        member.machine.rest(True)
        member.work()
        while member.machine.is_yielding(self.now):
            self.run(10)
        self.run(100)  # what its services have sent until then arrives
        member.machine.leave()
        member.work()
        member.alive = False
        del self.members[name]
        for service in member.services:
            self._on[service].remove(member)

    def part_with(self, name: str, service: str, meanwhile: Callable[[int], None]) -> None:
        """A gateway leaves a service: it yields to others first, who hear all of it late."""
        member = self.members[name]
        for other in self.members.keys() - {name}:
            self.slow_talk(other, 50)
        member.machine.rest(True, service)
        member.work()
        while member.machine.is_yielding(self.now):
            meanwhile(10)
        self.run(100)  # what has been sent there until then arrives
        for other in self.members.keys() - {name}:
            self.slow_talk(other, 50)
        member.services.remove(service)
        self._on[service].remove(member)
        del member.wants[service]
        member.machine.detach(service)
        member.work()

    def later(self, wait: int, act: Callable[[], None]) -> None:
        heapq.heappush(self._queue, (self.now + wait, next(self._order), act))

    def publish(
        self, service: str, sent: StructuredEvent, mark: Mark | None, by: Member | None
    ) -> None:
        if service in self.cut:
            return
        self._numbers[service] += 1
        number = self._numbers[service]
        if sent.name != CONTROL_SUBJECT:
            self.messages += 1
            if mark is not None:
                self.delivered[sent.name, service] += 1
                got = self.accepted[mark.origin, service]
                if (mark.number, sent.name) not in got:
                    got.append((mark.number, sent.name))
        elif sent.data.get("Type") == ControlKind.PUBLICATION:
            self.messages += 1
        elif sent.data.get("Type") == ControlKind.STATUS:
            self.talk.append((service, sent))
        for member in self._on[service]:
            if member is by:
                continue
            at = self.now + self.random.randrange(1, 20 * MILLI)
            # In order between one service and one gateway, events and talk apart.
            line = service, member.name, sent.name == CONTROL_SUBJECT
            at = self._fifo[line] = max(at, self._fifo.get(line, 0))
            heapq.heappush(
                self._queue,
                (at, next(self._order), lambda m=member: m.hear(service, sent, mark, number)),  # type: ignore[misc]
            )

    def slow_talk(self, name: str, milliseconds: int) -> None:
        """What gateways say now reaches one of them so much later."""
        for service in self.members[name].services:
            self._fifo[service, name, True] = self.now + milliseconds * MILLI

    def run(self, milliseconds: int) -> None:
        end = self.now + milliseconds * MILLI
        while self._queue and self._queue[0][0] <= end:
            self.now, _, act = heapq.heappop(self._queue)
            act()
        self.now = end

    def subscribe(self, by: str, filter: str, source: str, targets: str) -> None:
        self.ask(by, ControlKind.SUBSCRIPTION, filter, source, targets)

    def ask(self, by: str, kind: ControlKind, filter: str, source: str, targets: str) -> None:
        member = self.members[by]
        count = 1 if kind is ControlKind.SUBSCRIPTION else -1
        member.machine.ask(Note(False, filter, source, targets, count), self.now)
        member.work()

    def event(self, service: str, name: str, **data: object) -> None:
        self.publish(service, event("", "", name, data), None, None)
