from __future__ import annotations

import pytest

from tidings.events import typecode as tc
from tidings.events.typecode import TypeCode
from tidings.idl.compile import compile_text
from tidings.idl.faults import InvalidIdl
from tidings.idl.limits import Limits
from tidings.idl.model import ConstDef, NamedDef
from tidings.idl.typecodes import TypeCodes


def code(text: str, name: str, limits: Limits = Limits()) -> TypeCode:  # noqa: B008 - frozen
    model = compile_text(text)
    codes = TypeCodes(limits)
    found: dict[str, TypeCode] = {}
    for one in model.definitions:
        assert not isinstance(one, ConstDef)
        found[one.scoped] = codes.of(one)  # type: ignore[arg-type]  # what is no constant is a type
    assert isinstance(model.find(name), NamedDef)
    return found[name]


def test_a_struct_with_aliases_and_bounds() -> None:
    text = """#pragma prefix "p"
        module M {
          typedef string<5> Name;
          enum E {a, b};
          struct S { Name n; E e; sequence<long, 3> q; long g[2][3]; fixed<4,2> f; Object o; };
        };"""
    name = tc.alias("IDL:p/M/Name:1.0", "Name", tc.string(5))
    assert code(text, "M::S") == tc.struct(
        "IDL:p/M/S:1.0",
        "S",
        [
            ("n", name),
            ("e", tc.enum("IDL:p/M/E:1.0", "E", ["a", "b"])),
            ("q", tc.sequence(tc.LONG, 3)),
            ("g", tc.array(tc.array(tc.LONG, 3), 2)),
            ("f", tc.fixed(4, 2)),
            ("o", tc.objref()),
        ],
    )


def test_a_union_has_an_entry_for_every_label() -> None:
    text = "union U switch (char) { case 'a': case 'b': long x; default: any y; };"
    assert code(text, "U") == tc.union(
        "IDL:U:1.0",
        "U",
        tc.CHAR,
        [("a", "x", tc.LONG), ("b", "x", tc.LONG), (None, "y", tc.ANY)],
    )


def test_interfaces_and_exceptions() -> None:
    text = "interface I {}; exception X { I who; wstring why; };"
    assert code(text, "X") == tc.exception(
        "IDL:X:1.0", "X", [("who", tc.objref("IDL:I:1.0", "I")), ("why", tc.WSTRING)]
    )


def test_a_type_that_contains_itself_names_the_inner_place() -> None:
    text = "struct Node { sequence<Node> kids; };"
    assert code(text, "Node") == tc.struct(
        "IDL:Node:1.0", "Node", [("kids", tc.sequence(tc.recursive("IDL:Node:1.0")))]
    )


MUTUAL = """struct B;
typedef sequence<B> Bs;
struct A { Bs all; };
struct B { sequence<A> all; };
"""


def test_types_that_contain_each_other_look_different_from_each_side() -> None:
    inner = tc.struct("IDL:A:1.0", "A", [("all", _bs(tc.recursive("IDL:B:1.0")))])
    b = tc.struct("IDL:B:1.0", "B", [("all", tc.sequence(inner))])
    assert code(MUTUAL, "B") == b
    assert code(MUTUAL, "Bs") == _bs(b)
    inside = tc.struct("IDL:B:1.0", "B", [("all", tc.sequence(tc.recursive("IDL:A:1.0")))])
    assert code(MUTUAL, "A") == tc.struct("IDL:A:1.0", "A", [("all", _bs(inside))])


def _bs(content: TypeCode) -> TypeCode:
    return tc.alias("IDL:Bs:1.0", "Bs", tc.sequence(content))


def test_every_typecode_is_whole() -> None:
    for name in ("A", "B", "Bs"):
        assert not code(MUTUAL, name).open_ids


def test_what_nests_too_deep_is_refused() -> None:
    aliases = "typedef long T0;" + "".join(f"typedef T{i} T{i + 1};" for i in range(100))
    with pytest.raises(InvalidIdl, match="types nest deeper than 80"):
        code(aliases, "T100")


def test_a_long_chain_of_announced_structs_is_refused() -> None:
    chain = "".join(f"struct S{i}; typedef sequence<S{i}> Q{i};" for i in range(500))
    chain += "".join(f"struct S{i} {{ Q{i + 1} q; }};" for i in range(499)) + "struct S499 {};"
    with pytest.raises(InvalidIdl, match="types nest deeper than 80"):
        code(chain, "S0")


def test_types_that_all_contain_each_other_are_bounded() -> None:
    count = 12
    text = "".join(f"struct S{i}; typedef sequence<S{i}> Q{i};" for i in range(count))
    members = "".join(f"Q{j} q{j};" for j in range(count))
    text += "".join(f"struct S{i} {{ {members} }};" for i in range(count))
    with pytest.raises(InvalidIdl, match="more than 5000 parts"):
        code(text, "S0", Limits(type_nodes=5000))


def test_a_doubling_chain_of_structs_costs_little() -> None:
    text = "struct S0 { long x; };"
    text += "".join(f"struct S{i + 1} {{ S{i} a, b; }};" for i in range(60))
    assert code(text, "S60").depth == 62
