"""Law: what a gateway concludes from what has changed is what it concludes from all there is."""

from __future__ import annotations

import itertools
from random import Random
from typing import Any

import pytest

from tests.laws.federation_network import TIMES
from tests.real.faults.sizes import size
from tidings.events.build import event
from tidings.federation.control import Control, ControlKind, control_event
from tidings.federation.gateway import Fresh, Gateway, Routed, Want
from tidings.federation.known import Known
from tidings.federation.marks import Mark
from tidings.federation.records import (
    Applied,
    AttachedService,
    Links,
    Memory,
    Note,
    Part,
    Records,
    State,
    state_text,
)
from tidings.filters.covering import Placement
from tidings.gateways.adapters.base import Arrival
from tidings.gateways.adapters.memory import MemoryAdapter
from tidings.gateways.adapters.tidings import TidingsAdapter

SERVICES = "ABCD"
OTHERS = ("H1", "H2")
FILTERS = (
    "Speed",
    "Count",
    "subject = Speed and rate > 3",
    "subject = Speed and rate > 9",
    "$rate >",
)
# These hold; the rest does not.
CAPABILITIES = dict.fromkeys("AB", TidingsAdapter.capabilities)


class Thorough(Gateway):
    """One that looks at everything again, whatever has changed."""

    def refresh(self, now: int) -> None:
        for side in self._sides.values():
            side.is_new = True
            side.ways.clear()
            side.unsaid.update(dict.fromkeys(side.active))
            side.placement, side.cover, side.covered = Placement(), {}, {}
            side.unfit.update(dict.fromkeys(side.by_filter))
        self._dirty, self._drawn, self._remembered = True, None, None
        super().refresh(now)

    def _ways_of(self, side: Any, *given: Any) -> Any:
        side.ways.clear()
        return super()._ways_of(side, *given)


class All:
    """All records, as if each had just been written."""

    def __init__(self, records: Records) -> None:
        self.own, self._records = records.own, records

    def take_changes(self) -> list[tuple[str, str, None, Any]]:
        return [(gateway, key, None, one) for gateway, key, one in self._records.contents()]


