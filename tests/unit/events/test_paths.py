from __future__ import annotations

import pickle

import pytest

from tidings.events import typecode as tc
from tidings.events.anyvalue import Any, UnionValue, Value
from tidings.events.paths import (
    MISSING,
    Branch,
    DefaultActive,
    Discriminator,
    Element,
    Length,
    Name,
    Pair,
    Path,
    Position,
    ReposId,
    Step,
    TypeId,
    walk,
)

TEXTS: list[tuple[str | None, list[Step], str]] = [
    (None, [], "$"),
    ("a", [], "$a"),
    ("in", [], "$\\in"),
    ("a", [Name("b"), Position(0), Element(3), Pair("k")], "$a.b.0[3](k)"),
    (None, [Name("or"), Pair("Default")], "$.\\or(\\Default)"),
    (None, [Branch("int", -1), Branch("bool", True)], "$.(-1).(TRUE)"),
    (None, [Branch("str", "'"), Branch("str", "\\")], "$.('\\'').('\\\\')"),
    (None, [Branch("enum", "and"), Branch("default")], "$.(\\and).()"),
    (None, [Length()], "$._length"),
    (None, [Discriminator()], "$._d"),
    (None, [DefaultActive()], "$._d?default"),
    (None, [TypeId()], "$._type_id"),
    (None, [ReposId()], "$._repos_id"),
]


@pytest.mark.parametrize(("root", "steps", "text"), TEXTS)
def test_a_path_is_its_text(root: str | None, steps: list[Step], text: str) -> None:
    path = Path(root, steps)
    assert path == text
    assert {path: 1}[Path(root, steps)] == 1
    assert (path.root, path.steps) == (root, tuple(steps))


def test_paths_travel_between_processes() -> None:
    path = Path("a", [Name("b"), Branch("str", "x")])
    again = pickle.loads(pickle.dumps(path))
    assert (again, again.root, again.steps) == (path, path.root, path.steps)


# What the case tables cannot say: what stands in a typed place keeps its type.
PERSON = tc.struct("IDL:P:1.0", "P", [("age", tc.SHORT), ("free", tc.ANY)])


@pytest.mark.parametrize(
    ("step", "expected"),
    [(Name("age"), Any(tc.SHORT, 5)), (Position(0), Any(tc.SHORT, 5)), (Name("free"), 6)],
)
def test_a_member_comes_with_its_type(step: Step, expected: Value) -> None:
    assert walk(Any(PERSON, (5, 6)), (step,)) == expected


def test_a_branch_and_a_discriminator_come_with_their_types() -> None:
    union = Any(tc.union("", "", tc.SHORT, [(1, "a", tc.CHAR)]), UnionValue(1, "x"))
    assert walk(union, (Name("a"),)) == Any(tc.CHAR, "x")
    assert walk(union, (Discriminator(),)) == Any(tc.SHORT, 1)


def test_no_steps_lead_to_the_value_itself() -> None:
    assert walk(5, ()) == 5
    assert walk(Any(tc.SHORT, 5), ()) == Any(tc.SHORT, 5)


def test_types_are_those_of_the_places() -> None:
    def type_of(value: Value, *steps: Step) -> object:
        return walk(value, (*steps, TypeId()))

    assert type_of((1, 2**40), Element(0)) == "long long"
    assert type_of((1, "a"), Element(0)) == "long"
    assert type_of(b"ab", Element(0)) == "octet"
    assert (
        type_of({"a": {"b": (0, 2**63)}}, Name("a"), Name("b"), Element(0)) == "unsigned long long"
    )
    assert type_of({"a": Any(tc.SHORT, 1)}, Name("a")) == "short"
    assert type_of(Any(tc.ANY, (1, 2**40)), Element(0)) == "long long"
    assert type_of(({"n": "k", "v": 1},), Pair("k")) == "long"


def test_a_path_through_a_type_that_contains_itself() -> None:
    tree = tc.struct(
        "IDL:T:1.0", "T", [("n", tc.LONG), ("below", tc.sequence(tc.recursive("IDL:T:1.0")))]
    )
    value = Any(tree, (1, [(2, [(3, [])])]))
    below = (Name("below"), Element(0))
    assert walk(value, (*below, *below, Name("n"))) == Any(tc.LONG, 3)
    assert walk(value, (*below, *below, *below)) is MISSING
    assert walk(value, (*below, TypeId())) == "T"
