"""What an event service can do for a federation; the adapter suite tests what an adapter says."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Final, NamedTuple

import msgspec


class Filtering(StrEnum):
    """What of a filter a service judges itself; the gateway judges the rest."""

    NONE = "none"
    SUBJECT = "subject"
    CONTENT = "content"


class Survival(StrEnum):
    """What becomes of a part of an event's context at a service."""

    KEPT = "kept"
    PARTLY = "partly"
    LOST = "lost"


class Capabilities(msgspec.Struct, frozen=True, kw_only=True):
    """What a kind of event service can do.

    Attributes:
        kind: The name of the adapter.
        promise: How often an event that was taken for the service arrives there, in words.
        filtering: How much of a filter is pushed down.
        holds: Whether the service keeps an event that it has handed over until `taken`, across a
            restart of the gateway too.
        confirms: Whether a published event is safe at the service when `publish` returns.
        once: Whether the service drops an event that is published into it again, so that nobody
            there gets it twice.
        marks: Whether an event can carry its mark.
        echoes: Whether an adapter without marks may hear again what it has published itself.
        control: Whether control events can pass.
        announces: Whether publishers tell the service which types they publish.
        nested: Whether values within values pass unchanged.
        most_octets: The largest event, in octets of the service's own form; None for no limit.
        priority: What becomes of priorities.
        order: What becomes of the order of events of one publisher.
        lifetime: What becomes of timeouts and stop times.
        reliability: What becomes of the wish that an event survives a crash.
        proximity: What becomes of validity areas.
    """

    kind: str
    promise: str
    filtering: Filtering
    holds: bool
    confirms: bool
    once: bool = False
    marks: bool
    echoes: bool = True
    control: bool
    announces: bool = False
    nested: bool
    most_octets: int | None = None
    priority: Survival
    order: Survival
    lifetime: Survival
    reliability: Survival
    proximity: Survival

    @property
    def context(self) -> tuple[Survival, ...]:
        """What becomes of each part of an event's context, in the order of `CONTEXT`."""
        return tuple(getattr(self, part) for part in CONTEXT)


CONTEXT: Final = ("priority", "order", "lifetime", "reliability", "proximity")
"""The parts of an event's context."""


class Hop(NamedTuple):
    """A service on a route, and what becomes of each part of the context there.

    Attributes:
        service: Its id.
        context: What becomes of each part there, in the order of `CONTEXT`.
        shared: Whether several gateways take events on from there, each those of some subjects.
    """

    service: str
    context: Sequence[Survival]
    shared: bool = False

    def survives(self, part: str) -> Survival:
        """What becomes of a part of the context on the way on from there."""
        kept = dict(zip(CONTEXT, self.context, strict=False)).get(part, Survival.LOST)
        if part == "order" and self.shared and kept is Survival.KEPT:
            return Survival.PARTLY
        return kept


class ContextReport(NamedTuple):
    """What survives of an event's context along a route.

    Attributes:
        part: Such as `priority`.
        survives: Up to the end of the route.
        where: The first service where it is not kept; empty if it is kept.
    """

    part: str
    survives: Survival
    where: str


_WORST: Final = (Survival.LOST, Survival.PARTLY, Survival.KEPT)


def context_report(route: Sequence[Hop]) -> list[ContextReport]:
    """Say for each part of the context whether it survives a route: the weakest hop decides."""
    report = []
    for part in CONTEXT:
        found = [(hop.survives(part), hop.service) for hop in route]
        worst = min((state for state, _ in found), key=_WORST.index, default=Survival.KEPT)
        where = next((service for state, service in found if state is not Survival.KEPT), "")
        report.append(ContextReport(part, worst, where))
    return report
