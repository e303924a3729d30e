"""Constraints made to hurt: each is refused with our error or answered, and soon.

Times are far above what is measured (the slowest takes some 0.6 s), so that only a change in
kind fails, not a busy machine.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from random import Random

import pytest

from tidings.errors import InvalidConstraint
from tidings.events.build import event
from tidings.events.fields import fields_of
from tidings.filters.check import check
from tidings.filters.constraint import Constraint, constraint
from tidings.filters.explain import explain
from tidings.filters.limits import DEFAULT_LIMITS
from tidings.filters.parse import parse
from tidings.filters.printing import print_tree
from tidings.filters.rewrite import normalise
from tidings.filters.to_python import to_python

FIELDS = fields_of(event("d", "t", "n", {"a": 1, "b": True, "s": "x" * 100_000, "n": [1] * 9_999}))
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


ANSWERED = ("or chain at the limit", "or of ands", "and of nots", "zeros", "a string", "blanks")


@pytest.mark.parametrize("name", ANSWERED)
def test_long_is_not_yet_wrong(name: str) -> None:
    assert isinstance(outcome(LONG_TEXTS[name]), Constraint)


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


DEEP_TEXTS = {
    "or and": "$b or ($b and (" * 49 + "$b" + "))" * 49,
    "not": "not (" * 99 + "$b" + ")" * 99,
    "comparisons": "1 == (" * 98 + "1" + ")" * 98,
    "every level": "(TRUE or TRUE and TRUE == 1 + 1 * " * 16 + "1" + ")" * 16,
    "parentheses": "(" * 100 + "$b" + ")" * 100,
    "both": "(" * 50 + "$b or (" * 49 + "$b" + ")" * 99,
    "negated": "not ($b and not ($b or $a == " * 19 + "1" + "))" * 19,
}


@pytest.mark.parametrize("name", DEEP_TEXTS)
def test_the_deepest_trees_need_half_the_stack_at_most(name: str) -> None:
    found = _with_frames_left(500, partial(outcome, DEEP_TEXTS[name]))
    assert isinstance(found, Constraint)


@pytest.mark.parametrize("times", [99, 1_000, 2_000])
def test_too_deep_is_refused_before_the_stack_ends(times: int) -> None:
    every_level = "(TRUE or TRUE and TRUE == 1 + 1 * " * times + "1" + ")" * times
    for text in (every_level, every_level.replace("1 * ", "1 * not "), "1==(" * times):
        found = _with_frames_left(500, partial(outcome, text))
        assert isinstance(found, InvalidConstraint)


PIECES = (
    *("$a", "$b", "$", "$.0", "$n[0]", "$u.(1)", "$s._length", "1", "-1", "2.5", "'x'", "''"),
    *("TRUE", "red", "\\in", "and", "or", "not", "in", "exist", "default", "==", "!=", "<", ">="),
    *("~", "+", "-", "*", "/", "%", "(", ")", "(", ")", " ", "\t", "é", "😀", "\u200b", "\x00"),
    *("'", "[", "]", "."),
)


@pytest.mark.parametrize("seed", range(4))
def test_any_pieces_in_any_order_are_answered_or_refused(seed: int) -> None:
    rng = Random(seed)
    for _ in range(1_500):
        outcome(rng.choice(("", " ")).join(rng.choices(PIECES, k=rng.randrange(1, 12))))


@pytest.mark.parametrize("seed", range(4))
def test_any_characters_are_answered_or_refused(seed: int) -> None:
    rng = Random(seed)
    for _ in range(1_500):
        top = rng.choice((0x7F, 0xFF, 0xFFFF, 0x10FFFF))
        outcome("".join(chr(rng.randrange(top)) for _ in range(rng.randrange(1, 30))))
