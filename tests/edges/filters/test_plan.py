"""The plan: the rules of a channel, their versions, and what they say of an event."""

from __future__ import annotations

import copy
import dataclasses
import json

import pytest

from tidings.errors import InvalidConstraint, InvalidUsage, ProxyNotFound
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any, Value
from tidings.events.build import event
from tidings.events.fields import fields_of
from tidings.filters.constraint import Constraint, EventTypePattern, constraint
from tidings.filters.limits import Limits
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
)
from tidings.filters.plan_form import FORMAT, SharedConstraints, change_from_plain, change_to_plain

EVENT = fields_of(event("Telecom", "Alarm", "n", {"a": 1}))
YES, NO, ERROR = (constraint(text) for text in ("$a == 1", "$a == 2", "$a == 'one'"))
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
        {(side, 1): AdminRule(side, 1, operator, admin)}, {5: ProxyRule(side, 5, 1, proxy)}, options
    )
    return made


# Of the filters: one without filters, one that passes, one that does not.
GROUPS = {"none": rule(), "passes": rule([NO], [ERROR, YES]), "refuses": rule([NO, ERROR])}
TABLE = [
    *(("none", "none", True, True), ("none", "passes", True, True)),
    *(("passes", "none", True, True), ("passes", "passes", True, True)),
    *(("none", "refuses", False, False), ("refuses", "none", False, False)),
    *(("passes", "refuses", False, True), ("refuses", "passes", False, True)),
    ("refuses", "refuses", False, False),
]


@pytest.mark.parametrize("side", Side)
@pytest.mark.parametrize(("admin", "proxy", "under_and", "under_or"), TABLE)
def test_admin_and_proxy_together(
    admin: str, proxy: str, under_and: bool, under_or: bool, side: Side
) -> None:
    strict = PlanOptions(empty_group_is_neutral=False)
    anyway = under_or or "none" in (admin, proxy)
    for operator, options, expected in (
        *((AND, None, under_and), (OR, None, under_or)),
        *((AND, strict, under_and), (OR, strict, anyway)),
    ):
        made = plan(GROUPS[admin], GROUPS[proxy], operator, options, side)
        assert made.verdict(EVENT, 5).passed is expected


@pytest.mark.parametrize("passes", [True, False])
@pytest.mark.parametrize("filters", [([],), ([NO], [])])
def test_a_filter_without_constraints(filters: tuple[list[Constraint], ...], passes: bool) -> None:
    options = PlanOptions(empty_filter_passes=passes)
    found = plan(rule(), rule(*filters), options=options).verdict(EVENT, 5)
    assert found.passed is passes
    assert found.stage == "proxy filters"


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
        *((MAPPING, None, PlanOptions(), 9), (MAPPING, 2, PlanOptions(), 9)),
        *((MAPPING, 2, ALWAYS, 9), (NO_MATCH, None, PlanOptions(), 4)),
        *((NO_MATCH, 2, PlanOptions(), 2), (NO_MATCH, 0, PlanOptions(), 0)),
        *((NO_MATCH, 2, ALWAYS, 4), (NO_MATCH, None, ALWAYS, 4)),
        (MappingRule(7), None, PlanOptions(), 7),
    ],
)
def test_what_a_mapping_says(
    mapping: MappingRule, own: int | None, options: PlanOptions, expected: int
) -> None:
    assert mapping.value(EVENT, own, options) == expected


