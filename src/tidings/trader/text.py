"""Service types as text, as papers on the trading service write them.

::

    service Office::Plotter: Office::Printer {
        interface IDL:office/Plotter:1.0;
        mandatory property double cost;      // read-only, normal
        property sequence<string> features;
    }

A line's end does for a semicolon, the words of the language may be capital, and a type may stand
in `<…>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tidings.errors import InvalidTypeCode, InvalidUsage, line_and_column
from tidings.events.texts import shortened
from tidings.events.typetext import read_type
from tidings.trader.model import PropertyDef, PropertyMode
from tidings.trader.requests import AddServiceType

_NAME: Final = r"(?:IDL:[^\s:{,]+:\d+\.\d+|[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*)"
_SERVICE: Final = re.compile(
    rf"\s*service\s+(?P<name>{_NAME})\s*(?::\s*(?P<bases>{_NAME}(?:\s*,\s*{_NAME})*)\s*)?"
    r"\{(?P<body>[^}]*)\}\s*;?",
    re.IGNORECASE | re.ASCII,
)
_PROPERTY: Final = re.compile(
    r"(?P<modes>(?:(?:mandatory|read-?only|normal)\s+)*)(?:property\s+)?"
    r"(?P<type>\S.*?)\s+(?P<name>[A-Za-z_]\w*)",
    re.IGNORECASE | re.ASCII,
)
_INTERFACE: Final = re.compile(r"interface\s+(\S+)", re.IGNORECASE)
_COMMENT: Final = re.compile(r"//[^\n]*")


def read_service_types(text: str) -> list[AddServiceType]:
    """Read service types; InvalidUsage says in which line one is wrong."""
    text = _COMMENT.sub("", text)
    found: list[AddServiceType] = []
    at, end = 0, len(text.rstrip())
    while at < end:
        service = _SERVICE.match(text, at)
        if service is None:
            line, _ = line_and_column(text, at + len(text[at:]) - len(text[at:].lstrip()))
            raise InvalidUsage(
                f"line {line}: a service type is written 'service NAME: BASE, BASE {{ interface "
                "ID; mandatory property TYPE NAME; }', with or without bases"
            )
        found.append(_service_type(service, text))
        at = service.end()
    return found


def _service_type(service: re.Match[str], text: str) -> AddServiceType:
    interface, properties = "", []
    for line, item in _items(service, text):
        named = _INTERFACE.fullmatch(item)
        try:
            if named is None:
                properties.append(property_of(item))
            else:
                interface = named[1]
        except InvalidUsage as error:
            raise InvalidUsage(f"line {line}: {error}") from error
    bases = re.split(r"\s*,\s*", service["bases"]) if service["bases"] else ()
    return AddServiceType(service["name"], interface, tuple(properties), tuple(bases))


def _items(service: re.Match[str], text: str) -> Iterator[tuple[int, str]]:
    """Return what stands in the braces, each with its line."""
    first, _ = line_and_column(text, service.start("body"))
    for number, line in enumerate(service["body"].split("\n"), first):
        for item in filter(None, map(str.strip, line.split(";"))):
            yield number, item


def property_of(text: str) -> PropertyDef:
    """Read `[mandatory] [read-only] [normal] [property] TYPE NAME`."""
    found = _PROPERTY.fullmatch(text.strip())
    if found is None:
        raise InvalidUsage(
            f"{shortened(text)} is not a property: it is '[mandatory] [readonly] TYPE NAME', such "
            "as 'mandatory double cost'"
        )
    mode = 0
    for word in found["modes"].lower().replace("-", "").split():
        mode |= PropertyMode[word.upper()]
    type_ = found["type"]
    if type_.startswith("<") and type_.endswith(">"):
        type_ = type_[1:-1]
    try:
        return PropertyDef(found["name"], read_type(type_), PropertyMode(mode))
    except InvalidTypeCode as error:
        raise InvalidUsage(f"{shortened(text)}: {error}") from error
