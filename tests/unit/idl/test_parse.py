from __future__ import annotations

import pytest

from tidings.events.typecode import Kind
from tidings.idl import tree as t
from tidings.idl.faults import InvalidIdl, Source
from tidings.idl.limits import Limits
from tidings.idl.parse import parse, parse_text
from tidings.idl.sources import Texts


def only(text: str) -> t.Definition:
    (found,) = parse_text(text).body
    return found


def type_of(text: str) -> t.TypeSpec:
    found = only(f"typedef {text} T;")
    assert isinstance(found, t.Typedef)
    return found.type


def number(value: int) -> t.Literal:
    return t.Literal("integer", value)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("short", Kind.SHORT),
        ("unsigned short", Kind.USHORT),
        ("long", Kind.LONG),
        ("unsigned long", Kind.ULONG),
        ("long long", Kind.LONGLONG),
        ("unsigned long long", Kind.ULONGLONG),
        ("float", Kind.FLOAT),
        ("double", Kind.DOUBLE),
        ("long double", Kind.LONGDOUBLE),
        ("char", Kind.CHAR),
        ("wchar", Kind.WCHAR),
        ("boolean", Kind.BOOLEAN),
        ("octet", Kind.OCTET),
        ("any", Kind.ANY),
        ("Object", Kind.OBJREF),
    ],
)
def test_a_type_of_words(text: str, kind: Kind) -> None:
    assert type_of(text) == t.BasicType(kind)


def test_composed_types() -> None:
    assert type_of("string") == t.StringType()
    assert type_of("wstring<5>") == t.StringType(True, number(5))
    assert type_of("fixed<10, 2>") == t.FixedType(number(10), number(2))
    assert type_of("sequence<sequence<octet, 3>>") == t.SequenceType(
        t.SequenceType(t.BasicType(Kind.OCTET), number(3))
    )
    assert type_of("::A::B") == t.ScopedName(("A", "B"), True)


def test_arrays_have_dimensions() -> None:
    found = only("typedef long T[2][3], U;")
    assert isinstance(found, t.Typedef)
    assert found.declarators == (t.Declarator("T", (number(2), number(3))), t.Declarator("U"))


def test_an_interface_with_everything() -> None:
    found = only(
        """interface I : A, ::B::C {
             const short x = 1;
             readonly attribute long a, b;
             attribute string s;
             oneway void ping(in any x);
             long f(in long a, out string b, inout octet c) raises (E, M::F);
           };"""
    )
    assert isinstance(found, t.Interface)
    assert found.bases == (t.ScopedName(("A",)), t.ScopedName(("B", "C"), True))
    assert [type(one).__name__ for one in found.body] == [
        *("Const", "Attribute", "Attribute", "Operation", "Operation")
    ]
    ping, f = found.body[3:]
    assert isinstance(ping, t.Operation)
    assert isinstance(f, t.Operation)
    assert ping.oneway
    assert ping.result is None
    assert [one.direction for one in f.parameters] == ["in", "out", "inout"]
    assert [str(name) for name in f.raises] == ["E", "M::F"]


def test_a_union_with_labels_and_default() -> None:
    found = only(
        "union U switch (long) { case 1: case 2: string s; default: long n[2]; case -1: any a; };"
    )
    assert isinstance(found, t.Union)
    assert [len(case.labels) for case in found.cases] == [2, 1, 1]
    assert found.cases[1].labels == (None,)


def test_types_may_be_declared_where_they_are_used() -> None:
    found = only("struct A { enum E {x, y} e; struct B { long n; } b; };")
    assert isinstance(found, t.Struct)
    assert [type(member.type).__name__ for member in found.members] == ["Enum", "Struct"]


def test_announcements() -> None:
    body = parse_text("interface A; struct B; union C;").body
    assert body == (
        t.Forward("interface", "A"),
        t.Forward("struct", "B"),
        t.Forward("union", "C"),
    )


def test_operators_bind_as_in_c() -> None:
    found = only("const long x = 1 | 2 ^ 3 & 4 << 1 + 2 * -3;")
    same = only("const long x = 1 | (2 ^ (3 & (4 << (1 + (2 * (-3))))));")
    assert found == same
    assert only("const long x = 8 - 2 - 1;") == only("const long x = (8 - 2) - 1;")


def test_texts_behind_each_other_are_one() -> None:
    assert only('const string x = "a" "b";') == only('const string x = "ab";')


