"""Service types, offers, links and settings: values, and the rules for names and references."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum, IntEnum
from functools import lru_cache
from typing import Final, Literal

from tidings.errors import (
    IllegalLinkName,
    IllegalOfferId,
    IllegalPropertyName,
    IllegalServiceType,
    InvalidObjectRef,
    TidingsError,
)
from tidings.events.anyvalue import Any as AnyValue
from tidings.events.anyvalue import Value, infer
from tidings.events.fields import COMPOSITE, Char, Fields, Plain, plain
from tidings.events.paths import MISSING, Path
from tidings.events.texts import shortened
from tidings.events.typecode import TypeCode

MAX_NAME: Final = 256
MAX_REFERENCE: Final = 16_384
"""Characters of a reference; one with ten addresses has some 2,000."""

_IDENTIFIER: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_TYPE: Final = re.compile(
    r"[A-Za-z_]\w*(::[A-Za-z_]\w*)*|IDL:[A-Za-z_][\w.-]*(/[A-Za-z_][\w.-]*)*:\d+\.\d+", re.ASCII
)
_OFFER: Final = re.compile(r"(.+)/([1-9]\d{0,17})", re.ASCII)
_LINK: Final = re.compile(r"[\w.@+-]{1,64}")
_REFERENCE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[\x21-\x7e]+")


class PropertyMode(IntEnum):
    """What an offer must and may do with a property; the bits say readonly and mandatory."""

    NORMAL = 0
    READONLY = 1
    MANDATORY = 2
    MANDATORY_READONLY = 3

    @property
    def readonly(self) -> bool:
        """Whether its value stays as it was exported."""
        return bool(self & 1)

    @property
    def mandatory(self) -> bool:
        """Whether every offer has it."""
        return bool(self & 2)


class FollowOption(Enum):
    """Which queries follow a link, from the least permissive on."""

    LOCAL_ONLY = 0
    IF_NO_LOCAL = 1
    ALWAYS = 2


@dataclass(frozen=True, slots=True)
class PropertyDef:
    """A property that a service type declares.

    Attributes:
        name: Its name, an identifier.
        value_type: The type of its values: `string`, `double`, `sequence<string>`, or an object as
            in typed JSON.
        mode: `mandatory` properties must be in every offer; `readonly` ones keep their value.
    """

    name: str
    value_type: TypeCode
    mode: PropertyMode = PropertyMode.NORMAL


@dataclass(frozen=True, slots=True)
class ServiceType:
    """A service type.

    Attributes:
        name: Its name, such as `Office::Printer`.
        interface: The interface of the objects that are offered; a repository id, or a name.
        properties: The properties that it declares; of a full description also the inherited ones.
        super_types: The types it is derived from; of a full description also theirs.
        masked: Whether nothing can be exported under it.
        incarnation: The number of its addition; they rise.
    """

    name: str
    interface: str
    properties: tuple[PropertyDef, ...] = ()
    super_types: tuple[str, ...] = ()
    masked: bool = False
    incarnation: int = 0


@dataclass(frozen=True, slots=True)
class LinkInfo:
    """A link to another trader.

    Attributes:
        name: Its name here.
        target: The reference of the other trader's Lookup object.
        default_rule: The rule that the other trader is told by queries that say none.
        limiting_rule: The most permissive rule by which it is followed.
    """

    name: str
    target: str
    default_rule: FollowOption = FollowOption.LOCAL_ONLY
    limiting_rule: FollowOption = FollowOption.IF_NO_LOCAL


@dataclass(frozen=True, slots=True)
class TraderSettings:
    """The trader's defaults and maxima; a query's policies are cut to the maxima.

    Attributes:
        def_search_card: Offers that a query looks at, if it does not say.
        max_search_card: The most that a query can look at.
        def_match_card: Matching offers that are ordered, if a query does not say.
        max_match_card: The most that are ordered.
        def_return_card: Offers that are returned, if a query does not say.
        max_return_card: The most that are returned.
        max_list: The most offers of one answer; the rest comes page by page.
        def_hop_count: How many links in a row a query follows, if it does not say.
        max_hop_count: The most it can follow.
        def_follow_policy: Which links a query follows, if it does not say.
        max_follow_policy: The most permissive rule a query can ask for.
        max_link_follow_policy: The most permissive rule a link can have.
        supports_modifiable_properties: Whether offers can be changed.
        supports_dynamic_properties: Whether values of dynamic properties are asked for.
        link_seconds: How long a query waits for a linked trader, for each hop that is left.
        dynamic_seconds: How long a query waits for the value of a dynamic property.
        request_id_stem: What ids of queries begin with, as hexadecimal digits; if empty, with a
            random number.
    """

    def_search_card: int = 10_000
    max_search_card: int = 10_000
    def_match_card: int = 10_000
    max_match_card: int = 10_000
    def_return_card: int = 10_000
    max_return_card: int = 10_000
    max_list: int = 1_000
    def_hop_count: int = 0
    max_hop_count: int = 0
    def_follow_policy: FollowOption = FollowOption.LOCAL_ONLY
    max_follow_policy: FollowOption = FollowOption.LOCAL_ONLY
    max_link_follow_policy: FollowOption = FollowOption.ALWAYS
    supports_modifiable_properties: bool = True
    supports_dynamic_properties: bool = True
    link_seconds: int = 10
    dynamic_seconds: int = 5
    request_id_stem: str = ""


# Offers as queries see them.


class OfferFields(Fields):
    """The properties of an offer, as constraints see them; complete from the beginning."""

    __slots__ = ()

    def __missing__(self, path: Path) -> Plain:
        return MISSING

    def resolve(self, path: Path) -> Plain:
        """Return MISSING: what the offer has is there already."""
        return MISSING

    @property
    def event_type(self) -> tuple[str, str]:
        """No type: an offer is not an event."""
        return "", ""

    def names(self) -> Iterable[str]:
        """The names of the properties that constraints can read."""
        return [str(path.root) for path in self]


@dataclass(frozen=True, slots=True)
class Offer:
    """An offer; a change makes a new one with the same number.

    Attributes:
        number: Its number among all offers; they rise.
        type: The name of its service type.
        reference: The offered object.
        properties: Its properties.
        owner: The principal that exported it; empty for the service's owner.
        exported: When, microseconds since 1970.
        fields: The properties as constraints see them.
        link: The link through which it was found; empty for an offer of this trader.
    """

    number: int
    type: str
    reference: str
    properties: Mapping[str, Value]
    owner: str = ""
    exported: int = 0
    fields: OfferFields = field(default_factory=OfferFields, compare=False, repr=False)
    link: str = ""

    @property
    def id(self) -> str:
        """Its id: `Printer/7`; empty for an offer of another trader."""
        return "" if self.link else f"{self.type}/{self.number}"

    @property
    def dynamic(self) -> list[str]:
        """The names of its dynamic properties."""
        if len(self.fields) == len(self.properties):
            return []
        return [name for name, value in self.properties.items() if is_dynamic(value)]


@lru_cache(10_000)
def property_path(name: str) -> Path:
    """Return the path of a property; one object for each name, since offers are many."""
    return Path(name)


def fields_of(properties: Mapping[str, Value]) -> OfferFields:
    """Return what constraints see; a dynamic property has no value."""
    return OfferFields(
        (property_path(name), _simple(value))
        for name, value in properties.items()
        if not is_dynamic(value)
    )


# An enum's label is not among them: the language has no words for it.
_SIMPLE_TYPES: Final = frozenset({bool, int, float, str, Char, Decimal})


def _simple(value: Value) -> Plain:
    """Return a simple value or a sequence of them; everything else can only be asked for."""
    found = plain(value)
    return found if _is_simple(found) else COMPOSITE


def _is_simple(found: Plain) -> bool:
    if isinstance(found, tuple):
        return all(type(one) in _SIMPLE_TYPES for one in found)
    return type(found) in _SIMPLE_TYPES or isinstance(found, bytes)


# Values.

DYNAMIC: Final = "IDL:omg.org/CosTradingDynamic/DynamicProp:1.0"
"""The type of a property whose value its exporter tells when it is asked for."""


def is_dynamic(value: Value | None) -> bool:
    """Whether a property is dynamic."""
    return isinstance(value, AnyValue) and value.type.unaliased.id == DYNAMIC


def type_of(value: Value) -> TypeCode | None:
    """Return the type of a property's value; None for a dynamic property that names none."""
    if not isinstance(value, AnyValue):
        return infer(value)
    if not is_dynamic(value):
        return value.type
    at = value.type.unaliased.member_index("returned_type")
    parts = value.value
    found = parts[at] if isinstance(parts, tuple) and 0 <= at < len(parts) else None
    return found if isinstance(found, TypeCode) else None


