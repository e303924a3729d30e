"""A simulated SIENA network: real servers, connections as queues, their order from a seed."""

from __future__ import annotations

from collections import Counter, deque
from random import Random

from tidings.filters.dialects.siena import SienaFilter
from tidings.services.siena.relations import Notification, matches
from tidings.services.siena.server import Close, Send, SienaServer
from tidings.services.siena.wire import (
    Advertise,
    AnyRecord,
    Hello,
    Publish,
    Record,
    Role,
    Settle,
    Settled,
    Splitter,
    Subscribe,
    Unadvertise,
    Unsubscribe,
    encode,
)


class Client:
    """A client, and what it is owed."""

    def __init__(self, name: str, home: str) -> None:
        self.name = name
        self.home = home
        self.filters: set[SienaFilter] = set()
        self.offers: set[SienaFilter] = set()
        self.settled = 0


Place = tuple[str, int]
"""Whose end of a connection, and its key there."""


class Network:
    """Servers in a tree: the first `peers` of them peers, the others below one before them."""

    def __init__(self, random: Random, servers: int, peers: int, *, advertised: bool) -> None:
        self.random = random
        self.advertised = advertised
        self.names = [f"s{number}" for number in range(servers)]
        self.ups = {
            self.names[at]: (self.names[random.randrange(min(at, peers) if at < peers else at)])
            for at in range(1, servers)
        }
        self.peers = frozenset(self.names[:peers])
        self.clients: dict[str, Client] = {}
        self.got: Counter[tuple[str, str]] = Counter()
        self.asked: list[tuple[str, Record]] = []
        self._other: dict[Place, Place] = {}
        self._waiting: dict[Place, deque[bytes | None]] = {}
        self._keys = 0
        self._servers: dict[str, SienaServer] = {}
        for name in self.names:
            self._start(name)
        for name in self.ups:
            self._link(name)
        self.run()

    def _start(self, name: str) -> None:
        role = Role.PEER if name in self.peers else Role.MASTER
        links = [role] if name in self.ups else []
        self._servers[name] = SienaServer(name, advertised=self.advertised, links=links)

    def _connect(self, one: str, other: str) -> tuple[Place, Place]:
        self._keys += 2
        here, there = (one, self._keys), (other, self._keys + 1)
        self._other |= {here: there, there: here}
        self._waiting |= {here: deque(), there: deque()}
        return here, there

    def _link(self, name: str) -> None:
        here, there = self._connect(name, self.ups[name])
        self._servers[there[0]].accepted(there[1])
        self._servers[name].dialled(here[1], Role.PEER if name in self.peers else Role.MASTER)
        self._perform(name)

    def join(self, name: str, home: str) -> Client:
        client = self.clients.get(name) or Client(name, home)
        self.clients[name] = client
        _, there = self._connect(name, home)
        self._servers[home].accepted(there[1])
        self.say(client, Hello(Role.CLIENT))
        for one in sorted(client.filters, key=repr):
            self.say(client, Subscribe.of(one))
        for one in sorted(client.offers, key=repr):
            self.say(client, Advertise.of(one))
        return client

    def say(self, client: Client, record: Record) -> None:
        here = next(place for place in self._other if place[0] == client.name)
        self._waiting[self._other[here]].append(encode(record))

    def crash(self, name: str) -> None:
        """Let a server go, and come back with nothing; everybody connects again."""
        lost = [place for place in self._other if place[0] == name]
        others = [self._other[place] for place in lost]
        for place in (*lost, *others):
            del self._other[place], self._waiting[place]
        self._start(name)
        for other, key in others:
            if other in self._servers:
                self._servers[other].closed(key)
                self._perform(other)
        for one in (other for other, up in self.ups.items() if name in (other, up)):
            self._link(one)
        for client in self.clients.values():
            if client.home == name:
                self.join(client.name, name)
        self.run()

    def settle(self, client: Client) -> None:
        """Run only until what the client has asked for is in force."""
        client.settled = 0
        self.say(client, Settle(7))
        while not client.settled:
            self._step()

    def run(self) -> None:
        """Run until nothing is under way."""
        while any(self._waiting.values()):
            self._step()

    def _step(self) -> None:
        busy = [place for place, waiting in self._waiting.items() if waiting]
        assert busy, "nobody says anything any more"
        place = self.random.choice(busy)
        octets = self._waiting[place].popleft()
        name, key = place
        if octets is None:
            self._forget(place)
            self._servers[name].closed(key)
            self._perform(name)
            return
        [record] = Splitter().feed(octets)
        if name in self.clients:
            self._hear(self.clients[name], record)
            return
        if self._other[place][0] in self._servers and isinstance(record, Subscribe):
            self.asked.append((name, record))
        self._servers[name].handle(key, record)
        self._perform(name)

    def _hear(self, client: Client, record: AnyRecord) -> None:
        if isinstance(record, Publish):
            self.got[client.name, str(sorted(record.attributes.items()))] += 1
        elif isinstance(record, Settled):
            assert record.missing == 0
            client.settled += 1
        else:
            assert isinstance(record, Hello), record

    def _perform(self, name: str) -> None:
        for effect in self._servers[name].take_effects():
            if isinstance(effect, Close):
                place = (name, effect.neighbour)
                self._waiting[self._other[place]].append(None)
                continue
            assert isinstance(effect, Send)
            for key in effect.to:
                self._waiting[self._other[name, key]].append(encode(effect.record))

    def _forget(self, place: Place) -> None:
        other = self._other.pop(place)
        del self._other[other], self._waiting[place], self._waiting[other]

    # What clients do.

    def subscribe(self, client: Client, one: SienaFilter) -> None:
        client.filters.add(one)
        self.say(client, Subscribe.of(one))

    def unsubscribe(self, client: Client, one: SienaFilter) -> None:
        client.filters.discard(one)
        self.say(client, Unsubscribe.of(one))

    def advertise(self, client: Client, one: SienaFilter) -> None:
        client.offers.add(one)
        self.say(client, Advertise.of(one))

    def unadvertise(self, client: Client, one: SienaFilter) -> None:
        client.offers.discard(one)
        self.say(client, Unadvertise.of(one))

    def publish(self, client: Client, sent: Notification) -> None:
        """Publish, and compare who gets it with what one server for all would do."""
        self.got.clear()
        self.say(client, Publish(dict(sent)))
        self.run()
        owed = {
            (name, str(sorted(sent.items())))
            for name, other in self.clients.items()
            if other is not client and any(matches(one, sent) for one in other.filters)
        }
        assert self.got == Counter(owed)
