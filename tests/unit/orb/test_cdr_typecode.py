"""Reading TypeCodes, and above all the indirections in them."""

from __future__ import annotations

import struct

import pytest

from tidings.events import typecode as tc
from tidings.events.typecode import TypeCode
from tidings.orb.cdr_reader import Reader
from tidings.orb.cdr_values import read_value
from tidings.orb.cdr_writer import Writer
from tidings.orb.codesets import OURS
from tidings.orb.exceptions import MARSHAL, NO_IMPLEMENT
from tidings.orb.limits import DEFAULT_LIMITS, Limits

INDIRECTION = 0xFFFFFFFF


class Handmade(Writer):
    """Writes TypeCodes word by word, and remembers where some of them begin."""

    __slots__ = ("places",)

    def __init__(self) -> None:
        super().__init__(codesets=OURS)
        self.places: dict[str, int] = {}

    def begin(self, kind: int, place: str = "") -> tuple[int, int]:
        self.ulong(kind)
        self.places[place] = self.at - 4
        return self.begin_encapsulation()

    def begin_struct(self, name: str, count: int) -> tuple[int, int]:
        begun = self.begin(15, name)
        self.string(f"IDL:{name}:1.0")
        self.string(name)
        self.ulong(count)
        return begun

    def indirect(self, place: str) -> None:
        self.ulong(INDIRECTION)
        self.long(self.places[place] - self.at)

    def read(self, limits: Limits = DEFAULT_LIMITS) -> TypeCode:
        reader = Reader(self.getvalue(), little=True, codesets=OURS, limits=limits)
        type_ = reader.typecode()
        assert reader.left == 0
        return type_


def test_recursion_as_omniorb_writes_it() -> None:
    made = Handmade()
    node = made.begin_struct("Node", 2)
    made.string("v")
    made.ulong(3)
    made.string("kids")
    kids = made.begin(19)
    made.indirect("Node")
    made.ulong(0)
    made.end_encapsulation(kids)
    made.end_encapsulation(node)
    again = tc.sequence(tc.recursive("IDL:Node:1.0"))
    assert made.read() == tc.struct("IDL:Node:1.0", "Node", [("v", tc.LONG), ("kids", again)])


def test_a_repeat_crosses_encapsulations() -> None:
    made = Handmade()
    outer = made.begin_struct("Outer", 2)
    made.string("first")
    header = made.begin_struct("Header", 1)
    made.string("props")
    props = made.begin(19, "props")
    made.ulong(11)
    made.ulong(0)
    made.end_encapsulation(props)
    made.end_encapsulation(header)
    made.string("second")
    made.indirect("props")
    made.end_encapsulation(outer)
    inner = tc.struct("IDL:Header:1.0", "Header", [("props", tc.sequence(tc.ANY))])
    members = [("first", inner), ("second", tc.sequence(tc.ANY))]
    assert made.read() == tc.struct("IDL:Outer:1.0", "Outer", members)


def test_a_repeat_may_point_to_a_plain_type() -> None:
    made = Handmade()
    outer = made.begin_struct("Outer", 2)
    made.string("a")
    made.ulong(3)
    made.places["long"] = made.at - 4
    made.string("b")
    made.indirect("long")
    made.end_encapsulation(outer)
    assert [member.type for member in made.read().members] == [tc.LONG, tc.LONG]


def test_a_part_of_a_recursive_type_may_stand_outside_of_it() -> None:
    made = Handmade()
    outer = made.begin_struct("Outer", 2)
    made.string("tree")
    node = made.begin_struct("Node", 1)
    made.string("kids")
    kids = made.begin(19, "kids")
    made.indirect("Node")
    made.ulong(0)
    made.end_encapsulation(kids)
    made.end_encapsulation(node)
    made.string("forest")
    made.indirect("kids")
    made.end_encapsulation(outer)
    type_ = made.read()
    whole = tc.struct("IDL:Node:1.0", "Node", [("kids", tc.sequence(tc.recursive("IDL:Node:1.0")))])
    assert [member.type for member in type_.members] == [whole, tc.sequence(whole)]
    octets = struct.pack("<4I", 0, 2, 0, 0)
    assert read_value(Reader(octets, little=True), type_) == (((),), (((),), ((),)))


