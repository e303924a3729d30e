"""Code that writes and reads types: what it looks like, what it refuses, and when it is made."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from tidings.cos import CosNotification_auto as notification
from tidings.cos import CosNotifyComm_auto as notify_comm
from tidings.events import typecode as tc
from tidings.events.typecode import TypeCode
from tidings.idl.compile import load_idl
from tidings.orb import marshal_checks as checks
from tidings.orb.cdr_reader import Reader
from tidings.orb.cdr_writer import Writer
from tidings.orb.exceptions import BAD_PARAM, MARSHAL, NO_IMPLEMENT, OMG
from tidings.orb.marshal_source import MarshalSource
from tidings.orb.marshal_types import Types


def reader(octets: bytes = b"") -> Reader:
    return Reader(octets, little=True)


def test_a_sequence_is_counted_before_its_elements_are_written() -> None:
    writer = Writer(little=True)
    assert checks.counted(writer, (1, 2), 0, "T") == (1, 2)
    assert writer.getvalue() == b"\2\0\0\0"
    with pytest.raises(BAD_PARAM, match="T: 3 elements are more than 2"):
        checks.counted(writer, [1, 2, 3], 2, "T")
    for wrong in ("text", b"octets", {1, 2}, None):
        with pytest.raises(BAD_PARAM, match="is not a tuple or list"):
            checks.counted(writer, wrong, 0, "T")
    assert len(writer.getvalue()) == 4


def test_an_array_has_its_length() -> None:
    assert checks.exactly([1, 2], 2, "T") == [1, 2]
    for wrong in ((1,), (1, 2, 3), "ab", None):
        with pytest.raises(BAD_PARAM, match="is not a tuple or list of 2 elements"):
            checks.exactly(wrong, 2, "T")


def test_bounds_of_what_is_written_and_read() -> None:
    assert checks.at_most("ab", 2, "T") == "ab"
    with pytest.raises(BAD_PARAM, match="T: 3 are more than 2"):
        checks.at_most(b"abc", 2, "T")
    assert checks.read_at_most(reader(), "ab", 2, "T") == "ab"
    with pytest.raises(MARSHAL, match="T: 3 are more than 2"):
        checks.read_at_most(reader(), b"abc", 2, "T")
    assert checks.read_count(reader(b"\2\0\0\0ab"), 1, 2, "T") == 2
    with pytest.raises(MARSHAL, match="T: 2 elements are more than 1"):
        checks.read_count(reader(b"\2\0\0\0ab"), 1, 1, "T")
    assert checks.empty_count(reader(), 5) == 5
    with pytest.raises(MARSHAL, match="without octets"):
        checks.empty_count(reader(), 10_000_000)


def test_faults_tell_what_and_how_it_travels() -> None:
    assert checks.no_label("C", "yen").minor == OMG | 25
    assert "C has no label with the number 7" in checks.no_ordinal(reader(), "C", 7).why
    assert checks.no_member("S", ("x", "y"), (1,)).why == "S: expected x, y; got (1,)"
    assert checks.no_member("S", (), (1,)).why == "S: expected nothing; got (1,)"
    assert "use UnionValue" in checks.no_union("U", 5).why
    assert isinstance(checks.too_deep("N"), BAD_PARAM)
    assert isinstance(checks.read_too_deep(reader(), "N"), MARSHAL)
    with pytest.raises(NO_IMPLEMENT, match="int has no push"):
        checks.not_done(5, "push")


def test_nothing_is_written_and_read_as_nothing() -> None:
    writer = Writer()
    checks.write_nothing(writer, ())
    checks.write_void(writer, None)
    assert writer.getvalue() == b""
    assert checks.read_nothing(reader()) == ()
    checks.read_void(reader())


P = tc.struct("IDL:P:1.0", "P", [("x", tc.LONG), ("y", tc.STRING)])
E = tc.struct("IDL:E:1.0", "E", [])
U = tc.union("IDL:U:1.0", "U", tc.CHAR, [("a", "p", P)])
C = tc.enum("IDL:C:1.0", "C", ["r", "g"])


@pytest.mark.parametrize(
    ("type_", "octets"),
    [
        *((tc.OCTET, 1), (tc.SHORT, 2), (C, 4), (tc.DOUBLE, 8), (tc.ANY, 4), (tc.STRING, 4)),
        *((tc.objref(), 8), (tc.fixed(5, 2), 3), (tc.LONGDOUBLE, 16), (P, 8), (E, 0), (U, 1)),
        *((tc.sequence(P), 4), (tc.array(P, 3), 24), (tc.alias("IDL:A:1.0", "A", P), 8)),
    ],
)
def test_the_fewest_octets_of_an_element_bound_the_count(type_: TypeCode, octets: int) -> None:
    source = MarshalSource(Types({"P_TYPE": P, "P": tuple, "E_TYPE": E, "E": tuple}))
    assert source.least_octets(type_) == octets


@pytest.mark.parametrize(
    ("type_", "read", "written"),
    [
        *((tc.LONG, "r.long()", ["w.long(v)"]), (tc.objref(), "r.reference()", ["w.reference(v)"])),
        (tc.OCTETS, "r.octets()", ["w.octets(v)"]),
        (tc.array(tc.OCTET, 4), "r.take(4)", ["w.octet_array(v, 4)"]),
        (tc.alias("IDL:L:1.0", "L", tc.sequence(tc.LONG)),
         "r.numbers('i', 4, r.length(4))",
         ["w.numbers('i', 4, counted(w, v, 0, 'sequence<long>'), 'long')"]),
        (tc.sequence(tc.sequence(tc.STRING), 3),
         ("tuple([tuple([r.string() for _ in range(r.length(4))])"
          " for _ in range(read_count(r, 4, 3, 'sequence<sequence<string>,3>'))])"),
         ["for x0 in counted(w, v, 3, 'sequence<sequence<string>,3>'):",
          "    for x1 in counted(w, x0, 0, 'sequence<string>'):",
          "        w.string(x1)"]),
    ],
)  # fmt: skip
def test_the_code_is_straight(type_: TypeCode, read: str, written: list[str]) -> None:
    source = MarshalSource(Types({}))
    assert source.read_expression(type_) == read
    assert source.write_lines(type_, "v") == written


def test_types_may_nest_deeper_than_the_blocks_of_python() -> None:
    type_, value = tc.STRING, "x"
    for _ in range(40):
        type_, value = tc.sequence(type_), (value,)  # type: ignore[assignment]
    writer = Writer(little=True)
    types = Types({})
    types.writes(type_)(writer, value)
    assert types.reads(type_)(Reader(writer.getvalue(), little=True)) == value


TYPES = """module M {
  enum Color {red, green};
  struct Point { short x; short y; };
  struct Shape { Color color; sequence<Point> points; };
  struct Node { string name; sequence<Node> kids; };
  exception Odd { Shape shape; };
  interface Board {
    long draw(in string title, in Shape shape, out Point at);
    void end();
  };
};"""


@pytest.fixture
def module() -> ModuleType:
    return load_idl(TYPES)


def fault(write: Callable[[Writer, Any], None], value: Any) -> str:
    with pytest.raises(BAD_PARAM) as raised:
        write(Writer(), value)
    return raised.value.why


def test_nothing_is_made_before_it_is_needed(module: ModuleType) -> None:
    draw = module.Board_INTERFACE.operations["draw"]
    first = draw.write_arguments
    assert not module._here.functions
    draw.write_arguments(Writer(), ("t", ("red", [(1, 2)])))
    assert {(way, type_.name) for way, type_ in module._here.functions} == {
        *(("write", "Color"), ("write", "Shape"), ("write", "Point"))
    }
    made = draw.write_arguments
    assert made is not first
    first(Writer(), ("t", ("red", [(1, 2)])))
    assert draw.write_arguments is made


def test_a_fault_names_the_way_to_what_is_wrong(module: ModuleType) -> None:
    draw = module.Board_INTERFACE.operations["draw"]
    assert fault(draw.write_arguments, (7, ("red", []))).startswith("title: ")
    few = fault(draw.write_arguments, ("t",))
    assert few.startswith("the arguments of draw: expected title, shape")
    for shape, told in (
        (("blue", []), "shape: color: 'blue'"),
        (("red", [(1, 2), (3, "4")]), "shape: points: y: "),
        (("red", [(1,)]), "shape: points: struct Point: expected x, y; got (1,)"),
    ):
        assert fault(draw.write_arguments, ("t", shape)).startswith(told)
    assert fault(draw.write_result, ("7", (1, 2))).startswith("result: ")
    assert fault(draw.write_result, (7, (1, 2**15))).startswith("at: y: 32768 is not a valid short")
    odd = module.Odd(("red", [(1, None)]))
    assert "shape: points: y: None is not a valid short" in fault(module.Odd.write, odd)
    # A long way is not named to its end.
    value: Any = (5, ())
    for _ in range(90):
        value = ("n", (value,))
    told = fault(module.write_Node, value)
    assert "kids: kids: name: 5 is not " in told
    assert len(told) < 400


def test_modules_share_what_writes_the_types_of_one() -> None:
    event = ((("a", "b"), "c"), ()), (), None
    push = notify_comm.StructuredPushConsumer_INTERFACE.operations["push_structured_event"]
    push.write_arguments(Writer(), (event,))
    key = ("write", notification.StructuredEvent_TYPE)
    assert key in notification._here.functions
    assert key not in notify_comm._here.functions


def test_an_operation_can_be_changed_for_one_use(module: ModuleType) -> None:
    draw = module.Board_INTERFACE.operations["draw"]
    other = draw.replace(name="paint", contexts=((1, b"x"),))
    assert (draw.name, other.name, other.method) == ("draw", "paint", "draw")
    one, two = Writer(), Writer()
    draw.write_arguments(one, ("t", ("red", ())))
    other.write_arguments(two, ("t", ("red", ())))
    assert one.getvalue() == two.getvalue()
    with pytest.raises(TypeError):
        draw.replace(nothing=1)
