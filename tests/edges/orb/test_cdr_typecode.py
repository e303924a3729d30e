"""Reading TypeCodes, and above all the indirections in them."""

from __future__ import annotations

import struct
from typing import NamedTuple

import pytest

from tidings.events import typecode as tc
from tidings.events.typecode import TypeCode
from tidings.orb.cdr_reader import Reader, read_value
from tidings.orb.cdr_writer import Writer
from tidings.orb.codesets import OURS
from tidings.orb.exceptions import MARSHAL
from tidings.orb.limits import DEFAULT_LIMITS, Limits


class Again(NamedTuple):
    """An indirection to a place."""

    place: str


class Type(NamedTuple):
    """A TypeCode of a kind with parameters, and what the place where it begins is called."""

    kind: int
    place: str
    parts: tuple[object, ...]


def a_struct(name: str, *members: object, place: str = "") -> Type:
    return Type(15, place or name, (f"IDL:{name}:1.0", name, len(members) // 2, *members))


class Handmade(Writer):
    """Writes TypeCodes word by word, and remembers where they begin."""

    __slots__ = ("places",)

    def __init__(self, *parts: object) -> None:
        super().__init__(codesets=OURS)
        self.places: dict[str, int] = {}
        self.put(*parts)

    def put(self, *parts: object) -> None:
        for part in parts:
            match part:
                case str():
                    self.string(part)
                case int():
                    self.long(part)
                case Again(place):
                    self.long(-1)
                    self.long(self.places[place] - self.at)
                case Type(kind, place, inner):
                    self.long(kind)
                    self.places[place] = self.at - 4
                    begun = self.begin_encapsulation()
                    self.put(*inner)
                    self.end_encapsulation(begun)

    def read(self, limits: Limits = DEFAULT_LIMITS) -> TypeCode:
        reader = Reader(self.getvalue(), little=True, codesets=OURS, limits=limits)
        type_ = reader.typecode()
        assert reader.left == 0
        return type_


def test_a_repeat_crosses_encapsulations() -> None:
    header = a_struct("Header", "props", Type(19, "props", (11, 0)))
    made = Handmade(a_struct("Outer", "first", header, "second", Again("props")))
    inner = tc.struct("IDL:Header:1.0", "Header", [("props", tc.sequence(tc.ANY))])
    members = [("first", inner), ("second", tc.sequence(tc.ANY))]
    assert made.read() == tc.struct("IDL:Outer:1.0", "Outer", members)


def test_a_part_of_a_recursive_type_may_stand_outside_of_it() -> None:
    node = a_struct("Node", "kids", Type(19, "kids", (Again("Node"), 0)))
    type_ = Handmade(a_struct("Outer", "tree", node, "forest", Again("kids"))).read()
    whole = tc.struct("IDL:Node:1.0", "Node", [("kids", tc.sequence(tc.recursive("IDL:Node:1.0")))])
    assert [member.type for member in type_.members] == [whole, tc.sequence(whole)]
    octets = struct.pack("<4I", 0, 2, 0, 0)
    assert read_value(Reader(octets, little=True), type_) == (((),), (((),), ((),)))


def test_recursion_needs_an_id_that_names_one_type() -> None:
    inner = a_struct("Same", "up", Again("outer"))
    with pytest.raises(MARSHAL, match="no id of its own"):
        Handmade(a_struct("Same", "inner", inner, place="outer")).read()


def test_labels_of_a_compact_enum_are_places() -> None:
    made = Handmade(Type(17, "", ("IDL:E:1.0", "", 2, "", "")))
    assert made.read() == tc.enum("IDL:E:1.0", "", ["_0", "_1"])


def test_the_label_of_a_default_branch_means_nothing() -> None:
    enum = Type(17, "", ("IDL:E:1.0", "E", 1, "only"))

    def union(default: int, label: int, switch: object = enum) -> TypeCode:
        parts = ("IDL:U:1.0", "U", switch, default, 1, label, "branch", 3)
        return Handmade(Type(16, "", parts)).read()

    assert union(0, 77).default_index == 0
    assert union(-1, 0).members[0].label == "only"
    with pytest.raises(MARSHAL, match="a double cannot select a branch"):
        union(-1, 0, switch=7)


def test_the_limits_hold_for_types_that_are_remembered() -> None:
    made = Handmade()
    made.typecode(tc.sequence(tc.sequence(tc.LONG)))
    assert made.read() == tc.sequence(tc.sequence(tc.LONG))
    for limits in (Limits(typecode_depth=2), Limits(typecode_size=2), Limits(typecodes=2)):
        with pytest.raises(MARSHAL):
            made.read(limits)
    assert made.read(Limits(typecode_depth=3, typecode_size=3, typecodes=3)).depth == 3


def test_a_repeat_counts_with_all_that_is_in_it() -> None:
    made = Handmade(a_struct("Outer", "a", a_struct("Inner", "x", 3), "b", Again("Inner")))
    # The outer struct, the inner one and its long, twice, and the indirection itself.
    assert made.read(Limits(typecode_size=6)).members[1].type.name == "Inner"
    with pytest.raises(MARSHAL, match="nodes"):
        made.read(Limits(typecode_size=5))
