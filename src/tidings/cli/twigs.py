"""A tree of lines, as it is shown."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Twig:
    """One line: what it is, what is worth knowing of it, and what is below."""

    text: str
    note: str = ""
    parts: tuple[Twig, ...] = ()
