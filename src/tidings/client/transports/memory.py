"""Objects that a client must recreate after a restart of the service.

Unnamed proxies and their private filters do not survive a restart. The client keeps the state that
commands led to. Recreated objects have new ids at the service; the program keeps using the old.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from tidings.channel.commands import Command
from tidings.channel.management import (
    AddConstraints,
    AddFilter,
    AddMapped,
    ClearFilter,
    CreateFilter,
    CreateMapping,
    DestroyAdmin,
    DestroyChannel,
    DestroyFilter,
    Disconnect,
    ModifyConstraints,
    ModifyMapped,
    ObtainProxy,
    ObtainTypes,
    OfferChange,
    RemoveAllFilters,
    RemoveFilter,
    Resume,
    SetMapping,
    SetQoS,
    SubscriptionChange,
    Suspend,
)
from tidings.channel.views import ProxyInfo
from tidings.channel.vocabulary import InfoMode, Place
from tidings.errors import ConnectionAlreadyInactive, FilterNotFound
from tidings.filters.constraint import EventTypePattern

Ask: TypeAlias = Callable[[Command], Awaitable[Any]]
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

    command: ObtainProxy
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

    command: CreateFilter | CreateMapping
    now: int
    parts: dict[int, Any]
    ids: dict[int, int] = field(default_factory=dict)


class Memory:
    """State of unnamed proxies and private filters, by the program's ids."""

    def __init__(self) -> None:
        self.proxies: dict[Key, MadeProxy] = {}
        self.filters: dict[int, MadeFilter] = {}
        # By filter, how many remembered proxies use it.
        self._holders: Counter[int] = Counter()

    def proxy_now(self, channel: int, proxy: int) -> int:
        """Return a proxy's current id at the service."""
        made = self.proxies.get((channel, proxy))
        return proxy if made is None else made.now

    def forget(self, channel: int, proxy: int) -> None:
        """Remove an ended proxy with its private filters."""
        made = self.proxies.pop((channel, proxy), None)
        if made is not None:
            for filter in (*made.filters.values(), *made.mappings.values()):
                self.let_go(filter)

    def hold(self, filter: int) -> None:
        """Count one more use of a filter."""
        self._holders[filter] += 1

    def let_go(self, filter: int) -> None:
        """Count one use less of a filter, and forget it with the last."""
        self._holders[filter] -= 1
        if not self._holders[filter]:
            del self._holders[filter]
            self.filters.pop(filter, None)

    def see(self, info: ProxyInfo) -> None:
        """Note the id of a proxy's first filter, which the program now knows."""
        made = self.proxies.get((info.channel, info.id))
        if made is None or not made.command.constraints or FIRST not in info.filters:
            return
        filter, constraints = info.filters[FIRST], made.command.constraints
        parts = dict(enumerate(constraints, FIRST))
        self.filters[filter] = MadeFilter(CreateFilter(constraints, private=True), filter, parts)
        made.filters[FIRST] = filter
        self.hold(filter)
        made.command = replace(made.command, constraints=())

    def drop_filter(self, filter: int) -> None:
        """Remove a deleted filter from all its holders."""
        self.filters.pop(filter, None)
        self._holders.pop(filter, None)
        for made in self.proxies.values():
            made.filters = {at: id for at, id in made.filters.items() if id != filter}
            made.mappings = {to: id for to, id in made.mappings.items() if id != filter}

    def note(self, command: Command, answer: Any) -> Any:  # noqa: ANN401 -- see the command
        """Record a completed command and return its answer; both in the program's ids."""
        act = _NOTED.get(type(command))
        if act is None:
            return answer
        turned = act(self, command, answer)
        return answer if turned is None else turned

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
            found = await self._again(filter, ask, lambda now: AddFilter(place, now))
            if found is None:
                if made.filters.pop(attachment, None) is not None:
                    self.let_go(filter)
            else:
                attached[attachment] = found
        for purpose, filter in list(made.mappings.items()):
            await self._again(filter, ask, lambda now, to=purpose: SetMapping(place, to, now))
        # Only now: if interrupted, recreation starts over, and the half-made proxy ends by itself.
        made.now, made.attached, made.settled = proxy, attached, False
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
        if isinstance(made.command, CreateFilter):
            command: Command = replace(made.command, constraints=parts)
        else:
            command = replace(made.command, mapped=parts)
        made.now, ids = await ask(command)
        made.ids = dict(zip(made.parts, ids, strict=True))
        return await ask(use(made.now))

    async def settle(self, key: Key, ask: Ask) -> None:
        """Finish recreating a proxy with the steps that need it connected."""
        made = self.proxies.get(key)
        if made is None or made.settled:
            return
        if made.mode is not None:
            on = made.mode.updates_on
            mode = InfoMode.NONE_NOW_UPDATES_ON if on else InfoMode.NONE_NOW_UPDATES_OFF
            await ask(ObtainTypes(key[0], made.now, mode))
        if made.suspended:
            with suppress(ConnectionAlreadyInactive):  # done before, but the answer was lost
                await ask(Suspend(key[0], made.now))
        made.settled = True

    def at(self, place: Place) -> MadeProxy | None:
        """Return the remembered proxy at a place."""
        return None if place.proxy is None else self.proxies.get((place.channel, place.proxy))


