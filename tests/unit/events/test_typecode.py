from __future__ import annotations

import pickle
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from tidings.errors import InvalidTypeCode
from tidings.events import typecode as tc
from tidings.events.typecode import Kind, TypeCode

TREE = tc.struct(
    "IDL:Tree:1.0",
    "Tree",
    [("value", tc.LONG), ("children", tc.sequence(tc.recursive("IDL:Tree:1.0")))],
)
CHOICE = tc.union(
    "IDL:Choice:1.0",
    "Choice",
    tc.LONG,
    [(1, "s", tc.STRING), (2, "s", tc.STRING), (3, "n", tc.LONG), (None, "d", tc.DOUBLE)],
)
NO_DEFAULT = tc.union("", "", tc.BOOLEAN, [(True, "yes", tc.LONG)])


def test_equal_types_are_equal_and_hash_alike() -> None:
    one = tc.sequence(tc.struct("", "", [("a", tc.LONG)]))
    two = tc.sequence(tc.struct("", "", [("a", tc.LONG)]))
    assert one == two
    assert hash(one) == hash(two)
    assert one != tc.sequence(tc.struct("", "", [("b", tc.LONG)]))


def test_a_type_that_contains_itself_is_whole_at_every_level() -> None:
    below = TREE.member_type(1).element_type
    assert below is TREE
    assert below.member_type(1).element_type is TREE


def test_types_that_contain_each_other_are_whole_at_every_level() -> None:
    inner = tc.struct(
        "IDL:B:1.0",
        "B",
        [
            ("a", tc.sequence(tc.recursive("IDL:A:1.0"))),
            ("b", tc.sequence(tc.recursive("IDL:B:1.0"))),
        ],
    )
    outer = tc.struct("IDL:A:1.0", "A", [("b", inner), ("n", tc.LONG)])
    b = outer.member_type(0)
    assert b.member_type(0).element_type is outer
    assert b.member_type(1).element_type is b
    assert b.open_ids == frozenset()
    assert outer.member_type(1) is tc.LONG


def test_an_inner_type_of_the_same_id_is_left_alone() -> None:
    inner = tc.struct("IDL:A:1.0", "A", [("x", tc.sequence(tc.recursive("IDL:A:1.0")))])
    outer = tc.struct("IDL:A:1.0", "A", [("inner", inner)])
    assert outer.member_type(0) is inner


def test_recursion_through_an_alias() -> None:
    trees = tc.alias("IDL:Trees:1.0", "Trees", tc.sequence(tc.recursive("IDL:T:1.0")))
    tree = tc.struct("IDL:T:1.0", "T", [("trees", trees)])
    assert tree.member_type(0).unaliased.element_type is tree
    assert tree.member_type(0).id == "IDL:Trees:1.0"


def test_open_ids() -> None:
    assert tc.recursive("IDL:A:1.0").open_ids == {"IDL:A:1.0"}
    assert tc.sequence(tc.recursive("IDL:A:1.0")).open_ids == {"IDL:A:1.0"}
    assert TREE.open_ids == frozenset()


def test_aliases_are_looked_through() -> None:
    metres = tc.alias("IDL:M:1.0", "M", tc.alias("IDL:N:1.0", "N", tc.DOUBLE))
    assert metres.unaliased is tc.DOUBLE
    assert metres.type_name == "double"
    assert metres.equivalent(tc.DOUBLE)
    assert metres != tc.DOUBLE


@pytest.mark.parametrize(
    ("type_", "name"),
    [
        (TREE, "Tree"),
        (tc.ULONG, "unsigned long"),
        (tc.OCTETS, "sequence"),
        (tc.string(4), "string"),
        (tc.array(tc.LONG, 2), "array"),
        (tc.struct("", "", []), "struct"),
        (tc.objref(), "Object"),
        (tc.fixed(3, 1), "fixed"),
    ],
)
def test_type_names(type_: TypeCode, name: str) -> None:
    assert type_.type_name == name


def test_members_by_name() -> None:
    assert TREE.member_index("children") == 1
    assert TREE.member_index("Children") == -1


def test_only_sequences_arrays_and_aliases_have_elements() -> None:
    assert tc.array(tc.LONG, 2).element_type is tc.LONG
    with pytest.raises(InvalidTypeCode, match="a long has no elements"):
        _ = tc.LONG.element_type


@pytest.mark.parametrize(("label", "branch"), [(1, 0), (2, 1), (3, 2), (9, 3), (True, 3)])
def test_branches_by_label(label: int, branch: int) -> None:
    assert CHOICE.branch_index(label) == branch


def test_without_a_default_a_label_may_select_nothing() -> None:
    assert NO_DEFAULT.branch_index(True) == 0
    assert NO_DEFAULT.branch_index(False) == -1
    assert NO_DEFAULT.branch_index(1) == -1


def test_two_labels_of_one_branch() -> None:
    assert CHOICE.same_branch(0, 1)
    assert CHOICE.same_branch(2, 2)
    assert not CHOICE.same_branch(0, 2)
    assert not CHOICE.same_branch(-1, -1)
    unnamed = tc.union("", "", tc.LONG, [(1, "", tc.LONG), (2, "", tc.LONG)])
    assert not unnamed.same_branch(0, 1)


def test_types_of_one_id_are_equivalent_whatever_they_contain() -> None:
    assert tc.struct("IDL:A:1.0", "A", []).equivalent(tc.struct("IDL:A:1.0", "B", [("x", tc.LONG)]))
    assert not tc.struct("IDL:A:1.0", "A", []).equivalent(tc.struct("IDL:B:1.0", "A", []))


