"""A service's configuration as one value: everything needed to rebuild it on an empty service.

It holds channels and named proxies with their admins, quality of service, event types and filters;
no unnamed objects and no events. Filters and admins have no names at the service: the labels here
only tell them apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from tidings.channel.vocabulary import Form, Operator, Side, Style
from tidings.client.configuration.trading import TraderPart
from tidings.events.anyvalue import Value
from tidings.federation.requests import GatewayConfig
from tidings.filters.constraint import Constraint, EventTypePattern
from tidings.filters.mapping import MappedConstraint

DEFAULT_ADMIN: Final = "default"
"""Label of the admin that every channel has on each side."""

PURPOSES: Final = ("priority", "lifetime")
"""What mapping filters can set."""


@dataclass(frozen=True, slots=True, order=True)
class Spot:
    """A channel, admin or proxy by names and labels; unused parts are empty."""

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
    """Settings that admins and proxies share; shared and mapping filters are labels.

    `qos` holds all effective properties; `constraints` are the private filter's, None without one.
    """

    qos: Mapping[str, int]
    types: tuple[EventTypePattern, ...] = ()
    constraints: tuple[Constraint, ...] | None = None
    filters: tuple[str, ...] = ()
    priority: str = ""
    lifetime: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdminPart(HolderPart):
    """An admin; the default one has the label `DEFAULT_ADMIN`."""

    operator: Operator = Operator.AND


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyPart(HolderPart):
    """A named proxy: a subscription or a supplier; `admin` is a label."""

    style: Style = Style.PUSH
    form: Form = Form.STRUCTURED
    admin: str = DEFAULT_ADMIN


Holder: TypeAlias = AdminPart | ProxyPart


@dataclass(frozen=True, slots=True)
class ChannelPart:
    """A channel with all effective properties."""

    qos: Mapping[str, int]
    limits: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Configuration:
    """All channels by name, their admins and proxies, shared filters by label, and gateways.

    Of each channel the admins come first, the default ones included, then the proxies. The trader
    is None if the file says nothing of it: then it is left alone.
    """

    channels: Mapping[str, ChannelPart] = field(default_factory=dict)
    holders: Mapping[Spot, Holder] = field(default_factory=dict)
    filters: Mapping[str, tuple[Constraint, ...]] = field(default_factory=dict)
    mappings: Mapping[str, MappingPart] = field(default_factory=dict)
    gateways: Mapping[str, GatewayConfig] = field(default_factory=dict)
    trader: TraderPart | None = None

    def above(self, spot: Spot) -> ChannelPart | AdminPart:
        """Return what an admin or proxy inherits from."""
        holder = self.holders[spot]
        if isinstance(holder, AdminPart):
            return self.channels[spot.channel]
        found = self.holders[Spot(spot.channel, spot.side, holder.admin)]
        assert isinstance(found, AdminPart)
        return found
