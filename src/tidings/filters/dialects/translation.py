"""What a translation of a constraint is: the same events, or more; never fewer."""

from __future__ import annotations

from typing import NamedTuple


class Translation(NamedTuple):
    """A constraint in another language.

    Attributes:
        text: As the other service takes it; empty selects every event.
        exact: Whether it selects the same events; if not, it selects more.
        surplus: What was left out, in words; empty if exact.
    """

    text: str
    exact: bool
    surplus: str = ""
