"""What can be done to a service on the way to a configuration, by names and labels.

Ids are not known before things are made; whoever carries the steps out finds them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from tidings.channel.vocabulary import Operator
from tidings.client.configuration.model import ProxyPart, Spot
from tidings.filters.constraint import Constraint, EventTypePattern


@dataclass(frozen=True, slots=True)
class MakeChannel:
    """Makes a channel with these properties."""

    spot: Spot
    qos: Mapping[str, int]
    limits: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class MakeAdmin:
    """Makes an admin."""

    spot: Spot
    operator: Operator


@dataclass(frozen=True, slots=True)
class MakeProxy:
    """Makes a proxy under an admin; nothing comes through it yet."""

    spot: Spot
    admin: Spot
    part: ProxyPart
    qos: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Keep:
    """From now on events wait for a subscription that was made."""

    spot: Spot
    part: ProxyPart


@dataclass(frozen=True, slots=True)
class SetProperties:
    """Sets quality of service."""

    spot: Spot
    qos: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class SetLimits:
    """Sets admin properties of a channel."""

    spot: Spot
    limits: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ChangeTypes:
    """Changes what an object offers or asks for."""

    spot: Spot
    added: tuple[EventTypePattern, ...] = ()
    removed: tuple[EventTypePattern, ...] = ()


@dataclass(frozen=True, slots=True)
class Attach:
    """Attaches filters.

    Attributes:
        spot: The object.
        own: The constraints of a filter of its own; None for no such filter.
        filters: Labels of shared filters.
    """

    spot: Spot
    own: tuple[Constraint, ...] | None = None
    filters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Detach:
    """Takes filters off, by the ids of their attachments."""

    spot: Spot
    attachments: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SetMapping:
    """Gives an object a mapping filter, or none (the empty label)."""

    spot: Spot
    purpose: str
    label: str


@dataclass(frozen=True, slots=True)
class AddParts:
    """Adds what a filter or mapping filter lacks."""

    label: str
    mapping: bool = False


@dataclass(frozen=True, slots=True)
class ArrangeParts:
    """Makes a filter or mapping filter exactly what it should be, in the right order."""

    label: str
    mapping: bool = False


@dataclass(frozen=True, slots=True)
class Remove:
    """Ends a channel, admin or proxy."""

    spot: Spot


@dataclass(frozen=True, slots=True)
class DropFilter:
    """Ends a filter or mapping filter that nothing in the file uses."""

    id: int


Action: TypeAlias = (
    AddParts
    | ArrangeParts
    | Attach
    | ChangeTypes
    | Detach
    | DropFilter
    | Keep
    | MakeAdmin
    | MakeChannel
    | MakeProxy
    | Remove
    | SetLimits
    | SetMapping
    | SetProperties
)


class Verb(Enum):
    """What happens to an object."""

    CREATE = "create"
    CHANGE = "change"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class Step:
    """One object that differs, and what is done about it.

    Attributes:
        verb: What happens to it.
        what: The object, in words.
        details: What is different, in words, a line each.
        actions: What is done first: nothing that passes now is stopped by it.
        narrowing: What is done when all steps have done the first part.
        guarded: An object that lets everything through as long as the whole plan is carried out,
            because no order of its changes alone would keep the promise; None for no such need.
    """

    verb: Verb
    what: str
    details: tuple[str, ...]
    actions: tuple[Action, ...] = ()
    narrowing: tuple[Action, ...] = ()
    guarded: Spot | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """The way from what a service has to what a file says.

    Attributes:
        steps: What differs; none if nothing does.
        kept: What the service has beyond the file, and keeps.
    """

    steps: tuple[Step, ...]
    kept: tuple[str, ...] = ()
