"""Why a constraint did or did not match, in words: one sentence, and the values of fields."""

from __future__ import annotations

from collections.abc import Iterator

from tidings.events.fields import EnumLabel, Fields, Plain
from tidings.filters.constraint import Constraint
from tidings.filters.explain import Explained
from tidings.filters.tree import And, Arithmetic, Component, Exist, Or

# Wider tests or values are hard to read at a glance.
_WIDEST = 60


def verdict(root: Explained) -> str:
    """Return the answer and its reason in one line."""
    if root.matches:
        return f"matches: {_why_true(root)}"
    return f"does not match: {_why_error(root) or _why_false(root)}"


def not_tried(asked: Constraint, fields: Fields) -> str:
    """Return the answer for an event of a type that a constraint is not for."""
    wanted = ", ".join(f"{pattern.domain}::{pattern.type}" for pattern in asked.event_types)
    return f"does not match: the event type {'::'.join(fields.event_type)} is not {wanted}"


def _why_error(root: Explained) -> str:
    culprit = root.first_error()
    if culprit is None:
        return ""
    if culprit.error == "missing":
        return f"{short_text(culprit.text)} is missing"
    values = _values(culprit)
    found = f" ({values})" if values else ""
    return f"{culprit.error}, in {short_text(culprit.text)}{found}"


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
    values = "" if isinstance(part.node, Component) else findings(part)
    found = f" ({values})" if values else ""
    return f"{short_text(part.text)} is {answer}{found}"


def findings(part: Explained) -> str:
    """Return the values of the fields, and their errors."""
    if isinstance(part.node, Exist):
        return "" if part.value else f"{part.node.path} is missing"
    if part.error == "missing":
        return f"{short_text(part.text)} is missing"
    return "; ".join(filter(None, (_values(part), _errors(part))))


def _values(part: Explained) -> str:
    return ", ".join(dict.fromkeys(_each_value(part)))


def _each_value(part: Explained) -> Iterator[str]:
    """Yield fields before the values computed from them."""
    for inner in part.parts:
        yield from _each_value(inner)
    if isinstance(part.node, Component | Arithmetic) and part.value is not None:
        yield f"{short_text(part.text)} = {shown_value(part.value)}"


def _errors(part: Explained) -> str:
    found = dict.fromkeys(_said(inner) for _, inner in part.walk() if inner.error)
    return ", ".join(found)


def _said(part: Explained) -> str:
    return f"{short_text(part.text)} is missing" if part.error == "missing" else part.error


def shown_value(value: Plain | None) -> str:
    """Format a value as in a constraint, where it has a notation."""
    return short_text("".join(_pieces(value)))


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


def short_text(text: str, most: int = _WIDEST) -> str:
    """Cut a text, and show what cannot be printed as what it is."""
    # Event data must not be able to move the reader's cursor.
    text = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text[: most + 1])
    return text if len(text) <= most else text[: most - 1] + "…"
