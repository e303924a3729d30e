"""Lines of generated modules."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

INDENT: Final = "    "
_WIDTH: Final = 120


def filled(parts: Iterable[str]) -> str:
    """Join parts with commas, on as few lines as possible."""
    text, used = "", 0
    for part in parts:
        if text and used + len(part) > _WIDTH:
            text, used = f"{text},\n{INDENT * 2}", 0
        elif text:
            text += ", "
        text += part
        used += len(part) + 2
    return text


def joined(head: str, body: str, indent: str = INDENT) -> list[str]:
    """A function with one statement, on one line, or on two if one would be too long."""
    whole = f"{indent}{head} {body}"
    return [whole] if len(whole) <= _WIDTH else [f"{indent}{head}", f"{indent}{INDENT}{body}"]
