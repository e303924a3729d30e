"""Offered and wanted event types: who names which, and their union.

Suppliers say which types they offer, consumers which they want. The channel counts how many name a
type, and tells the other side only when the first one names it and the last one withdraws it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from types import MappingProxyType
from typing import Final, Generic, NamedTuple, TypeVar

from tidings.filters.constraint import EventTypePattern, wildcard_match

ALL_TYPES: Final = EventTypePattern("", "%ALL")
"""All event types, in canonical form."""

Owner = TypeVar("Owner", bound=Hashable)

_NONE: Final[frozenset[EventTypePattern]] = frozenset()
# What most consumers want: one shared set.
_ALL_ONLY: Final = frozenset([ALL_TYPES])
_BY_NAME: Final = attrgetter("domain", "type")


class TypeChange(NamedTuple):
    """Types newly named, and types no longer named by anyone; sorted."""

    added: tuple[EventTypePattern, ...] = ()
    removed: tuple[EventTypePattern, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed)


class TypeRegistry(Generic[Owner]):
    """The event types each owner names. A change costs in proportion to the types it names."""

    def __init__(self) -> None:
        self._types: dict[Owner, frozenset[EventTypePattern]] = {}
        self._owners: dict[EventTypePattern, dict[Owner, None]] = {}
        self._sorted: tuple[EventTypePattern, ...] | None = ()

    def replace(self, owner: Owner, types: Iterable[EventTypePattern]) -> TypeChange:
        """Replace the types an owner names; return how the union changes."""
        before = self._types.get(owner, _NONE)
        after = _normal(types)
        if after:
            self._types[owner] = after
        else:
            self._types.pop(owner, None)
        added: list[EventTypePattern] = []
        removed: list[EventTypePattern] = []
        for pattern in after - before:
            owners = self._owners.get(pattern)
            if owners is None:
                self._owners[pattern] = {owner: None}
                added.append(pattern)
            else:
                owners[owner] = None
        for pattern in before - after:
            owners = self._owners[pattern]
            del owners[owner]
            if not owners:
                del self._owners[pattern]
                removed.append(pattern)
        if added or removed:
            self._sorted = None
        return TypeChange(_sorted(added), _sorted(removed))

    def withdraw(self, owner: Owner) -> TypeChange:
        """Withdraw all types of an owner."""
        return self.replace(owner, ())

    def types(self) -> tuple[EventTypePattern, ...]:
        """Return the union of all owners' types, sorted."""
        if self._sorted is None:
            self._sorted = _sorted(self._owners)
        return self._sorted

    def owners(self) -> Mapping[Owner, frozenset[EventTypePattern]]:
        """Return a live view of the owners and their types."""
        return MappingProxyType(self._types)


@dataclass(frozen=True, slots=True)
class TypeList:
    """An object's subscription list: the types its consumers want; empty, as at first, for all."""

    types: frozenset[EventTypePattern] = _NONE

    def __post_init__(self) -> None:
        types = _normal(self.types)
        object.__setattr__(self, "types", _NONE if ALL_TYPES in types else types)

    def changed(
        self, added: Iterable[EventTypePattern], removed: Iterable[EventTypePattern]
    ) -> TypeList:
        """Return the list after a subscription_change.

        Removals apply first; types that are not in the list are ignored. The first type added
        replaces "all", and an emptied list means "all" again.
        """
        return TypeList(offered(self.types, added, removed))

    def passes(self, domain: str, type: str) -> bool:
        """Return whether an event of this domain and type is wanted."""
        return not self.types or any(one.matches(domain, type) for one in self.types)


def wanted_by(
    proxy_types: frozenset[EventTypePattern],
    proxy_list: TypeList,
    admin_types: frozenset[EventTypePattern],
    admin_list: TypeList,
) -> frozenset[EventTypePattern]:
    """Return the types that one consumer proxy, with its admin, adds to the wanted union.

    `proxy_types` and `admin_types` are those named by filter constraints. The result is only
    ALL_TYPES if there are none, or if that is among them.
    """
    named = _normal(proxy_types | proxy_list.types | admin_types | admin_list.types)
    return named if named and ALL_TYPES not in named else frozenset((ALL_TYPES,))


def offered(
    current: frozenset[EventTypePattern],
    added: Iterable[EventTypePattern],
    removed: Iterable[EventTypePattern],
) -> frozenset[EventTypePattern]:
    """Return the offered types after an offer_change; removals apply first."""
    return (_normal(current) - _normal(removed)) | _normal(added)


def overlap(one: EventTypePattern, two: EventTypePattern) -> bool:
    """Return whether some event could match both patterns."""
    return (one.any_domain or two.any_domain or _texts_overlap(one.domain, two.domain)) and (
        one.any_type or two.any_type or _texts_overlap(one.type, two.type)
    )


def _texts_overlap(one: str, two: str) -> bool:
    """Return whether some text matches both patterns."""
    if "*" not in one:
        return wildcard_match(two, one)
    if "*" not in two:
        return wildcard_match(one, two)
    # Between the ends each has a wildcard, which can match all that the other requires there.
    start, other_start = one[: one.index("*")], two[: two.index("*")]
    end, other_end = one[one.rindex("*") + 1 :], two[two.rindex("*") + 1 :]
    return (start.startswith(other_start) or other_start.startswith(start)) and (
        end.endswith(other_end) or other_end.endswith(end)
    )


def _normal(types: Iterable[EventTypePattern]) -> frozenset[EventTypePattern]:
    normal = frozenset([ALL_TYPES if _means_all(one) else one for one in types])
    return _ALL_ONLY if normal == _ALL_ONLY else normal


def _means_all(pattern: EventTypePattern) -> bool:
    return not pattern.domain.strip("*") and (
        pattern.type == ALL_TYPES.type or not pattern.type.strip("*")
    )


def _sorted(types: Iterable[EventTypePattern]) -> tuple[EventTypePattern, ...]:
    return tuple(sorted(types, key=_BY_NAME))
