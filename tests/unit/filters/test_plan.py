"""The plan: the rules of a channel, their versions, and what they say of an event."""

from __future__ import annotations

import dataclasses
from itertools import product

import pytest

from tidings.errors import InvalidMappingValue, InvalidUsage, ProxyNotFound
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any, Value
from tidings.events.build import event
from tidings.events.fields import fields_of
from tidings.filters.constraint import Constraint, EventTypePattern, constraint
from tidings.filters.mapping import MappedConstraint
from tidings.filters.plan import (
    EMPTY_RULE,
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
    Verdict,
)

EVENT = fields_of(event("Telecom", "Alarm", "n", {"a": 1}))
YES, NO, ERROR = (constraint(text) for text in ("$a == 1", "$a == 2", "$a == 'one'"))
OTHER_TYPE = constraint("$a == 1", ["Telecom::Call"])
ALARMS, CALLS = EventTypePattern("Telecom", "Al*"), EventTypePattern("Telecom", "Call")
AND, OR = Operator.AND, Operator.OR
CONSUMER, SUPPLIER = Side.CONSUMER, Side.SUPPLIER


def rule(*filters: list[Constraint], types: tuple[EventTypePattern, ...] = ()) -> Rule:
    return Rule(tuple(map(tuple, filters)), types)


def plan(
    admin: Rule = EMPTY_RULE,
    proxy: Rule = EMPTY_RULE,
    operator: Operator = AND,
    options: PlanOptions | None = None,
    side: Side = CONSUMER,
) -> Plan:
    """A plan with the admin 1 and its proxy 5."""
    made, _ = Plan().changed(
        {(side, 1): AdminRule(side, 1, operator, admin)},
        {5: ProxyRule(side, 5, 1, proxy)},
        options,
    )
    return made


def verdict(
    admin: Rule = EMPTY_RULE,
    proxy: Rule = EMPTY_RULE,
    operator: Operator = AND,
    options: PlanOptions | None = None,
) -> Verdict:
    return plan(admin, proxy, operator, options).verdict(EVENT, 5)


# Of the filters: one without filters, one that passes, one that does not.
GROUPS = {"none": rule(), "passes": rule([NO], [ERROR, YES]), "refuses": rule([NO, ERROR])}

TABLE = [
    ("none", "none", True, True),
    ("passes", "none", True, True),
    ("refuses", "none", False, False),
    ("none", "passes", True, True),
    ("none", "refuses", False, False),
    ("passes", "passes", True, True),
    ("passes", "refuses", False, True),
    ("refuses", "passes", False, True),
    ("refuses", "refuses", False, False),
]


@pytest.mark.parametrize("side", Side)
@pytest.mark.parametrize(("admin", "proxy", "under_and", "under_or"), TABLE)
def test_admin_and_proxy_together(
    admin: str, proxy: str, under_and: bool, under_or: bool, side: Side
) -> None:
    for operator, expected in ((AND, under_and), (OR, under_or)):
        made = plan(GROUPS[admin], GROUPS[proxy], operator, side=side)
        assert made.verdict(EVENT, 5).passed is expected


def test_the_table_is_complete() -> None:
    assert {row[:2] for row in TABLE} == set(product(GROUPS, GROUPS))


@pytest.mark.parametrize(("admin", "proxy", "under_and", "under_or"), TABLE)
def test_a_group_without_filters_that_is_not_neutral(
    admin: str, proxy: str, under_and: bool, under_or: bool
) -> None:
    options = PlanOptions(empty_group_is_neutral=False)
    groups = GROUPS[admin], GROUPS[proxy]
    assert verdict(*groups, operator=AND, options=options).passed is under_and
    expected = under_or or "none" in (admin, proxy)
    assert verdict(*groups, operator=OR, options=options).passed is expected


@pytest.mark.parametrize(
    ("admin", "proxy", "operator", "stage"),
    [
        ("none", "none", AND, "no filters"),
        ("passes", "none", AND, "admin filters"),
        ("none", "refuses", OR, "proxy filters"),
        ("passes", "passes", AND, "admin and proxy filters"),
        ("refuses", "passes", AND, "admin filters"),
        ("passes", "refuses", AND, "proxy filters"),
        ("passes", "refuses", OR, "admin filters"),
        ("refuses", "passes", OR, "proxy filters"),
        ("refuses", "refuses", OR, "admin or proxy filters"),
    ],
)
def test_what_decided(admin: str, proxy: str, operator: Operator, stage: str) -> None:
    assert verdict(GROUPS[admin], GROUPS[proxy], operator=operator).stage == stage


def test_a_verdict_names_what_matched() -> None:
    assert verdict(rule(), rule([NO, YES])).detail == "'$a == 1' of the proxy matches"
    assert verdict(rule(), rule([constraint(" ")])).detail == "'TRUE' of the proxy matches"
    refused = verdict(rule([NO], [NO, ERROR]))
    assert refused.detail == "none of the admin's 3 constraints matches"
    both = verdict(rule([NO]), rule([ERROR]), operator=OR)
    assert both.detail == (
        "none of the admin's 1 constraints matches; none of the proxy's 1 constraints matches"
    )


