from __future__ import annotations

from decimal import Decimal

import pytest

from tidings.idl.faults import InvalidIdl, Source
from tidings.idl.limits import Limits
from tidings.idl.scan import Scanner, Token


def scanned(text: str, limits: Limits = Limits()) -> list[Token]:  # noqa: B008 - frozen
    scanner = Scanner(Source("a.idl", text), limits)
    tokens: list[Token] = []
    while (token := scanner.token()).kind != "end":
        tokens.append(token)
    return tokens


def values(text: str) -> list[tuple[str, object]]:
    return [(token.kind, token.value) for token in scanned(text)]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("module", "word", "module"),
        ("_module", "name", "module"),
        ("_EventType", "name", "EventType"),
        ("EventType", "name", "EventType"),
        ("x_1", "name", "x_1"),
        ("::", "symbol", "::"),
        (">>", "symbol", ">>"),
        ("0", "integer", 0),
        ("077", "integer", 63),
        ("0xfF", "integer", 255),
        ("12", "integer", 12),
        ("1.5", "real", 1.5),
        (".5e1", "real", 5.0),
        ("1.", "real", 1.0),
        ("2E-1", "real", 0.2),
        ("1.50d", "fixed", Decimal("1.50")),
        ("3D", "fixed", Decimal(3)),
        ("'a'", "char", "a"),
        (r"'\n'", "char", "\n"),
        (r"'\''", "char", "'"),
        (r"'\x41'", "char", "A"),
        (r"'\101'", "char", "A"),
        (r"L'\u00e9'", "wchar", "é"),
        ("L'é'", "wchar", "é"),
        ('"a\\tb"', "string", "a\tb"),
        ('L"ä€"', "wstring", "ä€"),
        ('""', "string", ""),
    ],
)
def test_a_token_says_what_it_is(text: str, kind: str, value: object) -> None:
    assert values(text) == [(kind, value)]


def test_comments_and_blanks_are_nothing() -> None:
    assert values("a // b\n/* c\n d */ e /**/ /* * / */ f") == [
        ("name", "a"),
        ("name", "e"),
        ("name", "f"),
    ]


def test_a_directive_is_one_token_up_to_the_end_of_its_line() -> None:
    assert values('  #pragma prefix \\\n "x"\na') == [
        ("directive", 'pragma prefix   "x"'),
        ("name", "a"),
    ]


def test_tokens_know_their_place() -> None:
    last = scanned("module\n  /* */ X")[-1]
    assert (last.place.line, last.place.column, str(last.place)) == (2, 9, "a.idl:2:9")


@pytest.mark.parametrize(
    ("text", "problem", "column"),
    [
        ("a @", "'@' has no meaning in IDL", 3),
        ("Module X", "'Module' differs from the reserved word 'module' only in case", 1),
        ("/* a", "the comment does not end", 1),
        ("'ab'", "one character, not 2", 1),
        ("''", "one character, not 0", 1),
        ('"abc', "does not end on its line", 1),
        (r"'\q'", "is no escape", 1),
        (r'"\0"', "a string cannot hold the character 0", 1),
        (r"'\u0041'", "stands only in wide text", 1),
        (r"L'\ud800'", "is no character", 1),
        ("'€'", "beyond Latin-1", 1),
        ("089", "begins with 0 and so is octal", 1),
        ("1" * 50, "too many digits", 1),
        ("1e999", "too large for a double", 1),
        ("1" * 32 + "d", "at most 31 digits", 1),
        ("a #b", "a directive begins its line", 3),
        ("a" * 300, "at most 256 characters", 1),
        ("\x07", "U+0007 has no meaning", 1),
    ],
)
def test_what_is_no_token_is_told_with_its_place(text: str, problem: str, column: int) -> None:
    with pytest.raises(InvalidIdl) as caught:
        scanned(text)
    assert problem in caught.value.problem
    assert (caught.value.file, caught.value.line, caught.value.column) == ("a.idl", 1, column)


def test_the_next_directive_is_found_behind_any_text() -> None:
    scanner = Scanner(Source("a.idl", "it's \"odd\n  #endif // x\nb"), Limits())
    assert scanner.next_directive().value == "endif // x"
    assert scanner.token().value == "b"
    assert scanner.next_directive().kind == "end"
