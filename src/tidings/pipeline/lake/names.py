"""Names in a lake: folders for event types, columns for properties.

A folder keeps letters, digits, `.`, `-` and `_` of ASCII; everything else, and a `.` or `_` at the
beginning (Spark passes such folders over), is percent-encoded as UTF-8. The empty name is `_`.
Names of more than 120 octets are cut, and end in `~` and a digest.

A column keeps letters, digits and `_`; another character is `_xHH_` with its code point. The
property itself stands in the schema file of its type, so nothing depends on undoing this.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container
from typing import Final

EMPTY: Final = "_"
_MAX_FOLDER: Final = 120  # encoded; file systems take 255 octets
_MAX_COLUMN: Final = 120
_PLAIN: Final = re.compile(rb"[A-Za-z0-9._-]")


def folder_name(name: str) -> str:
    """The folder of a domain or type; no two names have one."""
    if not name:
        return EMPTY
    octets = name.encode("utf-8", "surrogatepass")
    made = "".join(
        chr(octet) if _PLAIN.match(bytes([octet])) else f"%{octet:02X}" for octet in octets
    )
    if made[0] in "._":
        made = f"%{ord(made[0]):02X}{made[1:]}"
    return _cut(made, name, _MAX_FOLDER, "~")


def table_of_type(domain: str, type: str) -> str:
    """The table of an event type, such as `types/Traffic/Speed`."""
    return f"types/{folder_name(domain)}/{folder_name(type)}"


def column_name(name: str) -> str:
    """A name that every reader of columns takes; several properties may come out the same."""
    made = "".join(char if _stays(char) else f"_x{ord(char):x}_" for char in name)
    return _cut(made or EMPTY, name, _MAX_COLUMN, "__")


def same_column(name: str) -> str:
    """What two names have in common that Spark takes for one column."""
    return name.lower()


def unused_column(name: str, used: Container[str]) -> str:
    """The name, or with the first number behind it that makes it one nobody has.

    Args:
        name: The name that would be right.
        used: What `same_column` says of those that are taken.
    """
    made, number = name, 1
    while same_column(made) in used:
        number += 1
        made = f"{name}__{number}"
    return made


def _stays(char: str) -> bool:
    if char == "_" or (char.isascii() and char.isalnum()):
        return True
    # A letter with one small and one large form: others compare equal in Java and not here.
    return (
        char.isalnum()
        and len(char.lower()) == len(char.upper()) == 1
        and char.upper().lower() == char.lower()
    )


def _cut(made: str, name: str, most: int, mark: str) -> str:
    if len(made.encode()) <= most:
        return made
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    kept = made.encode()[: most - 20].decode(errors="ignore")
    return f"{kept}{mark}{digest}"