def test_a_verdict_is_short() -> None:
    long = constraint("$a == 1 or " * 500 + "TRUE")
    assert 100 < len(verdict(rule([long]), rule([long])).detail) < 400
    named = fields_of(event("d" * 900, "t" * 900, "n", {}))
    assert len(plan(rule(types=(CALLS,))).verdict(named, 5).detail) < 200


@pytest.mark.parametrize("passes", [True, False])
@pytest.mark.parametrize("filters", [([],), ([NO], [])])
def test_a_filter_without_constraints(filters: tuple[list[Constraint], ...], passes: bool) -> None:
    options = PlanOptions(empty_filter_passes=passes)
    found = verdict(rule(), rule(*filters), options=options)
    assert found.passed is passes
    assert found.stage == "proxy filters"


def test_a_constraint_is_asked_of_its_own_event_types_only() -> None:
    assert not verdict(rule(), rule([OTHER_TYPE])).passed
    assert verdict(rule(), rule([constraint("$a == 1", ["Telecom::Alarm"])])).passed


@pytest.mark.parametrize("operator", Operator)
def test_lists_and_filters_both_apply(operator: Operator) -> None:
    listed, unlisted = rule([YES], types=(CALLS, ALARMS)), rule([YES], types=(CALLS,))
    assert verdict(listed, listed, operator=operator).passed
    refused = verdict(unlisted, listed, operator=operator)
    assert refused[:2] == (False, "admin list")
    assert refused.detail == "'Telecom::Alarm' fits none of the admin's 1 event types"
    assert verdict(listed, unlisted, operator=operator)[:2] == (False, "proxy list")
    assert not verdict(rule(types=(ALARMS,)), rule([NO]), operator=operator).passed


def test_a_list_with_all_types() -> None:
    assert verdict(rule(types=(EventTypePattern("", "%ALL"),))).stage == "no filters"


def test_an_admin_that_stands_in_no_plan_asks_for_nothing() -> None:
    made, _ = Plan().changed(proxies={5: ProxyRule(CONSUMER, 5, 1, rule([NO]))})
    assert not made.verdict(EVENT, 5).passed
    made, _ = made.changed(proxies={5: ProxyRule(CONSUMER, 5, 1)})
    assert made.verdict(EVENT, 5).stage == "no filters"
    assert made.mapping(5, "priority") is None


def test_admins_of_both_sides_may_have_the_same_id() -> None:
    made, _ = plan(rule([NO])).changed(
        {(SUPPLIER, 1): AdminRule(SUPPLIER, 1, AND, rule([YES]))},
        {6: ProxyRule(SUPPLIER, 6, 1)},
    )
    assert made.verdict(EVENT, 6).passed
    assert not made.verdict(EVENT, 5).passed


def test_a_proxy_that_is_not_there() -> None:
    for ask in (
        lambda: Plan().verdict(EVENT, 5),
        lambda: Plan().judge(EVENT, 5),
        lambda: Plan().mapping(5, "priority"),
    ):
        with pytest.raises(ProxyNotFound, match="no proxy 5"):
            ask()


def crowd() -> Plan:
    """Consumers 1 to 40, of which those that 3 divides pass; suppliers 50 (passes) and 51."""
    consumers = {
        i: ProxyRule(CONSUMER, i, 0, rule([NO if i % 3 else YES])) for i in range(40, 0, -1)
    }
    suppliers = {i: ProxyRule(SUPPLIER, i, 0, rule([YES if i == 50 else NO])) for i in (51, 50)}
    return Plan().changed(proxies={**suppliers, **consumers})[0]


def test_recipients_come_in_the_order_of_their_ids() -> None:
    assert crowd().judge(EVENT, 50) == Judgement(True, tuple(range(3, 41, 3)))
    assert crowd().judge(EVENT, None) == crowd().judge(EVENT, 50)
    assert Plan().judge(EVENT, None) == Judgement(True, ())


def test_what_the_supplier_side_refuses_has_no_recipients() -> None:
    assert crowd().judge(EVENT, 51) == Judgement(False, ())


def test_an_event_comes_from_no_consumer() -> None:
    with pytest.raises(InvalidUsage, match="proxy 3 is for a consumer"):
        crowd().judge(EVENT, 3)


def short(value: int) -> Value:
    return Any(tc.SHORT, value)


HIGH = MappedConstraint(YES, short(9))
MAPPING = MappingRule(short(4), (MappedConstraint(NO, short(10)), HIGH))
NO_MATCH = MappingRule(short(4), (MappedConstraint(NO, short(10)),))
ALWAYS = PlanOptions(mapping_default_always=True)


