"""The columns of an event, and how an expression names them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Occurring:
    """Which properties occur in which columns of some rows.

    A column that cannot have a property need not be read for it.

    Attributes:
        maps: By column of properties, the names in it; a column that is missing has none. None if
            unknown.
        others: Names that occur with kinds that no map of properties holds, `*` for bare values;
            None if unknown.
    """

    maps: Mapping[str, Collection[str]] | None = None
    others: Collection[str] | None = None

    def in_map(self, column: str, name: str) -> bool:
        """Whether a map may have this property."""
        return self.maps is None or name in self.maps.get(column, ())

    def as_other(self, name: str) -> bool:
        """Whether this property, or `*`, may occur with a kind that no map holds."""
        return self.others is None or name in self.others


ANYTHING: Final = Occurring()
"""Nothing is known."""


@dataclass(frozen=True, slots=True)
class EventColumns:
    """The event columns of a frame; `prefix` is its alias where two frames are joined."""

    prefix: str = ""
    occurring: Occurring = ANYTHING

    def named(self, name: str) -> str:
        """A column, as an expression names it."""
        return f"{quoted_name(self.prefix)}.{quoted_name(name)}" if self.prefix else name

    def has(self, column: str, name: str) -> bool:
        """Whether a map of properties may have this one."""
        return self.occurring.in_map(column, name)

    def lookup(self, column: str, name: str) -> str:
        """The value of a property in a map of properties; NULL if it is not in this map."""
        return f"{self.named(column)}[{quoted(name)}]"

    def listed(self, column: str, name: str) -> str:
        """Whether a list of names has this one."""
        return f"array_contains({self.named(column)}, {quoted(name)})"


ARCHIVE: Final = EventColumns()
"""The columns of the archive's events, by their own names."""


def quoted_name(name: str) -> str:
    """A name in SQL."""
    return "`" + name.replace("`", "``") + "`"


def quoted(text: str) -> str:
    """A text in SQL.

    All but letters, digits and the plainest signs are escaped: Spark reads `${…}` in an expression
    as a variable, even inside a text.
    """
    return "'" + "".join(map(_escaped, text)) + "'"


_PLAIN: Final = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-.:,;/()=+*"
)


def _escaped(character: str) -> str:
    if character in _PLAIN:
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
