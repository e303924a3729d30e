"""Plans and events for matching: drawn by a seed, with the answers of `Plan.judge`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa

from tests.laws.filter_events import NOW
from tests.laws.test_plan_laws import Rules
from tests.real.pipeline.parity import event_rows
from tidings.events.build import event
from tidings.events.fields import fields_for, plain
from tidings.events.structured import StructuredEvent
from tidings.filters.plan import Plan, PlanChange
from tidings.filters.plan_form import change_to_plain
from tidings.pipeline.matching.book import PlanRow, Unit

Answer: TypeAlias = tuple[str, int, int, int, int | None]
"""Origin, seq, proxy, priority and deadline."""


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
    priority: int
    expiry_us: int | None


@dataclass
class MatchWorld:
    """Events, plans and answers; several of them can be put together."""

    lines: list[PlanRow] = field(default_factory=list)
    events: list[Judged] = field(default_factory=list)
    answers: set[Answer] = field(default_factory=set)

    def add(self, origin: str, plan: Plan, happened: StructuredEvent) -> None:
        """One more event, judged by a version of the plan."""
        header = happened.header
        said = plain(header["Priority"]) if "Priority" in header else None
        lives = plain(header["Timeout"]) if "Timeout" in header else None
        priority = said if isinstance(said, int) else None
        timeout = lives if isinstance(lives, int) else None
        expiry = NOW + timeout // 10 if timeout else None
        one = Judged(origin, len(self.events), happened, plan.version, priority or 0, expiry)
        self.events.append(one)
        fields = fields_for(happened, NOW)
        for proxy in plan.judge(fields).recipients:
            by_priority = plan.mapping(proxy, "priority")
            by_lifetime = plan.mapping(proxy, "lifetime")
            urgent, ends = one.priority, expiry
            if by_priority is not None:
                urgent = by_priority.value(fields, priority, plan.options)
            if by_lifetime is not None:
                units = by_lifetime.value(fields, timeout, plan.options)
                ends = NOW + units // 10 if units else None
            self.answers.add((origin, one.seq, proxy, urgent, ends))

    def table(self) -> pa.Table:
        """The events as rows of the archive."""
        rows = event_rows([one.event for one in self.events])
        added: dict[str, pa.Array[Any]] = {
            "origin": pa.array([one.origin for one in self.events]),
            "plan": pa.array([one.plan for one in self.events], pa.int64()),
            "priority": pa.array([one.priority for one in self.events], pa.int16()),
            "expiry_us": pa.array([one.expiry_us for one in self.events], pa.int64()),
            "position": pa.array([one.seq for one in self.events], pa.int64()),
        }
        for name, column in added.items():
            rows = rows.append_column(name, column)
        return rows


def drawn_world(seeds: Iterable[int], versions: int = 4) -> MatchWorld:
    """Channels with plans that change; every event is judged by every version."""
    made = MatchWorld()
    for seed in seeds:
        rng = Random(seed)
        rules = Rules(rng)
        origin = f"{seed:032x}"
        plan = Plan()
        for position, (plan, change) in enumerate(rules.changes(Plan(), versions)):
            made.lines.append(plan_line(origin, change, position))
            for scene in rules.world.scenes:
                made.add(origin, plan, _with_quality(rng, scene.event))
    return made


def _with_quality(rng: Random, drawn: StructuredEvent) -> StructuredEvent:
    header = {name: value for name, value in drawn.header.items() if name != "Timeout"}
    if rng.random() < 0.3:
        header |= event("", "", "", {}, header={"Timeout": rng.choice((0, 7, 25, 4_000))}).header
    return replace(drawn, header=header)


def world_of(plan: Plan, change: PlanChange, events: Sequence[StructuredEvent]) -> MatchWorld:
    """One channel with one plan."""
    made = MatchWorld([plan_line("0a" * 16, change, 0)])
    for one in events:
        made.add("0a" * 16, plan, one)
    return made
