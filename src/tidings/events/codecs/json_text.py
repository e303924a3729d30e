"""JSON text to plain Python values: strict, and with errors that say where.

Beside malformed JSON, duplicate names in one object are refused: parsers disagree on which of the
two counts, so a filter here and a program there could see different events.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import accumulate

import msgspec

from tidings.errors import InvalidEvent, LimitExceeded
from tidings.events.texts import place_name, shortened

# What one event may take as typed JSON, in and out: enough for a large picture in base64, and
# no more than a queue of some thousands can afford to hold in memory.
MAX_EVENT_OCTETS = 10_000_000

# What anybody may send as one event or request, in values. Reading takes up to 0.2 µs for each
# number in a list and up to 2 µs for each object: at the limit, about 20 ms.
MAX_VALUES = 100_000
# What an object or list counts for.
_CONTAINER = 10
_BLOCK_OCTETS = 131_072
_NOT_COUNTED = bytes(set(range(256)) - set(b",[{"))

# How far a fault is searched for its place: about 10 ms.
_SEARCHED_OCTETS = 200_000
# A lone surrogate stands this near to where the parser stops.
_SURROGATE_OCTETS = 64

_decoder = msgspec.json.Decoder()
_encoder = msgspec.json.Encoder()


def write_json(plain: object, limit: int = MAX_EVENT_OCTETS) -> bytes:
    """Plain values as JSON without white space, at most `limit` octets."""
    octets = _encoder.encode(plain)
    _check_length(len(octets), limit)
    return octets


def parse_json(
    text: bytes | str, limit: int = MAX_EVENT_OCTETS, values: int | None = None
) -> object:
    """The value of a JSON text of at most `limit` octets.

    It may hold so many `values`, an object or list counted as ten; None for any number. They are
    counted before anything is parsed.
    """
    octets = _octets(text)
    _check_length(len(octets), limit)
    if values is not None and len(octets) * _CONTAINER > values:
        _check_values(octets, values)
    try:
        value = _decoder.decode(octets)
        pairs = _encoder.encode(value).count(b":")
    except RecursionError as error:
        raise InvalidEvent("the JSON nests too deeply to be an event") from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise _fault(octets, error) from error
    # Written again, each pair that was kept has its colon, and so has each colon in a text. One
    # less than before is a pair that was lost.
    if octets.count(b":") + _escaped_colons(octets) != pairs:
        raise _twins(octets)
    return value


def _escaped_colons(octets: bytes) -> int:
    if b"\\u003" not in octets:
        return 0
    single = octets.replace(b"\\\\", b"")  # what is left escapes something
    return single.count(b"\\u003a") + single.count(b"\\u003A")


def _check_values(octets: bytes, most: int) -> None:
    """Count what separates values, block by block, until it is too much."""
    if _all_counted(map(json_weight, _blocks(octets)), most):
        return
    in_text = False

    def without_texts(block: bytes) -> int:
        nonlocal in_text
        if b"\\" in block:
            block = block.replace(b"\\\\", b"").replace(b'\\"', b"")
        parts = block.split(b'"')
        outside = b"".join(parts[in_text::2])
        in_text ^= len(parts) % 2 == 0
        return json_weight(outside)

    if not _all_counted(map(without_texts, _blocks(octets)), most):
        raise LimitExceeded(
            f"the JSON holds more than the {most} values taken, each object or list counted as "
            f"{_CONTAINER}: send it in parts"
        )


def _blocks(octets: bytes) -> Iterator[bytes]:
    """The text in blocks; none ends between a backslash and what it escapes."""
    at, size = 0, len(octets)
    while at < size:
        block = octets[at : at + _BLOCK_OCTETS]
        if (len(block) - len(block.rstrip(b"\\"))) % 2:
            block = octets[at : at + _BLOCK_OCTETS + 1]
        yield block
        at += len(block)


def _all_counted(weights: Iterable[int], most: int) -> bool:
    """Whether the sum of the weights stays within a limit; stops at the first beyond it."""
    return all(sum_ <= most for sum_ in accumulate(weights))


def json_weight(octets: bytes) -> int:
    """About how many values a JSON text holds, an object or list counted as ten."""
    counted = octets.translate(None, _NOT_COUNTED)
    return len(counted) + (_CONTAINER - 1) * (len(counted) - counted.count(b","))


def _check_length(length: int, limit: int) -> None:
    if length > limit:
        raise LimitExceeded(f"{length} octets of JSON are more than the {limit} taken")


def _octets(text: bytes | str) -> bytes:
    if not isinstance(text, str):
        return bytes(text)
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        line, column = _line_and_column(text[: error.start].encode(errors="replace"))
        raise InvalidEvent(
            f"line {line}, column {column}: the lone surrogate U+{ord(text[error.start]):04X}, "
            "which no text can carry"
        ) from error


def _line_and_column(before: bytes) -> tuple[int, int]:
    """Line and column after a text, counted from 1 in characters."""
    last_line = before.rpartition(b"\n")[2]
    return before.count(b"\n") + 1, len(last_line.decode(errors="replace")) + 1


def _fault(octets: bytes, error: Exception) -> InvalidEvent:
    """The error for a text that the parser refused, with its place."""
    try:
        octets.decode()
    except UnicodeDecodeError as bad:
        return _at(octets, bad.start, f"octet 0x{octets[bad.start]:02X} is not UTF-8")
    if "out of range" in str(error):
        return _too_large(octets)
    place = re.search(r"\(byte (\d+)\)", str(error))
    surrogate = _lone_surrogate(octets, int(place.group(1)) if place else len(octets))
    if surrogate is not None:
        code = octets[surrogate + 2 : surrogate + 6].decode().upper()
        return _at(octets, surrogate, f"the lone surrogate U+{code}, which no text can carry")
    if place is None:
        return _at(octets, len(octets), "the JSON ends too early")
    # The parser counts what trails from 1, and everything else from 0.
    position = int(place.group(1)) - ("trailing characters" in str(error))
    problem = str(error).removeprefix("JSON is malformed: ").rpartition(" (byte")[0]
    return _at(octets, position, f"malformed JSON: {problem}{_hint(octets, position)}")


def _at(octets: bytes, position: int, problem: str) -> InvalidEvent:
    line, column = _line_and_column(octets[:position])
    return InvalidEvent(f"line {line}, column {column}: {problem}")


def _hint(octets: bytes, position: int) -> str:
    rest = octets[position : position + 8]
    if rest.startswith((b"NaN", b"Infinity")):
        sign = "-" if octets[:position].endswith(b"-") else ""
        name = sign + ("NaN" if rest.startswith(b"NaN") else "Infinity")
        return f'; write {{"$type": "double", "value": "{name}"}}'
    if rest.startswith(b"'"):
        return "; names and texts stand in double quotes"
    return ""


# An escaped half of a surrogate pair without its other half; after an even number of backslashes.
_LONE_SURROGATE = re.compile(
    rb"(?<!\\)(?:\\\\)*\\u(?:"
    rb"[dD][89abAB][0-9A-Fa-f]{2}(?!\\u[dD][c-fC-F])"
    rb"|(?<!\\u[dD][89abAB][0-9A-Fa-f]{2}\\u)[dD][c-fC-F][0-9A-Fa-f]{2})"
)


def _lone_surrogate(octets: bytes, near: int) -> int | None:
    match = _LONE_SURROGATE.search(octets, max(0, near - _SURROGATE_OCTETS))
    return None if match is None else match.end() - 6


_TOKEN = re.compile(
    rb'"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|[{}\[\],:]', re.DOTALL
)


class _Level:
    """An object or array that is being read: its current name or index."""

    __slots__ = ("at", "is_object", "names", "wants_name")

    def __init__(self, is_object: bool) -> None:
        self.is_object = self.wants_name = is_object
        self.at: str | int = "" if is_object else 0
        self.names: set[str] = set()


def _place(levels: list[_Level]) -> str:
    where = ""
    for level in levels:
        name = place_name(level.at)
        where += f"[{name}]" if not level.is_object else f".{name}" if where else name
    return where


def _tokens(octets: bytes) -> Iterator[tuple[bytes, list[_Level]]]:
    """Names of members and numbers, with the levels they are in. For errors only.

    It is slow, so large texts are not searched: a fault should not cost more of our time than an
    event.
    """
    levels: list[_Level] = []
    for match in _TOKEN.finditer(octets) if len(octets) <= _SEARCHED_OCTETS else ():
        token = match.group()
        if token in (b"{", b"["):
            levels.append(_Level(token == b"{"))
        elif token in (b"}", b"]"):
            levels.pop()
        elif token == b",":
            level = levels[-1]
            level.wants_name = level.is_object
            level.at = level.at if isinstance(level.at, str) else level.at + 1
        elif token == b":":
            levels[-1].wants_name = False
        elif token[:1] != b'"' or (levels and levels[-1].wants_name):
            yield token, levels


def _twins(octets: bytes) -> InvalidEvent:
    for token, levels in _tokens(octets):
        if token[:1] == b'"':
            level = levels[-1]
            level.at = name = str(_decoder.decode(token))
            if name in level.names:
                problem = f"the name {shortened(name)} stands twice in one object"
                return InvalidEvent(problem, _place(levels[:-1]))
            level.names.add(name)
    return InvalidEvent("a name stands twice in one object")


def _too_large(octets: bytes) -> InvalidEvent:
    for token, levels in _tokens(octets):
        if token[:1] == b'"':
            levels[-1].at = _decoder.decode(token)
            continue
        is_integer = token.lstrip(b"-").isdigit()
        if len(token) > 20 if is_integer else float(token) in (float("inf"), -float("inf")):
            shown = shortened(token.decode())
            what = "the integers, -2**63 to 2**64-1" if is_integer else "a double"
            return InvalidEvent(f"{shown} is outside {what}", _place(levels))
    return InvalidEvent("a number is too large")
