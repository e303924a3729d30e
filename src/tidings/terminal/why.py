"""An explained constraint as text: one sentence, and a tree with the values of fields."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal

from tidings.events.fields import EnumLabel, Plain
from tidings.filters.explain import Explained
from tidings.filters.tree import And, Arithmetic, Component, Exist, Not, Or
from tidings.filters.truth import kind_name
from tidings.terminal.render import Mark, TreeNode

# Wider tests or values are hard to read at a glance.
_WIDEST = 60


def tree_of(part: Explained) -> TreeNode:
    """Build the tree to show for an explained constraint."""
    if not part.reached:
        return TreeNode(_shortened(part.text), Mark.SKIPPED.value, mark=Mark.SKIPPED)
    mark = _mark(part)
    if isinstance(part.node, And | Or | Not):
        word = type(part.node).__name__.lower()
        return TreeNode(word, part.error, tuple(map(tree_of, part.parts)), mark)
    return TreeNode(_shortened(part.text), _findings(part), mark=mark)


def _mark(part: Explained) -> Mark:
    if part.value is True:
        return Mark.TRUE
    return Mark.FALSE if part.value is False else Mark.ERROR


def verdict(root: Explained) -> str:
    """Return the answer and its reason in one line."""
    if root.matches:
        return f"matches: {_why_true(root)}"
    return f"does not match: {_why_error(root) or _why_false(root)}"


def _why_error(root: Explained) -> str:
    culprit = root.first_error()
    if culprit is None:
        return ""
    if culprit.error == "missing":
        return f"{_shortened(culprit.text)} is missing"
    values = _values(culprit)
    found = f" ({values})" if values else ""
    return f"{culprit.error}, in {_shortened(culprit.text)}{found}"


def _why_true(part: Explained) -> str:
    if isinstance(part.node, Or):
        return _why_true(_last_reached(part))
    if isinstance(part.node, And):
        return f"all {len(part.parts)} parts are TRUE"
    return _test_is(part, "TRUE")


def _why_false(part: Explained) -> str:
    if isinstance(part.node, And):
        return _why_false(_last_reached(part))
    if isinstance(part.node, Or):
        return f"none of {len(part.parts)} alternatives is TRUE"
    return _test_is(part, "FALSE")


def _last_reached(part: Explained) -> Explained:
    return [operand for operand in part.parts if operand.reached][-1]


def _test_is(part: Explained, answer: str) -> str:
    findings = "" if isinstance(part.node, Component) else _findings(part)
    found = f" ({findings})" if findings else ""
    return f"{_shortened(part.text)} is {answer}{found}"


def _findings(part: Explained) -> str:
    """Return the values of the fields, and their errors."""
    if isinstance(part.node, Exist):
        return "" if part.value else f"{part.node.path} is missing"
    if part.error == "missing":
        return f"{_shortened(part.text)} is missing"
    return "; ".join(filter(None, (_values(part), _errors(part))))


def _values(part: Explained) -> str:
    return ", ".join(dict.fromkeys(_each_value(part)))


def _each_value(part: Explained) -> Iterator[str]:
    """Yield fields before the values computed from them."""
    for inner in part.parts:
        yield from _each_value(inner)
    if isinstance(part.node, Component | Arithmetic) and part.value is not None:
        yield f"{_shortened(part.text)} = {shown_value(part.value)}"


def _errors(part: Explained) -> str:
    found = dict.fromkeys(_said(inner) for _, inner in part.walk() if inner.error)
    return ", ".join(found)


def _said(part: Explained) -> str:
    return f"{_shortened(part.text)} is missing" if part.error == "missing" else part.error


def shown_value(value: Plain | None) -> str:
    """Format a value as in a constraint, where it has a notation."""
    return _shortened("".join(_pieces(value)))


def _pieces(value: Plain | None) -> Iterator[str]:
    """Yield the text of a value in pieces, no longer than is ever shown."""
    if isinstance(value, bool):
        yield "TRUE" if value else "FALSE"
    elif isinstance(value, EnumLabel):
        yield value
    elif isinstance(value, str):
        yield "'" + value[: _WIDEST + 1].replace("\\", "\\\\").replace("'", "\\'") + "'"
    elif isinstance(value, tuple | bytes):
        shown = (shown_value(item) for item in value[:_WIDEST])
        yield f"[{', '.join(shown)}]"
    else:
        yield str(value)


def _shortened(text: str) -> str:
    # Event data must not be able to move the reader's cursor.
    text = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text[: _WIDEST + 1])
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"


def as_data(part: Explained) -> dict[str, object]:
    """Return the whole explained tree as plain data, for JSON."""
    data: dict[str, object] = {"text": part.text, "reached": part.reached}
    if part.value is not None:
        data["kind"] = kind_name(part.value)
        data["value"] = _jsonable(part.value)
    if part.error:
        data["error"] = part.error
    if part.parts:
        data["parts"] = [as_data(inner) for inner in part.parts]
    return data


def _jsonable(value: Plain) -> object:
    """Write NaN, infinities and exact decimals as text, since JSON lacks them."""
    if isinstance(value, str):  # including characters and labels
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, tuple | bytes):
        return [_jsonable(item) for item in value]
    return value if isinstance(value, bool | int | float) else None
