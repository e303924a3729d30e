"""Places in IDL files, and errors at them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from tidings.errors import BadInput, caret_report, line_and_column


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """One IDL file, or a text in its stead."""

    name: str
    text: str


class Place(NamedTuple):
    """A place in a file: how many characters precede it."""

    source: Source
    offset: int

    @property
    def line(self) -> int:
        """The line, counted from 1."""
        return line_and_column(self.source.text, self.offset)[0]

    @property
    def column(self) -> int:
        """The column, counted from 1."""
        return line_and_column(self.source.text, self.offset)[1]

    def __str__(self) -> str:
        return f"{self.source.name}:{self.line}:{self.column}"


NOWHERE = Place(Source("", ""), 0)
"""Of what was built and not read."""


class InvalidIdl(BadInput):
    """IDL that cannot be used: what is wrong, where, and what would be right."""

    code = "invalid_idl"
    http_status = 422

    def __init__(self, problem: str, place: Place, hint: str = "") -> None:
        super().__init__(problem, place, hint)
        self.problem = problem
        self.place = place
        self.hint = hint

    @property
    def file(self) -> str:
        """The name of the file."""
        return self.place.source.name

    @property
    def line(self) -> int:
        """The line, counted from 1."""
        return self.place.line

    @property
    def column(self) -> int:
        """The column, counted from 1."""
        return self.place.column

    def __str__(self) -> str:
        headline = f"{self.place}: {self.problem}"
        return caret_report(headline, self.place.source.text, self.place.offset, self.hint)
