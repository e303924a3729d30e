"""Objects that a client must recreate after a restart of the service.

Unnamed proxies and their private filters do not survive a restart. The client keeps the state that
commands led to. Recreated objects have new ids at the service; the program keeps using the old.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import singledispatchmethod
from typing import Any, Final, TypeAlias, TypeVar

from tidings.channel import management as m
from tidings.channel import views as v
from tidings.channel.commands import Command
from tidings.channel.fate import Fate
from tidings.channel.trail import Trail
from tidings.channel.vocabulary import InfoMode, Place
from tidings.errors import ConnectionAlreadyInactive, FilterNotFound
from tidings.filters.constraint import EventTypePattern

Ask: TypeAlias = Callable[[Command], Awaitable[Any]]
_C = TypeVar("_C")

Key: TypeAlias = tuple[int, int]
"""A channel and the id a proxy had first."""

FIRST: Final = 1
"""The id of an object's first attachment and of a filter's first constraint."""


@dataclass(slots=True)
class MadeProxy:
    """An unnamed proxy.

    Attributes:
        command: Its creation; holds its first filter's constraints until their filter id is known.
        now: Its current id at the service.
        filters: Filters by attachment, in the program's ids.
        attached: The service's attachment ids, where they differ from the program's.
        settled: Whether nothing is left to do since it was recreated.
    """

    command: m.ObtainProxy
    now: int
    qos: dict[str, object]
    filters: dict[int, int] = field(default_factory=dict)
    attached: dict[int, int] = field(default_factory=dict)
    mappings: dict[str, int] = field(default_factory=dict)
    types: dict[EventTypePattern, None] = field(default_factory=dict)
    suspended: bool = False
    mode: InfoMode | None = None
    settled: bool = True


@dataclass(slots=True)
class MadeFilter:
    """A private filter of unnamed proxies; `ids` has the service's constraint ids that differ."""

    command: m.CreateFilter | m.CreateMapping
    now: int
    parts: dict[int, Any]
    ids: dict[int, int] = field(default_factory=dict)


