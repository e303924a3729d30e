"""Arguments that are events or `name=value`: fields, header properties, quality of service."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Final

from tidings.cli.options import option
from tidings.errors import InvalidEvent, InvalidUsage
from tidings.events.codecs.json_codec import event_from_plain
from tidings.events.codecs.json_text import parse_json
from tidings.events.structured import StructuredEvent

_WHOLE: Final = re.compile(r"-?(0|[1-9][0-9]*)", re.ASCII)
_NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", re.ASCII)
_WORDS: Final = {"true": True, "false": False}
_PAIR: Final = re.compile(r"([^=]*?)(:?=)(.*)", re.DOTALL)


HEADER_AND_LINES: Final = (
    "--header, --priority, --delay, --at and --ttl go with an event on the command line, "
    "not with --json-lines"
)

Words = Annotated[
    list[str] | None,
    option(
        "<EVENT>",
        "Domain::Type [name] field=value … field:='json' …; with --json-lines, more files.",
    ),
]
Header = Annotated[
    list[str] | None,
    option("--header NAME=VALUE", "A header property, such as Priority=4. Repeatable."),
]
JsonLines = Annotated[
    list[str] | None,
    option(
        "--json-lines FILE", "A file of events, one a line; - reads standard input. Repeatable."
    ),
]
QoS = Annotated[
    list[str] | None,
    option("--qos NAME=VALUE", "Quality of service, such as Priority=3. Repeatable."),
]


def plain_value(text: str) -> object:
    """Parse `true`, `false` and JSON numbers; anything else is text."""
    if text in _WORDS:
        return _WORDS[text]
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text


def pairs(given: Iterable[str]) -> dict[str, object]:
    """Parse `name=value`, or `name:=json` for other types; names must be unique."""
    found: dict[str, object] = {}
    for text in given:
        parts = _PAIR.fullmatch(text)
        if parts is None or not parts[1]:
            raise InvalidUsage(f"{text!r:.80} is no field; write name=value, or name:='json'")
        name, sign, value = parts.groups()
        if name in found:
            raise InvalidUsage(f"{name!r:.80} is given twice")
        found[name] = _json(name, value) if sign == ":=" else plain_value(value)
    return found


def _json(name: str, text: str) -> object:
    try:
        return parse_json(text)
    except InvalidEvent as error:
        raise error.inside(name) from error.__cause__


def event_of(words: Sequence[str], header: Iterable[str] = ()) -> StructuredEvent:
    """Build an event from words: `Domain::Type`, an optional name, then pairs."""
    domain, separator, type_ = (words[0] if words else "").partition("::")
    if not separator:
        raise InvalidUsage(
            "an event begins with its type: Domain::Type [name] field=value …"
            + (f", not {words[0]!r:.80}" if words else "")
        )
    rest = list(words[1:])
    name = rest.pop(0) if rest and "=" not in rest[0] else ""
    plain = {"domain": domain, "type": type_, "name": name}
    return event_from_plain({**plain, "header": pairs(header), "data": pairs(rest)})


def properties(given: Iterable[str]) -> dict[str, object]:
    """Parse QoS or admin properties from `Name=value`; the service checks most of them."""
    from tidings.api.properties import properties_in
    from tidings.client.configuration.text import property_hint

    found = properties_in(pairs(given))
    hints = [(name, property_hint(name, value)) for name, value in found.items()]
    if faults := [f"{name}: {hint}" for name, hint in hints if hint]:
        raise InvalidUsage("\n".join(faults))
    return found