def test_pragmas_are_part_of_the_tree() -> None:
    found = parse_text(
        '#pragma prefix "omg.org"\n#pragma version A::B 1.2\n#pragma ID _C "IDL:x:1.0" // y\n'
    ).body
    assert found == (
        t.Pragma("prefix", None, "omg.org"),
        t.Pragma("version", t.ScopedName(("A", "B")), "1.2"),
        t.Pragma("ID", t.ScopedName(("C",)), "IDL:x:1.0"),
    )


def test_an_included_file_is_a_branch_of_its_own() -> None:
    files = Texts({"B.idl": "struct B {};"})
    found = parse(Source("main.idl", "module M {\n#include <B.idl>\n};"), files)
    assert found.body == (t.Module("M", (t.Include("<B.idl>", (t.Struct("B", ()),)),)),)


def test_a_comma_behind_the_last_label_is_let_pass() -> None:
    assert only("enum E {a, b,};") == only("enum E {a, b};")


@pytest.mark.parametrize(
    ("text", "problem", "line", "column"),
    [
        ("module A {", "expected '}' at the end of module A, not the end of the file", 1, 11),
        ("struct A {}", "expected ';' behind the definition, not the end of the file", 1, 12),
        ("struct struct {};", "expected the struct's name, and 'struct' is a reserved", 1, 8),
        ("struct A { long }", "expected a member's name, not '}'", 1, 17),
        ("struct A {\n  lnog;\n};", "expected a member's name, not ';'", 2, 7),
        ("interface A { void f(long x); };", "expected 'in', 'out' or 'inout'", 1, 22),
        ("interface A { void f() };", "expected ';' behind the definition, not '}'", 1, 24),
        ("interface A { f(); };", "expected the operation's name, not '('", 1, 16),
        ("typedef unsigned float T;", "expected 'long' or 'short' behind 'unsigned'", 1, 18),
        ("typedef sequence<long T;", "expected '>' at the end of the type", 1, 23),
        ("const long x;", "expected '=', not ';'", 1, 13),
        ("const long x = ;", "expected a value", 1, 16),
        ("enum E {};", "expected a label, not '}'", 1, 9),
        ("union U { };", "expected 'switch' and the type that selects", 1, 9),
        ("union U switch (long) { long x; };", "expected 'case', 'default' or '}'", 1, 25),
        ("valuetype V {};", "valuetypes are not supported", 1, 1),
        ("local interface L {};", "local interfaces are not supported", 1, 1),
        ("native N;", "native types are not supported", 1, 1),
        ('interface I { void f() context ("x"); };', "context clauses are not", 1, 24),
        ("interface I { void f(in struct S {} x); };", "expected a type of the parameter", 1, 25),
        ("typedef sequence<enum E {x}> T;", "expected a type of the elements", 1, 18),
        ("interface I { interface J {}; };", "expected an operation, attribute or type", 1, 15),
        ("foo;", "expected a definition, not 'foo'", 1, 1),
        ("}", "expected a definition, not '}'", 1, 1),
        ("#pragma prefix omg", "this is no #pragma prefix", 1, 1),
        ("#pragma version A x", "this is no #pragma version", 1, 1),
        ('#pragma ID A "a b"', "no blanks", 1, 1),
        ('#pragma ID A "a\\b"', "no backslashes", 1, 1),
        ('struct A {\n#pragma prefix "x"\n};', "stands between definitions", 2, 1),
    ],
)
def test_a_fault_is_told_with_its_place(text: str, problem: str, line: int, column: int) -> None:
    with pytest.raises(InvalidIdl) as caught:
        parse_text(text)
    assert problem in caught.value.problem
    assert (caught.value.line, caught.value.column) == (line, column)


@pytest.mark.parametrize(
    "text",
    [
        "module A {" * 100,
        "typedef " + "sequence<" * 100,
        "const long x = " + "(" * 100,
        "const long x = " + "-" * 100 + "1;",
        "const long x = " + "1+" * 100 + "1;",
        "struct A { " * 100,
        "typedef long T" + "[1]" * 100 + ";",
        "typedef " + "::".join("a" * 100) + " T;",
    ],
)
def test_what_nests_too_deep_is_refused(text: str) -> None:
    with pytest.raises(InvalidIdl, match=r"deeper|too many|at most"):
        parse_text(text)


def test_the_depth_is_given_back() -> None:
    limits = Limits(depth=6)
    many = "".join(f"module M{i} {{ struct S {{ sequence<long> x; }}; }};" for i in range(20))
    parse_text(many + "const long x = (1 + 1) * 2 + -1;" * 5, limits=limits)
