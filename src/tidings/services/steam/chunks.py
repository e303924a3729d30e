"""Texts of any length as events of one type: cut into chunks, and put together again.

A STEAM event type has a fixed number of parameters, and its texts are bounded. So a long text goes
as several events, each with so many texts; those that the last one does not need are empty. What
arrives is the whole text or nothing: its digest is its name.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Mapping
from typing import Final

from tidings.errors import InvalidEvent
from tidings.events.texts import checked_text
from tidings.services.steam.datagrams import MOST_TEXT, EventType, Kind, Value

TEXTS: Final = 8
"""Texts of one event."""
MOST_PARTS: Final = 128
"""Events of one text: about a million characters."""
MOST_UNFINISHED: Final = 64
"""Texts of which something is missing; the one begun first goes first."""
MOST_CHARACTERS: Final = 4_000_000
"""Characters of unfinished texts, all together."""
PATIENCE: Final = 5_000_000
"""Microseconds until a text of which something is missing is given up."""

_NAMES: Final = tuple(f"Text{at}" for at in range(1, TEXTS + 1))
_SIZE: Final = TEXTS * MOST_TEXT


def chunk_type(subject: str) -> EventType:
    """Return the type of events that carry long texts."""
    kinds = {"Message": Kind.TEXT, "Part": Kind.INTEGER, "Parts": Kind.INTEGER}
    return EventType(subject, {**kinds, **dict.fromkeys(_NAMES, Kind.TEXT)})


def split(text: str) -> list[dict[str, Value]]:
    """Return the values of the events that carry a text; InvalidEvent if it is too long."""
    parts = max(1, -(-len(text) // _SIZE))
    if parts > MOST_PARTS:
        raise InvalidEvent(
            f"STEAM carries texts of at most {MOST_PARTS * _SIZE} characters, not {len(text)}"
        )
    name = _digest(checked_text(text, "text"))
    return [
        {
            "Message": name,
            "Part": part + 1,
            "Parts": parts,
            **{
                each: text[at : at + MOST_TEXT]
                for each, at in zip(
                    _NAMES, range(part * _SIZE, (part + 1) * _SIZE, MOST_TEXT), strict=True
                )
            },
        }
        for part in range(parts)
    ]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class Joiner:
    """Puts texts together from events that come in any order, twice, or not at all.

    Attributes:
        dropped: Texts that were given up, and events that were no part of one.
    """

    def __init__(self) -> None:
        self.dropped = 0
        self._unfinished: OrderedDict[tuple[int, str], _Unfinished] = OrderedDict()
        self._characters = 0

    def add(self, sender: int, values: Mapping[str, Value], now: int) -> str | None:
        """Take an event; return the text that it completes."""
        self._give_up(now)
        name, part, parts = (values.get(each) for each in ("Message", "Part", "Parts"))
        texts = [values.get(each) for each in _NAMES]
        if (
            not isinstance(name, str)
            or not isinstance(part, int)
            or not isinstance(parts, int)
            or not 1 <= part <= parts <= MOST_PARTS
            or len(values) != TEXTS + 3
        ):
            self.dropped += 1
            return None
        text = "".join(each for each in texts if isinstance(each, str))
        if parts == 1:
            return self._checked(text, name)
        key = sender, name
        found = self._unfinished.setdefault(key, _Unfinished(parts, now))
        if found.parts == parts and part not in found.texts:
            found.texts[part] = text
            self._characters += len(text)
        if len(found.texts) == found.parts:
            self._forget(key)
            return self._checked("".join(text for _, text in sorted(found.texts.items())), name)
        while len(self._unfinished) > MOST_UNFINISHED or self._characters > MOST_CHARACTERS:
            self._forget(next(iter(self._unfinished)))
            self.dropped += 1
        return None

    def _checked(self, text: str, name: str) -> str | None:
        if _digest(text) == name:
            return text
        self.dropped += 1
        return None

    def _give_up(self, now: int) -> None:
        while self._unfinished:
            key, oldest = next(iter(self._unfinished.items()))
            if oldest.begun + PATIENCE > now:
                return
            self._forget(key)
            self.dropped += 1

    def _forget(self, key: tuple[int, str]) -> None:
        self._characters -= sum(map(len, self._unfinished.pop(key).texts.values()))


class _Unfinished:
    """A text of which something is missing."""

    def __init__(self, parts: int, begun: int) -> None:
        self.parts = parts
        self.begun = begun
        self.texts: dict[int, str] = {}