@pytest.mark.parametrize(
    ("one", "two", "equivalent"),
    [
        (tc.sequence(tc.LONG), tc.sequence(tc.alias("IDL:N:1.0", "N", tc.LONG)), True),
        (tc.sequence(tc.LONG), tc.sequence(tc.LONG, 3), False),
        (tc.sequence(tc.LONG), tc.sequence(tc.SHORT), False),
        (tc.struct("", "", [("a", tc.LONG)]), tc.struct("", "", [("b", tc.LONG)]), True),
        (tc.struct("", "", [("a", tc.LONG)]), tc.struct("", "", []), False),
        (tc.struct("", "", [("a", tc.LONG)]), tc.exception("", "", [("a", tc.LONG)]), False),
        (NO_DEFAULT, tc.union("", "", tc.BOOLEAN, [(False, "yes", tc.LONG)]), False),
        (NO_DEFAULT, tc.union("", "", tc.LONG, [(1, "yes", tc.LONG)]), False),
        (tc.enum("", "", ["a"]), tc.enum("", "", ["b"]), True),
        (tc.enum("", "", ["a"]), tc.enum("", "", ["a", "b"]), False),
        (tc.fixed(3, 1), tc.fixed(3, 2), False),
    ],
)
def test_equivalence_by_shape(one: TypeCode, two: TypeCode, *, equivalent: bool) -> None:
    assert one.equivalent(two) is equivalent
    assert two.equivalent(one) is equivalent


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: tc.fixed(32, 0), "digits must be 1 to 31"),
        (lambda: tc.fixed(3, 4), "scale 0 to digits"),
        (lambda: tc.string(-1), "string bound -1"),
        (lambda: tc.sequence(tc.LONG, 2**32), "sequence bound"),
        (lambda: tc.array(tc.LONG, -1), "array length"),
        (lambda: tc.recursive(""), "repository id"),
        (lambda: tc.enum("", "E", []), "at least one label"),
        (lambda: tc.enum("", "E", ["a", "a"]), "each once"),
        (lambda: tc.union("", "U", tc.STRING, []), "a string cannot select"),
        (lambda: tc.union("", "U", tc.OCTET, []), "an? octet cannot select"),
        (lambda: tc.union("", "U", tc.SHORT, [(2**15, "a", tc.LONG)]), "is no short"),
        (lambda: tc.union("", "U", tc.LONG, [(True, "a", tc.LONG)]), "True is no long"),
        (lambda: tc.union("", "U", tc.BOOLEAN, [(1, "a", tc.LONG)]), "1 is no boolean"),
        (lambda: tc.union("", "U", tc.CHAR, [("ab", "a", tc.LONG)]), "is no char"),
        (lambda: tc.union("", "U", tc.CHAR, [("€", "a", tc.LONG)]), "is no char"),
        (lambda: tc.union("", "U", tc.enum("", "E", ["x"]), [("y", "a", tc.LONG)]), "is no E"),
        (lambda: tc.union("", "U", tc.LONG, [(1, "a", tc.LONG), (1, "b", tc.LONG)]), "twice"),
        (lambda: tc.union("", "U", tc.LONG, [(None, "a", tc.LONG)] * 2), "twice"),
        (lambda: tc.struct("", "", [("\ud800", tc.LONG)]), "cannot be a name"),
        (lambda: tc.enum("", "\udfff", ["a"]), "cannot be a name"),
        (lambda: tc.union("", "", tc.WCHAR, [("\ud800", "a", tc.LONG)]), "cannot be a name"),
    ],
)
def test_what_is_no_type(make: Callable[[], TypeCode], says: str) -> None:
    with pytest.raises(InvalidTypeCode, match=says):
        make()


def test_types_nest_so_deep_and_no_deeper() -> None:
    type_ = tc.LONG
    for _ in range(tc.MAX_TYPE_DEPTH - 1):
        type_ = tc.sequence(type_)
    assert type_.depth == tc.MAX_TYPE_DEPTH
    with pytest.raises(InvalidTypeCode, match="nest deeper than 80"):
        tc.struct("", "", [("a", type_)])


def test_many_labels_are_found_without_looking_at_all() -> None:
    labels = [f"l{i}" for i in range(100_000)]
    enum = tc.enum("", "E", labels)
    union = tc.union("", "U", tc.LONG, [(i, f"b{i}", tc.LONG) for i in range(100_000)])
    start = time.thread_time()
    for i in range(0, 100_000, 100):
        assert enum.has_label(labels[i])
        assert union.branch_index(i) == i
    assert time.thread_time() - start < 5


def test_types_keep_their_hash_on_the_way_to_another_process() -> None:
    # In another process texts hash differently, so a hash carried along would be wrong there.
    script = (
        "import pickle, sys\n"
        "t = pickle.loads(sys.stdin.buffer.read())\n"
        "from tidings.events import typecode as tc\n"
        "again = tc.struct(t.id, t.name, [(m.name, m.type) for m in t.members])\n"
        "assert t == again and hash(t) == hash(again) and {again: 1}[t]\n"
    )
    subprocess.run(
        [sys.executable, "-c", script], input=pickle.dumps(TREE), check=True, timeout=110
    )


def test_primitives_are_shared() -> None:
    assert tc.PRIMITIVES[Kind.LONG] is tc.LONG
    assert all(tc.PRIMITIVES[kind].kind is kind for kind in tc.KEYWORDS)
