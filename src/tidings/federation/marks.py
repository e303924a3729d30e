"""The mark of an event in a federation: where it was published, and where it has been.

An event has a mark from the first gateway on, in whatever the service on the way can carry. It is
what makes loops harmless and lets a service accept an event once.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final
from urllib.parse import quote, unquote

import msgspec

from tidings.errors import InvalidEvent
from tidings.events.structured import StructuredEvent

PROPERTY: Final = "Federation"
"""The header property that carries the mark, in services whose events have a header."""
MOST_HOPS: Final = 32
"""Services that an event may pass; a path this long is a loop that nobody has noticed."""
_HIGHEST: Final = 2**63 - 1
_NUMBER: Final = re.compile(r"[0-9]{1,19}")
# What stays as it is in the text form, beside letters and digits; not its separators / , %.
_SAFE: Final = "-._~!*()[]=:@+$?"
# Names that are kept as they are written: most events come from few services.
_MOST_NAMES: Final = 128


class Mark(msgspec.Struct, frozen=True):
    """Where an event comes from.

    Attributes:
        system: The federation.
        origin: The event service where it was published.
        stream: Who has numbered it: numbers of one stream rise. A channel's origin, or a life of
            the first gateway where the service gives its events no numbers.
        number: Its number in the stream.
        path: The services it has been in, the origin first.
        before: The federations that it has passed before this one.
    """

    system: str
    origin: str
    stream: str
    number: int
    path: tuple[str, ...]
    before: tuple[str, ...] = ()

    @property
    def id(self) -> tuple[str, str, str, int]:
        """What two copies of one event have in common."""
        return self.system, self.origin, self.stream, self.number

    @property
    def producer(self) -> str:
        """The name under which a Tidings channel accepts it once."""
        return f"{self.system}/{self.origin}/{self.stream}"

    def then(self, service: str) -> Mark:
        """Return the mark after one more service."""
        path = (*self.path, service)
        return Mark(self.system, self.origin, self.stream, self.number, path, self.before)


def mark_text(mark: Mark) -> str:
    """Return a mark as one line of printable ASCII."""
    names = _names((mark.system, mark.origin, mark.stream), "/")
    before = f"/{_names(mark.before)}" if mark.before else ""
    return f"{names}/{mark.number}/{_names(mark.path)}{before}"


@lru_cache(_MOST_NAMES)
def _names(names: tuple[str, ...], separator: str = ",") -> str:
    return separator.join(quote(name, _SAFE) for name in names)


def _names_of(text: str) -> tuple[str, ...]:
    return tuple(unquote(name) for name in text.split(",")) if text else ()


def mark_of_text(text: str) -> Mark:
    """Read a mark; InvalidEvent if the text is none."""
    parts = text.split("/")
    if (
        len(parts) not in (5, 6)
        or not parts[3].isascii()
        or not parts[3].isdigit()
        or len(parts[3]) > 19
    ):
        raise _no_mark(text)
    system, origin, stream, number = parts[:4]
    path, before = _names_of(parts[4]), _names_of(parts[5] if len(parts) > 5 else "")
    if int(number) > _HIGHEST or not system or max(len(path), len(before)) > MOST_HOPS:
        raise _no_mark(text)
    return Mark(unquote(system), unquote(origin), unquote(stream), int(number), path, before)


def _no_mark(text: str) -> InvalidEvent:
    return InvalidEvent(
        f"{text!r:.80} is no mark of a federation: system/origin/stream/number/path",
        f"header.{PROPERTY}",
    )


def marked(event: StructuredEvent, mark: Mark) -> StructuredEvent:
    """Return an event that carries a mark in its header."""
    return msgspec.structs.replace(event, header={**event.header, PROPERTY: mark_text(mark)})


def unmarked(event: StructuredEvent) -> tuple[StructuredEvent, Mark | None]:
    """Take an event's mark out of its header; None if it has none that can be read."""
    text = event.header.get(PROPERTY)
    if text is None:
        return event, None
    header = {name: value for name, value in event.header.items() if name != PROPERTY}
    bare = msgspec.structs.replace(event, header=header)
    if not isinstance(text, str):
        return bare, None
    try:
        return bare, mark_of_text(text)
    except InvalidEvent:
        return bare, None
