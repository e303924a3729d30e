"""The language of constraints: errors, cautions, and texts made to hurt.

Of the latter each is refused with our error or answered, and soon. Times are far above what is
measured (the slowest takes some 0.6 s), so that only a change in kind fails, not a busy machine.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial

import pytest

from tidings.errors import InvalidConstraint
from tidings.events.build import event
from tidings.events.fields import fields_of
from tidings.filters import to_python as module
from tidings.filters.check import check
from tidings.filters.constraint import Constraint, constraint
from tidings.filters.explain import explain
from tidings.filters.limits import DEFAULT_LIMITS
from tidings.filters.parse import Kinds, parse, parse_operand
from tidings.filters.printing import print_tree
from tidings.filters.rewrite import normalise
from tidings.filters.to_python import to_python
from tidings.filters.tree import Node

FIELDS = fields_of(event("d", "t", "n", {"a": 1, "b": True, "s": "x" * 100_000, "n": [1] * 9_999}))


@pytest.mark.parametrize(
    ("text", "problem", "column", "hint"),
    [
        *(("$a ==", "ends too early", 6, ""), ("$a == 1 == 2", "do not chain", 9, "'and'")),
        ("count == 7", "an enum label cannot be compared with a number", 7, "$count"),
        ("not count", "takes a boolean", 5, "$count"),
        ("-$a == 1", "before an expression", 1, "-1 * (…)"),
        ("+$a == 1", "before an expression", 1, "leave it out"),
        ("not not $a", "cannot stand here", 5, "not (not …)"),
        ("$a LIKE 'x'", "cannot stand here", 4, "not SQL"),
        *(("exist a", "takes a component", 7, "$a"), ("1 in a", "takes a component", 6, "$a")),
        ("default $u", "ends in ._d", 9, "default $u._d"),
        ("1 in $a + 1 == 2", "cannot follow", 9, "parentheses"),
        *(("(1 == 1", "never closed", 1, ""), ("(1 == 1))", "cannot stand here", 9, "")),
        ("5 + 'al' == 1", "+ takes numbers, and this is a string", 5, ""),
        ("'a' and 'b'", "'and' takes booleans", 1, ""),
        ("$a or 5", "'or' takes booleans, and this is a number", 7, ""),
        ("5 ~ 'a'", "looks for a string", 1, ""),
    ],
)
def test_an_error_has_a_place_and_a_hint(text: str, problem: str, column: int, hint: str) -> None:
    with pytest.raises(InvalidConstraint) as caught:
        parse(text)
    assert problem in caught.value.problem
    assert caught.value.column == column
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("text", "kinds", "constant"),
    [
        *(("5", Kinds.NUMBER, True), ("'a'", Kinds.CHAR | Kinds.STRING, True)),
        *(("'ab'", Kinds.STRING, True), ("red", Kinds.ENUM, True), ("$a", Kinds.ALL, False)),
        *(("1 + $a", Kinds.NUMBER, False), ("1 + 1", Kinds.NUMBER, True)),
        *(("1 in $a", Kinds.BOOLEAN, False), ("exist $a", Kinds.BOOLEAN, False)),
        ("", Kinds.BOOLEAN, True),
    ],
)
def test_what_is_known_of_the_result(text: str, kinds: int, constant: bool) -> None:
    operand = parse_operand(text)
    assert (operand.kinds, operand.constant) == (kinds, constant)


def test_a_node_nobody_knows_is_refused() -> None:
    with pytest.raises(TypeError, match="Node is not a node"):
        print_tree(Node())


def test_a_caution_is_shown_with_a_caret() -> None:
    text = "$a == 1 and\n$sev < major"
    (found,) = check(text).cautions
    assert found.report(text).splitlines() == [
        "line 2, column 6: warning: enum labels have no order, so this never matches",
        "  $sev < major",
        "       ^",
    ]


def test_long_shapes_are_not_kept() -> None:
    module._factory.cache_clear()
    many = " or ".join(["$a == 2"] * 500 + ["$a == 1"])
    predicate = to_python(parse(f"({many}) == TRUE"))
    assert predicate(FIELDS) is True
    assert module._factory.cache_info().currsize == 0


SOON = 5.0


def fill(piece: str, joint: str, octets: int = DEFAULT_LIMITS.octets) -> str:
    """The piece again and again, up to the longest text."""
    count = (octets + len(joint.encode())) // len((piece + joint).encode())
    return joint.join([piece] * count)


def outcome(text: str) -> Constraint | InvalidConstraint:
    """The constraint, used in every way; or why it is none."""
    try:
        made = constraint(text)
    except InvalidConstraint as refused:
        _is_readable(refused)
        return refused
    answer = made.predicate(FIELDS)
    explained = explain(made.tree, FIELDS)
    assert explained.value is answer
    explained.first_error()
    assert parse(print_tree(made.tree)) == made.tree
    assert to_python(normalise(made.tree))(FIELDS) is answer
    check(text, {"a": {"number"}})
    return made


def _is_readable(refused: InvalidConstraint) -> None:
    """Whether the message can be printed, and is not as long as the constraint."""
    str(refused).encode()
    assert len(str(refused)) < 1_000


LONG_TEXTS = {
    "or chain of fields": fill("$a", " or "),
    "or chain at the limit": fill("$b == 1", " or ", 36_600),
    "and chain at the limit": fill("$a == 1", " and ", 36_600),
    "or of ands": fill("($a == 1 and $a < 2)", " or ", 33_000),
    "and of nots": fill("not ($a == 2 or $b)", " and ", 27_000),
    "sum": fill("1", "+"),
    "sum of fields": "0 < " + fill("$a", "+", 60_000),
    "products": fill("1", "*"),
    "remainders": "1 == " + fill("$a", "%", 60_000),
    "open parentheses": "(" * 65_536,
    "parentheses": "(" * 30_000 + "TRUE" + ")" * 30_000,
    "nested not": "not (" * 10_000 + "TRUE" + ")" * 10_000,
    "not not": "not " * 16_000 + "TRUE",
    "signs": "-" * 65_536,
    "comparisons": fill("1", "<"),
    "in chain": "1" + " in $n" * 9_000,
    "a string": "'" + "x" * 65_526 + "' ~ $s",
    "a string of quotes": "'" + r"\'" * 30_000 + "' ~ $s",
    "a string without end": "'" + "\\" * 65_000,
    "quotes": "'" * 65_536,
    "digits": "9" * 65_536,
    "zeros": "0" * 65_000 + "1 == $a",
    "fraction digits": "." + "9" * 65_000 + " < $a",
    "exponent digits": "1e" + "9" * 65_000 + " < $a",
    "negative exponent": "1e-" + "9" * 65_000 + " < $a",
    "element digits": "$a[" + "9" * 65_000 + "]",
    "label digits": "$a.(" + "9" * 65_000 + ")",
    "steps": "$a" + ".b" * 32_000,
    "steps at the limit": "exist $a" + "[0]" * 1_000,
    "dots": "$" + "." * 65_000,
    "dollars": "$" * 65_536,
    "a long name": "$" + "n" * 65_000 + " == 1",
    "a long label": "n" * 65_000 + " == $a",
    "backslashes": "\\" * 65_536,
    "line breaks": "\n" * 65_000 + "$a ==",
    "blanks": " " * 65_536,
    "wide characters": "'" + "😀" * 16_000 + "' ~ $s",
    "too long": "'" + "é" * 32_768 + "'",
    "long in": fill("2 in $n", " or ", 1_000),
    "exists": fill("exist $a", " and ", 60_000),
}


@pytest.mark.parametrize("name", LONG_TEXTS)
def test_the_longest_texts_are_answered_soon(name: str) -> None:
    started = time.thread_time()
    outcome(LONG_TEXTS[name])
    assert time.thread_time() - started < SOON


def _frames() -> int:
    frame, count = sys._getframe(), 0
    while frame.f_back is not None:
        frame, count = frame.f_back, count + 1
    return count


def _with_frames_left(left: int, function: Callable[[], object]) -> object:
    """Calls a function with so many stack frames left as in a program that is deep already."""
    if sys.getrecursionlimit() - _frames() > left:
        return _with_frames_left(left, function)
    return function()


@pytest.mark.parametrize("times", [99, 1_000, 2_000])
def test_too_deep_is_refused_before_the_stack_ends(times: int) -> None:
    every_level = "(TRUE or TRUE and TRUE == 1 + 1 * " * times + "1" + ")" * times
    for text in (every_level, every_level.replace("1 * ", "1 * not "), "1==(" * times):
        found = _with_frames_left(500, partial(outcome, text))
        assert isinstance(found, InvalidConstraint)
