"""Texts of events, and values as messages show them."""

from __future__ import annotations

import reprlib

from tidings.errors import InvalidEvent


def checked_text(text: str, where: str) -> str:
    """The text itself, if it is well formed."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError as error:
        code = ord(text[error.start])
        raise InvalidEvent(
            f"character {error.start + 1} is the lone surrogate U+{code:04X}, "
            "which no text can carry",
            where,
        ) from error
    return text


def exact_text(text: str) -> str:
    """The characters of a text, also of a subclass such as a text enum: `str()` would name it."""
    return text if type(text) is str else str.__str__(text)


def member_name(name: object, where: str) -> str:
    """A name of a member or property: non-empty text."""
    if type(name) is str and name and name.isascii():
        return name
    if not isinstance(name, str) or not name:
        raise InvalidEvent(f"names must be non-empty text, not {shortened(name)}", where)
    return checked_text(exact_text(name), where)


def place_name(name: object) -> str:
    """A name as part of a place in a message: well formed, and short."""
    text = name if isinstance(name, str) else shortened(name)
    text = text.encode(errors="backslashreplace").decode()
    return text if len(text) <= 60 else text[:59] + "…"


_SHOWN = reprlib.Repr()
_SHOWN.maxlevel = 3
_SHOWN.maxstring = _SHOWN.maxother = _SHOWN.maxlong = 200


def shortened(value: object, most: int = 40) -> str:
    """A value as a message can show it."""
    if isinstance(value, int) and not -(10**most) < value < 10**most:
        return f"an integer of {value.bit_length()} bits"
    try:
        text = _SHOWN.repr(value)
    except ValueError:  # somewhere inside is an integer too long for Python to spell
        text = f"a {type(value).__name__}"
    return text if len(text) <= most else text[: most - 1] + "…"
