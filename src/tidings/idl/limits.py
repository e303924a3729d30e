"""Limits of one compilation, against hostile or runaway files."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
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


DEFAULT_LIMITS = Limits()
