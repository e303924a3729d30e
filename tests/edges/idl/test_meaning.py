"""What IDL means: repository ids, names, constants, type codes, and faults with their place."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.laws.idl_texts import Texts, compile_text
from tidings.events import typecode as tc
from tidings.events.typecode import TypeCode
from tidings.idl.compile import compile_source
from tidings.idl.faults import IdlLimits, InvalidIdl, Source
from tidings.idl.model import AliasDef, ConstDef, Model, NamedDef, UnionDef
from tidings.idl.typecodes import TypeCodes


def find(model: Model, scoped: str) -> NamedDef:
    return {one.scoped: one for one in model.definitions}[scoped]


def ids(model: Model) -> dict[str, str]:
    return {one.scoped: one.id for one in model.definitions}


def test_ids_are_made_of_prefix_scopes_and_version() -> None:
    model = compile_text(
        """struct Bare {};
        #pragma prefix "omg.org"
        module A { interface I { exception X {}; }; module B {
        #pragma prefix "other"
        struct Inner {}; }; struct After {}; };
        #pragma prefix ""
        struct Plain {};"""
    )
    assert ids(model) == {
        "Bare": "IDL:Bare:1.0", "A::I::X": "IDL:omg.org/A/I/X:1.0", "A::I": "IDL:omg.org/A/I:1.0",
        "A::B::Inner": "IDL:other/A/B/Inner:1.0", "A::After": "IDL:omg.org/A/After:1.0",
        "Plain": "IDL:Plain:1.0",
    }  # fmt: skip


def test_a_prefix_ends_with_its_file_and_does_not_reach_into_others() -> None:
    files = Texts({"B.idl": '#pragma prefix "b"\nstruct B {};', "C.idl": "struct C {};"})
    text = '#pragma prefix "a"\n#include <B.idl>\n#include <C.idl>\nstruct A {};'
    model = compile_source(Source("main.idl", text), files)
    assert ids(model) == {"B": "IDL:b/B:1.0", "C": "IDL:C:1.0", "A": "IDL:a/A:1.0"}


def test_version_and_id_are_set_by_pragma() -> None:
    pragmas = '#pragma version A::S 2.3\n#pragma ID A::E "LOCAL:E"\n'
    model = compile_text("module A { struct S {}; enum E {x}; };\n" + pragmas)
    assert ids(model) == {"A::S": "IDL:A/S:2.3", "A::E": "LOCAL:E"}


def aliased(model: Model, name: str) -> object:
    found = find(model, name)
    assert isinstance(found, AliasDef)
    return found.type


def test_names_are_looked_up_from_the_inside_out() -> None:
    model = compile_text(
        """typedef long T; module M { struct S {}; }; module M { typedef S U; };
        module A { typedef short T; module B { typedef T Inner; typedef ::T Outer; }; };
        enum Color {red}; struct S { Color color; Color other; };"""
    )
    assert aliased(model, "M::U") is find(model, "M::S")  # a module can be reopened
    assert aliased(model, "A::B::Inner") is find(model, "A::T")
    assert aliased(model, "A::B::Outer") is find(model, "T")
    with pytest.raises(KeyError, match="None"):
        find(model, "None")


def test_labels_of_an_enum_need_no_scope_in_its_union() -> None:
    model = compile_text(
        """module A { enum E {x, y}; };
        union U switch (A::E) { case x: long a; case A::y: short b; };"""
    )
    union = find(model, "U")
    assert isinstance(union, UnionDef)
    assert [branch.labels for branch in union.branches] == [("x",), ("y",)]


@pytest.mark.parametrize(
    ("text", "problem", "column"),
    [("typedef Foo T;", "'Foo' is not declared", 9),
     ("module A {}; typedef A::B T;", "'A' has no 'B'", 22),
     ("typedef long A; typedef A::B T;", "'A' has nothing inside", 25),
     ("module A {}; typedef A T;", "A is a module, not a type", 22),
     ("const long a = 1; typedef a T;", "a is a constant, not a type", 27),
     ("exception X {}; typedef X T;", "X is an exception, not a type", 25),
     ("enum E {x}; typedef x T;", "x is a label of an enum, not a type", 21),
     ("struct A {}; struct A {};", "'A' is already declared at text.idl:1:1", 14),
     ("struct A {}; struct a {};", "'a' differs from 'A' of text.idl:1:1 only in case", 14),
     ("struct Abc {}; typedef ABC T;", "'ABC' differs from 'Abc'", 24),
     ("enum E {x}; enum F {x};", "'x' is already declared", 21),
     ("struct A { long x; short X; };", "'X' differs from 'x'", 26),
     ("struct A { A inner; };", "A is not complete here", 12),
     ("struct A; typedef A T; struct A {};", "A is not complete here", 19),
     ("struct A; typedef sequence<A> S;", "A is declared, but never defined", 1),
     ("interface A; interface B : A {};", "A is declared, but not defined yet", 28),
     ("struct S {}; interface B : S {};", "S is not an interface", 28),
     ("interface A : A {};", "A cannot inherit from itself", 15),
     ("interface A {}; interface B : A, A {};", "B names a base twice", 17),
     ("interface A { void f(); void f(); };", "'f' is already declared", 30),
     ("interface A { void f(); attribute long F; };", "'F' differs from 'f'", 40),
     ("interface A { void f(); }; interface B : A { void f(); };",
      "'f' is already inherited from A", 51),
     ("interface A { void f(); }; interface B { void f(); }; interface C : A, B {};",
      "C inherits 'f' from A and from B", 55),
     ("interface A {typedef any T;}; interface B {typedef any T;};\ninterface C:A,B{T f();};",
      "'T' is inherited from B and A", 17),
     ("interface A { void f(in long a, in long A); };", "the parameter 'A' appears twice", 33),
     ("interface A { oneway long f(); };", "f is oneway, and so gives nothing back", 15),
     ("interface A { oneway void f(out long x); };", "f is oneway", 15),
     ("struct S {}; interface A { void f() raises (S); };", "S is not an exception", 45),
     ("union U switch (float) { case 1: long x; };", "cannot select a branch", 17),
     ("union U switch (octet) { case 1: long x; };", "cannot select a branch", 17),
     ("union U switch (long) { case 1: long x; case 1: long y; };", "label 1 appears twice", 46),
     ("union U switch (long) { default: long x; default: long y; };",
      "the label default appears twice", 42),
     ("union U switch (long) { };", "a union has at least one branch", 1),
     ("union U switch (boolean) { case TRUE: long a; case FALSE: long b; default: long c; };",
      "default can never be reached", 1),
     ("union U switch (boolean) { case 1: long a; };", "the integer '1' is not a boolean", 33),
     ("union U switch (short) { case 70000: long a; };", "70000 does not fit short", 31),
     ("typedef string<0> T;", "a bound is 1 to 4294967295, not 0", 16),
     ("typedef long T[0];", "a dimension is 1 to", 16),
     ("typedef long T[10000][10000];", "an array has at most 16777216 elements", 16),
     ("typedef fixed<32,2> T;", "digits are 1 to 31", 9),
     ("typedef fixed<2,3> T;", "the scale 0 to digits", 9),
     ("typedef fixed T;", "fixed needs digits and scale", 9),
     ('#pragma ID A "x"', "'A' is not declared", 1),
     ('enum E {x};\n#pragma ID x "y"', "x has no repository id", 1),
     ('enum E {x};\n#pragma ID E "a"\n#pragma ID E "b"', "E has the repository id a already", 1)],
)  # fmt: skip
def test_a_fault_is_told_with_its_place(text: str, problem: str, column: int) -> None:
    with pytest.raises(InvalidIdl) as caught:
        compile_text(text)
    assert problem in caught.value.problem
    assert caught.value.column == column


def test_too_many_bases_are_refused() -> None:
    chain = "interface A0 {};" + "".join(f"interface A{i} : A{i - 1} {{}};" for i in range(1, 9))
    with pytest.raises(InvalidIdl, match="more than 5 base interfaces"):
        compile_text(chain, limits=IdlLimits(bases=5))


# Constants.


BEFORE = """
const long five = 5; const double half = 0.5; const string word = "ab"; const wstring wide = L"ä";
const boolean yes = TRUE; const char letter = 'c'; const fixed rate = 1.50d;
enum Color {red, green}; const Color best = green;
typedef unsigned short Port; typedef string<3> Brief;
"""


def value(type_: str, expression: str) -> object:
    found = compile_text(f"{BEFORE}const {type_} x = {expression};").definitions[-1]
    assert isinstance(found, ConstDef)
    return found.value


@pytest.mark.parametrize(
    ("type_", "expression", "expected"),
    [("long", "1 + 2 * 3", 7), ("long", "(1 + 2) * five", 15), ("long", "-7 / 2", -3),
     ("long", "-7 % 2", -1), ("long", "7 / -2", -3), ("long", "~5", -6),
     ("unsigned short", "~5", 65530), ("octet", "~0", 255), ("long", "1 << 4 | 3 ^ 1 & 1", 18),
     ("unsigned long long", "0xFFFFFFFFFFFFFFFF", 2**64 - 1),
     ("long long", "-9223372036854775808", -(2**63)), ("Port", "8000 + 80", 8080),
     ("double", "half * 4 - 1", 1.0), ("double", "3", 3.0), ("float", "-1e3", -1000.0),
     ("string", "word", "ab"), ("Brief", '"abc"', "abc"), ("wstring", "wide", "ä"),
     ("boolean", "yes", True), ("boolean", "FALSE", False), ("char", "letter", "c"),
     ("wchar", "L'ä'", "ä"), ("Color", "red", "red"), ("Color", "best", "green"),
     ("fixed", "rate * 2d", Decimal("3.00")), ("fixed", "-rate + .5d", Decimal("-1.00"))],
)  # fmt: skip
def test_an_expression_has_a_value(type_: str, expression: str, expected: object) -> None:
    found = value(type_, expression)
    assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("type_", "expression", "problem"),
    [("short", "32768", "32768 does not fit short, which holds -32768 to 32767"),
     ("octet", "-1", "-1 does not fit octet"), ("long", "1 / 0", "division by zero"),
     ("long", "1 % 0", "division by zero"), ("double", "1.0 / 0", "division by zero"),
     ("double", "1e308 * 10", "too large for a double"),
     ("long", "1 << 64", "a shift is by 0 to 63"), ("long", "1 << -1", "a shift is by 0 to 63"),
     ("unsigned long long", "0xFFFFFFFFFFFFFFFF + 1", "larger than any integer type"),
     ("long", "1.5", "the real '1.5' is not an integer"),
     ("long", "half", "half is not an integer"),
     ("long", "yes", "yes is not an integer"), ("long", "red", "red is not an integer"),
     ("long", "Color", "Color is not a constant"),
     ("long", '"a"', "the string 'a' is not an integer"),
     ("double", "word", "word is not a number"), ("double", "~1", "is not a number"),
     ("double", "1.0 | 2.0", "is not a number"), ("float", "1e39", "too large for a float"),
     ("string", "1", "the integer '1' is not a string"), ("string", 'L"a"', "is not a string"),
     ("string", "wide", "wide is not a string"),
     ("Brief", '"abcd"', "4 characters are more than 3"),
     ("boolean", "1", "is not a boolean"), ("boolean", "five", "five is not a boolean"),
     ("char", '"a"', "is not a char"),
     ("Color", "1", "is not a label of Color, which are red, green"),
     ("Color", "five", "five is not a label"), ("fixed", "1", "is not a fixed number"),
     ("fixed", "1d / 0d", "division by zero"), ("fixed", "1d / 3d", "at most 31 digits"),
     ("any", "1", "a constant cannot be of this type"),
     ("Object", "1", "a constant cannot be of this type")],
)  # fmt: skip
def test_what_has_no_value_of_its_type_is_refused(
    type_: str, expression: str, problem: str
) -> None:
    with pytest.raises(InvalidIdl) as caught:
        value(type_, expression)
    assert problem in caught.value.problem


# Type codes.


def code(text: str, name: str, limits: IdlLimits = IdlLimits()) -> TypeCode:  # noqa: B008 - frozen
    model = compile_text(text)
    codes = TypeCodes(limits)
    found: dict[str, TypeCode] = {}
    for one in model.definitions:
        assert not isinstance(one, ConstDef)
        found[one.scoped] = codes.of(one)  # what is not a constant is a type
    assert isinstance(find(model, name), NamedDef)
    return found[name]


MUTUAL = """struct B; typedef sequence<B> Bs;
struct A { Bs all; }; struct B { sequence<A> all; };"""


def test_types_that_contain_each_other_look_different_from_each_side() -> None:
    inner = tc.struct("IDL:A:1.0", "A", [("all", _bs(tc.recursive("IDL:B:1.0")))])
    b = tc.struct("IDL:B:1.0", "B", [("all", tc.sequence(inner))])
    assert code(MUTUAL, "B") == b
    assert code(MUTUAL, "Bs") == _bs(b)
    inside = tc.struct("IDL:B:1.0", "B", [("all", tc.sequence(tc.recursive("IDL:A:1.0")))])
    assert code(MUTUAL, "A") == tc.struct("IDL:A:1.0", "A", [("all", _bs(inside))])


def _bs(content: TypeCode) -> TypeCode:
    return tc.alias("IDL:Bs:1.0", "Bs", tc.sequence(content))


def test_types_that_nest_too_deep_or_are_too_many_are_refused() -> None:
    aliases = "typedef long T0;" + "".join(f"typedef T{i} T{i + 1};" for i in range(100))
    with pytest.raises(InvalidIdl, match="types nest deeper than 80"):
        code(aliases, "T100")
    chain = "".join(f"struct S{i}; typedef sequence<S{i}> Q{i};" for i in range(500))
    chain += "".join(f"struct S{i} {{ Q{i + 1} q; }};" for i in range(499)) + "struct S499 {};"
    with pytest.raises(InvalidIdl, match="types nest deeper than 80"):
        code(chain, "S0")
    each = "".join(f"struct S{i}; typedef sequence<S{i}> Q{i};" for i in range(12))
    members = "".join(f"Q{j} q{j};" for j in range(12))
    each += "".join(f"struct S{i} {{ {members} }};" for i in range(12))
    with pytest.raises(InvalidIdl, match="more than 5000 parts"):
        code(each, "S0", IdlLimits(type_nodes=5000))
