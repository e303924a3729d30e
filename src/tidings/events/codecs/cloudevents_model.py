"""CloudEvents 1.0 as such: attributes and their rules, data, and texts in HTTP headers.

Sections are those of the CloudEvents core specification 1.0.2 (https://cloudevents.io), its
JSON format and its HTTP binding.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final, TypeAlias

from tidings.errors import InvalidEvent
from tidings.events.texts import shortened
from tidings.names import is_readable

SPEC_VERSION: Final = "1.0"
REQUIRED: Final = ("id", "source", "type")
# Optional, and not empty where they are present.
_NOT_EMPTY: Final = ("subject", "datacontenttype", "dataschema", "time")

Attribute: TypeAlias = str | int | bool
"""Integers and booleans keep their types in JSON; HTTP headers make texts of them."""


@dataclass(frozen=True, slots=True)
class Json:
    """Data that is a JSON value, ready to be written."""

    value: object


@dataclass(frozen=True, slots=True)
class CloudEvent:
    """A CloudEvent: its attributes, and data as a JSON value, text or octets; None for no data."""

    attributes: Mapping[str, Attribute]
    data: Json | str | bytes | None = None


# ---------------------------------------------------------------- attributes: core, section 3

_NAME = re.compile(r"[a-z0-9]+", re.ASCII)
_MEDIA_TYPE = re.compile(r"[!#$&^_.+A-Za-z0-9-]+/[!#$&^_.+A-Za-z0-9-]+(?: *;[ -~]*)?", re.ASCII)
_TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?"
    r"([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)",
    re.ASCII,
)


def checked_attributes(given: Mapping[str, object]) -> dict[str, Attribute]:
    """The attributes of a CloudEvent, without those that are null.

    Raises:
        InvalidEvent: One is missing, or outside the rules.
    """
    found: dict[str, Attribute] = {}
    for name, value in given.items():
        if not _NAME.fullmatch(name) or name == "data":
            raise InvalidEvent(
                f"{shortened(name)} is no attribute: names have lower-case letters and digits"
            )
        if value is not None:
            found[name] = _attribute(name, value)
    if found.get("specversion") != SPEC_VERSION:
        version = shortened(found.get("specversion"))
        raise InvalidEvent(f'must be "{SPEC_VERSION}", not {version}', "specversion")
    for name in REQUIRED:
        if name not in found:
            raise InvalidEvent("a CloudEvent needs this attribute", name)
    for name in (*REQUIRED, *_NOT_EMPTY):
        if name in found and (not isinstance(found[name], str) or not found[name]):
            raise InvalidEvent(f"must be a text that is not empty, not {found[name]!r}", name)
    _check_forms(found)
    return found


def _attribute(name: str, value: object) -> Attribute:
    if isinstance(value, str):
        if not is_readable(value):
            raise InvalidEvent("control characters cannot stand in an attribute", name)
        return value
    if isinstance(value, int):  # a boolean too
        if not -(2**31) <= value < 2**31:
            raise InvalidEvent(f"{shortened(value)} does not fit into 32 bits; use a text", name)
        return value
    raise InvalidEvent(
        f"an attribute is a text, an integer or a boolean, not {shortened(value)}", name
    )


def _check_forms(attributes: Mapping[str, Attribute]) -> None:
    media_type = attributes.get("datacontenttype")
    if media_type is not None and not _MEDIA_TYPE.fullmatch(str(media_type)):
        raise InvalidEvent(
            f"{shortened(media_type)} is no media type such as application/json", "datacontenttype"
        )
    time = attributes.get("time")
    if time is not None and not is_time(str(time)):
        raise InvalidEvent(f"{shortened(time)} is no time such as 2018-04-05T17:31:00Z", "time")


def is_time(text: str) -> bool:
    """Whether a text is a time as of RFC 3339."""
    match = _TIME.fullmatch(text)
    if match is None:
        return False
    try:
        date(*map(int, match.groups()[:3]))
    except ValueError:
        return False
    return True


# ---------------------------------------------------------------- data: JSON format, section 3.1


def is_json(media_type: str | None) -> bool:
    """Whether data of a media type are JSON; so they are where none is given."""
    if media_type is None:
        return True
    subtype = _essence(media_type).partition("/")[2]
    return subtype == "json" or subtype.endswith("+json")


def is_text(media_type: str) -> bool:
    """Whether data of a media type are text, and that in UTF-8."""
    essence = _essence(media_type)
    return is_utf8(media_type) and (
        essence.startswith("text/") or essence.endswith(("/xml", "+xml"))
    )


def is_utf8(media_type: str) -> bool:
    """Whether text of a media type is in UTF-8: so it is where no other charset is given."""
    charset = re.search(r"; *charset *= *\"?([^\";]*)", media_type, re.IGNORECASE)
    return charset is None or charset.group(1).strip().lower() in ("utf-8", "us-ascii")


def _essence(media_type: str) -> str:
    return media_type.partition(";")[0].strip().lower()


# ------------------------------------------- headers: HTTP binding, section 3.1.3.2

_AS_IT_IS = frozenset(range(0x21, 0x7F)) - {ord('"'), ord("%")}
_ESCAPED = re.compile(rb"%([0-9A-Fa-f]{2})?")


def to_header(value: Attribute) -> str:
    """An attribute as the value of an HTTP header, percent-encoded."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return "".join(chr(o) if o in _AS_IT_IS else f"%{o:02X}" for o in text.encode())


def from_header(value: str, where: str) -> str:
    """An attribute from the value of an HTTP header.

    Raises:
        InvalidEvent: It is not ASCII, or escapes nothing or no UTF-8.
    """
    value = value.strip(" \t")
    if len(value) >= 2 and value.startswith('"') and value.endswith('"'):
        # Older senders quote; a backslash takes the next character as it is.
        value = re.sub(r"\\(.)", r"\1", value[1:-1])
    if not value.isascii():
        raise InvalidEvent("a header has ASCII characters only; percent-encode others", where)
    octets = value.encode()
    if any(not match.group(1) for match in _ESCAPED.finditer(octets)):
        raise InvalidEvent("a percent sign is written %25", where)
    try:
        return _ESCAPED.sub(lambda match: bytes([int(match.group(1), 16)]), octets).decode()
    except UnicodeDecodeError as error:
        raise InvalidEvent("what is percent-encoded is no UTF-8", where) from error
