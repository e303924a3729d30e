"""Asks a case of every part that answers constraints, and says who disagrees.

No pytest in here: the tests of planted faults run it in processes of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from tests.laws.conformance.case_tables import ANSWERS, Case, Cell
from tests.laws.conformance.sample_events import EVENTS, fields
from tidings.errors import InvalidConstraint
from tidings.events.fields import Fields
from tidings.filters.check import check
from tidings.filters.constraint import Constraint, constraint
from tidings.filters.explain import explain
from tidings.filters.index import MatchIndex
from tidings.filters.parse import parse
from tidings.filters.printing import print_tree
from tidings.filters.rewrite import fold, normalise, push_negation
from tidings.filters.to_python import to_python


def complaints(case: Case) -> list[str]:
    """Everything that is wrong about a case."""
    found = _about_invalid(case) if case.invalid else _about_valid(case)
    return [f"{case.place}: {case.text}\n    {complaint}" for complaint in found]


def _about_invalid(case: Case) -> Iterator[str]:
    try:
        check(case.text)
    except InvalidConstraint as error:
        if error.column != case.column:
            yield f"the caret is under column {error.column}, not {case.column}: {error.problem}"
        if case.notes.get("says", "") not in error.problem:
            yield f"the message is {error.problem!r}"
    else:
        yield "was accepted"


def _about_valid(case: Case) -> Iterator[str]:
    try:
        asked = constraint(case.text)
    except InvalidConstraint as error:
        yield f"was refused: {error}"
        return
    yield from disagreements(asked, fields(case.event), case.expected)
    yield from _about_notes(case, asked)


def _about_notes(case: Case, asked: Constraint) -> Iterator[str]:
    printed = print_tree(asked.tree)
    if case.notes.get("tree", printed) != printed:
        yield f"prints as {printed}"
    if "because" in case.notes:
        fault = explain(asked.tree, fields(case.event)).first_error()
        if fault is None or case.notes["because"] not in fault.error:
            yield f"explain gives the reason {fault and fault.error!r}"
    cautions = [f"{c.problem} / {c.hint}" for c in check(case.text).cautions]
    warns = case.notes.get("warns", "")
    if warns == "nothing" and cautions:
        yield f"warns: {cautions}"
    elif warns != "nothing" and warns and not any(warns in caution for caution in cautions):
        yield f"does not warn of {warns!r}, but: {cautions}"


def disagreements(asked: Constraint, event: Fields, expected: bool | None) -> Iterator[str]:
    """Who does not give the expected answer: TRUE, FALSE or None for an error."""
    tree = asked.tree
    answers: dict[str, object] = {
        "compiled": asked.predicate(event),
        "explain": explain(tree, event).value,
        "print and parse": to_python(parse(print_tree(tree)))(event),
        "fold": explain(fold(tree), event).value,
        "push_negation": explain(push_negation(tree), event).value,
        "normalise": to_python(normalise(tree))(event),
    }
    for who, answer in answers.items():
        if answer is not expected:
            yield f"{who} says {answer}, expected {expected}"
    yield from _index_disagreements(asked, event, expected)
    if parse(print_tree(tree)) != tree:
        yield f"prints as {print_tree(tree)}, which is another tree"
    if asked.matches(event) is not (expected is True):
        yield f"matches() is {asked.matches(event)}"


def _index_disagreements(asked: Constraint, event: Fields, expected: bool | None) -> Iterator[str]:
    index: MatchIndex[str] = MatchIndex()
    index.add("asked", [asked])
    found = index.match(event)
    if found != ["asked"] * (expected is True):
        yield f"the index finds {found}, expected {expected}"
    index.remove("asked")
    if index.match(event):
        yield "the index finds it after it was removed"


def crowd_complaints(cases: list[Case]) -> list[str]:
    """What is wrong when all cases are in one index, and every event is asked of it."""
    index: MatchIndex[int] = MatchIndex()
    valid = dict(enumerate(case for case in cases if not case.invalid))
    constraints = {key: constraint(case.text) for key, case in valid.items()}
    for key, asked in constraints.items():
        index.add(key, [asked])
    wrong: list[str] = []
    for name in EVENTS:
        event = fields(name)
        found = index.match(event)
        expected = {key for key, asked in constraints.items() if asked.predicate(event) is True}
        wrong += [
            f"event {name}: {valid[key].text} is found: {key in found}"
            for key in expected ^ set(found)
        ]
        if len(found) != len(set(found)):
            wrong.append(f"event {name}: the index finds something twice")
    return wrong


# How the kinds of the truth tables are written; every other kind is a field of its name.
LITERAL_KINDS = {"'B'": "'B'", "7": "7", "label": "major", "text": "'node'", "TRUE": "TRUE"}
NUMBERS = {"i": int, "r": float, "d": Decimal}


def cell_complaints(cell: Cell) -> list[str]:
    """Everything that is wrong about a cell of a truth table."""
    names = {cell.left, cell.right}
    operands = {name: LITERAL_KINDS.get(name, f"${name}") for name in names}
    text = cell.text(operands)
    event = fields("kinds")
    if cell.answer in NUMBERS:
        return [f"{text}: {wrong}" for wrong in _not_a_number(text, NUMBERS[cell.answer])]
    if cell.answer == "-":
        return [] if _refused(text) else [f"{text}: was accepted"]
    # Arithmetic that fails is asked for inside a comparison, so that the result is a boolean.
    asked = constraint(f"0 == {text}" if cell.operator in "+-*/%" else text)
    expected = ANSWERS[{"T": "TRUE", "F": "FALSE", "!": "error"}[cell.answer]]
    return [f"{text}: {wrong}" for wrong in disagreements(asked, event, expected)]


def _refused(text: str) -> bool:
    try:
        check(text)
    except InvalidConstraint:
        return True
    return False


def _not_a_number(text: str, kind: type) -> Iterator[str]:
    event = fields("kinds")
    asked = constraint(f"0 == {text}")
    explained = explain(asked.tree, event)
    value = explained.parts[1].value
    if type(value) is not kind:
        yield f"gives {value!r}, not a {kind.__name__}"
    else:
        yield from disagreements(asked, event, value == 0)
