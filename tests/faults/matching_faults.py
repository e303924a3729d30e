"""Faults in matching on Spark; the modules are in `pipeline`."""

from __future__ import annotations

from tests.faults.fault import Fault

__all__ = ["MATCHING_FAULTS"]

CLAUSES = "matching_clauses.py"
EVENTS = "matching_events.py"
SLOTS = "matching_slots.py"
TABLE = "matching_table.py"
VIEWS = "matching_views.py"
WAYS = "matching_ways.py"

MATCHING_FAULTS = [
    Fault(
        "both sides of an `or` may hold at once",
        CLAUSES,
        "before = _checked([(*one, *two) for one in before for two in other])",
        "pass",
    ),
    Fault(
        "the constraints of a filter may hold at once",
        CLAUSES,
        "before = (*before, *_not(constraint))",
        "pass",
    ),
    Fault(
        "an admin's OR gives a consumer twice",
        CLAUSES,
        "return first if refused is None else [*first, *_product([refused], second)]",
        "return [*first, *second]",
    ),
    Fault(
        "lists of event types do not count",
        CLAUSES,
        "found = [(*_of_types(types), *clause) for clause in found]",
        "found = list(found)",
    ),
    Fault(
        "large integers are not compared again",
        WAYS,
        "left if _is_exact(constant) else clause",
        "left",
    ),
    Fault(
        "a letter is no code",
        WAYS,
        "return ((str(constant), ()), (None, (float(ord(constant)),)))",
        "return ((str(constant), ()),)",
    ),
    Fault(
        "under a value nothing but the cell beside is tested",
        WAYS,
        "yield Door(door.text, door.numbers, left, cells)",
        "yield Door(door.text, door.numbers, (), cells)",
    ),
    Fault(
        "a crowd is looked for in the cells of no number",
        WAYS,
        "yield (NAN_CELL,), rest",
        "yield (), rest",
    ),
    Fault(
        "the ends of ranges are not tested",
        WAYS,
        "yield sorted(edges - set(inside)), clause",
        "yield sorted(edges - set(inside)), rest",
    ),
    Fault(
        "NaN passes no negated comparison",
        WAYS,
        "            all(one.is_negated for one in known),",
        "            False,",
    ),
    Fault(
        "the header hides nothing",
        EVENTS,
        'return f"(CASE WHEN {hidden} THEN {header} ELSE {column} END)[{quoted(name)}]"',
        'return f"{column}[{quoted(name)}]"',
    ),
    Fault(
        "an element that is there twice is found twice",
        TABLE,
        "*self._same_answer(), *self._not_before()",
        "*self._same_answer()",
    ),
    Fault(
        "slots that are used together share columns",
        SLOTS,
        'name.startswith("t.c") and name not in beside',
        'name.startswith("t.c")',
    ),
    Fault(
        "a constraint that must not be true may be",
        SLOTS,
        'test = f"NOT coalesce({test}, FALSE)"',
        'test = "TRUE"',
    ),
    Fault(
        "versions that are over still count",
        TABLE,
        'left.append("(t.until IS NULL OR e_plan < t.until)")',
        "pass",
    ),
    Fault(
        "all channels share their consumers",
        TABLE,
        "self._origins = len({unit.origin for unit in book.units}) > 1",
        "self._origins = False",
    ),
    Fault(
        "an event's own priority does not count",
        VIEWS,
        "= e_priority, FALSE)",
        "= e_priority AND FALSE, FALSE)",
    ),
    Fault(
        "a lifetime is taken for microseconds",
        VIEWS,
        'return f"{units // 10}L" if units else _NO_LIFETIME',
        'return f"{units}L" if units else _NO_LIFETIME',
    ),
    Fault(
        "a lifetime of 0 ends at once",
        VIEWS,
        'own = f"CASE WHEN {said} = 0 THEN NULL ELSE {said} DIV 10 END"',
        'own = f"{said} DIV 10"',
    ),
]
