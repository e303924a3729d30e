"""Plans and events for matching: drawn by a seed, with the answers of `Plan.judge`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa

from tests.laws.filter_events import NOW
from tests.laws.test_plan_laws import Rules
from tests.real.pipeline.parity import event_rows
from tidings.events.fields import fields_for
from tidings.events.structured import StructuredEvent
from tidings.filters.plan import Plan, PlanChange
from tidings.filters.plan_form import change_to_plain
from tidings.pipeline.matching.book import PlanRow, Unit

Answer: TypeAlias = tuple[str, int, int]
"""Origin, seq and proxy."""


def plan_of(unit: Unit) -> Plan:
    """A plan of one consumer alone."""
    admins = {(unit.admin.side, unit.admin.admin): unit.admin}
    change = PlanChange(unit.span.start, True, unit.options, admins, {unit.proxy: unit.rule})
    return Plan().apply(change)


def plan_line(origin: str, change: PlanChange, position: int) -> PlanRow:
    text = json.dumps(change_to_plain(change))
    return PlanRow(origin, "channel", change.version, change.whole, text, 0, position)


class Judged(NamedTuple):
    """An event as it is in the archive."""

    origin: str
    seq: int
    event: StructuredEvent
    plan: int


@dataclass
class MatchWorld:
    """Events, plans and answers; several of them can be put together."""

    lines: list[PlanRow] = field(default_factory=list)
    events: list[Judged] = field(default_factory=list)
    answers: set[Answer] = field(default_factory=set)

    def add(self, origin: str, plan: Plan, happened: StructuredEvent) -> None:
        """One more event, judged by a version of the plan."""
        one = Judged(origin, len(self.events), happened, plan.version)
        self.events.append(one)
        for proxy in plan.judge(fields_for(happened, NOW)).recipients:
            self.answers.add((origin, one.seq, proxy))

    def table(self) -> pa.Table:
        """The events as rows of the archive."""
        rows = event_rows([one.event for one in self.events])
        added: dict[str, pa.Array[Any]] = {
            "origin": pa.array([one.origin for one in self.events]),
            "plan": pa.array([one.plan for one in self.events], pa.int64()),
            "position": pa.array([one.seq for one in self.events], pa.int64()),
        }
        for name, column in added.items():
            rows = rows.append_column(name, column)
        return rows


def drawn_world(seeds: Iterable[int], versions: int = 4) -> MatchWorld:
    """Channels with plans that change; every event is judged by every version."""
    made = MatchWorld()
    for seed in seeds:
        rules = Rules(Random(seed))
        origin = f"{seed:032x}"
        plan = Plan()
        for position, (plan, change) in enumerate(rules.changes(Plan(), versions)):
            made.lines.append(plan_line(origin, change, position))
            for scene in rules.world.scenes:
                made.add(origin, plan, scene.event)
    return made


def world_of(plan: Plan, change: PlanChange, events: Sequence[StructuredEvent]) -> MatchWorld:
    """One channel with one plan."""
    made = MatchWorld([plan_line("0a" * 16, change, 0)])
    for one in events:
        made.add("0a" * 16, plan, one)
    return made
