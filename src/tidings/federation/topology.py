"""Who is connected with what, and which gateway carries an event one step further.

Gateways and services are a graph, drawn from the `Links` of all gateways. A gateway counts if it
can be reached: over services that both ends say they hear each other on. Of the gateways on a
service, the one nearest to the destination carries the event; of several, the first by name. Each
step brings an event nearer, so that with the same picture everywhere nothing goes in circles.

A service that is away from all its gateways can still be a destination: what is for it waits in the
outbox of the gateway that the way ends at.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Final, NamedTuple

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
    """

    def __init__(self, own: str, links: Mapping[str, Links]) -> None:
        self._own = own
        self._attached = {
            name: {one.service: one for one in link.services} for name, link in links.items()
        }
        self.gateways: dict[str, dict[str, AttachedService]] = {}
        self._on: dict[str, list[str]] = {}  # gateways on each service, by name
        self._away: dict[str, list[str]] = {}  # … that it is away from
        self.services: dict[str, str] = {}
        self._reach()
        self._measured: dict[str, _Distances] = {}

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
                on = self._on if one.up else self._away
                on.setdefault(service, []).append(gateway)

    def _hears(self, gateway: str, service: str, other: str) -> bool:
        found = self._attached.get(gateway, {}).get(service)
        return found is not None and found.up and other in found.hears

    def step(self, at: str, to: str) -> Step | None:
        """Return who carries an event from a service, and where; None if nobody can."""
        distances = self._distances_to(to)
        near = ((distances.gateways.get(name, FAR), name) for name in self._on.get(at, ()))
        distance, gateway = min(near, default=(FAR, ""))
        if distance >= FAR:
            return None
        if distance == 1:
            return Step(gateway, to)
        return Step(
            gateway,
            min(
                one.service
                for one in self.gateways[gateway].values()
                if one.control and distances.services.get(one.service, FAR) == distance - 1
            ),
        )

    def route(self, at: str, to: str) -> list[Step] | None:
        """Return all steps from a service to another; None if there is no way."""
        steps: list[Step] = []
        while at != to:
            step = self.step(at, to)
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