# Names and references.


def refusal(kind: type[TidingsError], message: str, **members: object) -> TidingsError:
    """Return an error with the members that the standard's exception has."""
    error = kind(message)
    error.members = members
    return error


def checked_type_name(name: str) -> str:
    """Return the name of a service type, or raise IllegalServiceType."""
    if len(name) > MAX_NAME or _TYPE.fullmatch(name) is None:
        raise refusal(
            IllegalServiceType,
            f"{shortened(name)} is not the name of a service type: write identifiers joined by "
            f"'::', such as Office::Printer, or IDL:office/Printer:1.0, of at most {MAX_NAME} "
            "characters",
            type=name,
        )
    return name


def checked_property_name(name: str) -> str:
    """Return the name of a property, or raise IllegalPropertyName."""
    if len(name) > MAX_NAME or _IDENTIFIER.fullmatch(name) is None:
        raise refusal(
            IllegalPropertyName,
            f"{shortened(name)} is not the name of a property: it is an identifier of at most "
            f"{MAX_NAME} letters, digits and _",
            name=name,
        )
    return name


def checked_link_name(name: str) -> str:
    """Return the name of a link, or raise IllegalLinkName."""
    if _LINK.fullmatch(name) is None:
        raise refusal(
            IllegalLinkName,
            f"{shortened(name)} is not the name of a link: 1 to 64 letters, digits and . _ @ + -",
            name=name,
        )
    return name


