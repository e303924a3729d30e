"""Identifier rules and id makers: the only place that draws random numbers."""

from __future__ import annotations

import re
import secrets
from typing import Final

from tidings.errors import InvalidUsage

MAX_NAME: Final = 256

# Control characters, surrogates, and what Unicode says is no character (the last two code
# points of each of the 17 planes among them): the same that CloudEvents keeps out of its texts.
_UNREADABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef"
    + "".join(chr(plane * 0x10000 + low) for plane in range(17) for low in (0xFFFE, 0xFFFF))
    + "]"
)
_ORIGIN = re.compile(r"[0-9a-f]{32}", re.ASCII)


def new_origin() -> str:
    """A random 128-bit id for a source of events, as 32 hexadecimal digits."""
    return secrets.token_hex(16)


def new_handle() -> int:
    """A random number from 1 to 2**31 - 1: an id that fits an IDL long and cannot be counted up."""
    return 1 + secrets.randbelow(2**31 - 1)


def new_secret(octets: int) -> bytes:
    """Octets that nobody can guess."""
    return secrets.token_bytes(octets)


def is_origin(text: str) -> bool:
    """Whether the text has the form of an origin."""
    return _ORIGIN.fullmatch(text) is not None


def is_readable(text: str) -> bool:
    """Whether every part of the text is a character, and none of them a control character."""
    return _UNREADABLE.search(text) is None


def checked_name(name: str) -> str:
    """Return a valid name for a new channel or proxy, empty for none; else raise InvalidUsage."""
    if len(name) > MAX_NAME or not is_readable(name):
        raise InvalidUsage(
            f"a name has at most {MAX_NAME} characters, none of them a control character: "
            f"{name!r:.60} is none"
        )
    if name.isascii() and name.isdigit():
        raise InvalidUsage(f"the name {name!r:.60} has only digits: it would be read as an id")
    return name
