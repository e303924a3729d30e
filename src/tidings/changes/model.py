"""Notices of changes to services: values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from tidings.events.anyvalue import Value
from tidings.idl.diff import Difference
from tidings.trader.model import PropertyDef

LOWEST_PRIORITY: Final = 1
HIGHEST_PRIORITY: Final = 10


class ChangeKind(Enum):
    """What happens to a service."""

    CHANGE_TYPE = 0
    CHANGE_PROPERTY_VAL = 1
    REMOVAL_SERVICE = 2
    INSTANTIATION_SERVICE = 3


class TimeIndicator(Enum):
    """Whether a change is announced by a service evolver, or has just been made."""

    ADVANCE = 0
    IMMEDIATE = 1


@dataclass(frozen=True, slots=True)
class ServiceTypeDescription:
    """A service type, as a notice describes it.

    Attributes:
        name: Its name.
        base_types: The types it is derived from, directly or not.
        properties: The properties that it declares, also the inherited ones.
        interface_id: The interface of its objects: a repository id, or a name.
        interface_idl: That interface in IDL; empty if the service does not know it.
    """

    name: str
    base_types: tuple[str, ...] = ()
    properties: tuple[PropertyDef, ...] = ()
    interface_id: str = ""
    interface_idl: str = ""


@dataclass(frozen=True, slots=True)
class ServiceDescription:
    """An offered service, as a notice describes it.

    Attributes:
        type: Its service type.
        properties: The values of its properties, in typed JSON.
        reference: The offered object.
    """

    type: ServiceTypeDescription
    properties: Mapping[str, Value] = field(default_factory=dict)
    reference: str = ""


@dataclass(frozen=True, slots=True)
class Transaction:
    """The transaction of notices that a notice belongs to.

    Attributes:
        id: Its id.
        number: The notice's place in it, from 1 on.
        count: How many notices it has.
    """

    id: str
    number: int
    count: int


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice of one change, or of several of one offer that came too fast for one notice each.

    Times are microseconds since 1970.

    Attributes:
        id: Its id: `EV1`, `EV2` and so on.
        kind: What happens.
        time_indicator: Whether it is announced, or has happened.
        priority: From 1 to 10, the most important.
        timestamp: When the service learned of it.
        expiry: Until when it is worth delivering.
        start: When it may be delivered first.
        before: The service before the change; of a new one null.
        after: The service after the change; of a removed one null.
        deleted: The properties that the offer loses, with their values.
        modified: The properties that change or are new, with their new values.
        reason: Why the service changes or goes.
        objective: What a new service is for.
        effective: When the change takes place.
        additional: Anything else, such as a company and its web site.
        offer: The id of the offer, where the trader has one.
        compatible: Whether clients of the old service can use the new one; null if unknown.
        differences: In what the two descriptions differ.
        transaction: The transaction that it belongs to.
        changes: For how many changes it stands.
        evolver: The service evolver that announces it.
    """

    id: str
    kind: ChangeKind
    time_indicator: TimeIndicator
    priority: int
    timestamp: int
    expiry: int | None = None
    start: int | None = None
    before: ServiceDescription | None = None
    after: ServiceDescription | None = None
    deleted: Mapping[str, Value] = field(default_factory=dict)
    modified: Mapping[str, Value] = field(default_factory=dict)
    reason: str = ""
    objective: str = ""
    effective: int | None = None
    additional: str = ""
    offer: str = ""
    compatible: bool | None = None
    differences: tuple[Difference, ...] = ()
    transaction: Transaction | None = None
    changes: int = 1
    evolver: str = ""

    @property
    def described(self) -> ServiceDescription:
        """The service before the change; a new one as it is."""
        found = self.after if self.before is None else self.before
        if found is None:
            raise ValueError(f"notice {self.id} describes no service")
        return found
