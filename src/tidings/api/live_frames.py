"""The frames of a WebSocket on live objects, both ways: what is looked at, and what is seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tidings.api.operations import call_of
from tidings.errors import BadInput, InvalidUsage
from tidings.events.anyvalue import Value
from tidings.events.codecs.json_text import parse_json, write_json
from tidings.events.codecs.json_values import value_from_plain
from tidings.events.texts import shortened
from tidings.live.board import Told
from tidings.live.model import LiveObject
from tidings.live.requests import SeeLiveObjects

RATE: Final = 10.0
"""Frames a second at most, if nobody says otherwise."""
_RATES: Final = (0.1, 60.0)
_MOST_OCTETS: Final = 64 * 1024 * 1024


def checked_rate(given: object) -> float:
    """Return how many frames a second are told at most, or raise what is wrong with that."""
    low, high = _RATES
    if not isinstance(given, int | float) or isinstance(given, bool) or not low <= given <= high:
        raise InvalidUsage(
            f"rate is {shortened(given)}: it is a number from {low} to {high}, of frames a second"
        )
    return float(given)


@dataclass(frozen=True, slots=True)
class ObjectsFrame:
    """What a view is told at once.

    Attributes:
        anew: Whether what was told before is void.
        entered: By number, objects that are new in the view: tag and attributes.
        changed: By number, the attributes of others that have changed.
        left: Numbers of objects that are in it no more.
    """

    anew: bool = False
    entered: Mapping[int, tuple[str, Mapping[str, Value]]] = field(default_factory=dict)
    changed: Mapping[int, Mapping[str, Value]] = field(default_factory=dict)
    left: Sequence[int] = ()

    @classmethod
    def of(cls, told: Told) -> ObjectsFrame:
        """Return the frame for a view in this process."""
        return cls(
            told.anew,
            {one.number: (one.tag, _values(one, names)) for one, names in told.entered},
            {one.number: _values(one, names) for one, names in told.changed},
            told.left,
        )


def _values(one: LiveObject, names: Iterable[str] | None) -> dict[str, Value]:
    have = one.attributes
    wanted = have if names is None else names
    return {name: have[name].value for name in wanted if name in have}


def write_objects(told: Told) -> str:
    """Write what a view is told; each attribute's text was made when its value came."""
    parts = ['"op":"objects"']
    if told.anew:
        parts.append('"anew":true')
    if told.entered:
        entered = [
            f'{{"number":{one.number},"tag":{_text(one.tag)},"attributes":{one.json(names)}}}'
            for one, names in told.entered
        ]
        parts.append(f'"entered":[{",".join(entered)}]')
    if told.changed:
        changed = [
            f'{{"number":{one.number},"attributes":{one.json(names)}}}'
            for one, names in told.changed
        ]
        parts.append(f'"changed":[{",".join(changed)}]')
    if told.left:
        parts.append(f'"left":{_text(told.left)}')
    return f"{{{','.join(parts)}}}"


def _text(plain: object) -> str:
    return write_json(plain).decode()


def read_objects(plain: Mapping[str, Any]) -> ObjectsFrame:
    """Read what a view is told."""
    try:
        return ObjectsFrame(
            plain.get("anew", False),
            {
                one["number"]: (one["tag"], _read_values(one["attributes"]))
                for one in plain.get("entered", ())
            },
            {one["number"]: _read_values(one["attributes"]) for one in plain.get("changed", ())},
            plain.get("left", ()),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise BadInput(f"a frame of live objects cannot be read: {error!r}") from error


def _read_values(plain: Mapping[str, object]) -> dict[str, Value]:
    return {name: value_from_plain(value) for name, value in plain.items()}


def read_frame(octets: bytes) -> dict[str, Any]:
    """Return the JSON object of a frame that came from the service."""
    plain = parse_json(octets, _MOST_OCTETS)
    if not isinstance(plain, dict):
        raise BadInput(f"a frame is a JSON object, not {shortened(plain)}")
    return plain


def write_look(asked: SeeLiveObjects, rate: float) -> bytes:
    """Write what a client wants to look at."""
    body = call_of(asked).body
    assert isinstance(body, dict)
    fields = {name: value for name, value in body.items() if name not in {"after", "most"}}
    return write_json({"op": "look", "rate": rate, **fields})