@pytest.mark.parametrize(
    ("mapping", "own", "options", "expected"),
    [
        (MAPPING, None, PlanOptions(), 9),
        (MAPPING, 2, PlanOptions(), 9),
        (MAPPING, 2, ALWAYS, 9),
        (NO_MATCH, None, PlanOptions(), 4),
        (NO_MATCH, 2, PlanOptions(), 2),
        (NO_MATCH, 0, PlanOptions(), 0),
        (NO_MATCH, 2, ALWAYS, 4),
        (NO_MATCH, None, ALWAYS, 4),
        (MappingRule(7), None, PlanOptions(), 7),
    ],
)
def test_what_a_mapping_says(
    mapping: MappingRule, own: int | None, options: PlanOptions, expected: int
) -> None:
    assert mapping.value(EVENT, own, options) == expected


def test_the_first_match_counts() -> None:
    lower = MappedConstraint(YES, short(3))
    assert MappingRule(short(0), (HIGH, lower)).value(EVENT, None, PlanOptions()) == 9
    assert MappingRule(short(0), (lower, HIGH)).value(EVENT, None, PlanOptions()) == 3


@pytest.mark.parametrize("value", [True, 1.0, "4", None, Any(tc.FLOAT, 1.0), (1,)])
def test_only_integers_are_mapped_to(value: Value) -> None:
    with pytest.raises(InvalidMappingValue, match="integer"):
        MappingRule(value)
    with pytest.raises(InvalidMappingValue, match="integer"):
        MappingRule(4, (MappedConstraint(YES, value),))


@pytest.mark.parametrize(
    ("own", "shared", "expected"),
    [
        (MAPPING, NO_MATCH, MAPPING),
        (None, NO_MATCH, NO_MATCH),
        (MAPPING, None, MAPPING),
        (None, None, None),
    ],
)
@pytest.mark.parametrize(("purpose", "other"), [("priority", "lifetime"), ("lifetime", "priority")])
def test_the_mapping_of_a_proxy_goes_before_its_admins(
    own: MappingRule | None,
    shared: MappingRule | None,
    expected: MappingRule | None,
    purpose: Purpose,
    other: Purpose,
) -> None:
    def having(mapping: MappingRule | None) -> Rule:
        if purpose == "priority":
            return Rule(priority=mapping)
        return Rule(lifetime=mapping)

    made = plan(having(shared), having(own))
    assert made.mapping(5, purpose) is expected
    assert made.mapping(5, other) is None


def test_every_change_makes_the_next_version() -> None:
    first = Plan()
    assert first.version == 0
    second, change = first.changed(proxies={5: ProxyRule(CONSUMER, 5, 1)})
    assert (second.version, change.version, change.whole) == (1, 1, False)
    third, _ = second.changed()
    assert third.version == 2
    assert (first.version, len(first.proxies)) == (0, 0)
    assert dict(second.proxies) == {5: ProxyRule(CONSUMER, 5, 1)}


def test_none_removes() -> None:
    made = plan(rule([NO]))
    without, change = made.changed({(CONSUMER, 1): None}, {5: None, 99: None})
    assert without.admins == {}
    assert without.proxies == {}
    assert made.apply(change) == without
    assert made.verdict(EVENT, 5).stage == "admin filters"


def test_options_stay_unless_changed() -> None:
    made = plan(options=ALWAYS)
    assert made.changed()[0].options == ALWAYS
    assert made.changed(options=PlanOptions())[0].options == PlanOptions()


def test_a_rule_under_another_id() -> None:
    with pytest.raises(InvalidUsage, match="proxy 5 stands under 6"):
        Plan().changed(proxies={6: ProxyRule(CONSUMER, 5, 1)})
    for key in ((CONSUMER, 2), (SUPPLIER, 1)):
        with pytest.raises(InvalidUsage, match="admin 1 stands under"):
            Plan().changed({key: AdminRule(CONSUMER, 1)})


def test_a_change_applies_to_the_version_before_it_only() -> None:
    made, change = crowd().changed(proxies={1: None})
    assert crowd().apply(change) == made
    for other in (Plan(), made):
        with pytest.raises(InvalidUsage, match=f"has version {other.version}.* makes 2 out of 1"):
            other.apply(change)


def test_a_whole_applies_to_any_plan() -> None:
    made = plan(rule([NO]), options=ALWAYS)
    whole = made.whole()
    assert whole.whole
    for other in (Plan(), made, crowd(), crowd().changed(options=PlanOptions())[0]):
        assert other.apply(whole) == made
    assert crowd().apply(Plan().whole()) == Plan()
    assert made.apply(PlanChange(3, whole=True)) == dataclasses.replace(Plan(), version=3)


def test_a_change_keeps_its_own_copy() -> None:
    proxies: dict[int, ProxyRule | None] = {5: ProxyRule(CONSUMER, 5, 1)}
    made, change = Plan().changed(proxies=proxies)
    proxies.clear()
    assert Plan().apply(change) == made


def test_a_plan_cannot_be_assigned_to() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Plan().version = 3  # type: ignore[misc]
