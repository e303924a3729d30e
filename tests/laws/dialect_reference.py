"""The languages of other services a second time, as their standards say: slow, plain, on their own.

Each evaluator takes a text (or the data of a SIENA filter) and the values a service holds by name.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

from tidings.filters.dialects.siena import SienaFilter, kind_of

Values = Mapping[str, Any]
_ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def fits_like(text: str, pattern: str, escape: str | None) -> bool:
    """SQL's LIKE."""
    expression, at = "", 0
    while at < len(pattern):
        character = pattern[at]
        if character == escape and at + 1 < len(pattern) and pattern[at + 1] in ("_", "%", escape):
            at += 1
            expression += re.escape(pattern[at])
        else:
            expression += {"%": ".*", "_": "."}.get(character) or re.escape(character)
        at += 1
    return re.fullmatch(expression, text, re.DOTALL) is not None


_JMS_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+\.\d*(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+)"
    r"|(?P<text>'(?:[^']|'')*')|(?P<word>[\w$]+)|(?P<symbol><>|<=|>=|[-=<>(),+*/]))"
)


class Selector:
    """A JMS selector: TRUE, FALSE or None for unknown.

    Attributes:
        activemq: Whether orders are those of ActiveMQ, which sorts NaN above all and -0.0 below
            0.0, and takes `<>` for `NOT =`; else Java's, where values of two kinds are neither
            equal nor different.
    """

    def __init__(self, text: str, activemq: bool) -> None:
        self.activemq = activemq
        self.tokens: list[tuple[str, str]] = []
        at = 0
        while at < len(text.rstrip()):
            found = _JMS_TOKEN.match(text, at)
            assert found is not None, text[at:]
            at = found.end()
            assert found.lastgroup is not None
            word = found[found.lastgroup]
            self.tokens.append((found.lastgroup, word))
        self.tokens.append(("end", ""))
        self.at = 0

    def matches(self, values: Values) -> bool:
        """Whether a message with these properties is selected."""
        if len(self.tokens) == 1:
            return True
        self.at, self.values = 0, values
        result = self._or()
        assert self.tokens[self.at][0] == "end", self.tokens[self.at :]
        return result is True

    def _next(self, *words: str) -> bool:
        if self.tokens[self.at][1].upper() in words and self.tokens[self.at][0] != "text":
            self.at += 1
            return True
        return False

    def _or(self) -> Any:
        result = self._and()
        while self._next("OR"):
            other = self._and()
            result = True if True in (result, other) else None if None in (result, other) else False
        return result

    def _and(self) -> Any:
        result = self._not()
        while self._next("AND"):
            other = self._not()
            result = (
                False if False in (result, other) else None if None in (result, other) else True
            )
        return result

    def _not(self) -> Any:
        if self._next("NOT"):
            result = self._not()
            return None if result is None else not result
        return self._comparison()

    def _comparison(self) -> Any:
        left = self._operand()
        if self._next("IS"):
            negated = self._next("NOT")
            assert self._next("NULL")
            return (left is None) is not negated
        negated = self._next("NOT")
        if self._next("LIKE"):
            pattern = self._operand()
            escape = self._operand() if self._next("ESCAPE") else None
            answer = (
                None if left is None else isinstance(left, str) and fits_like(left, pattern, escape)
            )
            return answer if answer is None or not negated else not answer
        if self._next("IN"):
            assert self._next("(")
            texts = [self._operand()]
            while self._next(","):
                texts.append(self._operand())
            assert self._next(")")
            answer = None if left is None else isinstance(left, str) and left in texts
            return answer if answer is None or not negated else not answer
        if self._next("BETWEEN"):
            low = self._operand()
            assert self._next("AND")
            high = self._operand()
            if left is None:
                return None
            if negated and self.activemq:
                return self._ordered("<", left, low) or self._ordered(">", left, high)
            return (
                self._ordered(">=", left, low) and self._ordered("<=", left, high)
            ) is not negated
        for symbol in ("=", "<>", "<", "<=", ">", ">="):
            if self._next(symbol):
                return self._compared(symbol, left, self._operand())
        return left

    def _compared(self, symbol: str, left: Any, right: Any) -> Any:
        if left is None or right is None:
            return None
        if symbol in _ORDERS:
            assert isinstance(right, float | int)
            assert not isinstance(right, bool)
            return self._ordered(symbol, left, right)
        like = self._like(left, right)
        if symbol == "=":
            return like and self._equal(left, right)
        return not (like and self._equal(left, right)) if self.activemq else like and left != right

    def _like(self, left: Any, right: Any) -> bool:
        return kind_of(left) == kind_of(right)

    def _equal(self, left: Any, right: Any) -> bool:
        if isinstance(left, float) and self.activemq:
            return self._rank(left) == self._rank(right)
        return bool(left == right)

    def _ordered(self, symbol: str, left: Any, right: Any) -> bool:
        if kind_of(left) != "number":
            return False
        if self.activemq:
            return _ORDERS[symbol](self._rank(left), self._rank(right))
        return _ORDERS[symbol](float(left), float(right))

    def _rank(self, value: float) -> tuple[bool, float, float]:
        value = float(value)
        if math.isnan(value):
            return True, 0.0, 0.0
        return False, value, math.copysign(1, value)

    def _operand(self) -> Any:
        kind, word = self.tokens[self.at]
        self.at += 1
        if word == "-":
            return -self._operand()
        if kind == "number":
            return float(word) if re.search("[.eE]", word) else int(word)
        if kind == "text":
            return word[1:-1].replace("''", "'")
        if word == "(":
            inner = self._or()
            assert self._next(")")
            return inner
        assert kind == "word", word
        if word.upper() in ("TRUE", "FALSE"):
            return word.upper() == "TRUE"
        return self.values.get(word)


def siena_matches(one: SienaFilter, values: Values) -> bool:
    """Whether a notification passes a filter."""
    return all(_passes(test.operator.value, test.value, values.get(test.name)) for test in one)


def _passes(symbol: str, wanted: Any, found: Any) -> bool:
    if found is None:
        return False
    if symbol == "any":
        return True
    if kind_of(wanted) != kind_of(found):
        return False
    if symbol == ">*":
        return bool(found.startswith(wanted))
    if symbol == "*<":
        return bool(found.endswith(wanted))
    if symbol == "*":
        return wanted in found
    if symbol == "=":
        return bool(found == wanted)
    if symbol == "!=":
        return bool(found != wanted)
    return kind_of(found) != "bool" and _ORDERS[symbol](found, wanted)


def topic_fits(pattern: str, topic: str, separator: str, one: str, rest: str) -> bool:
    """Whether a topic fits a pattern."""
    wanted, levels = pattern.split(separator), topic.split(separator)
    for at, level in enumerate(wanted):
        if level == rest:
            return len(levels) > at or (len(levels) == at and separator == "/")
        if at >= len(levels) or level not in (one, levels[at]):
            return False
    return len(wanted) == len(levels)