def test_recursion_needs_an_id_that_names_one_type() -> None:
    made = Handmade()
    outer = made.begin_struct("Same", 1)
    place = made.places["Same"]
    made.string("inner")
    inner = made.begin_struct("Same", 1)
    made.string("up")
    made.places["outer"] = place
    made.indirect("outer")
    made.end_encapsulation(inner)
    made.end_encapsulation(outer)
    with pytest.raises(MARSHAL, match="no id of its own"):
        made.read()


def test_labels_of_a_compact_enum_are_places() -> None:
    made = Handmade()
    begun = made.begin(17)
    made.string("IDL:E:1.0")
    made.string("")
    made.ulong(2)
    made.string("")
    made.string("")
    made.end_encapsulation(begun)
    assert made.read() == tc.enum("IDL:E:1.0", "", ["_0", "_1"])


def union_octets(default: int, label: int) -> Handmade:
    made = Handmade()
    begun = made.begin(16)
    made.string("IDL:U:1.0")
    made.string("U")
    enum = made.begin(17)
    made.string("IDL:E:1.0")
    made.string("E")
    made.ulong(1)
    made.string("only")
    made.end_encapsulation(enum)
    made.long(default)
    made.ulong(1)
    made.ulong(label)
    made.string("branch")
    made.ulong(3)
    made.end_encapsulation(begun)
    return made


def test_the_label_of_a_default_branch_means_nothing() -> None:
    assert union_octets(0, 77).read().default_index == 0
    assert union_octets(-1, 0).read().members[0].label == "only"


@pytest.mark.parametrize(("default", "label"), [(-1, 1), (-2, 0), (1, 0)])
def test_a_union_whose_labels_are_none_is_refused(default: int, label: int) -> None:
    with pytest.raises(MARSHAL):
        union_octets(default, label).read()


def test_a_type_that_is_none_is_refused_with_the_reason() -> None:
    octets = struct.pack("<IHh", 28, 40, 2)
    with pytest.raises(MARSHAL, match="digits must be 1 to 31"):
        Reader(octets, little=True).typecode()


def test_value_types_are_not_supported() -> None:
    with pytest.raises(NO_IMPLEMENT, match="value box"):
        Reader(struct.pack("<3I", 30, 4, 1), little=True).typecode()


def test_the_limits_hold_for_types_that_are_remembered() -> None:
    made = Handmade()
    made.typecode(tc.sequence(tc.sequence(tc.LONG)))
    assert made.read() == tc.sequence(tc.sequence(tc.LONG))
    for limits in (Limits(typecode_depth=2), Limits(typecode_size=2), Limits(typecodes=2)):
        with pytest.raises(MARSHAL):
            made.read(limits)
    assert made.read(Limits(typecode_depth=3, typecode_size=3, typecodes=3)).depth == 3


def test_a_repeat_counts_with_all_that_is_in_it() -> None:
    made = Handmade()
    outer = made.begin_struct("Outer", 2)
    made.string("a")
    made.typecode(tc.struct("IDL:Inner:1.0", "Inner", [("x", tc.LONG)]))
    made.places["inner"] = made.buffer.index(b"IDL:Inner") - 16
    made.string("b")
    made.indirect("inner")
    made.end_encapsulation(outer)
    # The outer struct, the inner one and its long, twice, and the indirection itself.
    assert made.read(Limits(typecode_size=6)).members[1].type.name == "Inner"
    with pytest.raises(MARSHAL, match="nodes"):
        made.read(Limits(typecode_size=5))


def test_equal_types_are_one_object() -> None:
    made = Handmade()
    made.typecode(tc.struct("IDL:Once:1.0", "Once", [("a", tc.LONG)]))
    assert made.read() is made.read()
