"""A fault shown in its place: the line, and a caret under the fault."""

from __future__ import annotations

import unicodedata


def line_and_column(text: str, position: int) -> tuple[int, int]:
    """Line and column of an offset, both counted from 1."""
    line_start = text.rfind("\n", 0, position) + 1
    return text.count("\n", 0, position) + 1, position - line_start + 1


# A terminal line holds about this much; longer lines are shown as a window around the caret.
_SHOWN = 72


def caret_report(headline: str, text: str, position: int, hint: str = "") -> str:
    """A headline, the faulty line with a caret under the fault, and a hint."""
    start = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    line = text[start : end if end >= 0 else len(text)]
    at = position - start
    if len(line) > _SHOWN:
        left = max(0, min(at - _SHOWN // 2, len(line) - _SHOWN))
        head, tail = ("…" if left else ""), ("…" if left + _SHOWN < len(line) else "")
        line, at = head + line[left : left + _SHOWN] + tail, at - left + len(head)
    # A tab is one character but several columns wide: show it as a space, so the caret is right.
    # A lone surrogate cannot be printed at all.
    shown = "".join(" " if c < " " else "\ufffd" if "\ud800" <= c <= "\udfff" else c for c in line)
    lines = [headline, f"  {shown}", f"  {' ' * _columns(shown[:at])}^"]
    if hint:
        lines.append(f"  hint: {hint}")
    return "\n".join(lines)


def _columns(text: str) -> int:
    """How many columns of a terminal a text takes: characters of East Asia take two each."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    # Accents that are characters of their own are drawn onto the one before.
    return len(text) + wide - sum(unicodedata.combining(c) != 0 for c in text)
