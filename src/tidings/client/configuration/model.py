"""A service's configuration as one value: what would have to be made again on an empty service.

Channels, admins and proxies with names, with their quality of service, event types and filters.
Unnamed things come and go with programs and are no part of it, nor is anything that flows.
Filters and admins have no names at the service: here they have labels, which mean nothing
beyond telling them apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from tidings.channel.vocabulary import Form, Operator, Side, Style
from tidings.events.anyvalue import Value
from tidings.filters.constraint import Constraint, EventTypePattern
from tidings.filters.mapping import MappedConstraint

DEFAULT_ADMIN: Final = "default"
"""The label of the admin that every channel has on each side."""

PURPOSES: Final = ("priority", "lifetime")
"""What mapping filters set."""


@dataclass(frozen=True, slots=True, order=True)
class Spot:
    """A channel, admin or proxy, by names and labels.

    Attributes:
        channel: The channel's name.
        side: The side of an admin or proxy.
        admin: An admin's label; empty otherwise.
        proxy: A proxy's name; empty otherwise.
    """

    channel: str
    side: Side | None = None
    admin: str = ""
    proxy: str = ""

    def __str__(self) -> str:
        if self.proxy:
            kind = "subscription" if self.side is Side.CONSUMER else "supplier"
            return f"{kind} {self.channel}/{self.proxy}"
        if self.side is not None:
            return f"{self.side.value} admin {self.channel}/{self.admin}"
        return f"channel {self.channel}"


@dataclass(frozen=True, slots=True)
class MappingPart:
    """A mapping filter."""

    default: Value
    mapped: tuple[MappedConstraint, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HolderPart:
    """What admins and proxies have in common.

    Attributes:
        qos: Everything that applies, whether it is inherited or not.
        types: Event types it asks for or offers.
        constraints: Of the filter that is its own; None if it has none.
        filters: Labels of the filters it shares with others.
        priority: Label of its mapping filter for priorities; empty for none.
        lifetime: Label of its mapping filter for lifetimes; empty for none.
    """

    qos: Mapping[str, int]
    types: tuple[EventTypePattern, ...] = ()
    constraints: tuple[Constraint, ...] | None = None
    filters: tuple[str, ...] = ()
    priority: str = ""
    lifetime: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdminPart(HolderPart):
    """An admin; the label of the default one is `DEFAULT_ADMIN`."""

    operator: Operator = Operator.AND


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyPart(HolderPart):
    """A proxy with a name: a subscription, or a supplier.

    Attributes:
        style: Who begins.
        form: In which form events go through it.
        admin: The label of its admin.
    """

    style: Style = Style.PUSH
    form: Form = Form.STRUCTURED
    admin: str = DEFAULT_ADMIN


Holder: TypeAlias = AdminPart | ProxyPart


@dataclass(frozen=True, slots=True)
class ChannelPart:
    """A channel.

    Attributes:
        qos: Everything that applies.
        limits: All its admin properties.
        admins: For each side, the admins by label, the default one first.
        proxies: For each side, those with names.
    """

    qos: Mapping[str, int]
    limits: Mapping[str, int]
    admins: Mapping[Side, Mapping[str, AdminPart]]
    proxies: Mapping[Side, Mapping[str, ProxyPart]]


@dataclass(frozen=True, slots=True)
class Configuration:
    """All of it.

    Attributes:
        channels: By name.
        filters: The constraints of shared filters, by label.
        mappings: Mapping filters, by label.
    """

    channels: Mapping[str, ChannelPart] = field(default_factory=dict)
    filters: Mapping[str, tuple[Constraint, ...]] = field(default_factory=dict)
    mappings: Mapping[str, MappingPart] = field(default_factory=dict)

    def holders(self) -> Iterator[tuple[Spot, Holder]]:
        """All admins and proxies, each admin before its proxies."""
        for name, channel in self.channels.items():
            for side in Side:
                for label, admin in channel.admins[side].items():
                    yield Spot(name, side, label), admin
            for side in Side:
                for proxy_name, proxy in channel.proxies[side].items():
                    yield Spot(name, side, proxy=proxy_name), proxy
