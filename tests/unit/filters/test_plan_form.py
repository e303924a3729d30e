"""Changes of a plan as plain data: the form itself, the way back, and what is refused."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable

import pytest

from tidings.errors import InvalidConstraint, InvalidUsage
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any, infer
from tidings.filters.constraint import Constraint, EventTypePattern, constraint
from tidings.filters.limits import Limits
from tidings.filters.mapping import MappedConstraint
from tidings.filters.plan import (
    AdminRule,
    MappingRule,
    Operator,
    Plan,
    PlanChange,
    PlanOptions,
    ProxyRule,
    Rule,
    Side,
)
from tidings.filters.plan_form import (
    FORMAT,
    SharedConstraints,
    change_from_plain,
    change_to_plain,
)

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
    assert change_to_plain(CHANGE) == PLAIN
    assert PLAIN["format"] == FORMAT


def test_there_and_back_through_json() -> None:
    assert change_from_plain(json.loads(json.dumps(change_to_plain(CHANGE)))) == CHANGE
    assert change_from_plain(copy.deepcopy(PLAIN)) == CHANGE


def test_an_empty_change() -> None:
    plain = change_to_plain(PlanChange(1))
    assert "options" not in plain
    assert change_from_plain(plain) == PlanChange(1)
    assert change_from_plain(change_to_plain(Plan().whole())) == Plan().whole()


def test_the_order_of_a_change_does_not_show() -> None:
    turned = PlanChange(
        CHANGE.version,
        CHANGE.whole,
        CHANGE.options,
        dict(reversed(list(CHANGE.admins.items()))),
        dict(reversed(list(CHANGE.proxies.items()))),
    )
    assert json.dumps(change_to_plain(turned)) == json.dumps(change_to_plain(CHANGE))


@pytest.mark.parametrize(
    "type_", [tc.SHORT, tc.USHORT, tc.LONG, tc.LONGLONG, tc.ULONGLONG, TIME_T], ids=str
)
def test_the_type_of_a_value_is_kept(type_: tc.TypeCode) -> None:
    rule = MappingRule(Any(type_, 3), (MappedConstraint(NEAR, Any(type_, 4)),))
    proxy = ProxyRule(Side.CONSUMER, 5, 3, Rule(priority=rule))
    change = change_from_plain(change_to_plain(PlanChange(1, proxies={5: proxy})))
    found = change.proxies[5]
    assert found is not None
    assert found.rule.priority is not None
    assert infer(found.rule.priority.default) == type_
    assert infer(found.rule.priority.best_first[0].value) == type_


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
        (None, "None is no object with format"),
        ([], "is no object"),
        (lacking("proxies"), "'proxies' is missing"),
        (lacking("format"), "'format' is missing"),
        (spoilt("format", value=2), "format 2; this version reads up to 1"),
        ({"format": 2}, "format 2; this version reads up to 1"),
        (spoilt("format", value="1"), "format: '1' is no format"),
        (spoilt("version", value=-1), "version: -1 is no number"),
        (spoilt("version", value=True), "version: True is no number"),
        (spoilt("whole", value=0), "whole: 0 is neither true nor false"),
        (spoilt("option", value={}), "did you mean 'options'"),
        (spoilt("options", "empty_filter_passes", value=1), r"options\.empty_filter_passes: 1"),
        (spoilt("options", value={}), "options: 'empty_filter_passes' is missing"),
        (spoilt("admins", value={}), "admins: {} is no list"),
        (spoilt("admins", 1, "side", value="both"), r"admins\[1\]\.side: 'both' is none of supp"),
        (spoilt("admins", 1, "side", value=[]), r"admins\[1\]\.side: \[\] is none of"),
        (spoilt("admins", 1, "operator", value="AND"), r"admins\[1\]\.operator: .*AND_OP, OR_OP"),
        (spoilt("admins", 1, "admin", value="4"), r"admins\[1\]\.admin: '4' is no number"),
        (spoilt("admins", 0, "filters", 0, value={}), r"admins\[0\]\.filters\[0\]: {} is no list"),
        (spoilt("admins", 0, "filters", 0, 1, value=""), r"admins\[0\]\.filters\[0\]\[1\]: ''"),
        (spoilt("proxies", 0, "types", 0, value="a::b"), r"proxies\[0\]\.types\[0\]: 'a::b' is no"),
        (spoilt("proxies", 0, "types", 0, value=["a", "%B"]), r"proxies\[0\]\.types\[0\]: '%B' is"),
        (spoilt("proxies", 0, "priority", value=3), r"proxies\[0\]\.priority: 3 is no object"),
        (spoilt(*MAPPED, "value", value="x"), r"proxies\[0\]\.priority: .*integer, not to 'x'"),
        (spoilt(*MAPPED, "value", value=2**70), r"best_first\[0\]\.value: .* outside"),
        (
            spoilt(*MAPPED, "value", value={"$type": "short", "value": 2**20}),
            r"proxies\[0\]\.priority\.best_first\[0\]\.value: ",
        ),
        (spoilt(*MAPPED, "text", value=3), r"priority\.best_first\[0\]\.text: 3 is no text"),
        (spoilt("removed_admins", 0, value=2), r"removed_admins\[0\]: 2 is no admin"),
        (spoilt("removed_admins", 0, value=["consumer", 3]), "admin 3 of the consumers stands"),
        (spoilt("removed_proxies", 0, value=5), "the proxy 5 stands there twice"),
        (spoilt("removed_proxies", value=[9, 9]), "the proxy 9 stands there twice"),
    ],
)
def test_what_is_no_change(data: object, problem: str) -> None:
    with pytest.raises(InvalidUsage, match=problem):
        change_from_plain(data)


@pytest.mark.parametrize(
    ("spoil", "place"),
    [
        (
            lambda text: spoilt("admins", 0, "filters", 0, 1, "text", value=text),
            "admins[0].filters[0][1].text: ",
        ),
        (
            lambda text: spoilt(*MAPPED, "text", value=text),
            "proxies[0].priority.best_first[0].text: ",
        ),
    ],
)
def test_a_bad_constraint_is_named_with_its_place(
    spoil: Callable[[str], object], place: str
) -> None:
    with pytest.raises(InvalidConstraint) as caught:
        change_from_plain(spoil("$zone = = 3"))
    assert caught.value.problem.startswith(place)
    assert caught.value.text == "$zone = = 3"
    assert caught.value.position > 0


def test_the_data_is_left_as_it_was() -> None:
    plain = copy.deepcopy(PLAIN)
    change_from_plain(plain)
    assert plain == PLAIN