class Memory:
    """State of unnamed proxies and private filters, by the program's ids, which it translates."""

    def __init__(self) -> None:
        self.proxies: dict[Key, MadeProxy] = {}
        self.filters: dict[int, MadeFilter] = {}
        # By filter, how many remembered proxies use it.
        self._holders: Counter[int] = Counter()
        # From the service's ids to the program's, where they differ.
        self._proxy_ids: dict[Key, int] = {}
        self._filter_ids: dict[int, int] = {}
        self._stale = False

    def proxy_now(self, channel: int, proxy: int) -> int:
        """Return a proxy's current id at the service."""
        made = self.proxies.get((channel, proxy))
        return proxy if made is None else made.now

    def forget(self, channel: int, proxy: int) -> None:
        """Remove an ended proxy with its private filters."""
        made = self.proxies.pop((channel, proxy), None)
        if made is not None:
            for filter in (*made.filters.values(), *made.mappings.values()):
                self._let_go(filter)

    def _let_go(self, filter: int) -> None:
        """Count one use less of a filter, and forget it with the last."""
        self._holders[filter] -= 1
        if not self._holders[filter]:
            del self._holders[filter]
            self.filters.pop(filter, None)

    def see(self, info: v.ProxyInfo) -> None:
        """Note the id of a proxy's first filter, which the program now knows."""
        made = self.proxies.get((info.channel, info.id))
        if made is None or not made.command.constraints or FIRST not in info.filters:
            return
        filter, constraints = info.filters[FIRST], made.command.constraints
        parts = dict(enumerate(constraints, FIRST))
        self.filters[filter] = MadeFilter(m.CreateFilter(constraints, private=True), filter, parts)
        made.filters[FIRST] = filter
        self._holders[filter] += 1
        made.command = replace(made.command, constraints=())

    async def remake(self, key: Key, ask: Ask) -> bool:
        """Recreate a proxy up to connecting it; `ask` takes the service's ids.

        Return False if the proxy is not a remembered one.
        """
        made = self.proxies.get(key)
        if made is None:
            return False
        proxy = await ask(replace(made.command, qos=made.qos, types=tuple(made.types)))
        place = Place(made.command.channel, proxy=proxy)
        attached: dict[int, int] = {}
        for attachment, filter in list(made.filters.items()):
            found = await self._again(filter, ask, lambda now: m.AddFilter(place, now))
            if found is None:
                if made.filters.pop(attachment, None) is not None:
                    self._let_go(filter)
            else:
                attached[attachment] = found
        for purpose, filter in list(made.mappings.items()):
            await self._again(filter, ask, lambda now, to=purpose: m.SetMapping(place, to, now))
        # Only now: if interrupted, recreation starts over, and the half-made proxy ends by itself.
        made.now, made.attached, made.settled = proxy, attached, False
        self._stale = True
        return True

    async def _again(self, filter: int, ask: Ask, use: Callable[..., Command]) -> Any:  # noqa: ANN401
        """Use a filter, recreated if it is gone; return None if it cannot be recreated."""
        made = self.filters.get(filter)
        try:
            return await ask(use(filter if made is None else made.now))
        except FilterNotFound:
            if made is None:
                return None
        parts = tuple(made.parts.values())
        if isinstance(made.command, m.CreateFilter):
            command: Command = replace(made.command, constraints=parts)
        else:
            command = replace(made.command, mapped=parts)
        made.now, ids = await ask(command)
        made.ids = dict(zip(made.parts, ids, strict=True))
        self._stale = True
        return await ask(use(made.now))

    async def settle(self, key: Key, ask: Ask) -> None:
        """Finish recreating a proxy with the steps that need it connected."""
        made = self.proxies.get(key)
        if made is None or made.settled:
            return
        if made.mode is not None:
            on = made.mode.updates_on
            mode = InfoMode.NONE_NOW_UPDATES_ON if on else InfoMode.NONE_NOW_UPDATES_OFF
            await ask(m.ObtainTypes(key[0], made.now, mode))
        if made.suspended:
            with suppress(ConnectionAlreadyInactive):  # done before, but the answer was lost
                await ask(m.Suspend(key[0], made.now))
        made.settled = True

    def at(self, place: Place) -> MadeProxy | None:
        """Return the remembered proxy at a place."""
        return None if place.proxy is None else self.proxies.get((place.channel, place.proxy))

    @singledispatchmethod
    def note(self, command: Command, answer: Any) -> Any:  # noqa: ANN401 -- see the command
        """Record a completed command and return its answer; both in the program's ids."""
        return answer

    @note.register
    def _(self, command: m.ObtainProxy, answer: int) -> int:
        if not command.name:
            types = dict.fromkeys(command.types)
            made = MadeProxy(command, answer, dict(command.qos), types=types)
            self.proxies[command.channel, answer] = made
        return answer

    @note.register
    def _(self, command: m.Disconnect, answer: None) -> None:
        self.forget(command.channel, command.proxy)

    @note.register
    def _(self, command: m.DestroyChannel, answer: None) -> None:
        for key in [key for key in self.proxies if key[0] == command.channel]:
            self.forget(*key)

    @note.register
    def _(self, command: m.DestroyAdmin, answer: None) -> None:
        parent = (command.channel, command.side, command.admin)
        for key, made in list(self.proxies.items()):
            if (made.command.channel, made.command.side, made.command.admin) == parent:
                self.forget(*key)

    @note.register
    def _(self, command: m.SetQoS, answer: Any) -> Any:  # noqa: ANN401
        made = self.at(command.place)
        if made is not None:
            made.qos.update(command.properties)
        return answer

    @note.register
    def _(self, command: m.OfferChange | m.SubscriptionChange, answer: None) -> None:
        made = self.at(command.place)
        if made is not None:
            for removed in command.removed:
                made.types.pop(removed, None)
            made.types.update(dict.fromkeys(command.added))

    @note.register
    def _(self, command: m.Suspend | m.Resume, answer: None) -> None:
        made = self.proxies.get((command.channel, command.proxy))
        if made is not None:
            made.suspended = isinstance(command, m.Suspend)

    @note.register
    def _(self, command: m.ObtainTypes, answer: Any) -> Any:  # noqa: ANN401
        made = self.proxies.get((command.channel, command.proxy))
        if made is not None:
            made.mode = command.mode
        return answer

    @note.register
    def _(self, command: m.CreateFilter | m.CreateMapping, answer: Any) -> Any:  # noqa: ANN401
        if command.private:
            id, ids = answer
            parts = command.constraints if isinstance(command, m.CreateFilter) else command.mapped
            self.filters[id] = MadeFilter(command, id, dict(zip(ids, parts, strict=True)))
        return answer

    @note.register
    def _(self, command: m.AddConstraints | m.AddMapped, answer: Sequence[int]) -> Sequence[int]:
        made = self.filters.get(command.filter)
        if made is None:
            return answer
        parts = command.constraints if isinstance(command, m.AddConstraints) else command.mapped
        known: list[int] = []
        for id, part in zip(answer, parts, strict=True):
            known.append(_free(id, made.parts, made.ids))
            made.parts[known[-1]] = part
        return known

    @note.register
    def _(self, command: m.ModifyConstraints | m.ModifyMapped, answer: None) -> None:
        made = self.filters.get(command.filter)
        if made is not None:
            for id in command.delete:
                made.parts.pop(id, None)
            made.parts.update(command.replace)

    @note.register
    def _(self, command: m.ClearFilter, answer: None) -> None:
        made = self.filters.get(command.filter)
        if made is not None:
            made.parts.clear()

    @note.register
    def _(self, command: m.DestroyFilter, answer: None) -> None:
        filter = command.filter
        self.filters.pop(filter, None)
        self._holders.pop(filter, None)
        for made in self.proxies.values():
            made.filters = {at: id for at, id in made.filters.items() if id != filter}
            made.mappings = {to: id for to, id in made.mappings.items() if id != filter}

    @note.register
    def _(self, command: m.AddFilter, answer: int) -> int:
        made = self.at(command.place)
        if made is None:  # it survives with its named holder
            self.filters.pop(command.filter, None)
            return answer
        attachment = _free(answer, made.filters, made.attached)
        made.filters[attachment] = command.filter
        self._holders[command.filter] += 1
        return attachment

    @note.register
    def _(self, command: m.RemoveFilter | m.RemoveAllFilters, answer: None) -> None:
        made = self.at(command.place)
        if made is None:
            return
        gone = [command.attachment] if isinstance(command, m.RemoveFilter) else list(made.filters)
        if isinstance(command, m.RemoveAllFilters) or command.attachment == FIRST:
            made.command = replace(made.command, constraints=())
        for attachment in gone:
            filter = made.filters.pop(attachment, None)
            if filter is not None:
                self._let_go(filter)

    @note.register
    def _(self, command: m.SetMapping, answer: None) -> None:
        made = self.at(command.place)
        if made is None:
            return
        before = made.mappings.pop(command.purpose, None)
        if command.filter is not None:
            made.mappings[command.purpose] = command.filter
            self._holders[command.filter] += 1
        if before is not None:
            self._let_go(before)

    # Translation.

    def _is_translated(self) -> bool:
        """Tell whether any ids differ; rebuild the translation if it is stale."""
        if self._stale:
            self._stale = False
            self._proxy_ids = {
                (channel, made.now): proxy
                for (channel, proxy), made in self.proxies.items()
                if made.now != proxy
            }
            self._filter_ids = {made.now: id for id, made in self.filters.items() if made.now != id}
        return bool(self._proxy_ids or self._filter_ids)

    def outward(self, command: _C) -> _C:
        """Translate a command or question into the service's ids."""
        found: _C = self._translated(command) if self._is_translated() else command
        return found

    def _translated(self, command: Any) -> Any:  # noqa: ANN401 -- of its own kind
        changed: dict[str, object] = {}
        place = getattr(command, "place", None)
        if isinstance(place, Place) and place.proxy is not None:
            now = self.proxy_now(place.channel, place.proxy)
            changed["place"] = replace(place, proxy=now)
        proxy = getattr(command, "proxy", None)
        if proxy is not None:
            changed["proxy"] = self.proxy_now(command.channel, proxy)
        filter = getattr(command, "filter", None)
        if filter in self.filters:
            changed["filter"] = self.filters[filter].now
        if isinstance(command, m.RemoveFilter):
            made = self.at(command.place)
            if made is not None:
                attachment = command.attachment
                changed["attachment"] = made.attached.get(attachment, attachment)
        if isinstance(command, m.ModifyConstraints | m.ModifyMapped) and filter in self.filters:
            ids = self.filters[command.filter].ids
            changed["delete"] = tuple(ids.get(id, id) for id in command.delete)
            changed["replace"] = {ids.get(id, id): one for id, one in command.replace.items()}
        if not changed:
            return command
        if isinstance(command, tuple):
            return command._replace(**changed)  # type: ignore[attr-defined]
        return replace(command, **changed)

    def inward(self, found: _C, request: object = None) -> _C:
        """Translate the answer to a request into the program's ids."""
        turned: Any = found
        if self._is_translated():
            turned = self._turned(found, getattr(request, "channel", 0))
        for one in turned if isinstance(turned, list) else (turned,):
            if isinstance(one, v.ProxyInfo):
                self.see(one)
        return turned  # type: ignore[no-any-return]

    def _turned(self, found: Any, channel: int) -> Any:  # noqa: ANN401 -- of its own kind
        match found:
            case v.ProxyInfo():
                return self._proxy_info(found)
            case v.AdminInfo():
                return self._admin_info(found)
            case v.FilterInfo() | v.MappingInfo():
                return self._filter_info(found)
            case v.DeadLetterInfo():
                return replace(found, proxy=self._proxy(found.channel, found.proxy))
            case Trail():
                return self._trail(channel, found)
            case Fate():
                copies = [replace(x, proxy=self._proxy(channel, x.proxy)) for x in found.copies]
                return replace(found, copies=tuple(copies))
            case v.Advertisement():
                return self._advertisement(channel, found)
            case list() | tuple() if not hasattr(found, "_fields"):
                return [self._turned(one, channel) for one in found]
        return found

    def _trail(self, channel: int, trail: Trail) -> Trail:
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

    def _advertisement(self, channel: int, found: v.Advertisement) -> v.Advertisement:
        offers = {}
        for who, types in found.offers.items():
            kind, _, id = who.partition(" ")
            offers[f"{kind} {self._proxy(channel, int(id))}" if kind == "proxy" else who] = types
        wants = {self._proxy(channel, proxy): types for proxy, types in found.wants.items()}
        return replace(found, offers=offers, wants=wants)

    def _proxy(self, channel: int, proxy: int) -> int:
        return self._proxy_ids.get((channel, proxy), proxy)

    def _filter(self, id: int | None) -> int | None:
        return None if id is None else self._filter_ids.get(id, id)

    def _proxy_info(self, info: v.ProxyInfo) -> v.ProxyInfo:
        id = self._proxy(info.channel, info.id)
        made = self.proxies.get((info.channel, id))
        known = {} if made is None else {now: first for first, now in made.attached.items()}
        return replace(
            info,
            id=id,
            filters={
                known.get(at, at): self._filter_ids.get(filter, filter)
                for at, filter in info.filters.items()
            },
            priority_filter=self._filter(info.priority_filter),
            lifetime_filter=self._filter(info.lifetime_filter),
        )

    def _admin_info(self, info: v.AdminInfo) -> v.AdminInfo:
        return replace(
            info,
            proxies=tuple(self._proxy(info.channel, proxy) for proxy in info.proxies),
            filters={at: self._filter_ids.get(id, id) for at, id in info.filters.items()},
            priority_filter=self._filter(info.priority_filter),
            lifetime_filter=self._filter(info.lifetime_filter),
        )

    def _filter_info(self, info: v.FilterInfo | v.MappingInfo) -> v.FilterInfo | v.MappingInfo:
        id = self._filter_ids.get(info.id, info.id)
        made = self.filters.get(id)
        known = {} if made is None else {now: first for first, now in made.ids.items()}
        if isinstance(info, v.FilterInfo):
            parts = {known.get(one, one): part for one, part in info.constraints.items()}
            return replace(info, id=id, constraints=parts)
        return replace(
            info, id=id, mapped={known.get(one, one): part for one, part in info.mapped.items()}
        )


def _free(id: int, taken: Mapping[int, object], renamed: dict[int, int]) -> int:
    """Return an id for the program: the service's own unless the program uses that already."""
    if id not in taken:
        return id
    other = max(*taken, *renamed.values()) + 1
    renamed[other] = id
    return other
