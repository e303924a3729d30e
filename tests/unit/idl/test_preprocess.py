from __future__ import annotations

import pytest

from tidings.idl.conditions import holds
from tidings.idl.faults import NOWHERE, InvalidIdl, Source
from tidings.idl.limits import Limits
from tidings.idl.preprocess import Preprocessor
from tidings.idl.sources import Texts


def processed(text: str, limits: Limits = Limits(), **files: str) -> list[str]:  # noqa: B008 - frozen
    texts = Texts({f"{name}.idl": content for name, content in files.items()})
    tokens = Preprocessor(texts, limits).tokens(Source("main.idl", text))
    return [str(token.value) for token in tokens][:-1]


def fault(text: str, limits: Limits = Limits(), **files: str) -> InvalidIdl:  # noqa: B008 - frozen
    with pytest.raises(InvalidIdl) as caught:
        processed(text, limits, **files)
    return caught.value


GUARDED = "// about it\n#ifndef B_IDL\n#define B_IDL\nb\n#endif // B_IDL\n"


def test_both_forms_of_include_put_the_file_in_its_place() -> None:
    assert processed('x\n#include "B.idl"\ny', B="b") == ["x", '"B.idl"', "b", "B.idl", "y"]
    assert processed("#include <B.idl> // why", B="b") == ["<B.idl>", "b", "B.idl"]


def test_a_guarded_file_is_read_once() -> None:
    again = '#include "B.idl"\n#include "B.idl"\n'
    assert processed(again, B=GUARDED).count("b") == 1


def test_a_file_that_says_once_is_read_once() -> None:
    again = '#include "B.idl"\n#include "B.idl"\n'
    assert processed(again, B="#pragma once\nb").count("b") == 1


def test_a_circle_of_guarded_files_ends() -> None:
    there = "#ifndef B\n#define B\n#include <C.idl>\nb\n#endif"
    back = "#ifndef C\n#define C\n#include <B.idl>\nc\n#endif"
    found = processed("#include <B.idl>", B=there, C=back)
    assert [one for one in found if len(one) == 1] == ["c", "b"]


def test_a_circle_without_guards_is_told_with_its_files() -> None:
    found = fault("#include <B.idl>", B="#include <C.idl>", C="#include <B.idl>")
    assert found.problem == "files include each other in a circle: B.idl -> C.idl -> B.idl"
    assert (found.file, found.line) == ("C.idl", 1)
    assert "#ifndef" in found.hint


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("#ifdef X\na\n#else\nb\n#endif", ["b"]),
        ("#define X\n#ifdef X\na\n#else\nb\n#endif", ["a"]),
        ("#define X\n#undef X\n#ifndef X\na\n#endif", ["a"]),
        ("#if 0\nit's none\n#elif defined(X) || !defined(Y)\nb\n#else\nc\n#endif", ["b"]),
        ("#if 1\na\n#elif 1\nb\n#endif", ["a"]),
        ("#if 0\n#if 1\na\n#else\nb\n#endif\n#else\nc\n#endif", ["c"]),
        ("#ifdef X\n#include <None.idl>\n#error no\n#nonsense\n#endif", []),
        ('#pragma hh #include "x.h"\n#pragma javaPackage "x"\na', ["a"]),
        ("#\n#line 3\na", ["a"]),
        ('#pragma prefix "omg.org"', ['prefix "omg.org"']),
    ],
)
def test_directives_are_obeyed(text: str, tokens: list[str]) -> None:
    assert processed(text) == tokens


@pytest.mark.parametrize(
    ("text", "problem", "line"),
    [
        ("#include <B.idl>", "the file B.idl is not found", 1),
        ("a\n#include B.idl", "#include names no file", 2),
        ("#ifdef X\na", "this condition does not end", 1),
        ("\n#endif", "#endif without an #if before it", 2),
        ("#if 0\n#else\n#else\n#endif", "#else after #else", 3),
        ("#ifdef", "#ifdef names nothing", 1),
        ("#define", "#define names nothing", 1),
        ("#define A(x) x", "macros with arguments", 1),
        ("#define A 5\nA", "A is a macro with a value", 2),
        ("#error sorry", "#error sorry", 1),
        ("#incldue <B.idl>", "#incldue is no directive", 1),
        ("#if X @\n#endif", "'@' has no meaning in a condition", 1),
        ("#if (1\n#endif", "a parenthesis is not closed", 1),
        ("#if\n#endif", "expected a condition", 1),
        ("#if 1 1\n#endif", "follows the condition", 1),
    ],
)
def test_a_wrong_directive_is_told_with_its_place(text: str, problem: str, line: int) -> None:
    found = fault(text)
    assert problem in found.problem
    assert (found.file, found.line) == ("main.idl", line)


def test_every_limit_is_kept() -> None:
    assert "more than 3 words" in fault("a b c d", Limits(tokens=3)).problem
    assert "at most 3 octets" in fault("a b c d", Limits(octets=3)).problem
    twice = '#include "B.idl"\n#include "B.idl"'
    assert "more than 2 files" in fault(twice, Limits(files=2), B="b").problem
    deep = fault("#include <B.idl>", Limits(include_depth=2), B="#include <C.idl>", C="c")
    assert "more than 2 deep" in deep.problem
    nested = "#if 1\n" * 5 + "#endif\n" * 5
    assert "conditions nest deeper than 4" in fault(nested, Limits(depth=4)).problem


def test_the_file_of_the_orb_need_not_be_there() -> None:
    assert processed("#include <orb.idl>\na") == ["<orb.idl>", "orb.idl", "a"]


@pytest.mark.parametrize(
    ("condition", "answer"),
    [
        ("1", True),
        ("0", False),
        ("defined(A)", True),
        ("defined A && defined B", False),
        ("defined A || defined B", True),
        ("!(defined(A) && 0)", True),
        ("UNKNOWN", False),
        ("0 || 1 && 0", False),
    ],
)
def test_conditions_are_computed(condition: str, answer: bool) -> None:
    assert holds(condition, {"A": ""}, NOWHERE) is answer


@pytest.mark.parametrize(
    ("value", "taken"),
    [("1", ["yes"]), ("0", ["no"]), ("", ["no"]), ("00", ["no"]), ("12", ["yes"])],
)
def test_a_macro_counts_with_its_value_in_a_condition(value: str, taken: list[str]) -> None:
    assert processed(f"#define X {value}\n#if X\nyes\n#else\nno\n#endif") == taken


@pytest.mark.parametrize(
    ("condition", "problem"),
    [
        ("defined", "defined names nothing"),
        ("defined 3", "defined names nothing"),
        ("Y", "Y is 'a b'"),
    ],
)
def test_a_condition_that_cannot_be_told_is_refused(condition: str, problem: str) -> None:
    with pytest.raises(InvalidIdl, match=problem):
        processed(f"#define Y a b\n#if {condition}\n#endif")


def test_a_condition_that_nests_too_deep_is_refused() -> None:
    with pytest.raises(InvalidIdl, match="nests too deep"):
        holds("!" * 100 + "1", {}, NOWHERE)
