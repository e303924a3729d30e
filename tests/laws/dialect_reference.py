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
        activemq: Whether it is ActiveMQ's, which sorts NaN above all and -0.0 below 0.0, takes
            `<>` for `NOT =`, and does not know whether what is no text is `IN` texts; else the
            standard's, where values of two kinds are neither equal nor different.
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
            if left is None or (self.activemq and not isinstance(left, str)):
                return None
            answer = isinstance(left, str) and left in texts
            return answer is not negated
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
        return None if left is None else left is True

    def _compared(self, symbol: str, left: Any, right: Any) -> Any:
        if left is None or right is None:
            return None
        if symbol in _ORDERS:
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
        if {kind_of(left), kind_of(right)} != {"number"}:
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


class Failure(Exception):
    """An error of CloudEvents SQL; the event does not pass."""


class Expression:
    """A CloudEvents SQL expression; whoever writes one puts parentheses where precedence matters."""

    _TOKEN = re.compile(
        r"\s*(?:(?P<number>\d+)(?![a-zA-Z0-9])|(?P<text>'(?:\\.|[^'\\])*')"
        r"|(?P<word>[a-zA-Z0-9]+)|(?P<symbol><>|!=|<=|>=|[-=<>(),+*/%]))"
    )

    def __init__(self, text: str) -> None:
        self.tokens = [
            (found.lastgroup or "", found[found.lastgroup or 0])
            for found in self._TOKEN.finditer(text)
        ]
        assert "".join(word for _, word in self.tokens) == re.sub(
            r"('(?:\\.|[^'\\])*')|\s+", lambda found: found[1] or "", text
        )
        self.tokens.append(("end", ""))

    def passes(self, values: Values) -> bool:
        """Whether an event with these attributes passes."""
        self.at, self.values = 0, values
        try:
            result = self._logic(True)
        except Failure:
            return False
        assert self.tokens[self.at][0] == "end", self.tokens[self.at :]
        return result is True

    def _next(self, *words: str) -> str:
        kind, word = self.tokens[self.at]
        if kind in ("word", "symbol") and word.upper() in words:
            self.at += 1
            return word.upper()
        return ""

    def _logic(self, live: bool) -> Any:
        """Operators of one rank, from the left; what is decided is not evaluated further."""
        result = self._not(live)
        while word := self._next("AND", "OR", "XOR"):
            decided = live and word != "XOR" and self._boolean(result) is (word == "OR")
            other = self._not(live and not decided)
            if not live or decided:
                continue
            one, two = self._boolean(result), self._boolean(other)
            result = one and two if word == "AND" else one or two if word == "OR" else one != two
        return result

    def _not(self, live: bool) -> Any:
        if self._next("NOT"):
            result = self._not(live)
            return not self._boolean(result) if live else False
        if self._next("EXISTS"):
            self.at += 1
            return self.tokens[self.at - 1][1] in self.values
        left = self._sum(live)
        negated = bool(self._next("NOT"))
        if self._next("LIKE"):
            pattern = self._value(True)
            return live and fits_like(self._text(left), pattern, "\\") is not negated
        if self._next("IN"):
            assert self._next("(")
            found = False
            while not self._next(")"):
                one = self._value(True)
                found |= live and self._equal(left, one)
                self._next(",")
            return found is not negated
        symbol = self._next("=", "!=", "<>", "<", "<=", ">", ">=")
        if not symbol:
            return left
        right = self._sum(live)
        if not live:
            return False
        if symbol in _ORDERS:
            return _ORDERS[symbol](self._integer(left), self._integer(right))
        return self._equal(left, right) is (symbol == "=")

    def _equal(self, left: Any, right: Any) -> bool:
        """The left side is cast to the type of the right one."""
        cast = {bool: self._boolean, int: self._integer, str: self._text}[type(right)]
        return bool(cast(left) == right)

    def _sum(self, live: bool) -> Any:
        result = self._value(live)
        while symbol := self._next("+", "-", "*", "/", "%"):  # one operator, or in parentheses
            other = self._value(live)
            if live:
                one, two = self._integer(result), self._integer(other)
                if symbol in "/%" and not two:
                    raise Failure
                quotient = 0 if symbol not in "/%" else int(one / two)
                result = {
                    "+": one + two, "-": one - two, "*": one * two, "/": quotient,
                    "%": one - quotient * two,
                }[symbol]  # fmt: skip
                if not -(2**31) <= result < 2**31:
                    raise Failure
        return result

    def _value(self, live: bool) -> Any:
        kind, word = self.tokens[self.at]
        self.at += 1
        if word == "(":
            result = self._logic(live)
            assert self._next(")")
            return result
        if word == "-":
            return -self._value(live)
        if kind == "number":
            return int(word)
        if kind == "text":
            return word[1:-1].replace("\\'", "'")
        if word.upper() in ("TRUE", "FALSE"):
            return word.upper() == "TRUE"
        if not live:
            return 0
        if word not in self.values:
            raise Failure
        return self.values[word]

    def _boolean(self, value: Any) -> bool:
        if isinstance(value, str) and value.lower() in ("true", "false"):
            return value.lower() == "true"
        if isinstance(value, str) or value not in (0, 1):
            raise Failure
        return bool(value)

    def _integer(self, value: Any) -> int:
        if not isinstance(value, str):
            return int(value)
        if not re.fullmatch(r"[-+]?\d+", value):
            raise Failure
        return int(value)

    def _text(self, value: Any) -> str:
        return str(value).lower() if isinstance(value, bool) else str(value)