@pytest.mark.parametrize(
    ("own", "shared", "expected"),
    [
        *((MAPPING, NO_MATCH, MAPPING), (None, NO_MATCH, NO_MATCH), (MAPPING, None, MAPPING)),
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
    made = plan(Rule(**{purpose: shared}), Rule(**{purpose: own}))  # type: ignore[arg-type]
    assert made.mapping(5, purpose) is expected
    assert made.mapping(5, other) is None


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


TIME_T = tc.alias("IDL:omg.org/TimeBase/TimeT:1.0", "TimeT", tc.ULONGLONG)
TIME_T_PLAIN = {
    "kind": "alias",
    "id": "IDL:omg.org/TimeBase/TimeT:1.0",
    "name": "TimeT",
    "of": "unsigned long long",
}
NEAR, FAR = constraint("$zone == 3"), constraint("$zone > 3", ["Telecom::Al*"])
LIFETIME = MappingRule(Any(TIME_T, 2**63), (MappedConstraint(FAR, Any(TIME_T, 7)),))
PRIORITY = MappingRule(Any(tc.SHORT, 0), (MappedConstraint(NEAR, Any(tc.SHORT, 4)),))
CHANGE = PlanChange(
    7,
    False,
    PlanOptions(empty_filter_passes=False),
    {
        (Side.SUPPLIER, 4): AdminRule(Side.SUPPLIER, 4),
        (Side.SUPPLIER, 2): None,
        (Side.CONSUMER, 3): AdminRule(
            Side.CONSUMER, 3, Operator.OR, Rule(((NEAR, FAR), ()), lifetime=LIFETIME)
        ),
    },
    {
        9: None,
        5: ProxyRule(
            Side.CONSUMER, 5, 3, Rule(types=(EventTypePattern("", "%ALL"),), priority=PRIORITY)
        ),
    },
)
PLAIN = {
    "format": 1,
    "version": 7,
    "whole": False,
    "options": {
        "empty_filter_passes": False,
        "empty_group_is_neutral": True,
        "mapping_default_always": False,
    },
    "admins": [
        {
            "side": "consumer",
            "admin": 3,
            "operator": "OR_OP",
            "filters": [
                [{"text": "$zone == 3"}, {"text": "$zone > 3", "types": [["Telecom", "Al*"]]}],
                [],
            ],
            "lifetime": {
                "default": {"$type": TIME_T_PLAIN, "value": 2**63},
                "best_first": [
                    {
                        "text": "$zone > 3",
                        "types": [["Telecom", "Al*"]],
                        "value": {"$type": TIME_T_PLAIN, "value": 7},
                    }
                ],
            },
        },
        {"side": "supplier", "admin": 4, "operator": "AND_OP"},
    ],
    "proxies": [
        {
            "side": "consumer",
            "proxy": 5,
            "admin": 3,
            "types": [["", "%ALL"]],
            "priority": {
                "default": {"$type": "short", "value": 0},
                "best_first": [{"text": "$zone == 3", "value": {"$type": "short", "value": 4}}],
            },
        }
    ],
    "removed_admins": [["supplier", 2]],
    "removed_proxies": [9],
}


def test_the_form() -> None:
    assert json.loads(json.dumps(change_to_plain(CHANGE))) == PLAIN
    assert PLAIN["format"] == FORMAT


def constraints_of(change: PlanChange) -> list[Constraint]:
    rules = [rule for rule in change.proxies.values() if rule is not None]
    return [one for rule in rules for filter_ in rule.rule.filters for one in filter_]


def test_equal_constraints_become_one_object() -> None:
    texts = [constraint("$a == 1"), constraint("$a == 1"), constraint("$a == 1", ["T"])]
    proxies = {i: ProxyRule(Side.CONSUMER, i, 0, Rule(((c,),))) for i, c in enumerate(texts)}
    plain = change_to_plain(PlanChange(1, proxies=proxies))
    one, two, typed = constraints_of(change_from_plain(plain))
    assert one is two
    assert typed == texts[2]
    shared: SharedConstraints = {}
    first = constraints_of(change_from_plain(plain, shared=shared))
    again = constraints_of(change_from_plain(plain, shared=shared))
    assert all(a is b for a, b in zip(first, again, strict=True))
    assert len(shared) == 2


def test_limits_of_constraints() -> None:
    with pytest.raises(InvalidConstraint):
        change_from_plain(PLAIN, Limits(octets=5))


def spoilt(*path: str | int, value: object) -> object:
    """The sample with something else at a place."""
    plain: dict[str, object] = copy.deepcopy(PLAIN)
    at: object = plain
    for step in path[:-1]:
        at = at[step]  # type: ignore[index]
    at[path[-1]] = value  # type: ignore[index]
    return plain


def lacking(name: str) -> object:
    return {key: value for key, value in PLAIN.items() if key != name}


MAPPED = ("proxies", 0, "priority", "best_first", 0)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        *((None, "expected `object`, got `null`"), ([], "expected `object`, got `array`")),
        (lacking("proxies"), "missing required field `proxies`"),
        (lacking("format"), "missing required field `format`"),
        (spoilt("format", value=2), "format 2; this version reads 1"),
        ({"format": 2}, "format 2; this version reads 1"),
        (spoilt("format", value="1"), "format: expected `int`, got `str`"),
        (spoilt("version", value=-1), "version: expected `int` >= 0"),
        (spoilt("version", value=True), "version: expected `int`, got `bool`"),
        (spoilt("whole", value=0), "whole: expected `bool`"),
        (spoilt("option", value={}), "unknown field `option`"),
        (spoilt("options", "empty_filter_passes", value=1), r"options\.empty_filter_passes: "),
        (spoilt("admins", value={}), "admins: expected `array`"),
        (
            spoilt("admins", 1, "side", value="both"),
            r"admins\[1\]\.side: invalid enum value 'both'",
        ),
        (spoilt("admins", 1, "side", value=[]), r"admins\[1\]\.side: expected `str`"),
        (
            spoilt("admins", 1, "operator", value="AND"),
            r"admins\[1\]\.operator: invalid enum value",
        ),
        (spoilt("admins", 1, "admin", value="4"), r"admins\[1\]\.admin: expected `int`"),
        (spoilt("admins", 0, "filters", 0, value={}), r"admins\[0\]\.filters\[0\]: expected `ar"),
        (spoilt("admins", 0, "filters", 0, 1, value=""), r"admins\[0\]\.filters\[0\]\[1\]: "),
        (spoilt("proxies", 0, "types", 0, value="a::b"), r"proxies\[0\]\.types\[0\]: expected `a"),
        (spoilt("proxies", 0, "types", 0, value=["a", "%B"]), r"proxies\[0\]\.types\[0\]: '%B' is"),
        (spoilt("proxies", 0, "priority", value=3), r"proxies\[0\]\.priority: expected `object"),
        (spoilt(*MAPPED, "value", value="x"), r"proxies\[0\]\.priority: .*integer, not to 'x'"),
        (spoilt(*MAPPED, "value", value=2**70), r"best_first\[0\]\.value: .* outside"),
        (
            spoilt(*MAPPED, "value", value={"$type": "short", "value": 2**20}),
            r"proxies\[0\]\.priority\.best_first\[0\]\.value: ",
        ),
        (spoilt(*MAPPED, "text", value=3), r"priority\.best_first\[0\]\.text: expected `str`"),
        (spoilt("removed_admins", 0, value=2), r"removed_admins\[0\]: expected `array`"),
        (spoilt("removed_admins", 0, value=["consumer", 3]), "admin 3 of the consumers stands"),
        (spoilt("removed_proxies", 0, value=5), "the proxy 5 stands there twice"),
        (spoilt("removed_proxies", value=[9, 9]), "the proxy 9 stands there twice"),
    ],
)
def test_what_is_no_change(data: object, problem: str) -> None:
    with pytest.raises(InvalidUsage, match=problem):
        change_from_plain(data)
