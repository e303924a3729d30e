"""The host's filters: all channels share them, by id.

A change makes a new version of the filter, and reaches every object that holds it before the
command is answered. A filter that no object holds and no client uses ends after a time.
"""

from __future__ import annotations

from typing import Final

from tidings.channel.core import Core
from tidings.channel.effects import TopologyChanged
from tidings.channel.holders import Holder, Proxy
from tidings.channel.settings import room_for_one
from tidings.channel.snapshot import (
    FilterRecord,
    LastId,
    MappingRecord,
    ObjectKey,
    Patterns,
    State,
    patterns_state,
    recorded,
)
from tidings.channel.unused import Unused
from tidings.errors import FilterNotFound, InvalidUsage
from tidings.events.anyvalue import Value
from tidings.events.codecs.json_text import write_json
from tidings.events.codecs.json_values import value_to_plain
from tidings.filters.constraint import Constraint
from tidings.filters.filter import Filter
from tidings.filters.mapping import MappingFilter

# Ids of filters that are not stored, or are gone, have no record: so that none is used twice,
# they are reserved this many at a time.
RESERVED_AT_ONCE: Final = 1_000
UNUSED_FILTERS: Final = 0
"""The alarm id for filters that no object holds."""


class HostedFilter:
    """A filter and its holders; a private one ends with its last holder."""

    __slots__ = ("filter", "holders", "id", "owner", "private", "stored")

    def __init__(
        self, id: int, filter: Filter | MappingFilter, owner: str, *, private: bool
    ) -> None:
        self.id = id
        self.filter = filter
        self.owner = owner
        self.private = private
        self.stored = False
        self.holders: dict[Holder, None] = {}

    @property
    def kind(self) -> str:
        """Return the kind of its records."""
        return "filter" if isinstance(self.filter, Filter) else "mapping"

    @property
    def key(self) -> ObjectKey:
        """Return the key under which it is recorded."""
        return 0, self.kind, str(self.id)

    def state(self) -> State:
        """Return its state as it is recorded."""
        made = self.filter
        common = (self.id, self.owner, self.private, made.version.number)
        if isinstance(made, Filter):
            held = [[id, *_plain(one)] for id, one in made.version.constraints.items()]
            return recorded(FilterRecord(*common, made.last_constraint, held))
        mapped = [
            [id, *_plain(one.constraint), _value_state(one.value)]
            for id, one in made.version.mapped.items()
        ]
        return recorded(MappingRecord(*common, made.last_id, _value_state(made.default), mapped))


def _plain(one: Constraint) -> tuple[str, Patterns]:
    return one.text, patterns_state(one.event_types)


def _value_state(value: Value) -> str:
    # As text: the plain form may hold ready JSON, which is not plain data.
    return write_json(value_to_plain(value)).decode()


class FilterHost:
    """All filters of the host; ids up to `reserved` may be in use without a record."""

    def __init__(self, core: Core) -> None:
        self.last_id = self.reserved = 0
        self.filters: dict[int, HostedFilter] = {}
        lifetime = core.settings.unused_filter_lifetime
        self.unheld: Unused[int] = Unused(core, UNUSED_FILTERS, lifetime)
        self._core = core

    def find(self, id: int) -> HostedFilter:
        """Return a filter by its id, or raise FilterNotFound."""
        found = self.filters.get(id)
        if found is None:
            raise no_filter(id)
        return found

    def use(self, id: int, now: int) -> HostedFilter:
        """Return a filter, or raise FilterNotFound; using one that is not held extends its life."""
        found = self.find(id)
        self.unheld.touch(id, now)
        return found

    def collect(self, now: int) -> None:
        """End filters that were neither held nor used for long enough."""
        for id in self.unheld.due(now):
            self.remove(self.filters[id])
            self.unheld.collected += 1

    def restored(self, now: int) -> None:
        """Restart the lifetime of filters that are not held, after recovery."""
        for id, hosted in self.filters.items():
            if not hosted.holders:
                self.unheld.begin(id, now)

    def filter(self, id: int) -> Filter:
        """Return a forwarding filter, or raise FilterNotFound, or InvalidUsage if it maps."""
        found = self.find(id).filter
        if not isinstance(found, Filter):
            raise InvalidUsage(f"filter {id} is a mapping filter; here one that forwards is needed")
        return found

    def mapping(self, id: int) -> MappingFilter:
        """Return a mapping filter, or raise FilterNotFound, or InvalidUsage for another filter."""
        found = self.find(id).filter
        if not isinstance(found, MappingFilter):
            raise InvalidUsage(f"filter {id} is no mapping filter")
        return found

    def add(self, filter: Filter | MappingFilter, owner: str, *, private: bool) -> HostedFilter:
        """Add a new filter, or raise TooManyObjects."""
        limits = self._core.settings.limits
        room_for_one(len(self.filters), limits.filters, "filters", "the service")
        self.last_id += 1
        if self._core.spills and self.last_id > self.reserved:
            self.reserved = self.last_id + RESERVED_AT_ONCE
            reserved = recorded(LastId(self.reserved))
            self._core.out.append(TopologyChanged(0, "factory", "filters", reserved))
        hosted = HostedFilter(self.last_id, filter, owner, private=private)
        self.filters[hosted.id] = hosted
        self.unheld.begin(hosted.id, self._core.now)
        if not private:
            self.store(hosted)
        return hosted

    def hold(self, id: int, holder: Holder) -> None:
        """Note that an object now holds a filter."""
        hosted = self.find(id)
        hosted.holders[holder] = None
        self.unheld.forget(id)
        survives = not isinstance(holder, Proxy) or holder.durable
        if survives and not hosted.stored:
            self.store(hosted)

    def release(self, id: int, holder: Holder) -> None:
        """Note that an object no longer holds a filter; a private one ends with its last holder."""
        hosted = self.filters.get(id)
        if hosted is None or id in holder.filter_ids:
            return
        hosted.holders.pop(holder, None)
        if hosted.private and not hosted.holders:
            self.remove(hosted)
        elif not hosted.holders:
            self.unheld.begin(id, self._core.now)

    def release_all(self, holder: Holder) -> None:
        """Detach all filters, mapping filters included, from an object that ends."""
        held = holder.filter_ids
        holder.attached_filters, holder.priority_filter, holder.lifetime_filter = (), None, None
        for id in held:
            self.release(id, holder)

    def remove(self, hosted: HostedFilter) -> None:
        """End a filter that no object holds."""
        del self.filters[hosted.id]
        self.unheld.forget(hosted.id)
        if hosted.stored:
            self._core.out.append(TopologyChanged(*hosted.key, None))

    def store(self, hosted: HostedFilter) -> None:
        """Record the current state of a filter."""
        hosted.stored = True
        self._core.out.append(TopologyChanged(*hosted.key, hosted.state()))


def no_filter(id: int) -> FilterNotFound:
    """Return the error for a filter that is missing, or hidden from the caller."""
    return FilterNotFound(f"there is no filter {id}")
