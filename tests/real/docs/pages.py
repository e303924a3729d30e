"""Tables and code blocks of the documentation, as data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class Table:
    """A table: the words above it, its headings, its rows with their line numbers."""

    title: str
    headings: list[str]
    rows: list[tuple[int, list[str]]]

    def dicts(self) -> list[tuple[int, dict[str, str]]]:
        return [(line, dict(zip(self.headings, row, strict=True))) for line, row in self.rows]


@dataclass(frozen=True)
class Block:
    """A code block: its language, its first line's number, its text."""

    language: str
    line: int
    text: str


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _cells(line: str) -> list[str]:
    # A bar inside a code span would need more than this; the language has none.
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def code(cell: str) -> str:
    """What stands between the backticks of a cell."""
    return cell.removeprefix("`").removesuffix("`")


def tables(text: str) -> list[Table]:
    found: list[Table] = []
    lines = text.split("\n")
    title, number = "", 0
    while number < len(lines):
        line = lines[number]
        if line.startswith("|"):
            end = next(i for i in range(number, len(lines)) if not lines[i].startswith("|"))
            rows = [(i + 1, _cells(lines[i])) for i in range(number + 2, end)]
            found.append(Table(title, _cells(line), rows))
            number = end
            continue
        if line.strip():
            title = line.strip()
        number += 1
    return found


def blocks(text: str) -> Iterator[Block]:
    for match in re.finditer(r"^```([\w-]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield Block(match[1], text.count("\n", 0, match.start()) + 2, match[2])
