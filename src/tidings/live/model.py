"""Live objects: what each has, and what constraints see of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from typing import Final, NamedTuple, TypeGuard

from tidings.errors import BadAttributeName, BadTag, InvalidUsage
from tidings.events.anyvalue import Value, pack
from tidings.events.codecs.json_text import write_json
from tidings.events.codecs.json_values import value_to_plain
from tidings.events.fields import Fields, Plain, plain
from tidings.events.paths import MISSING, Path
from tidings.events.texts import shortened
from tidings.live.area import Position

MAX_NAME: Final = 128
_IDENTIFIER: Final = re.compile(r"[A-Za-z]\w*", re.ASCII)

MAX_TAG: Final = 256
_LEAST: Final = 5

_TAG: Final = re.compile(r"[A-Za-z0-9/_.-][\x21-\x7e]*")

LATITUDE: Final = "latitude"
LONGITUDE: Final = "longitude"
"""Attributes of this name are degrees, and give an object its position."""
TAG: Final = "tag"
"""What constraints call the tag of an object, so that no attribute is called so."""
_LIMITS: Final = {LATITUDE: 90, LONGITUDE: 180}
_NUMBERS: Final = frozenset((int, float, Decimal))


@dataclass(frozen=True, slots=True)
class ObjectUpdate:
    """New values of some attributes of an object; one that does not exist yet is made.

    Attributes:
        tag: The name of the object.
        attributes: Values in typed JSON. Those called `latitude` and `longitude` are its position,
            in degrees.
    """

    tag: str
    attributes: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """An object as it is now.

    Attributes:
        number: Its number; an object that is deleted and made again gets another one.
        tag: Its name.
        attributes: Its attributes, or those that were asked for.
        owner: The principal that made it; empty for the service's owner.
        changed: When an attribute was set last, microseconds since 1970.
    """

    number: int
    tag: str
    attributes: Mapping[str, Value]
    owner: str
    changed: int


class LiveFields(Fields):
    """The attributes of an object as constraints see them, and its tag."""

    __slots__ = ()

    def __missing__(self, path: Path) -> Plain:
        return MISSING

    def resolve(self, path: Path) -> Plain:
        """Return MISSING: what the object has is there already."""
        return MISSING

    @property
    def event_type(self) -> tuple[str, str]:
        """No type: an object is not an event."""
        return "", ""


class Attribute(NamedTuple):
    """A value of an attribute, and the attribute as a member of a JSON object."""

    value: Value
    text: str


class LiveObject:
    """An object that changes in place.

    Attributes:
        changes: By attribute, the number of its last change among all changes of all objects.
    """

    __slots__ = (
        "attributes",
        "changed",
        "changes",
        "fields",
        "number",
        "owner",
        "position",
        "tag",
    )

    def __init__(self, number: int, tag: str, owner: str) -> None:
        self.number = number
        self.tag = tag
        self.owner = owner
        self.changed = 0
        self.attributes: dict[str, Attribute] = {}
        self.changes: dict[str, int] = {}
        self.fields = LiveFields([(_path(TAG), tag)])
        self.position: Position | None = None

    def set(self, name: str, attribute: Attribute, change: int) -> None:
        """Give an attribute a value."""
        self.attributes[name] = attribute
        self.changes[name] = change
        self.fields[_path(name)] = plain(attribute.value)
        if name in _LIMITS:
            latitude, longitude = (self.fields[_path(name)] for name in _LIMITS)
            if _is_number(latitude) and _is_number(longitude):
                self.position = Position(float(latitude), float(longitude))

    def size(self) -> int:
        """Return how long its attributes are as JSON."""
        return sum(len(one.text) + 1 for one in self.attributes.values())

    def json(self, names: Iterable[str] | None = None) -> str:
        """Return these attributes, or all, as a JSON object."""
        have = self.attributes
        chosen = have.values() if names is None else [have[name] for name in names if name in have]
        return f"{{{','.join([one.text for one in chosen])}}}"

    def info(self, names: frozenset[str] | None = None) -> ObjectInfo:
        """Return it as it is now, with these attributes or all."""
        chosen = {
            name: one.value
            for name, one in self.attributes.items()
            if names is None or name in names
        }
        return ObjectInfo(self.number, self.tag, chosen, self.owner, self.changed)


@lru_cache(10_000)
def _path(name: str) -> Path:
    return Path(name)


def _is_number(found: object) -> TypeGuard[int | float | Decimal]:
    return type(found) in _NUMBERS


def checked_tag(text: str, what: str = "tag") -> str:
    """Return a tag, or a pattern, which is written alike; raise BadTag.

    By the standard a letter or digit comes first; its own example begins with `/`.
    """
    if not _LEAST <= len(text) <= MAX_TAG or _TAG.fullmatch(text) is None:
        raise BadTag(
            f"{shortened(text)} is not a {what}: it has {_LEAST} to {MAX_TAG} printable ASCII "
            "characters without blanks, and begins with a letter, a digit or one of / _ . -"
        )
    return text


def checked_pattern(text: str) -> str:
    """Return a pattern, or raise BadTag; the empty one, which the standard lacks, is all tags."""
    return checked_tag(text, "tag pattern") if text else text


def checked_attribute_name(name: str, of: str = "") -> str:
    """Return the name of an attribute, an identifier of IDL, or raise BadAttributeName.

    `of` begins the message.
    """
    problem = ""
    if len(name) > MAX_NAME or _IDENTIFIER.fullmatch(name) is None:
        problem = (
            f"{of}{shortened(name)} is not the name of an attribute: it begins with a letter "
            f"and has at most {MAX_NAME} letters, digits and _"
        )
    elif name == TAG:
        problem = f"{of}no attribute is called 'tag': constraints call the object's tag so"
    if problem:
        error = BadAttributeName(problem)
        error.members = {"name": name}
        raise error
    return name


def attribute(name: str, given: Value, of: str = "") -> Attribute:
    """Return an attribute with its value, in the stored form; refuse what it cannot be.

    `of` begins the message.
    """
    value = pack(given, checked_attribute_name(name, of))
    most = _LIMITS.get(name)
    if most is not None:
        found = plain(value)
        if not _is_number(found) or not -most <= found <= most:
            raise InvalidUsage(
                f"{of}{name} is {shortened(str(found))}: it is a number from -{most} to {most}, in "
                "degrees"
            )
    return Attribute(value, write_json({name: value_to_plain(value)})[1:-1].decode())
