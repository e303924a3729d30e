"""A running service's configuration with the ids of its objects."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tidings.changes.pending import CHANNEL as OF_CHANGES
from tidings.channel.questions import SeeAdmin, SeeChannels, SeeFilter, SeeProxies, SeeRules
from tidings.channel.settings import DEFAULT_SETTINGS, Settings
from tidings.channel.views import AdminInfo, ChannelInfo, FilterInfo, MappingInfo, ProxyInfo
from tidings.channel.vocabulary import Place, Side
from tidings.client.configuration.model import (
    DEFAULT_ADMIN,
    AdminPart,
    ChannelPart,
    Configuration,
    Holder,
    MappingPart,
    ProxyPart,
    Spot,
)
from tidings.client.configuration.trading import FoundTrader, TraderPart, find_trader
from tidings.client.transport import Transport
from tidings.errors import ChannelNotFound, Forbidden, NotFound
from tidings.federation.requests import OF_GATEWAYS, GatewayConfig, SeeGatewayConfig, SeeGateways
from tidings.filters.constraint import Constraint

OWN: Final = ""
"""Label of an object's private filter."""

# Attempts to read a channel while programs create and delete objects in it.
_LOOKS: Final = 5


@dataclass(frozen=True, slots=True)
class Found:
    """A service's configuration and ids, with generated labels.

    Attributes:
        attachments: For each object, its attachment ids by filter label.
        parts: Ids of constraints, by the id of their shared or mapping filter.
        idle: Subscriptions never connected to: the service keeps no backlog for them.
        lent: Ids of filters that unnamed objects also hold.
        unnamed: Ids of unnamed channels, which are not in the configuration.
        strangers: Unnamed proxies by channel name; not in the configuration either.
        rules: The settings that decide what the service allows.
        trader: The trader, with the ids of its offers.
    """

    configuration: Configuration = field(default_factory=Configuration)
    places: Mapping[Spot, Place] = field(default_factory=dict)
    attachments: Mapping[Spot, Mapping[str, Sequence[int]]] = field(default_factory=dict)
    filters: Mapping[str, int] = field(default_factory=dict)
    mappings: Mapping[str, int] = field(default_factory=dict)
    parts: Mapping[int, Sequence[int]] = field(default_factory=dict)
    idle: frozenset[Spot] = frozenset()
    lent: frozenset[int] = frozenset()
    unnamed: tuple[int, ...] = ()
    strangers: Mapping[str, Sequence[ProxyInfo]] = field(default_factory=dict)
    rules: Settings = DEFAULT_SETTINGS
    trader: FoundTrader = field(default_factory=FoundTrader)


async def find_configuration(transport: Transport) -> Found:
    """Read a service's configuration piece by piece; skip channels that end meanwhile."""
    finding = _Finding(transport)
    infos = sorted(await transport.request(SeeChannels()), key=lambda info: info.name)
    for info in infos:
        if info.name and not info.name.startswith(OF_GATEWAYS) and info.name != OF_CHANGES:
            with suppress(ChannelNotFound):
                await _steadily(finding.look_at, info)
    finding.label_filters()
    unnamed = tuple(info.id for info in infos if not info.name)
    found = finding.found(unnamed, await transport.request(SeeRules()))
    gateways = {one.name: one async for one in _gateways(transport)}
    trader = await find_trader(transport)
    part = None if trader.part == TraderPart() else trader.part
    configuration = replace(found.configuration, gateways=gateways, trader=part)
    return replace(found, configuration=configuration, trader=trader)


async def _gateways(transport: Transport) -> AsyncIterator[GatewayConfig]:
    """Read how gateways are set up; nothing for those who may not see it."""
    for info in await transport.request(SeeGateways()):
        with suppress(Forbidden, NotFound):
            yield await transport.request(SeeGatewayConfig(info.name))


async def _steadily(look: Callable[[ChannelInfo], Awaitable[None]], info: ChannelInfo) -> None:
    """Retry if something inside the channel ended between two reads."""
    for _ in range(_LOOKS - 1):
        try:
            return await look(info)
        except ChannelNotFound:
            raise
        except NotFound:
            continue
    return await look(info)


