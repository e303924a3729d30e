from __future__ import annotations

import pytest

from tidings.idl.compile import compile_source, compile_text
from tidings.idl.faults import InvalidIdl, Source
from tidings.idl.limits import Limits
from tidings.idl.model import AliasDef, Basic, InterfaceDef, Model, StructDef, UnionDef, unaliased
from tidings.idl.sources import Texts


def ids(model: Model) -> dict[str, str]:
    return {one.scoped: one.id for one in model.definitions}


def interface(model: Model, name: str) -> InterfaceDef:
    found = model.find(name)
    assert isinstance(found, InterfaceDef)
    return found


# ---------------------------------------------------------------- repository ids


def test_ids_are_made_of_prefix_scopes_and_version() -> None:
    model = compile_text(
        """struct Bare {};
        #pragma prefix "omg.org"
        module A {
          interface I { exception X {}; };
          module B {
            #pragma prefix "other"
            struct Inner {};
          };
          struct After {};
        };
        #pragma prefix ""
        struct Plain {};
        """
    )
    assert ids(model) == {
        "Bare": "IDL:Bare:1.0",
        "A::I::X": "IDL:omg.org/A/I/X:1.0",
        "A::I": "IDL:omg.org/A/I:1.0",
        "A::B::Inner": "IDL:other/A/B/Inner:1.0",
        "A::After": "IDL:omg.org/A/After:1.0",
        "Plain": "IDL:Plain:1.0",
    }


def test_a_prefix_ends_with_its_file_and_does_not_reach_into_others() -> None:
    files = Texts({"B.idl": '#pragma prefix "b"\nstruct B {};', "C.idl": "struct C {};"})
    text = '#pragma prefix "a"\n#include <B.idl>\n#include <C.idl>\nstruct A {};'
    model = compile_source(Source("main.idl", text), files)
    assert ids(model) == {"B": "IDL:b/B:1.0", "C": "IDL:C:1.0", "A": "IDL:a/A:1.0"}


def test_version_and_id_are_set_by_pragma() -> None:
    model = compile_text(
        """module A { struct S {}; enum E {x}; };
        #pragma version A::S 2.3
        #pragma ID A::E "LOCAL:E"
        """
    )
    assert ids(model) == {"A::S": "IDL:A/S:2.3", "A::E": "LOCAL:E"}


def test_an_escaped_name_has_no_underscore() -> None:
    model = compile_text("module M { struct _EventType {}; typedef sequence<EventType> S; };")
    assert ids(model)["M::EventType"] == "IDL:M/EventType:1.0"


# ---------------------------------------------------------------- names


def test_modules_can_be_reopened() -> None:
    model = compile_text("module A { struct S {}; }; module A { typedef S T; };")
    alias = model.find("A::T")
    assert isinstance(alias, AliasDef)
    assert alias.type is model.find("A::S")


def test_names_are_looked_up_from_the_inside_out() -> None:
    model = compile_text(
        """typedef long T;
        module A { typedef short T; module B { typedef T Inner; typedef ::T Outer; }; };"""
    )
    inner, outer = model.find("A::B::Inner"), model.find("A::B::Outer")
    assert isinstance(inner, AliasDef)
    assert isinstance(outer, AliasDef)
    assert inner.type is model.find("A::T")
    assert outer.type is model.find("T")


def test_names_of_base_interfaces_are_found() -> None:
    model = compile_text(
        """interface A { typedef long T; exception X {}; };
        interface B : A {};
        interface C : B { T f() raises (X); };"""
    )
    (operation,) = interface(model, "C").operations
    assert operation.result is model.find("A::T")
    assert operation.raises == (model.find("A::X"),)


def test_what_a_base_declares_anew_hides_what_it_inherits() -> None:
    model = compile_text(
        """interface A { typedef long T; };
        interface B : A { typedef short T; };
        interface C : A, B { T f(); };"""
    )
    (operation,) = interface(model, "C").operations
    assert operation.result is model.find("B::T")


def test_an_announced_interface_is_the_one_defined_later() -> None:
    model = compile_text("interface A; interface B { A get(); }; interface A { B get(); };")
    (operation,) = interface(model, "B").operations
    assert operation.result is interface(model, "A")
    assert interface(model, "A").complete


def test_a_struct_contains_itself_through_a_sequence() -> None:
    model = compile_text("struct Node { long n; sequence<Node> kids; };")
    node = model.find("Node")
    assert isinstance(node, StructDef)
    assert getattr(node.members[1].type, "element", None) is node


def test_ancestors_come_once_and_before_those_that_inherit_from_them() -> None:
    model = compile_text(
        "interface A {}; interface B : A {}; interface C : A {}; interface D : C, B {};"
    )
    assert [one.name for one in interface(model, "D").ancestors] == ["A", "C", "B"]


def test_a_long_chain_of_diamonds_costs_little() -> None:
    parts = ["interface A0 { typedef long T; };"]
    for i in range(60):
        parts.append(f"interface L{i} : A{i} {{}}; interface R{i} : A{i} {{}};")
        parts.append(f"interface A{i + 1} : L{i}, R{i} {{ T f{i}(); }};")
    model = compile_text("".join(parts))
    assert len(interface(model, "A60").ancestors) == 180


