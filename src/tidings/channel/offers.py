"""Event types that are offered and wanted: who names which, and what all of them name together.

Suppliers say which types they offer, consumers which they want. The channel counts how many name
a type, and tells the other side only when the first one does and when the last one ceases to.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from types import MappingProxyType
from typing import Final, Generic, NamedTuple, TypeVar

from tidings.filters.constraint import EventTypePattern, wildcard_match

ALL_TYPES: Final = EventTypePattern("", "%ALL")
"""All event types: the one form in which this is said, however it was written."""

Owner = TypeVar("Owner", bound=Hashable)

_NONE: Final[frozenset[EventTypePattern]] = frozenset()
# What most consumers want: one set for all of them.
_ALL_ONLY: Final = frozenset([ALL_TYPES])
_BY_NAME: Final = attrgetter("domain", "type")


class TypeChange(NamedTuple):
    """Types that are newly named by somebody, and types that nobody names any more; sorted."""

    added: tuple[EventTypePattern, ...] = ()
    removed: tuple[EventTypePattern, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed)


class TypeRegistry(Generic[Owner]):
    """Who names which event types. What a change costs depends on the types it is about."""

    def __init__(self) -> None:
        self._types: dict[Owner, frozenset[EventTypePattern]] = {}
        self._owners: dict[EventTypePattern, dict[Owner, None]] = {}
        self._sorted: tuple[EventTypePattern, ...] | None = ()

    def replace(self, owner: Owner, types: Iterable[EventTypePattern]) -> TypeChange:
        """From now on the owner names these types, and only these.

        Returns:
            What nobody named before, and what nobody names any more.
        """
        before = self._types.get(owner, _NONE)
        after = _normal(types)
        if after:
            self._types[owner] = after
        else:
            self._types.pop(owner, None)
        return self._counted(owner, after - before, before - after)

    def withdraw(self, owner: Owner) -> TypeChange:
        """The owner names nothing any more."""
        return self.replace(owner, ())

    def types(self) -> tuple[EventTypePattern, ...]:
        """What all owners name together, sorted."""
        if self._sorted is None:
            self._sorted = _sorted(self._owners)
        return self._sorted

    def owners(self) -> Mapping[Owner, frozenset[EventTypePattern]]:
        """Who names types, and which. It shows later changes too."""
        return MappingProxyType(self._types)

    def of(self, owner: Owner) -> frozenset[EventTypePattern]:
        """What this owner names; empty for one who names nothing."""
        return self._types.get(owner, _NONE)

    def _counted(
        self,
        owner: Owner,
        more: Iterable[EventTypePattern],
        less: Iterable[EventTypePattern],
    ) -> TypeChange:
        added: list[EventTypePattern] = []
        removed: list[EventTypePattern] = []
        for pattern in more:
            owners = self._owners.get(pattern)
            if owners is None:
                self._owners[pattern] = {owner: None}
                added.append(pattern)
            else:
                owners[owner] = None
        for pattern in less:
            owners = self._owners[pattern]
            del owners[owner]
            if not owners:
                del self._owners[pattern]
                removed.append(pattern)
        if added or removed:
            self._sorted = None
        return TypeChange(_sorted(added), _sorted(removed))


@dataclass(frozen=True, slots=True)
class TypeList:
    """An object's subscription list: the types its consumers want, at first all.

    Attributes:
        types: The types; empty for all.
    """

    types: frozenset[EventTypePattern] = _NONE

    def __post_init__(self) -> None:
        types = _normal(self.types)
        object.__setattr__(self, "types", _NONE if ALL_TYPES in types else types)

    def changed(
        self, added: Iterable[EventTypePattern], removed: Iterable[EventTypePattern]
    ) -> TypeList:
        """The list after a subscription_change.

        What is removed goes first; types that are not in the list are ignored. The first type
        that is added replaces "all", and a list without types is "all" again.
        """
        return TypeList(offered(self.types, added, removed))

    def passes(self, domain: str, type: str) -> bool:
        """Whether an event of this domain and type is wanted."""
        return not self.types or any(one.matches(domain, type) for one in self.types)


def wanted_by(
    proxy_types: frozenset[EventTypePattern],
    proxy_list: TypeList,
    admin_types: frozenset[EventTypePattern],
    admin_list: TypeList,
) -> frozenset[EventTypePattern]:
    """What one consumer proxy, with its admin, adds to the types that are wanted.

    Args:
        proxy_types: The types that the constraints of the proxy's filters name.
        proxy_list: The proxy's subscription list.
        admin_types: The types that the constraints of the admin's filters name.
        admin_list: The admin's subscription list.

    Returns:
        All of these; only ALL_TYPES if there are none, or if that is among them.
    """
    named = _normal(proxy_types | proxy_list.types | admin_types | admin_list.types)
    return named if named and ALL_TYPES not in named else frozenset((ALL_TYPES,))


def offered(
    current: frozenset[EventTypePattern],
    added: Iterable[EventTypePattern],
    removed: Iterable[EventTypePattern],
) -> frozenset[EventTypePattern]:
    """A list of offered types after an offer_change: what is removed goes first."""
    return (_normal(current) - _normal(removed)) | _normal(added)


def overlap(one: EventTypePattern, two: EventTypePattern) -> bool:
    """Whether some event could be meant by both patterns."""
    return (one.any_domain or two.any_domain or _texts_overlap(one.domain, two.domain)) and (
        one.any_type or two.any_type or _texts_overlap(one.type, two.type)
    )


def _texts_overlap(one: str, two: str) -> bool:
    """Whether some text fits both patterns."""
    if "*" not in one:
        return wildcard_match(two, one)
    if "*" not in two:
        return wildcard_match(one, two)
    # Between the ends each has a place for anything, so for all the other one asks for there.
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
