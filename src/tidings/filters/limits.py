"""Limits of constraints, against hostile or runaway ones.

The standard sets none; JMS brokers and SQL engines cap text and nesting at values of this order. A
constraint at every limit still compiles in well under a second.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ConstraintLimits:
    """Limits of one constraint.

    Attributes:
        octets: Length of the text in UTF-8. Stops memory attacks before any work is done.
        depth: Nesting of the tree. Keeps every recursive pass far from the stack's end.
        steps: Steps of one component path.
        nodes: Nodes of the tree. Bounds the time to compile and to evaluate.
    """

    octets: int = 65_536
    depth: int = 100
    steps: int = 1_000
    nodes: int = 10_000


DEFAULT_LIMITS = ConstraintLimits()
