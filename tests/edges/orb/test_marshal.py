"""What writes and reads the types of generated modules: what it refuses, and when it is made."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from tidings.events import typecode as tc
from tidings.events.typecode import TypeCode
from tidings.idl.compile import load_idl
from tidings.orb.cdr_plans import shape_of
from tidings.orb.cdr_reader import Reader
from tidings.orb.cdr_writer import Writer
from tidings.orb.exceptions import BAD_PARAM, NO_IMPLEMENT
from tidings.orb.marshal import (
    Types,
    not_done,
    read_nothing,
    read_void,
    write_nothing,
    write_void,
)


def test_nothing_is_written_and_read_as_nothing() -> None:
    writer, reader = Writer(), Reader(b"", little=True)
    write_nothing(writer, ())
    write_void(writer, None)
    assert writer.getvalue() == b""
    assert read_nothing(reader) == ()
    read_void(reader)
    with pytest.raises(NO_IMPLEMENT, match="int has no push"):
        not_done(5, "push")


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
    assert shape_of(type_).least == octets


def test_types_may_nest_deep() -> None:
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
    draw.write_arguments(Writer(), ("t", ("red", [(1, 2)])))
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