def test_labels_of_an_enum_need_no_scope_in_its_union() -> None:
    model = compile_text(
        """module A { enum E {x, y}; };
        union U switch (A::E) { case x: long a; case A::y: short b; };"""
    )
    union = model.find("U")
    assert isinstance(union, UnionDef)
    assert [branch.labels for branch in union.branches] == [("x",), ("y",)]


def test_a_member_may_be_called_as_its_type_but_for_case() -> None:
    compile_text("enum Color {red}; struct S { Color color; Color other; };")


def test_typecode_needs_no_declaration() -> None:
    model = compile_text("typedef CORBA::TypeCode A; typedef TypeCode B;")
    for one in model.definitions:
        assert isinstance(one, AliasDef)
        assert isinstance(unaliased(one), Basic)


# ---------------------------------------------------------------- faults


@pytest.mark.parametrize(
    ("text", "problem", "column"),
    [
        ("typedef Foo T;", "'Foo' is not declared", 9),
        ("module A {}; typedef A::B T;", "'A' has no 'B'", 22),
        ("typedef long A; typedef A::B T;", "'A' has nothing inside", 25),
        ("module A {}; typedef A T;", "A is a module, and no type", 22),
        ("const long a = 1; typedef a T;", "a is a constant, and no type", 27),
        ("exception X {}; typedef X T;", "X is an exception, and no type", 25),
        ("enum E {x}; typedef x T;", "x is a label of an enum, and no type", 21),
        ("struct A {}; struct A {};", "'A' is already declared at text.idl:1:1", 14),
        ("struct A {}; struct a {};", "'a' differs from 'A' of text.idl:1:1 only in case", 14),
        ("struct Abc {}; typedef ABC T;", "'ABC' differs from 'Abc'", 24),
        ("enum E {x}; enum F {x};", "'x' is already declared", 21),
        ("struct A { long x; short X; };", "'X' differs from 'x'", 26),
        ("struct A { A inner; };", "A is not complete here", 12),
        ("struct A; typedef A T; struct A {};", "A is not complete here", 19),
        ("struct A; typedef sequence<A> S;", "A is announced, but never defined", 1),
        ("interface A; interface B : A {};", "A is announced, but not defined yet", 28),
        ("struct S {}; interface B : S {};", "S is no interface", 28),
        ("interface A : A {};", "A cannot inherit from itself", 15),
        ("interface A {}; interface B : A, A {};", "B names a base twice", 17),
        ("interface A { void f(); void f(); };", "'f' is already declared", 30),
        ("interface A { void f(); attribute long F; };", "'F' differs from 'f'", 40),
        (
            "interface A { void f(); }; interface B : A { void f(); };",
            "'f' is already inherited from A",
            51,
        ),
        (
            "interface A { void f(); }; interface B { void f(); }; interface C : A, B {};",
            "C inherits 'f' from A and from B",
            55,
        ),
        (
            "interface A {typedef any T;}; interface B {typedef any T;};\ninterface C:A,B{T f();};",
            "'T' is inherited from B and A",
            17,
        ),
        ("interface A { void f(in long a, in long A); };", "the parameter 'A' stands twice", 33),
        ("interface A { oneway long f(); };", "f is oneway, and so gives nothing back", 15),
        ("interface A { oneway void f(out long x); };", "f is oneway", 15),
        ("struct S {}; interface A { void f() raises (S); };", "S is no exception", 45),
        ("union U switch (float) { case 1: long x; };", "cannot select a branch", 17),
        ("union U switch (octet) { case 1: long x; };", "cannot select a branch", 17),
        ("union U switch (long) { case 1: long x; case 1: long y; };", "label 1 stands twice", 46),
        (
            "union U switch (long) { default: long x; default: long y; };",
            "the label default stands twice",
            42,
        ),
        ("union U switch (long) { };", "a union has at least one branch", 1),
        (
            "union U switch (boolean) { case TRUE: long a; case FALSE: long b; default: long c; };",
            "default can never be reached",
            1,
        ),
        ("union U switch (boolean) { case 1: long a; };", "the integer '1' is no boolean", 33),
        ("union U switch (short) { case 70000: long a; };", "70000 is no short", 31),
        ("typedef string<0> T;", "a bound is 1 to 4294967295, not 0", 16),
        ("typedef long T[0];", "a dimension is 1 to", 16),
        ("typedef long T[10000][10000];", "an array has at most 16777216 elements", 16),
        ("typedef fixed<32,2> T;", "digits are 1 to 31", 9),
        ("typedef fixed<2,3> T;", "the scale 0 to digits", 9),
        ("typedef fixed T;", "fixed needs digits and scale", 9),
        ('#pragma ID A "x"', "'A' is not declared", 1),
        ('enum E {x};\n#pragma ID x "y"', "x has no repository id", 1),
        (
            'enum E {x};\n#pragma ID E "a"\n#pragma ID E "b"',
            "E has the repository id a already",
            1,
        ),
    ],
)
def test_a_fault_is_told_with_its_place(text: str, problem: str, column: int) -> None:
    with pytest.raises(InvalidIdl) as caught:
        compile_text(text)
    assert problem in caught.value.problem
    assert caught.value.column == column


def test_too_many_bases_are_refused() -> None:
    chain = "interface A0 {};" + "".join(f"interface A{i} : A{i - 1} {{}};" for i in range(1, 9))
    with pytest.raises(InvalidIdl, match="more than 5 base interfaces"):
        compile_text(chain, limits=Limits(bases=5))


def test_an_unknown_definition_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="None"):
        compile_text("").find("None")