class _Finding:
    """One reading: collect all objects, label the filters, then build the parts."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.infos: list[ChannelInfo] = []
        self._holders: dict[Spot, AdminInfo | ProxyInfo] = {}
        self._filters: dict[int, FilterInfo | MappingInfo] = {}
        self._strangers: dict[str, list[ProxyInfo]] = {}
        self._used: dict[int, int] = {}
        self._labels: dict[int, str] = {}
        self._admin_labels: dict[tuple[int, Side, int], str] = {}

    async def look_at(self, info: ChannelInfo) -> None:
        """Read a channel, its admins, its proxies and their filters."""
        held: dict[Spot, AdminInfo | ProxyInfo] = {}
        for side, ids in (
            (Side.SUPPLIER, info.supplier_admins),
            (Side.CONSUMER, info.consumer_admins),
        ):
            for position, id in enumerate(sorted(ids)):
                label = f"admin-{position}" if id else DEFAULT_ADMIN
                self._admin_labels[info.id, side, id] = label
                held[Spot(info.name, side, label)] = await self._transport.request(
                    SeeAdmin(info.id, side, id)
                )
        proxies = await self._transport.request(SeeProxies(info.id))
        for proxy in sorted(proxies, key=lambda one: (one.side is Side.CONSUMER, one.name)):
            if proxy.name and not proxy.name.startswith(OF_GATEWAYS):
                held[Spot(info.name, proxy.side, proxy=proxy.name)] = proxy
        for holder in held.values():
            for id in _filter_ids(holder):
                if id not in self._filters:
                    self._filters[id] = await self._transport.request(SeeFilter(id))
        self.infos.append(info)
        self._holders |= held
        self._strangers[info.name] = [one for one in proxies if not one.name]

    def label_filters(self) -> None:
        """Label all filters but private ones, in order of appearance."""
        used = self._used
        for holder in self._holders.values():
            for id in set(_filter_ids(holder)):
                used[id] = used.get(id, 0) + 1
        counts = {"filter": 0, "mapping": 0}
        for holder in self._holders.values():
            for id in _filter_ids(holder):
                info = self._filters[id]
                own = isinstance(info, FilterInfo) and info.private and used[id] == 1
                if id in self._labels or own:
                    continue
                kind = "filter" if isinstance(info, FilterInfo) else "mapping"
                counts[kind] += 1
                self._labels[id] = f"{kind}-{counts[kind]}"

    def _parts(self) -> dict[Spot, Holder]:
        """Build all admins and proxies."""
        parts: dict[Spot, Holder] = {}
        qos = {info.name: info.qos for info in self.infos}
        for spot, info in self._holders.items():
            if isinstance(info, AdminInfo):
                held = self._held(info, qos[spot.channel])
                parts[spot] = AdminPart(operator=info.operator, **held)
            else:
                label = self._admin_labels[info.channel, info.side, info.admin]
                held = self._held(info, parts[Spot(spot.channel, spot.side, label)].qos)
                parts[spot] = ProxyPart(style=info.style, form=info.form, admin=label, **held)
        return parts

    def _held(self, info: AdminInfo | ProxyInfo, parent: Mapping[str, int]) -> dict[str, Any]:
        shared = [self._labels.get(id) for _, id in sorted(info.filters.items())]
        return {
            "qos": {**parent, **info.qos},  # properties it cannot set are the parent's
            "types": info.types,
            "constraints": self._own_constraints(info),
            "filters": tuple(dict.fromkeys(label for label in shared if label is not None)),
            "priority": self._label(info.priority_filter),
            "lifetime": self._label(info.lifetime_filter),
        }

    def _label(self, id: int | None) -> str:
        return "" if id is None else self._labels[id]

    def _own_constraints(self, holder: AdminInfo | ProxyInfo) -> tuple[Constraint, ...] | None:
        """Merge private filters: an event passes if any constraint of any filter matches."""
        own = [id for _, id in sorted(holder.filters.items()) if id not in self._labels]
        if not own:
            return None
        found: list[Constraint] = []
        for id in own:
            info = self._filters[id]
            assert isinstance(info, FilterInfo)
            found += [one for _, one in sorted(info.constraints.items())]
        return tuple(found)

    def found(self, unnamed: tuple[int, ...], rules: Settings) -> Found:
        """Build the result."""
        channels = {info.name: ChannelPart(info.qos, info.admin) for info in self.infos}
        filters: dict[str, tuple[Constraint, ...]] = {}
        mappings: dict[str, MappingPart] = {}
        parts: dict[int, Sequence[int]] = {}
        for id, label in self._labels.items():
            info = self._filters[id]
            if isinstance(info, FilterInfo):
                parts[id] = sorted(info.constraints)
                filters[label] = tuple(info.constraints[one] for one in parts[id])
            else:
                parts[id] = sorted(info.mapped)
                mapped = tuple(info.mapped[one] for one in parts[id])
                mappings[label] = MappingPart(info.default, mapped)
        places = {Spot(info.name): Place(info.id) for info in self.infos}
        places |= {spot: _place(holder) for spot, holder in self._holders.items()}
        ids = {label: id for id, label in self._labels.items()}
        return Found(
            Configuration(channels, self._parts(), filters, mappings),
            places,
            {spot: self._attachments(holder) for spot, holder in self._holders.items()},
            {label: ids[label] for label in filters},
            {label: ids[label] for label in mappings},
            parts,
            frozenset(
                spot
                for spot, info in self._holders.items()
                if spot.side is Side.CONSUMER and isinstance(info, ProxyInfo) and not info.connected
            ),
            frozenset(id for id, n in self._used.items() if self._filters[id].holders > n),
            unnamed,
            self._strangers,
            rules,
        )

    def _attachments(self, holder: AdminInfo | ProxyInfo) -> dict[str, list[int]]:
        made: dict[str, list[int]] = {}
        for attachment, id in sorted(holder.filters.items()):
            made.setdefault(self._labels.get(id, OWN), []).append(attachment)
        return made


def _filter_ids(holder: AdminInfo | ProxyInfo) -> list[int]:
    attached = [id for _, id in sorted(holder.filters.items())]
    return attached + [
        id for id in (holder.priority_filter, holder.lifetime_filter) if id is not None
    ]


def _place(holder: AdminInfo | ProxyInfo) -> Place:
    if isinstance(holder, AdminInfo):
        return Place(holder.channel, holder.side, holder.id)
    return Place(holder.channel, proxy=holder.id)