class Twins:
    """Two gateways to which the same happens, and the others of their federation."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.now = 1_000_000_000
        self.lives = itertools.count()
        self.numbers = itertools.count(1)
        self.others = {name: Records(name, self.now) for name in OTHERS}
        self.memory = Memory()
        self.attached: list[str] = []
        self.begin()

    def begin(self) -> None:
        """Both start again."""
        life = f"life{next(self.lives)}"
        self.both = [
            kind("G", "sim", life, self.now, times=TIMES, memory=self.memory)
            for kind in (Gateway, Thorough)
        ]
        self.attached = []
        for service in SERVICES[:3]:
            self.attach(service)

    def attach(self, service: str) -> None:
        self.attached.append(service)
        for one in self.both:
            one.attach(service, service, CAPABILITIES.get(service, MemoryAdapter.capabilities))
            one.side_up(service)

    def settle(self) -> None:
        """Draw conclusions until there are no new ones; services answer what is wanted."""
        for _ in range(4):
            refuse = self.random.random() < 0.1
            for one in self.both:
                one.refresh(self.now)
                for effect in one.take_effects():
                    if isinstance(effect, Want) and effect.adapter in self.attached:
                        how = [(f"at {each.text}", True, "") for each in effect.filters]
                        if refuse:
                            one.refused(effect.adapter, effect.filters, "it is too much")
                        else:
                            one.placed(effect.adapter, effect.filters, how)
        self.memory = self.both[0]._memory

    # What happens.

    def some(self) -> None:
        draw = self.random
        weights = {
            self.ask: 6, self.note: 4, self.apply: 5, self.link: 3, self.end: 2, self.wait: 4,
            self.fail: 2, self.rest: 2, self.change: 1, self.restart: 2,
        }  # fmt: skip
        [act] = draw.choices([*weights], [*weights.values()])
        act()

    def drawn(self, **more: Any) -> dict[str, Any]:
        draw = self.random
        return {
            "announces": draw.random() < 0.2, "what": draw.choice(FILTERS),
            "source": draw.choice(SERVICES), **more,
        }  # fmt: skip

    def ask(self) -> None:
        what = self.drawn(
            targets=self.random.choice(("*", "A, B")), count=self.random.choice((1, 1, -1))
        )
        for one in self.both:
            one.ask(Note(**what), self.now)

    def note(self) -> None:
        what = self.drawn(
            targets=self.random.choice(("*", "A, C")), count=self.random.choice((1, 2))
        )
        self.say(f"note {self.random.randrange(6)}", Note(**what))

    def apply(self) -> None:
        what = self.drawn(
            service=self.random.choice(SERVICES), cause=self.random.choice(("", "", "no"))
        )
        self.say(f"applied {self.random.randrange(9)}", Applied(**what, how=f"{self.now}"))

    def link(self) -> None:
        hears = self.random.choice((("G", "H1", "H2"), ("G", "H1", "H2"), ("G",)))
        services = self.random.sample(SERVICES, 2)
        self.say(
            "", Links(tuple(AttachedService(s, "memory", True, True, hears) for s in services))
        )

    def end(self) -> None:
        other = self.random.choice(OTHERS)
        keys = [key for gateway, key, _ in self.others[other].contents() if gateway == other]
        if keys:
            self.say(self.random.choice(keys), None, other)

    def say(self, key: str, content: Any, by: str = "") -> None:
        """Another gateway writes a record, and says so at one of the services."""
        name = by or self.random.choice(OTHERS)
        other = self.others[name]
        other.write(key, content)
        if self.random.random() < 0.2:
            return  # it is heard with what comes next
        known = self.both[0]._records.known.get(name, 0)
        parts = other.parts_for({name: known})
        if self.random.random() < 0.3:  # what has ended is forgotten
            held = tuple(one for one in other._by_gateway[name].records.values() if one.content)
            upto = other.known[name]
            parts = [Part(name, 0, upto, held, floor=upto)]
        number = next(self.numbers)
        told = Control(
            kind=ControlKind.STATE, system="sim", sender=name, id=f"life-{number}",
            body=state_text(State(other.known, tuple(parts), self.now)),
        )  # fmt: skip
        heard = Arrival(control_event(told), Mark("sim", name, "s", number, (name,)), "s", number)
        at = self.random.choice(self.attached)
        for one in self.both:
            one.control_arrived(at, heard, self.now)

    def wait(self) -> None:
        self.now += self.random.choice((1_000, 300_000, 500_000, 800_000, 3_700_000_000))
        for one in self.both:
            one.tick(self.now)

    def fail(self) -> None:
        at, up = self.random.choice(self.attached), self.random.random() < 0.5
        for one in self.both:
            (one.side_up if up else one.side_down)(at)

    def rest(self) -> None:
        resting = self.random.random() < 0.5
        for one in self.both:
            one.rest(resting)

    def change(self) -> None:
        at = self.random.choice(SERVICES)
        if at not in self.attached:
            self.attach(at)
        elif len(self.attached) > 1:
            self.attached.remove(at)
            for one in self.both:
                one.detach(at)
        self.settle()

    def restart(self) -> None:
        self.begin()

    # What has to be the same.

    def check(self) -> None:
        """Everything that follows from what has happened, and where events go."""
        one, other = self.both
        assert conclusions(one) == conclusions(other)
        anew = Known(All(one._records))  # type: ignore[arg-type]
        anew.update(0)
        assert told_by(one._known) == told_by(anew)
        for adapter, side in one._sides.items():
            placement = Placement()
            placement.change(side.by_filter, ())
            assert set(side.placement.placed) == set(placement.placed)
            assert set(side.by_filter) == set(side.cover) | set(side.unfit)
            for name in ("Speed", "Count"):
                self.check_ways(adapter, name)

    def check_ways(self, adapter: str, name: str) -> None:
        number = next(self.numbers)
        sent = event("", "", name, {"rate": float(self.random.randrange(12))})
        heard: Fresh = Arrival(sent, None, "s", number, time=self.now)
        one, other = (goes_to(each.route(adapter, heard)) for each in self.both)
        assert one == other


def goes_to(routed: Routed) -> object:
    """Where an event goes; a gateway's own control events have numbers."""
    return routed.held, [
        (one.adapter, one.event.name, {**one.event.data, "Id": ""}) for one in routed.deliveries
    ]


def told_by(known: Known) -> object:
    by = {at: set(gateways) for at, gateways in known.standing.items()}
    sources = {source: set(known.of_source(source)) for source in known.sources()}
    return (
        known.links, known.notes._counts, known.own_notes, by, sources, known._noted, known._applied
    )  # fmt: skip


def conclusions(machine: Gateway) -> object:
    memory = machine._memory
    return (
        {(gateway, key): content for gateway, key, content in machine._records.contents()},
        {
            adapter: (
                set(side.wanted), side.offered, side.active, side.yielding, side.retired,
                side.noted, len(side.index), side.standing, machine.filters(adapter),
            )
            for adapter, side in machine._sides.items()
        },
        machine._known.standing,
        (set(memory.notes), set(memory.served), memory.peers),
        sorted(machine.requests()),
        machine.counts.shared,
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(size(12, 500)))
def test_conclusions_from_changes_are_those_from_everything(seed: int) -> None:
    twins = Twins(seed)
    for _ in range(60):
        twins.some()
        if twins.random.random() < 0.7:
            twins.settle()
            twins.check()