def _obtained(memory: Memory, command: ObtainProxy, answer: int) -> None:
    if not command.name:
        key = (command.channel, answer)
        types = dict.fromkeys(command.types)
        memory.proxies[key] = MadeProxy(command, answer, dict(command.qos), types=types)


def _ended(memory: Memory, command: Disconnect, answer: object) -> None:
    memory.forget(command.channel, command.proxy)


def _channel_ended(memory: Memory, command: DestroyChannel, answer: object) -> None:
    for key in [key for key in memory.proxies if key[0] == command.channel]:
        memory.forget(*key)


def _admin_ended(memory: Memory, command: DestroyAdmin, answer: object) -> None:
    parent = (command.channel, command.side, command.admin)
    for key, made in list(memory.proxies.items()):
        if (made.command.channel, made.command.side, made.command.admin) == parent:
            memory.forget(*key)


def _qos_set(memory: Memory, command: SetQoS, answer: object) -> None:
    made = memory.at(command.place)
    if made is not None:
        made.qos.update(command.properties)


def _types_changed(
    memory: Memory, command: OfferChange | SubscriptionChange, answer: object
) -> None:
    made = memory.at(command.place)
    if made is not None:
        for removed in command.removed:
            made.types.pop(removed, None)
        made.types.update(dict.fromkeys(command.added))


def _suspended(memory: Memory, command: Suspend | Resume, answer: object) -> None:
    made = memory.proxies.get((command.channel, command.proxy))
    if made is not None:
        made.suspended = isinstance(command, Suspend)


def _mode_set(memory: Memory, command: ObtainTypes, answer: object) -> None:
    made = memory.proxies.get((command.channel, command.proxy))
    if made is not None:
        made.mode = command.mode


def _filter_made(
    memory: Memory, command: CreateFilter | CreateMapping, answer: tuple[int, tuple[int, ...]]
) -> None:
    if command.private:
        id, ids = answer
        parts = command.constraints if isinstance(command, CreateFilter) else command.mapped
        memory.filters[id] = MadeFilter(command, id, dict(zip(ids, parts, strict=True)))


def _parts_added(
    memory: Memory, command: AddConstraints | AddMapped, answer: Sequence[int]
) -> Sequence[int]:
    made = memory.filters.get(command.filter)
    if made is None:
        return answer
    parts = command.constraints if isinstance(command, AddConstraints) else command.mapped
    known: list[int] = []
    for id, part in zip(answer, parts, strict=True):
        known.append(_free(id, made.parts, made.ids))
        made.parts[known[-1]] = part
    return known


def _free(id: int, taken: Mapping[int, object], renamed: dict[int, int]) -> int:
    """Return an id for the program: the service's own unless the program uses that already."""
    if id not in taken:
        return id
    other = max(*taken, *renamed.values()) + 1
    renamed[other] = id
    return other


def _parts_changed(
    memory: Memory, command: ModifyConstraints | ModifyMapped, answer: object
) -> None:
    made = memory.filters.get(command.filter)
    if made is not None:
        for id in command.delete:
            made.parts.pop(id, None)
        made.parts.update(command.replace)


def _cleared(memory: Memory, command: ClearFilter, answer: object) -> None:
    made = memory.filters.get(command.filter)
    if made is not None:
        made.parts.clear()


def _filter_ended(memory: Memory, command: DestroyFilter, answer: object) -> None:
    memory.drop_filter(command.filter)


def _attached(memory: Memory, command: AddFilter, answer: int) -> int:
    made = memory.at(command.place)
    if made is None:  # it survives with its named holder
        memory.filters.pop(command.filter, None)
        return answer
    attachment = _free(answer, made.filters, made.attached)
    made.filters[attachment] = command.filter
    memory.hold(command.filter)
    return attachment


def _taken_off(memory: Memory, command: RemoveFilter | RemoveAllFilters, answer: object) -> None:
    made = memory.at(command.place)
    if made is None:
        return
    gone = [command.attachment] if isinstance(command, RemoveFilter) else list(made.filters)
    if isinstance(command, RemoveAllFilters) or command.attachment == FIRST:
        made.command = replace(made.command, constraints=())
    for attachment in gone:
        filter = made.filters.pop(attachment, None)
        if filter is not None:
            memory.let_go(filter)


def _mapped(memory: Memory, command: SetMapping, answer: object) -> None:
    made = memory.at(command.place)
    if made is None:
        return
    before = made.mappings.pop(command.purpose, None)
    if command.filter is not None:
        made.mappings[command.purpose] = command.filter
        memory.hold(command.filter)
    if before is not None:
        memory.let_go(before)


_NOTED: Final[Mapping[type, Callable[..., object]]] = {
    AddConstraints: _parts_added,
    AddFilter: _attached,
    AddMapped: _parts_added,
    ClearFilter: _cleared,
    CreateFilter: _filter_made,
    CreateMapping: _filter_made,
    DestroyAdmin: _admin_ended,
    DestroyChannel: _channel_ended,
    DestroyFilter: _filter_ended,
    Disconnect: _ended,
    ModifyConstraints: _parts_changed,
    ModifyMapped: _parts_changed,
    ObtainProxy: _obtained,
    ObtainTypes: _mode_set,
    OfferChange: _types_changed,
    RemoveAllFilters: _taken_off,
    RemoveFilter: _taken_off,
    Resume: _suspended,
    SetMapping: _mapped,
    SetQoS: _qos_set,
    SubscriptionChange: _types_changed,
    Suspend: _suspended,
}
