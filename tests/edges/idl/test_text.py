"""IDL as text: sources, tokens, directives, and what is parsed or told with its place."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from tests.laws.idl_texts import Texts, parse_text
from tidings.errors import BadInput
from tidings.events.typecode import Kind
from tidings.idl import tree as t
from tidings.idl.compile import compile_file
from tidings.idl.faults import NOWHERE, IdlLimits, InvalidIdl, Source
from tidings.idl.parse import parse
from tidings.idl.preprocess import Preprocessor, holds
from tidings.idl.printing import printed
from tidings.idl.scan import Scanner, Token
from tidings.idl.sources import Folders, read_source


def test_one_file_is_one_source(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "Far.idl").write_text("// ä", encoding="latin-1")
    files = Folders([tmp_path, tmp_path / "far" / ".."])
    one = files.find("Far.idl", True, Source("x", ""))
    assert one is files.opened(tmp_path / "far" / ".." / "Far.idl")
    assert one.text == "// ä"


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"None\.idl: No such file"):
        read_source(tmp_path / "None.idl")
    (tmp_path / "Large.idl").write_text("x" * 20)
    with pytest.raises(BadInput, match="at most 10 octets"):
        read_source(tmp_path / "Large.idl", 10)


def test_a_file_that_includes_itself_is_noticed_by_any_path(tmp_path: Path) -> None:
    (tmp_path / "A.idl").write_text(f'#include "../{tmp_path.name}/A.idl"')
    with pytest.raises(BadInput, match="include each other in a circle"):
        compile_file(tmp_path / "A.idl")


# Tokens.


def scanned(text: str) -> list[Token]:
    scanner = Scanner(Source("a.idl", text), IdlLimits())
    tokens: list[Token] = []
    while (token := scanner.token()).kind != "end":
        tokens.append(token)
    return tokens


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [("module", "word", "module"), ("_module", "name", "module"),
     ("_EventType", "name", "EventType"), ("EventType", "name", "EventType"),
     ("x_1", "name", "x_1"), ("::", "symbol", "::"), (">>", "symbol", ">>"), ("0", "integer", 0),
     ("077", "integer", 63), ("0xfF", "integer", 255), ("12", "integer", 12), ("1.5", "real", 1.5),
     (".5e1", "real", 5.0), ("1.", "real", 1.0), ("2E-1", "real", 0.2),
     ("1.50d", "fixed", Decimal("1.50")), ("3D", "fixed", Decimal(3)), ("'a'", "char", "a"),
     (r"'\n'", "char", "\n"), (r"'\''", "char", "'"), (r"'\x41'", "char", "A"),
     (r"'\101'", "char", "A"), (r"L'\u00e9'", "wchar", "é"), ("L'é'", "wchar", "é"),
     ('"a\\tb"', "string", "a\tb"), ('L"ä€"', "wstring", "ä€"), ('""', "string", "")],
)  # fmt: skip
def test_a_token_says_what_it_is(text: str, kind: str, value: object) -> None:
    assert [(token.kind, token.value) for token in scanned(text)] == [(kind, value)]


@pytest.mark.parametrize(
    ("text", "problem", "column"),
    [("a @", "'@' has no meaning in IDL", 3),
     ("Module X", "'Module' differs from the reserved word 'module' only in case", 1),
     ("/* a", "the comment does not end", 1), ("'ab'", "one character, not 2", 1),
     ("''", "one character, not 0", 1), ('"abc', "does not end on its line", 1),
     (r"'\q'", "is not an escape", 1), (r'"\0"', "a string cannot hold the character 0", 1),
     (r"'\u0041'", "stands only in wide text", 1), (r"L'\ud800'", "is not a character", 1),
     ("'€'", "beyond Latin-1", 1), ("089", "begins with 0 and so is octal", 1),
     ("1" * 50, "too many digits", 1), ("1e999", "too large for a double", 1),
     ("1" * 32 + "d", "at most 31 digits", 1), ("a #b", "a directive begins its line", 3),
     ("a" * 300, "at most 256 characters", 1), ("\x07", "U+0007 has no meaning", 1)],
)  # fmt: skip
def test_what_is_no_token_is_told_with_its_place(text: str, problem: str, column: int) -> None:
    with pytest.raises(InvalidIdl) as caught:
        scanned(text)
    assert problem in caught.value.problem
    assert (caught.value.file, caught.value.line, caught.value.column) == ("a.idl", 1, column)


# Directives.


def processed(text: str, limits: IdlLimits = IdlLimits(), **files: str) -> list[str]:  # noqa: B008 - frozen
    texts = Texts({f"{name}.idl": content for name, content in files.items()})
    tokens = Preprocessor(texts, limits).tokens(Source("main.idl", text))
    return [str(token.value) for token in tokens][:-1]


def fault(text: str, limits: IdlLimits = IdlLimits(), **files: str) -> InvalidIdl:  # noqa: B008 - frozen
    with pytest.raises(InvalidIdl) as caught:
        processed(text, limits, **files)
    return caught.value


def test_a_file_that_says_once_is_read_once() -> None:
    again = '#include "B.idl"\n#include "B.idl"\n'
    assert processed(again, B="#pragma once\nb").count("b") == 1


def test_a_circle_without_guards_is_told_with_its_files() -> None:
    found = fault("#include <B.idl>", B="#include <C.idl>", C="#include <B.idl>")
    assert found.problem == "files include each other in a circle: B.idl -> C.idl -> B.idl"
    assert (found.file, found.line) == ("C.idl", 1)
    assert "#ifndef" in found.hint


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("#ifdef X\na\n#else\nb\n#endif", ["b"]), ("#define X\n#ifdef X\na\n#else\nb\n#endif", ["a"]),
     ("#define X\n#undef X\n#ifndef X\na\n#endif", ["a"]),
     ("#if 0\nit's none\n#elif defined(X) || !defined(Y)\nb\n#else\nc\n#endif", ["b"]),
     ("#if 1\na\n#elif 1\nb\n#endif", ["a"]),
     ("#if 0\n#if 1\na\n#else\nb\n#endif\n#else\nc\n#endif", ["c"]),
     ("#ifdef X\n#include <None.idl>\n#error no\n#nonsense\n#endif", []),
     ('#pragma hh #include "x.h"\n#pragma javaPackage "x"\na', ["a"]), ("#\n#line 3\na", ["a"]),
     ('#pragma prefix "omg.org"', ['prefix "omg.org"'])],
)  # fmt: skip
def test_directives_are_obeyed(text: str, tokens: list[str]) -> None:
    assert processed(text) == tokens


@pytest.mark.parametrize(
    ("text", "problem", "line"),
    [("#include <B.idl>", "the file B.idl is not found", 1),
     ("a\n#include B.idl", "#include names no file", 2),
     ("#ifdef X\na", "this condition does not end", 1),
     ("\n#endif", "#endif without an #if before it", 2),
     ("#if 0\n#else\n#else\n#endif", "#else after #else", 3),
     ("#ifdef", "#ifdef names no macro", 1),
     ("#define", "#define names no macro", 1), ("#define A(x) x", "macros with arguments", 1),
     ("#define A 5\nA", "A is a macro with a value", 2), ("#error sorry", "#error sorry", 1),
     ("#incldue <B.idl>", "#incldue is not a directive", 1),
     ("#if X @\n#endif", "'@' has no meaning in a condition", 1),
     ("#if (1\n#endif", "a parenthesis is not closed", 1),
     ("#if\n#endif", "expected a condition", 1), ("#if 1 1\n#endif", "follows the condition", 1)],
)  # fmt: skip
def test_a_wrong_directive_is_told_with_its_place(text: str, problem: str, line: int) -> None:
    found = fault(text)
    assert problem in found.problem
    assert (found.file, found.line) == ("main.idl", line)


def test_every_limit_is_kept() -> None:
    assert "more than 3 words" in fault("a b c d", IdlLimits(tokens=3)).problem
    assert "at most 3 octets" in fault("a b c d", IdlLimits(octets=3)).problem
    twice = '#include "B.idl"\n#include "B.idl"'
    assert "more than 2 files" in fault(twice, IdlLimits(files=2), B="b").problem
    deep = fault("#include <B.idl>", IdlLimits(include_depth=2), B="#include <C.idl>", C="c")
    assert "more than 2 deep" in deep.problem
    nested = "#if 1\n" * 5 + "#endif\n" * 5
    assert "conditions nest deeper than 4" in fault(nested, IdlLimits(depth=4)).problem


@pytest.mark.parametrize(
    ("condition", "answer"),
    [("1", True), ("0", False), ("defined(A)", True), ("defined A && defined B", False),
     ("defined A || defined B", True), ("!(defined(A) && 0)", True), ("UNKNOWN", False),
     ("0 || 1 && 0", False)],
)  # fmt: skip
def test_conditions_are_computed(condition: str, answer: bool) -> None:
    assert holds(condition, {"A": ""}, NOWHERE) is answer


@pytest.mark.parametrize(
    ("condition", "problem"),
    [("defined", "defined names no macro"), ("defined 3", "defined names no macro"),
     ("Y", "Y is 'a b'")],
)  # fmt: skip
def test_a_condition_that_cannot_be_told_is_refused(condition: str, problem: str) -> None:
    with pytest.raises(InvalidIdl, match=problem):
        processed(f"#define Y a b\n#if {condition}\n#endif")


@pytest.mark.parametrize("opens", ["!", "("])
def test_a_condition_that_nests_too_deep_is_refused(opens: str) -> None:
    with pytest.raises(InvalidIdl, match="nests too deep"):
        holds(opens * 100 + "1", {}, NOWHERE)


# What is parsed.


def only(text: str) -> t.Definition:
    (found,) = parse_text(text).body
    return found


def type_of(text: str) -> t.TypeSpec:
    found = only(f"typedef {text} T;")
    assert isinstance(found, t.Typedef)
    return found.type


def number(value: int) -> t.Literal:
    return t.Literal("integer", value)


def test_composed_types() -> None:
    assert type_of("string") == t.StringType()
    assert type_of("wstring<5>") == t.StringType(True, number(5))
    assert type_of("fixed<10, 2>") == t.FixedType(number(10), number(2))
    assert type_of("sequence<sequence<octet, 3>>") == t.SequenceType(
        t.SequenceType(t.BasicType(Kind.OCTET), number(3))
    )
    assert type_of("::A::B") == t.ScopedName(("A", "B"), True)


def test_small_liberties_are_let_pass() -> None:
    assert only('const string x = "a" "b";') == only('const string x = "ab";')
    assert only("enum E {a, b,};") == only("enum E {a, b};")


@pytest.mark.parametrize(
    ("text", "problem", "line", "column"),
    [("module A {", "expected '}' at the end of module A, not the end of the file", 1, 11),
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
     ("#pragma prefix omg", "this is not a #pragma prefix", 1, 1),
     ("#pragma version A x", "this is not a #pragma version", 1, 1),
     ('#pragma ID A "a b"', "no blanks", 1, 1), ('#pragma ID A "a\\b"', "no backslashes", 1, 1),
     ('struct A {\n#pragma prefix "x"\n};', "stands between definitions", 2, 1)],
)  # fmt: skip
def test_a_fault_is_told_with_its_place(text: str, problem: str, line: int, column: int) -> None:
    with pytest.raises(InvalidIdl) as caught:
        parse_text(text)
    assert problem in caught.value.problem
    assert (caught.value.line, caught.value.column) == (line, column)


@pytest.mark.parametrize(
    "text",
    ["module A {" * 100, "typedef " + "sequence<" * 100, "const long x = " + "(" * 100,
     "const long x = " + "-" * 100 + "1;", "const long x = " + "1+" * 100 + "1;",
     "struct A { " * 100, "typedef long T" + "[1]" * 100 + ";",
     "typedef " + "::".join("a" * 100) + " T;"],
)  # fmt: skip
def test_what_nests_too_deep_is_refused(text: str) -> None:
    with pytest.raises(InvalidIdl, match=r"deeper|too many|at most"):
        parse_text(text)


def test_of_an_included_file_only_the_directive_is_printed() -> None:
    files = Texts({"B.idl": "struct B {};"})
    text = 'module M {\n#include "B.idl"\n};\n'
    tree = parse(Source("main.idl", text), files)
    assert printed(tree) == text
    assert parse(Source("main.idl", printed(tree)), files) == tree
