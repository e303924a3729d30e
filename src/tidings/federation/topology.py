"""Who is connected with what, and which gateway carries an event one step further.

Gateways and services are a graph, drawn from the `Links` of all gateways. A gateway counts if it
can be reached: over services that both ends say they hear each other on. Of the gateways on a
service, the one nearest to the destination carries the event. Several that are equally near share
the load: each subject is carried by one of them, so that its events keep their order, and a gateway
that goes moves only its own share (rendezvous hashing). Each step brings an event nearer, so that
with the same picture everywhere nothing goes in circles.

A service that is away from all its gateways can still be a destination: what is for it waits in the
outbox of the gateway that the way ends at. Where no way leads to a service now, the plan counts, in
which everything that is known runs: the event goes as far as it can, and waits there.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from typing import Final, NamedTuple

from msgspec.structs import replace

from tidings.federation.capabilities import Survival
from tidings.federation.records import AttachedService, Links

FAR: Final = 1 << 30
"""The distance of what cannot be reached."""


class Step(NamedTuple):
    """How an event goes on from a service towards another.

    Attributes:
        gateway: Who carries it.
        service: Where to; the destination itself if it is attached.
    """

    gateway: str
    service: str


class Topology:
    """The graph as one gateway sees it.

    Attributes:
        gateways: The gateways that can be reached, with the services that they are up at.
        services: The kinds of the services that can be reached.
        places: Where clients find them, as far as that is known.
        contexts: What becomes of an event's context there, in the order of `CONTEXT`.
        links: What it is drawn from.
    """

    def __init__(
        self, own: str, links: Mapping[str, Links], *, resting: Collection[str] = ()
    ) -> None:
        """`own` draws it; where it is resting, it carries only what nobody else can."""
        self._own = own
        self._resting = resting
        self.links = links
        self._attached = {
            name: {one.service: one for one in link.services} for name, link in links.items()
        }
        self.gateways: dict[str, dict[str, AttachedService]] = {}
        self._on: dict[str, list[str]] = {}  # gateways on each service, by name
        self._away: dict[str, list[str]] = {}  # … that it is away from
        self.services: dict[str, str] = {}
        self.places: dict[str, str] = {}
        self.contexts: dict[str, tuple[Survival, ...]] = {}
        self._reach()
        self._measured: dict[str, _Distances] = {}
        self._near: dict[tuple[str, str], tuple[str, ...]] = {}

    def _reach(self) -> None:
        waiting = deque([self._own])
        seen = {self._own}
        while waiting:
            gateway = waiting.popleft()
            up = {s: one for s, one in self._attached.get(gateway, {}).items() if one.up}
            self.gateways[gateway] = up
            for one in up.values():
                for other in one.hears:
                    if other not in seen and self._hears(other, one.service, gateway):
                        seen.add(other)
                        waiting.append(other)
        for gateway in sorted(self.gateways):
            for service, one in self._attached.get(gateway, {}).items():
                self.services[service] = one.kind
                self.contexts[service] = one.context
                if one.place:
                    self.places.setdefault(service, one.place)
                rests = gateway == self._own and service in self._resting
                on = self._on if one.up and not rests else self._away
                on.setdefault(service, []).append(gateway)

    def _hears(self, gateway: str, service: str, other: str) -> bool:
        found = self._attached.get(gateway, {}).get(service)
        return found is not None and found.up and other in found.hears

    @cached_property
    def plan(self) -> Topology:
        """The graph as it would be if everything ran: for what no way leads to now."""
        on: dict[str, list[str]] = defaultdict(list)
        for gateway, link in self.links.items():
            for one in link.services:
                on[one.service].append(gateway)
        links = {}
        for gateway, link in self.links.items():
            services = (
                replace(one, up=True, hears=tuple(on[one.service])) for one in link.services
            )
            links[gateway] = Links(tuple(services))
        return Topology(self._own, links)

    def parallel(self, at: str, to: str) -> tuple[str, ...]:
        """Return the gateways that share what goes from a service to another, by name."""
        found = self._near.get((at, to))
        if found is None:
            far = self._distances_to(to).gateways
            near = [(far.get(name, FAR), name) for name in self._on.get(at, ())]
            least = min(near, default=(FAR, ""))[0]
            found = tuple(name for distance, name in near if distance == least < FAR)
            self._near[at, to] = found
        return found

    def step(self, at: str, to: str, subject: str = "") -> Step | None:
        """Return who carries events of a subject from a service, and where; None if nobody can."""
        gateways = self.parallel(at, to)
        if not gateways:
            return None
        gateway = chosen(gateways, at, to, subject)
        service = self.next_from(gateway, to, subject)
        assert service is not None
        return Step(gateway, service)

    def next_from(self, gateway: str, to: str, subject: str = "") -> str | None:
        """Return the service where a gateway carries what is for another one; None for no way."""
        distances = self._distances_to(to)
        distance = distances.gateways.get(gateway, FAR)
        if distance >= FAR:
            return None
        if distance == 1:
            return to
        nearer = [
            one.service
            for one in self.gateways[gateway].values()
            if one.control and distances.services.get(one.service, FAR) == distance - 1
        ]
        return chosen(sorted(nearer), gateway, to, subject)

    def route(self, at: str, to: str, subject: str = "") -> list[Step] | None:
        """Return all steps from a service to another; None if there is no way."""
        steps: list[Step] = []
        while at != to:
            step = self.step(at, to, subject)
            if step is None:
                return None
            steps.append(step)
            at = step.service
        return steps

    def first_on(self, service: str) -> str:
        """Return the gateway that speaks for a service: the first by name; empty for none."""
        return next(iter(self._on.get(service, ())), "")

    def on(self, service: str) -> tuple[str, ...]:
        """Return the gateways on a service, by name."""
        return tuple(self._on.get(service, ()))

    def _distances_to(self, to: str) -> _Distances:
        found = self._measured.get(to)
        if found is None:
            found = self._measured[to] = self._measure(to)
        return found

    def _measure(self, to: str) -> _Distances:
        """Walk back from a service, over what control events can pass.

        A gateway is one step from each service it is on; between two gateways the event is a
        control event in the service that they share.
        """
        gateways: dict[str, int] = {}
        services = {to: 0}
        waiting = deque([to])
        while waiting:
            service = waiting.popleft()
            for gateway in self._on.get(service) or self._away.get(service) or ():
                attached = self.gateways[gateway]
                if gateway in gateways or not (service == to or attached[service].control):
                    continue
                distance = gateways[gateway] = services[service] + 1
                for one in attached.values():
                    if one.control and one.service not in services:
                        services[one.service] = distance
                        waiting.append(one.service)
        return _Distances(gateways, services)


class _Distances(NamedTuple):
    """Steps to one service."""

    gateways: Mapping[str, int]
    services: Mapping[str, int]


def chosen(names: Sequence[str], at: str, to: str, subject: str) -> str:
    """Choose by rendezvous: everybody chooses alike, and who goes moves only its own share."""
    if len(names) == 1:
        return names[0]
    return max(names, key=lambda name: _weight(name, at, to, subject))


def _weight(name: str, at: str, to: str, subject: str) -> bytes:
    text = "\0".join((name, at, to, subject))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
