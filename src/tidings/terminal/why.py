"""An explained constraint as a tree to show, and as plain data."""

from __future__ import annotations

import math
from decimal import Decimal

from tidings.events.fields import Plain
from tidings.filters.explain import Explained
from tidings.filters.reasons import findings, short_text
from tidings.filters.tree import And, Not, Or
from tidings.filters.truth import kind_name
from tidings.terminal.render import Mark, TreeNode


def tree_of(part: Explained) -> TreeNode:
    """Build the tree to show for an explained constraint."""
    if not part.reached:
        return TreeNode(short_text(part.text), Mark.SKIPPED.value, mark=Mark.SKIPPED)
    mark = _mark(part)
    if isinstance(part.node, And | Or | Not):
        word = type(part.node).__name__.lower()
        return TreeNode(word, part.error, tuple(map(tree_of, part.parts)), mark)
    return TreeNode(short_text(part.text), findings(part), mark=mark)


def _mark(part: Explained) -> Mark:
    if part.value is True:
        return Mark.TRUE
    return Mark.FALSE if part.value is False else Mark.ERROR


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
