"""The laws of plans: changes travel, verdicts and judgements agree, and nothing old changes."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.laws.filter_trees import draw_types
from tests.laws.index_worlds import World
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.filters.constraint import EventTypePattern
from tidings.filters.mapping import MappedConstraint
from tidings.filters.persistent_map import PersistentMap
from tidings.filters.plan import (
    AdminRule,
    Judgement,
    MappingRule,
    Operator,
    Plan,
    PlanChange,
    PlanOptions,
    ProxyRule,
    Purpose,
    Rule,
    Side,
)
from tidings.filters.plan_form import SharedConstraints, change_from_plain, change_to_plain

SEED = 81_000
WORLDS = 120
PROXIES = range(12)
ADMINS = range(3)
# A world with many rules takes more drawing than Hypothesis can shrink: only the seed is drawn.
SOURCES = st.integers(0, 2**32).map(Random)
PURPOSES: tuple[Purpose, ...] = ("priority", "lifetime")


class Rules:
    """Changes of plans, drawn about the events of one world."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.world = World(rng)

    def changes(self, plan: Plan, count: int) -> list[tuple[Plan, PlanChange]]:
        """The next versions, one after the other."""
        made = []
        for _ in range(count):
            plan, change = self.changed(plan)
            made.append((plan, change))
        return made

    def changed(self, plan: Plan) -> tuple[Plan, PlanChange]:
        """One change: some admins and proxies get other rules or go, seldom other options."""
        rng = self.rng
        sides = [rng.choice(tuple(Side)) for _ in range(rng.choice((0, 1, 2)))]
        admins = [(side, rng.choice(ADMINS)) for side in sides]
        proxies = rng.sample(PROXIES, rng.choice((0, 1, 3, 8)))
        return plan.changed(
            {key: self._admin(*key) if rng.random() < 0.7 else None for key in admins},
            {id_: self._proxy(id_) if rng.random() < 0.85 else None for id_ in proxies},
            PlanOptions(*(rng.random() < 0.5 for _ in range(3))) if rng.random() < 0.2 else None,
        )

    def _admin(self, side: Side, id_: int) -> AdminRule:
        return AdminRule(side, id_, self.rng.choice(tuple(Operator)), self._rule())

    def _proxy(self, id_: int) -> ProxyRule:
        side = Side.SUPPLIER if id_ % 4 == 0 else Side.CONSUMER
        fence = self.world.constraints() if self.rng.random() < 0.2 else ()
        return ProxyRule(side, id_, self.rng.choice(ADMINS), self._rule(), tuple(fence))

    def _rule(self) -> Rule:
        rng = self.rng
        filters = [tuple(self.world.constraints()) for _ in range(rng.choice((0, 0, 1, 1, 2)))]
        return Rule(tuple(filters), self._types(), self._mapping(), self._mapping())

    def _types(self) -> tuple[EventTypePattern, ...]:
        # Mostly a list that lets the event through, for else the filters would seldom be asked.
        rng = self.rng
        roll = rng.random()
        if roll < 0.7:
            return ()
        return (EventTypePattern("", "%ALL"),) if roll < 0.85 else draw_types(rng)

    def _mapping(self) -> MappingRule | None:
        rng = self.rng
        if rng.random() < 0.5:
            return None
        type_ = rng.choice((tc.SHORT, tc.USHORT, tc.ULONGLONG))
        mapped = [
            MappedConstraint(self.world.constraint(), Any(type_, value))
            for value in sorted(rng.sample(range(100), rng.choice((0, 1, 3))), reverse=True)
        ]
        return MappingRule(Any(type_, rng.randrange(100)), tuple(mapped))


def judgements(plan: Plan, rules: Rules) -> list[object]:
    """Everything a plan says of the events of a world."""
    said: list[object] = []
    for scene in rules.world.scenes:
        said.append(plan.judge(scene.fields))
        for proxy in sorted(plan.proxies):
            said.append(plan.verdict(scene.fields, proxy))
            for purpose in PURPOSES:
                mapping = plan.mapping(proxy, purpose)
                if mapping is not None:
                    said.append(mapping.value(scene.fields, 3, plan.options))
                    said.append(mapping.value(scene.fields, None, plan.options))
    return said


