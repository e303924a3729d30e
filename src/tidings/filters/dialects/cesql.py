"""CloudEvents SQL, version 1.

Its rules are near ours: a missing attribute is an error, an event with an error does not pass, and
`AND` and `OR` stop when they are decided. It has 32-bit integers, texts and booleans, which it
casts into each other. Reading supposes that every attribute is of the kind that it is used as, as
CloudEvents types attributes, so that nothing is cast: `hop < 10` asks for a number, and a text
`'7'` is an error where CloudEvents SQL would make it a number.

What is refused: functions, orders of texts, patterns that neither begin nor contain, and what
engines read in different ways (`NOT a = 1`, `AND` beside `OR` without parentheses).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from tidings.events.paths import Pair, Path
from tidings.filters import tree as t
from tidings.filters.constraint import Constraint, constraint
from tidings.filters.dialects import sql
from tidings.filters.dialects.reading import FIT, UNFIT, Paths, all_of, any_of, fitting, literal
from tidings.filters.dialects.sql import Grammar, Parser
from tidings.filters.dialects.translation import Translation
from tidings.filters.dialects.writing import (
    NAME,
    TYPE,
    All,
    Formula,
    Kind,
    Names,
    Seen,
    Surplus,
    Test,
    field_test,
    formula_of,
)
from tidings.filters.printing import print_tree
from tidings.filters.rewrite import fold
from tidings.filters.shape import Constant, constant_of

LOWEST, HIGHEST = -(2**31), 2**31 - 1

_GRAMMAR: Final = Grammar(
    "expression",
    frozenset(("AND", "OR", "XOR", "NOT", "LIKE", "IN", "EXISTS", "TRUE", "FALSE")),
    re.compile(
        r"\s*(?:(?P<integer>\d+)(?![A-Za-z0-9])"
        r"""|(?P<text>'(?:\\.|''|[^'\\])*'|"(?:\\.|""|[^"\\])*")"""
        r"|(?P<name>[A-Za-z0-9_]+)|(?P<symbol><>|!=|<=|>=|[-=<>(),+*/%]))",
        re.ASCII | re.DOTALL,
    ),
    functions=True,
    ranked=False,
)


def attribute_path(name: str) -> Path:
    """Return where an event has an attribute of the CloudEvent that it was: type, id, or header."""
    fixed = {"type": TYPE, "id": NAME}.get(name)
    return Path("variable_header", (Pair(name),)) if fixed is None else fixed


def read(text: str, paths: Paths = attribute_path) -> Constraint:
    """Read an expression that is TRUE or FALSE; `paths` gives the event's field per attribute.

    Raises:
        InvalidConstraint: It is none, or ours cannot say the same; see above.
    """
    parser = Parser(text, _GRAMMAR)
    found = parser.whole()
    if found is None:
        raise parser.error("the expression is empty", 0, "TRUE passes every event")
    return constraint(print_tree(fold(_Reader(parser, paths).condition(found))))


_ERROR: Final = t.Equal(t.Divide(t.Integer(1), t.Integer(0)), t.Integer(1))


class _Reader:
    def __init__(self, parser: Parser, paths: Paths) -> None:
        self._error = parser.error
        self._paths = paths

    def condition(self, value: sql.Value) -> t.Node:
        match value:
            case sql.Name(name):
                return t.Component(self._paths(name))
            case sql.Constant(bool(truth)):
                return t.Boolean(truth)
            case sql.Negated(operand):
                return t.Not(self.condition(operand))
            case sql.Joined(word, operands):
                nodes = [self.condition(one) for one in operands]
                if word == "XOR":
                    one, other = nodes
                    return t.Or((t.And((one, t.Not(other))), t.And((t.Not(one), other))))
                return (all_of if word == "AND" else any_of)(nodes)
            case sql.There(sql.Name(name)):
                return t.Exist(self._paths(name))
            case sql.Compared():
                return self._compared(value)
            case sql.Among(operand, constants, at):
                kinds = {type(one.value) for one in constants}
                if len(kinds) > 1:
                    raise self._error("IN casts what stands in it; here all is of one kind", at)
                node = self._value(operand)
                return any_of(t.Equal(node, literal(one.value)) for one in constants)
            case sql.Like(sql.Name(name), pattern, at):
                found = fitting(self._paths(name), pattern)
                if found is None:
                    raise self._error(UNFIT, at, FIT)
                return found.holds
        raise self._error("this is no condition", value.at)

    def _compared(self, value: sql.Compared) -> t.Node:
        sides = value.left, value.right
        texts = [
            one for one in sides if isinstance(one, sql.Constant) and type(one.value) in (str, bool)
        ]
        if value.symbol not in ("==", "!=") and texts:
            raise self._error("only integers have an order", value.at)
        nodes = [self._value(one) for one in sides]
        made = t.COMPARISONS[value.symbol](*nodes)
        bounds = [bound for node in nodes for bound in _bounds(node)]
        return all_of((*bounds, made))

    def _value(self, value: sql.Value) -> t.Node:
        match value:
            case sql.Name(name):
                return t.Component(self._paths(name))
            case sql.Constant(constant, at):
                if type(constant) is int and not LOWEST <= constant <= HIGHEST:
                    raise self._error("an integer has at most 32 bits", at)
                return literal(constant)
            case sql.Computed(symbol, left, right):
                return t.ARITHMETIC[symbol](self._value(left), self._value(right))
        return self.condition(value)


def _bounds(node: t.Node) -> list[t.Node]:
    """For each sum and the like: it has 32 bits, or is an error, as in CloudEvents SQL."""
    return [
        any_of(
            (
                all_of(
                    (t.GreaterEqual(one, t.Integer(LOWEST)), t.LessEqual(one, t.Integer(HIGHEST)))
                ),
                _ERROR,
            )
        )
        for one in t.walk_tree(node)
        if isinstance(one, t.Arithmetic)
    ]


