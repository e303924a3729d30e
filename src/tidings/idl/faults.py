"""Places in IDL files, the limits of a compilation, and errors."""

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


@dataclass(frozen=True, slots=True)
class IdlLimits:
    """Limits of one compilation, included files and all.

    Attributes:
        octets: Length of one file. The largest of the standard ones has about 50 000.
        files: How many files may be read; one that is read twice counts twice.
        include_depth: How many files may include each other in a row.
        tokens: Words and signs of all files.
        name_length: Characters of one identifier.
        depth: How deep modules, types and expressions may nest. Keeps every recursive pass
            far from the end of the stack.
        array_elements: Elements of one array, all dimensions multiplied.
        type_nodes: Parts of the TypeCodes of all types that contain each other in circles.
        bases: How many interfaces one may inherit from, directly and indirectly.
    """

    octets: int = 4_000_000
    files: int = 1_000
    include_depth: int = 32
    tokens: int = 1_000_000
    name_length: int = 256
    depth: int = 48
    array_elements: int = 16_777_216
    type_nodes: int = 100_000
    bases: int = 1_000


DEFAULT_LIMITS = IdlLimits()
