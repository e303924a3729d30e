"""Faults in the plan, and a compact check that must catch each.

``python -m tests.faults.plan_faults <package folder>`` runs the check on the package in a
folder; it prints what it caught and exits 1, or exits 0.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import tidings
from tests.faults.fault import Fault
from tidings.errors import InvalidUsage
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.events.build import event
from tidings.events.fields import fields_of
from tidings.filters.constraint import EventTypePattern, constraint
from tidings.filters.mapping import MappedConstraint
from tidings.filters.persistent_map import PersistentMap
from tidings.filters.plan import (
    AdminRule,
    MappingRule,
    Operator,
    Plan,
    PlanOptions,
    ProxyRule,
    Rule,
    Side,
)
from tidings.filters.plan_form import change_from_plain, change_to_plain

CAUGHT = "caught:"
PLAN = "filters/plan.py"
FORM = "filters/plan_form.py"
MAP = "filters/persistent_map.py"

PLAN_FAULTS = [
    Fault("AND and OR are swapped", PLAN, "operator is Operator.OR", "operator is Operator.AND"),
    Fault(
        "a group without filters is never neutral",
        PLAN,
        "is_or and not options.empty_group_is_neutral",
        "is_or",
    ),
    Fault(
        "a group without filters is always neutral",
        PLAN,
        "is_or and not options.empty_group_is_neutral",
        "False",
    ),
    Fault("the admin's list is ignored", PLAN, '(("admin", admin.rule.types), ', "("),
    Fault(
        "an empty filter always passes",
        PLAN,
        "not constraints and options.empty_filter_passes",
        "not constraints",
    ),
    Fault("the default goes before the own value", PLAN, "own is None or", "own is not None or"),
    Fault(
        "the default is never forced",
        PLAN,
        "own is None or options.mapping_default_always",
        "own is None",
    ),
    Fault(
        "the admin's mapping wins",
        PLAN,
        "shared.priority if own.priority is None else own.priority",
        "own.priority if shared.priority is None else shared.priority",
    ),
    Fault(
        "the version is not raised",
        PLAN,
        "PlanChange(self.version + 1,",
        "PlanChange(self.version,",
    ),
    Fault(
        "a change applies to any version",
        PLAN,
        "if change.version != self.version + 1:",
        "if change.version < 0:",
    ),
    Fault("a whole keeps what was before", PLAN, "_from(Plan(options=options),", "_from(self,"),
    Fault("suppliers receive", PLAN, "rule.side is Side.CONSUMER and", ""),
    Fault("removals are not written", FORM, "in proxies if rule is None]", "in proxies if False]"),
    Fault(
        "constraints are shared whatever their types",
        FORM,
        "self.shared.get((text, types))",
        "next((c for (t, _), c in self.shared.items() if t == text), None)",
    ),
    Fault(
        "a short becomes a long",
        FORM,
        "if type(value) is int:",
        "if type(value := plain_value(value)) is int:",
    ),
    Fault("removal is ignored", MAP, "chunk.pop(key, None)", "chunk.get(key)"),
    Fault("the one before changes too", MAP, "chunks[place] = chunks[place].copy()", "pass"),
    Fault("keys stay in their chunks when these grow", MAP, "_spread(chunks, count)", "chunks * 2"),
]

FIELDS = fields_of(event("Telecom", "Alarm", "n", {"a": 1}))
YES, NO = constraint("$a == 1"), constraint("$a == 2")
GROUPS = {"none": Rule(), "yes": Rule(((NO,), (YES,))), "no": Rule(((NO,),))}
SIDE = Side.CONSUMER


def plan(
    admin: Rule, proxy: Rule, operator: Operator = Operator.AND, options: PlanOptions | None = None
) -> Plan:
    """A plan with one admin and its proxy 5, and a supplier 6 without rules."""
    made, _ = Plan().changed(
        {(SIDE, 1): AdminRule(SIDE, 1, operator, admin)},
        {5: ProxyRule(SIDE, 5, 1, proxy), 6: ProxyRule(Side.SUPPLIER, 6, 1)},
        options,
    )
    return made


def tables() -> Iterator[str]:
    """Admin and proxy together, with their options."""
    passing = {"none": None, "yes": True, "no": False}
    for admin, a in passing.items():
        for proxy, p in passing.items():
            said = [answer for answer in (a, p) if answer is not None]
            for operator, expected in ((Operator.AND, all(said)), (Operator.OR, any(said or [1]))):
                for neutral in (True, False):
                    made = plan(
                        GROUPS[admin],
                        GROUPS[proxy],
                        operator,
                        PlanOptions(empty_group_is_neutral=neutral),
                    )
                    opened = operator is Operator.OR and not neutral and len(said) < 2
                    recipients = (5,) if expected or opened else ()
                    if made.judge(FIELDS, 6).recipients != recipients:
                        yield f"{admin} {operator.value} {proxy}, neutral {neutral}"
    for passes in (True, False):
        made = plan(Rule(), Rule(((),)), options=PlanOptions(empty_filter_passes=passes))
        if made.verdict(FIELDS, 5).passed is not passes:
            yield f"an empty filter passes: {passes}"
    unlisted = Rule(types=(EventTypePattern("Telecom", "Call"),))
    for rules in ((unlisted, Rule()), (Rule(), unlisted)):
        if plan(*rules).verdict(FIELDS, 5).passed:
            yield "a list is ignored"


def mappings() -> Iterator[str]:
    """What an event gets, and whose mapping says so."""
    high, low = (
        MappingRule(Any(tc.SHORT, default), (MappedConstraint(NO, Any(tc.SHORT, 9)),))
        for default in (7, 3)
    )
    for own, always, expected in ((None, False, 7), (2, False, 2), (2, True, 7)):
        if high.value(FIELDS, own, PlanOptions(mapping_default_always=always)) != expected:
            yield f"own {own}, always {always}"
    made = plan(Rule(priority=low), Rule(priority=high))
    if made.mapping(5, "priority") != high:
        yield "the proxy's mapping does not win"
    if change_from_plain(change_to_plain(made.whole())) != made.whole():
        yield "a mapping is not the same after the way through plain data"


def versions() -> Iterator[str]:
    """Changes here and elsewhere."""
    first = plan(GROUPS["yes"], GROUPS["no"])
    typed = Rule(((YES, constraint(YES.text, ["Telecom::Call"])),))
    second, change = first.changed({(SIDE, 1): None}, {5: None, 8: ProxyRule(SIDE, 8, 2, typed)})
    if (first.version, second.version) != (1, 2) or sorted(second.proxies) != [6, 8]:
        yield "the next version is not what was asked for"
    read = change_from_plain(json.loads(json.dumps(change_to_plain(change))))
    if first.apply(read) != second or first.apply(second.whole()) != second:
        yield "elsewhere it is another plan"
    try:
        Plan().apply(change)
    except InvalidUsage:
        pass
    else:
        yield "a change was applied to another version"


def maps() -> Iterator[str]:
    """The mapping beneath, against a dictionary."""
    made = PersistentMap[int, int]()
    for key in range(300):
        before, content = made, dict(made)
        made = made.changed({key: key, key - 7: None})
        if before != content:
            yield "a change shows in the version before"
        if dict(made) != {k: k for k in range(max(0, key - 6), key + 1)}:
            yield f"after {key} it is another mapping"
    grown = PersistentMap[int, int]()
    for key in range(300):
        grown = grown.changed({key: key})
    if sorted(grown) != list(range(300)) or any(grown.get(key) != key for key in range(300)):
        yield "on growing a key is lost, or stands there twice"


def main(package: str) -> int:
    """Checks the package in a folder; 1 if something is wrong with it."""
    assert Path(tidings.__file__).is_relative_to(package), "another copy is on the path"
    try:
        for check in (maps, tables, mappings, versions):
            for found in check():
                sys.stdout.write(f"{CAUGHT} {found}\n")
                return 1
    except Exception as error:  # noqa: BLE001 -- whatever it is, it was caught
        sys.stdout.write(f"{CAUGHT} {error!r}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
