"""Tree to Python predicate: the reference back end.

A tree is compiled once and never walked again: small trees become the source of a function,
compiled once per shape; larger ones are joined from these. An error anywhere ends the function at
once, for it makes the whole constraint FALSE; so the generated code has the short circuit of the
language by construction. Operands of the usual kinds are compared inline, every other pair goes
through the table in `truth.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

from tidings.events.fields import Fields
from tidings.events.paths import MISSING, Path
from tidings.filters import tree as t
from tidings.filters import truth
from tidings.filters.searching import LONG
from tidings.filters.shape import Constant, Shape, shape_of

Predicate: TypeAlias = Callable[[Fields], bool | None]
"""TRUE, FALSE, or None for an error, which counts as FALSE."""

# Shapes remembered. Systems have tens of them; a hostile client cannot fill memory with more.
_SHAPES_KEPT = 2048

# A longer shape is hardly shared, and the code of the longest takes megabytes.
_LONGEST_SHAPE_KEPT = 1_000


def to_python(tree: t.Node) -> Predicate:
    """The predicate of a tree."""
    if isinstance(tree, t.Not) and type(tree.operand) in _LOGICAL:
        return _negated(to_python(tree.operand))
    if isinstance(tree, t.And | t.Or) and not _is_small(tree):
        joined = _all_true if isinstance(tree, t.And) else _one_true
        return joined(tuple(map(to_python, tree.operands)))
    constants: list[Constant] = []
    paths: list[Path] = []
    shape = shape_of(tree, constants, paths)
    if len(shape) > _LONGEST_SHAPE_KEPT:
        return _Writer().factory(tree)(*paths)(*constants)
    return _with_paths(Shape(shape, tree), tuple(paths))(*constants)


_LOGICAL = (t.And, t.Or, t.Not)


def _is_small(tree: t.And | t.Or) -> bool:
    """Whether to generate code for the whole: short and flat, the frequent shapes.

    Of larger trees there are too many shapes; code that runs once per event is slower than joining
    the predicates of its parts, whose code is shared and therefore warm.
    """
    return len(tree.operands) <= _MOST_OPERANDS and not any(
        type(operand) in _LOGICAL for operand in tree.operands
    )


# Three tests joined is what people write by hand.
_MOST_OPERANDS = 3


def _all_true(parts: tuple[Predicate, ...]) -> Predicate:
    def conjunction(fields: Fields) -> bool | None:
        for part in parts:
            answer = part(fields)
            if not answer:
                return answer
        return True

    return conjunction


def _one_true(parts: tuple[Predicate, ...]) -> Predicate:
    def disjunction(fields: Fields) -> bool | None:
        for part in parts:
            answer = part(fields)
            if answer is not False:
                return answer
        return False

    return disjunction


def _negated(part: Predicate) -> Predicate:
    def negation(fields: Fields) -> bool | None:
        answer = part(fields)
        return None if answer is None else not answer

    return negation


@lru_cache(maxsize=_SHAPES_KEPT)
def _factory(shape: Shape) -> Callable[..., Callable[..., Predicate]]:
    """A function from the paths of a tree of this shape to one from its constants."""
    return _Writer().factory(shape.tree)


@lru_cache(maxsize=_SHAPES_KEPT)
def _with_paths(shape: Shape, paths: tuple[Path, ...]) -> Callable[..., Predicate]:
    """A function from the constants of a tree with this shape and these paths to its predicate.

    Trees that ask the same of the same fields so share the paths, and memory stays warm.
    """
    return _factory(shape)(*paths)


class _Writer:
    """Writes the source of one shape.

    `_value` and `_truth` write the statements that compute a node and return the name of the
    result; `_tail` writes a node whose result is the function's.
    """

    def __init__(self) -> None:
        self.functions: list[str] = []
        self.lines: list[str] = []
        self.globals: dict[str, object] = {"MISSING": MISSING}
        self.paths = 0
        self.constants = 0
        self.names = 0

    def factory(self, tree: t.Node) -> Callable[..., Callable[..., Predicate]]:
        """A function from paths to a function from constants to the predicate."""
        main = self._function(tree)
        paths = ", ".join(f"p{i}" for i in range(self.paths))
        constants = ", ".join(f"c{i}" for i in range(self.constants))
        lines = [f"def with_paths({paths}):", f" def make({constants}):"]
        # Doubles of integer constants: comparing two doubles is faster than a double and an int.
        lines += [
            f"  d{i} = float(c{i}) if type(c{i}) is int else c{i}" for i in range(self.constants)
        ]
        source = "\n".join([*lines, *self.functions, f"  return {main}", " return make"])
        exec(compile(source, "<constraint>", "exec"), self.globals)
        return self.globals["with_paths"]  # type: ignore[return-value]

    def _function(self, node: t.Node) -> str:
        """Write a node as a function of its own; returns its name."""
        outer, self.lines = self.lines, []
        name = self._name("f")
        self._tail(node, "True", "False")
        self.functions += [f"  def {name}(f):", *self.lines]
        self.lines = outer
        return name

    def _line(self, text: str) -> None:
        self.lines.append("   " + text)

    def _name(self, letter: str) -> str:
        self.names += 1
        return f"{letter}{self.names}_"

    def _field(self) -> str:
        """The value of the next path, in the order in which shapes list them."""
        self.paths += 1
        return f"f[p{self.paths - 1}]"

    def _helper(self, function: Callable[..., object]) -> str:
        name = self._name("H")
        self.globals[name] = function
        return name

    def _tail(self, node: t.Node, yes: str, no: str) -> None:
        """End the function with the truth of a node; `not` swaps the two answers."""
        if isinstance(node, t.Not):
            self._tail(node.operand, no, yes)
        elif isinstance(node, t.And | t.Or):
            stop, answer = ("not ", no) if isinstance(node, t.And) else ("", yes)
            for operand in node.operands[:-1]:
                self._tested(operand, lambda truth: f"if {stop}({truth}): return {answer}")
            self._tail(node.operands[-1], yes, no)
        else:
            self._tested(node, lambda truth: f"return {'' if yes == 'True' else 'not '}({truth})")

    def _tested(self, node: t.Node, statement: Callable[[str], str]) -> None:
        """Write a statement on the truth of a node into each branch of a comparison."""
        if isinstance(node, t.Comparison):
            self._compared(node, statement)
        else:
            self._line(statement(self._truth(node)))

    def _truth(self, node: t.Node) -> str:
        """Write a node that must be a boolean."""
        if isinstance(node, t.And | t.Or):
            return self._checked(f"{self._function(node)}(f)")
        if isinstance(node, t.Not):
            result = self._name("v")
            self._line(f"{result} = not {self._truth(node.operand)}")
            return result
        result = self._value(node)
        if not isinstance(node, t.Comparison | t.Contains | t.In | t.Exist | t.Boolean):
            self._line(f"if {result} is not True and {result} is not False: return None")
        return result

    def _value(self, node: t.Node) -> str:
        if isinstance(node, t.LITERALS):
            self.constants += 1
            return f"c{self.constants - 1}"
        if isinstance(node, t.Component | t.Default):
            return self._assigned(self._field())
        if isinstance(node, t.Exist):
            return self._assigned(f"{self._field()} is not MISSING")
        if isinstance(node, t.Comparison):
            return self._comparison(node)
        if isinstance(node, t.In):
            left = self._value(node.left)
            return self._checked(f"{self._helper(truth.member)}({left}, {self._field()})")
        if isinstance(node, t.Contains):
            return self._contains(node)
        if isinstance(node, t.Arithmetic):
            return self._call(truth.ARITHMETIC[type(node)], node)
        return self._truth(node)

    def _assigned(self, expression: str) -> str:
        result = self._name("v")
        self._line(f"{result} = {expression}")
        return result

    def _checked(self, call: str) -> str:
        result = self._assigned(call)
        self._line(f"if {result} is None: return None")
        return result

    def _call(self, function: Callable[..., object], node: t.Arithmetic) -> str:
        left, right = self._value(node.left), self._value(node.right)
        return self._checked(f"{self._helper(function)}({left}, {right})")

    def _contains(self, node: t.Contains) -> str:
        left, right = self._value(node.left), self._value(node.right)
        by_table = f"{self._helper(truth.contains)}({left}, {right})"
        if not isinstance(node.left, t.Text) or not isinstance(node.right, t.Component):
            return self._checked(by_table)
        result = self._name("v")
        self._line(
            f"if type({right}) is str and len({right}) < {LONG}: {result} = {left} in {right}"
        )
        self._line("else:")
        self._line(f" {result} = {by_table}")
        self._line(f" if {result} is None: return None")
        return result

    def _comparison(self, node: t.Comparison) -> str:
        result = self._name("v")
        self._compared(node, lambda truth: f"{result} = {truth}")
        return result

    def _compared(self, node: t.Comparison, statement: Callable[[str], str]) -> None:
        """Write a statement on the truth of a comparison.

        It is in each branch: comparing and jumping at once is what the interpreter does fastest.
        """
        left, right = self._value(node.left), self._value(node.right)
        by_table = f"{self._helper(truth.COMPARE[type(node)])}({left}, {right})"
        inline = self._inline(node, left, right)
        if not inline:
            self._line(statement(self._checked(by_table)))
            return
        kind = self._assigned(f"type({left})")
        for index, (python_type, expression) in enumerate(inline):
            self._line(f"{'elif' if index else 'if'} {kind} is {python_type}:")
            self._line(f" {statement(expression)}")
        result = self._name("v")
        self._line("else:")
        self._line(f" {result} = {by_table}")
        self._line(f" if {result} is None: return None")
        self._line(f" {statement(result)}")

    def _inline(self, node: t.Comparison, left: str, right: str) -> list[tuple[str, str]]:
        """The code for a component against a literal, by the component's kind."""
        if not isinstance(node.left, t.Component):
            return []
        op, literal = node.symbol, node.right
        double = right.replace("c", "d")
        if isinstance(literal, t.Integer) and -truth.EXACT <= literal.value <= truth.EXACT:
            return [("int", f"{left} {op} {right}"), ("float", f"{left} {op} {double}")]
        if isinstance(literal, t.Real):
            return [("float", f"{left} {op} {right}"), ("int", f"float({left}) {op} {right}")]
        if isinstance(literal, t.Text):
            return [("str", f"{left} {op} {right}")]
        return []
