"""Find the parts of a long JSON text, step by step and without parsing them.

Between two steps, of a few milliseconds at most, the reader of a long text lets others run; at the
first part too many it stops. Whether each part is JSON shows when it is parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from tidings.errors import InvalidEvent

# What holds nothing that begins, ends or separates parts; as much as one step may look at.
_INSIDE: Final = re.compile(
    rb'[^"\[\]{}]{0,4096}+(?:"[^"\\]{0,256}+"[^"\[\]{}]{0,4096}+){0,200}+', re.DOTALL
)
_BETWEEN: Final = re.compile(
    rb'[^"\[\]{},]{0,4096}+(?:"[^"\\]{0,256}+"[^"\[\]{},]{0,4096}+){0,200}+', re.DOTALL
)
_IN_TEXT: Final = re.compile(rb'[^"\\]{0,65536}+(?:\\.[^"\\]{0,256}+){0,500}+', re.DOTALL)
_SPACE: Final = re.compile(rb"[ \t\r\n]*+")
# Octets between two pauses, and how many of them a step counts for: about 2 ms of work.
_PAUSE: Final = 262_144
_STEP: Final = 128
# Deeper than any event: the parts are refused when they are parsed.
_DEEPEST: Final = 1_000
_QUOTE, _COMMA = b'",'
_CLOSING: Final = {b"[": ord("]"), b"{": ord("}")}
_SIGNS: Final = {_COMMA: 0, **dict.fromkeys(b"[{", 1), **dict.fromkeys(b"]}", -1)}


class Part(NamedTuple):
    """The place of an element of an array, or of a name of an object with its value."""

    begin: int
    end: int


def is_array(octets: bytes) -> bool:
    """Whether a text, if it is JSON, is an array."""
    at = _after_space(octets, 0, len(octets))
    return octets[at : at + 1] == b"["


def json_parts(octets: bytes, begin: int, end: int) -> Iterator[Part | None]:
    """The parts of the array or object from `begin` to `end`; None for a pause."""
    at = begin = _after_space(octets, begin, end) + 1
    closing = _CLOSING.get(octets[at - 1 : at])
    depth, in_text, some, pause = 1, False, False, at + _PAUSE
    between, inside, text = _BETWEEN.match, _INSIDE.match, _IN_TEXT.match
    while depth:
        pause -= _STEP
        if at >= pause:
            yield None
            pause = at + _PAUSE
        before, skip = at, text if in_text else between if depth == 1 else inside
        at = skip(octets, at, end).end()  # type: ignore[union-attr]
        sign = octets[at] if at < end else 0
        if sign == _QUOTE:
            in_text = not in_text
        elif in_text or sign not in _SIGNS:
            if at == before:
                raise InvalidEvent("the JSON ends too early")
            continue
        elif sign != _COMMA:
            depth += _SIGNS[sign]
            if depth > _DEEPEST:
                raise InvalidEvent("the JSON nests too deeply to be an event")
            if not depth and sign != closing:
                raise InvalidEvent("the JSON does not end as it begins")
        elif depth == 1:
            yield Part(begin, at)
            begin, some = at + 1, True
        at += 1
    if _after_space(octets, at, end) < end:
        raise InvalidEvent("something stands behind the end of the JSON")
    if some or _after_space(octets, begin, end) < at - 1:
        yield Part(begin, at - 1)


def _after_space(octets: bytes, at: int, end: int) -> int:
    match = _SPACE.match(octets, at, end)
    assert match is not None
    return match.end()
