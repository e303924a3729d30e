"""Changes to a service, by names and labels; ids are only known while applying them."""

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
    """Create a channel with these properties."""

    spot: Spot
    qos: Mapping[str, int]
    limits: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class MakeAdmin:
    """Create an admin."""

    spot: Spot
    operator: Operator


@dataclass(frozen=True, slots=True)
class MakeProxy:
    """Create a proxy under an admin; it receives no events yet."""

    spot: Spot
    admin: Spot
    part: ProxyPart
    qos: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Keep:
    """Start keeping a backlog for a new subscription."""

    spot: Spot
    part: ProxyPart


@dataclass(frozen=True, slots=True)
class SetProperties:
    """Set quality of service."""

    spot: Spot
    qos: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class SetLimits:
    """Set a channel's admin properties."""

    spot: Spot
    limits: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ChangeTypes:
    """Change the event types an object offers or subscribes to."""

    spot: Spot
    added: tuple[EventTypePattern, ...] = ()
    removed: tuple[EventTypePattern, ...] = ()


@dataclass(frozen=True, slots=True)
class Attach:
    """Attach a private filter with these constraints, if any, and shared filters by label."""

    spot: Spot
    own: tuple[Constraint, ...] | None = None
    filters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Detach:
    """Detach filters by attachment id."""

    spot: Spot
    attachments: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SetMapping:
    """Set an object's mapping filter; an empty label removes it."""

    spot: Spot
    purpose: str
    label: str


@dataclass(frozen=True, slots=True)
class AddParts:
    """Add missing constraints to a filter or mapping filter."""

    label: str
    mapping: bool = False


@dataclass(frozen=True, slots=True)
class ArrangeParts:
    """Give a filter or mapping filter exactly the wanted constraints, in order."""

    label: str
    mapping: bool = False


@dataclass(frozen=True, slots=True)
class Remove:
    """Delete a channel, admin or proxy."""

    spot: Spot


@dataclass(frozen=True, slots=True)
class DropFilter:
    """Delete a filter or mapping filter that nothing in the file uses."""

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
    """Kind of change to an object."""

    CREATE = "create"
    CHANGE = "change"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class Step:
    """One object that differs, and how to change it.

    Attributes:
        actions: Done first; none of them stops events that pass now.
        narrowing: Done after the `actions` of all steps.
        guarded: An object that passes everything while the plan runs, because no order of its own
            changes keeps the delivery guarantee.
    """

    verb: Verb
    what: str
    details: tuple[str, ...]
    actions: tuple[Action, ...] = ()
    narrowing: tuple[Action, ...] = ()
    guarded: Spot | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps that make a service match a file; `kept` lists objects missing from the file."""

    steps: tuple[Step, ...]
    kept: tuple[str, ...] = ()