def through_json(change: PlanChange, shared: SharedConstraints | None = None) -> PlanChange:
    return change_from_plain(json.loads(json.dumps(change_to_plain(change))), shared=shared)


@settings(max_examples=40)
@given(SOURCES)
def test_changes_make_the_same_plan_elsewhere(rng: Random) -> None:
    rules = Rules(rng)
    there, shared = Plan(), SharedConstraints()
    for here, change in rules.changes(Plan(), 6):
        there = there.apply(through_json(change, shared))
        assert there == here
    assert judgements(there, rules) == judgements(here, rules)


@settings(max_examples=40)
@given(SOURCES)
def test_a_whole_makes_the_same_plan_out_of_any(rng: Random) -> None:
    rules = Rules(rng)
    versions = [plan for plan, _ in rules.changes(Plan(), 5)]
    here, other = versions[-1], rng.choice((Plan(), *versions))
    there = other.apply(through_json(here.whole()))
    assert there == here
    assert judgements(there, rules) == judgements(here, rules)


@settings(max_examples=30)
@given(SOURCES)
def test_later_changes_leave_a_version_as_it_was(rng: Random) -> None:
    rules = Rules(rng)
    [*_, (plan, _)] = rules.changes(Plan(), 3)
    content, said = (dict(plan.admins), dict(plan.proxies)), judgements(plan, rules)
    rules.changes(plan, 5)
    assert (dict(plan.admins), dict(plan.proxies)) == content
    assert judgements(plan, rules) == said


def test_the_recipients_are_those_whose_verdict_says_so(
    record_property: Callable[[str, object], None],
) -> None:
    stages: dict[tuple[str, bool], int] = {}
    for seed in range(SEED, SEED + WORLDS):
        rules = Rules(Random(seed))
        [*_, (plan, _)] = rules.changes(Plan(), 8)
        for scene in rules.world.scenes:
            passed = []
            for id_, rule in plan.proxies.items():
                verdict = plan.verdict(scene.fields, id_)
                key = verdict.stage, verdict.passed
                stages[key] = stages.get(key, 0) + 1
                if rule.side is Side.CONSUMER and verdict.passed:
                    passed.append(id_)
                if rule.side is Side.SUPPLIER:
                    found = plan.judge(scene.fields, id_)
                    assert found.passed_supplier is verdict.passed, f"world {seed}"
                    assert verdict.passed or found == Judgement(False, ())
            expected = Judgement(True, tuple(sorted(passed)))
            assert plan.judge(scene.fields) == expected, f"world {seed}"
    table = sorted(stages.items())
    record_property("table", "\n".join(f"{key[0]:24} {key[1]!s:5} {n:6}" for key, n in table))
    # Every way to pass or to be refused must have been met often.
    assert len(stages) == 10
    assert min(stages.values()) >= 20


UPDATES = st.lists(
    st.dictionaries(
        st.integers(-3, 40) | st.integers() | st.text(max_size=2),
        st.integers(0, 5) | st.none(),
        max_size=120,
    ),
    max_size=12,
)


@settings(max_examples=60)
@given(UPDATES)
def test_the_persistent_map_equals_a_dictionary(
    updates: list[dict[int | str, int | None]],
) -> None:
    made, model = PersistentMap[int | str, int](), dict[int | str, int]()
    versions = [(made, dict(model))]
    for update in updates:
        made = made.changed(update)
        model |= {key: value for key, value in update.items() if value is not None}
        for key, value in update.items():
            if value is None:
                model.pop(key, None)
        versions.append((made, dict(model)))
    for version, expected in versions:
        assert version == expected
        assert len(version) == len(expected)
        assert len(list(version)) == len(expected)
        assert set(version) == set(expected)
        assert all(version.get(key) == expected.get(key) for key in model)
