"""Translation between the program's ids and the service's.

They differ only for objects recreated after a restart (`memory`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from tidings.channel.management import ModifyConstraints, ModifyMapped, RemoveFilter
from tidings.channel.trail import Trail
from tidings.channel.views import (
    AdminInfo,
    Advertisement,
    DeadLetterInfo,
    FilterInfo,
    MappingInfo,
    ProxyInfo,
)
from tidings.channel.vocabulary import Place
from tidings.client.transports.memory import Memory

_C = TypeVar("_C")


class Names:
    """Translates between the program's ids and the service's."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        # From the service's ids to the program's.
        self._proxies: dict[tuple[int, int], int] = {}
        self._filters: dict[int, int] = {}
        self._stale = False

    def refresh(self) -> None:
        """Mark the translation as stale; the next use rebuilds it."""
        self._stale = True

    def _renew(self) -> None:
        self._stale = False
        memory = self._memory
        self._proxies = {
            (channel, made.now): proxy
            for (channel, proxy), made in memory.proxies.items()
            if made.now != proxy
        }
        self._filters = {made.now: id for id, made in memory.filters.items() if made.now != id}

    @property
    def _same(self) -> bool:
        if self._stale:
            self._renew()
        return not self._proxies and not self._filters

    # From the program to the service.

    def outward(self, command: _C) -> _C:
        """Translate a command or question into the service's ids."""
        if self._same:
            return command
        found: _C = self._translated(command)
        return found

    def _translated(self, command: Any) -> Any:  # noqa: ANN401 -- of its own kind
        memory = self._memory
        changed: dict[str, object] = {}
        place = getattr(command, "place", None)
        if isinstance(place, Place) and place.proxy is not None:
            now = memory.proxy_now(place.channel, place.proxy)
            changed["place"] = replace(place, proxy=now)
        proxy = getattr(command, "proxy", None)
        if proxy is not None:
            changed["proxy"] = memory.proxy_now(command.channel, proxy)
        filter = getattr(command, "filter", None)
        if filter in memory.filters:
            changed["filter"] = memory.filters[filter].now
        if isinstance(command, RemoveFilter):
            made = memory.at(command.place)
            if made is not None:
                attachment = command.attachment
                changed["attachment"] = made.attached.get(attachment, attachment)
        if isinstance(command, ModifyConstraints | ModifyMapped) and filter in memory.filters:
            ids = memory.filters[command.filter].ids
            changed["delete"] = tuple(ids.get(id, id) for id in command.delete)
            changed["replace"] = {ids.get(id, id): one for id, one in command.replace.items()}
        if not changed:
            return command
        if isinstance(command, tuple):
            return command._replace(**changed)  # type: ignore[attr-defined]
        return replace(command, **changed)

    def filter_now(self, id: int) -> int:
        """Return a filter's current id at the service."""
        made = self._memory.filters.get(id)
        return id if made is None else made.now

    # From the service to the program.

    def inward(self, found: _C) -> _C:
        """Translate a view or trail into the program's ids."""
        turned: Any = self._turned(found)
        for one in turned if isinstance(turned, list) else (turned,):
            if isinstance(one, ProxyInfo):
                self._memory.see(one)
        return turned  # type: ignore[no-any-return]

    def _turned(self, found: Any) -> Any:  # noqa: ANN401 -- of its own kind
        if self._same:
            return found
        turned: Any = found
        if isinstance(found, list | tuple) and not hasattr(found, "_fields"):
            turned = [self._turned(one) for one in found]
        elif isinstance(found, ProxyInfo):
            turned = self._proxy_info(found)
        elif isinstance(found, AdminInfo):
            turned = self._admin_info(found)
        elif isinstance(found, FilterInfo | MappingInfo):
            turned = self._filter_info(found)
        elif isinstance(found, DeadLetterInfo):
            turned = replace(found, proxy=self._proxy(found.channel, found.proxy))
        return turned

    def trail(self, channel: int, trail: Trail) -> Trail:
        """Translate a trail into the program's ids."""
        if self._same:
            return trail
        return replace(
            trail,
            recipients=tuple(self._proxy(channel, proxy) for proxy in trail.recipients),
            steps=tuple(
                step
                if step.proxy is None
                else replace(step, proxy=self._proxy(channel, step.proxy))
                for step in trail.steps
            ),
        )

    def _proxy(self, channel: int, proxy: int) -> int:
        return self._proxies.get((channel, proxy), proxy)

    def _filter(self, id: int | None) -> int | None:
        return None if id is None else self._filters.get(id, id)

    def _proxy_info(self, info: ProxyInfo) -> ProxyInfo:
        id = self._proxy(info.channel, info.id)
        made = self._memory.proxies.get((info.channel, id))
        known = {} if made is None else {now: first for first, now in made.attached.items()}
        return replace(
            info,
            id=id,
            filters={
                known.get(at, at): self._filters.get(filter, filter)
                for at, filter in info.filters.items()
            },
            priority_filter=self._filter(info.priority_filter),
            lifetime_filter=self._filter(info.lifetime_filter),
        )

    def _admin_info(self, info: AdminInfo) -> AdminInfo:
        return replace(
            info,
            proxies=tuple(self._proxy(info.channel, proxy) for proxy in info.proxies),
            filters={at: self._filters.get(id, id) for at, id in info.filters.items()},
            priority_filter=self._filter(info.priority_filter),
            lifetime_filter=self._filter(info.lifetime_filter),
        )

    def _filter_info(self, info: FilterInfo | MappingInfo) -> FilterInfo | MappingInfo:
        id = self._filters.get(info.id, info.id)
        made = self._memory.filters.get(id)
        known = {} if made is None else {now: first for first, now in made.ids.items()}
        if isinstance(info, FilterInfo):
            parts = {known.get(one, one): part for one, part in info.constraints.items()}
            return replace(info, id=id, constraints=parts)
        return replace(
            info, id=id, mapped={known.get(one, one): part for one, part in info.mapped.items()}
        )

    def advertisement(self, channel: int, found: Advertisement) -> Advertisement:
        """Translate an advertisement into the program's ids."""
        if self._same:
            return found
        offers = {}
        for who, types in found.offers.items():
            kind, _, id = who.partition(" ")
            offers[f"{kind} {self._proxy(channel, int(id))}" if kind == "proxy" else who] = types
        wants = {self._proxy(channel, proxy): types for proxy, types in found.wants.items()}
        return replace(found, offers=offers, wants=wants)