def offer_number(id: str) -> tuple[str, int]:
    """Return the type and number in an offer's id, or raise IllegalOfferId."""
    found = _OFFER.fullmatch(id) if len(id) <= MAX_NAME + 20 else None
    if found is None or _TYPE.fullmatch(found[1]) is None:
        raise refusal(
            IllegalOfferId,
            f"{shortened(id)} is not the id of an offer: it is TYPE/NUMBER, such as Printer/7",
            id=id,
        )
    return found[1], int(found[2])


def checked_reference(text: str) -> str:
    """Return an object reference, or raise InvalidObjectRef: nil, or not a reference."""
    problem = ""
    if len(text) > MAX_REFERENCE:
        problem = f"it has {len(text)} characters, more than {MAX_REFERENCE}"
    elif not text or is_nil(text):
        problem = "it is nil, and an offer has an object"
    elif _REFERENCE.fullmatch(text) is None or is_nil(text) is None:
        problem = "write IOR:…, corbaloc:… or another URI"
    if problem:
        raise refusal(InvalidObjectRef, f"reference {shortened(text)}: {problem}", ref=text)
    return text


_HEAD: Final = 8


def is_nil(reference: str) -> bool | None:
    """Whether an `IOR:` is that of no object: no type and no profiles; None if it is malformed."""
    if not reference.startswith("IOR:"):
        return False
    try:
        octets = binascii.unhexlify(reference[4:])
    except (binascii.Error, ValueError):
        return None
    if len(octets) < _HEAD or octets[0] > 1:
        return None
    order: Literal["little", "big"] = "little" if octets[0] else "big"
    length = int.from_bytes(octets[4:_HEAD], order)
    end = _HEAD + length
    start = end + -end % 4
    if len(octets) < start + 4:
        return None
    return length <= 1 and int.from_bytes(octets[start : start + 4], order) == 0