# Writing. What is TRUE, FALSE or an error for us is so there, too, as long as nothing is left out;
# a part of which something is left out is written so that it is never an error.


def write(wanted: Constraint, names: Names) -> Translation:
    """Write a constraint as an expression; `names` gives the attributes, see `writing`.

    Numbers must be integers of 32 bits, as those of CloudEvents are.
    """
    surplus = Surplus()

    def valid(path: Path) -> Seen | None:
        seen = names(path)
        return seen if seen is not None and _is_attribute(seen.name) else None

    types = replace(wanted, tree=t.Boolean(True))
    texts = [_text(formula_of(types, valid, surplus), surplus)]
    tree = fold(wanted.tree)
    for part in tree.operands if isinstance(tree, t.And) else (tree,):
        noted: list[str] = []
        text = _same(part, valid, noted)
        if text is None:
            one = replace(wanted, tree=part, event_types=())
            text = _text(formula_of(one, valid, surplus), surplus)
        else:
            for words in noted:
                surplus.add(words)
        texts.append(text)
    found = [text for text in dict.fromkeys(texts) if text != "TRUE"]
    text = found[0] if len(found) == 1 else " AND ".join(map(_inner, found))
    return Translation(text, surplus.exact, surplus.text)


def _is_attribute(name: str) -> bool:
    return (
        re.fullmatch("[a-z0-9]+", name) is not None
        and not name.isdecimal()
        and name.upper() not in _GRAMMAR.words
    )


def _inner(text: str) -> str:
    return f"({text})" if " AND " in text or " OR " in text else text


def _same(node: t.Node, names: Names, noted: list[str]) -> str | None:
    """A node as text that is TRUE, FALSE or an error as it is; None if that cannot be said."""
    if isinstance(node, t.Boolean):
        return str(node.value).upper()
    if isinstance(node, t.Not):
        inner = _same(node.operand, names, noted)
        return None if inner is None else f"NOT ({inner})"
    if isinstance(node, t.And | t.Or):
        texts = [_same(operand, names, noted) for operand in node.operands]
        word = " AND " if isinstance(node, t.And) else " OR "
        return None if None in texts else word.join(_inner(text) for text in texts if text)
    if isinstance(node, t.Exist):
        seen = names(node.path)
        return None if seen is None or seen.absent is not None else f"EXISTS {seen.name}"
    found = field_test(node)
    seen = found and names(found.path)
    if found is None or seen is None or isinstance(found.literal, t.Label):
        return None
    symbol = "is" if isinstance(node, t.Component) else found.operator.symbol
    value = constant_of(found.literal)
    assert value is not None
    test, kinds = _written(seen, symbol, value)
    if test is None or seen.absent is not None or not kinds & seen.kinds:
        return None
    if seen.kinds not in kinds:
        noted.append(f"values of {seen.name} that are cast")
    return test


def _written(seen: Seen, symbol: str, value: Constant) -> tuple[str | None, Kind]:
    """A test as text, if there is one, and the kinds for which it says just that."""
    name = seen.name
    if symbol == "is":
        # A number is cast to a boolean if it is 0 or 1; a boolean to a number in any case.
        boolean = "TRUE" if value else "FALSE"
        strict = seen.kinds is Kind.BOOLEAN
        return f"{name} = {boolean if strict else int(bool(value))}", Kind.BOOLEAN
    if isinstance(value, str):
        short = len(value) == 1 and seen.kinds is not Kind.TEXT and symbol != "~"
        if "\\" in value or short or symbol not in _OF_TEXTS:
            return None, Kind.TEXT
        if symbol in ("~", "!~", "like"):
            pattern = re.sub("[%_]", r"\\\g<0>", value)
            pattern = pattern.replace("*", "%") if symbol == "like" else f"%{pattern}%"
            return f"{name} {_OF_TEXTS[symbol]} {_quoted(pattern)}", Kind.TEXT
        return f"{name} {_OF_TEXTS[symbol]} {_quoted(value)}", Kind.TEXT
    counts = Kind.NUMBER | Kind.BOOLEAN
    if (isinstance(value, float) and not value.is_integer()) or not LOWEST <= value <= HIGHEST:
        return None, counts
    return f"{name} {_OF_NUMBERS[symbol]} {int(value)}", counts


_OF_TEXTS: Final = {"==": "=", "!=": "!=", "~": "LIKE", "!~": "NOT LIKE", "like": "LIKE"}
_OF_NUMBERS: Final = {
    "==": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=",
    "!<": ">=", "!<=": ">", "!>": "<=", "!>=": "<",
}  # fmt: skip


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "\\'") + "'"


def _text(formula: Formula, surplus: Surplus) -> str:
    """A formula as text that is never an error."""
    if isinstance(formula, Test):
        return _safe_test(formula, surplus)
    if not formula.parts:
        return "TRUE" if isinstance(formula, All) else "FALSE"
    word = " AND " if isinstance(formula, All) else " OR "
    texts = dict.fromkeys(_inner(_text(part, surplus)) for part in formula.parts)
    return word.join(texts)


def _safe_test(test: Test, surplus: Surplus) -> str:
    (name, kinds, _), symbol, value = test
    there = f"EXISTS {name}"
    if symbol in ("exist", "absent"):
        return there if symbol == "exist" else f"NOT ({there})"
    assert value is not None
    written, exact = _written(test.seen, symbol, value)
    if written is None or (Kind.TEXT in kinds and not isinstance(value, str)):
        surplus.add(f"every {name} that may be cast")  # what cannot be cast is an error
        return there
    if kinds not in exact:
        surplus.add(f"values of {name} that are cast")
    return f"{there} AND {written}"
