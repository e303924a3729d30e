"""Who gets an event: the plan's rules for consumers, indexed by what they ask for.

The answer is that of `Plan.judge`, found without asking every consumer. An admin with filters or an
event type list is one key of the index, a consumer with its own another; consumers with neither
belong to their admin's key. A fence is a key, too: consumers behind it get no event that it does
not match, and those that ask for nothing else are found by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, TypeAlias

from tidings.channel.consumer import ConsumerProxy
from tidings.channel.holders import Admin
from tidings.channel.offers import TypeList
from tidings.events.fields import Fields
from tidings.filters.constraint import Constraint, constraint
from tidings.filters.index import MatchIndex
from tidings.filters.plan import Fence, Operator, PlanOptions, Rule

Asked: TypeAlias = Sequence[Constraint] | None
"""What a group of filters asks for: one of these constraints; none at all means everything.
None stands for a group without filters."""


class _Fenced:
    """The consumers behind one fence; `open` are those with no filters or types of their own."""

    __slots__ = ("count", "fence", "open")

    def __init__(self, fence: Fence) -> None:
        self.fence = fence
        self.count = 0
        self.open: dict[ConsumerProxy, None] = {}


_Key: TypeAlias = Admin | ConsumerProxy | _Fenced


class Router:
    """The consumers of a channel, by what they ask for."""

    def __init__(self) -> None:
        self._index: MatchIndex[_Key] = MatchIndex()
        self._indexed = False  # whether something is in the index
        self._filtered: set[Admin] = set()  # with filters
        self._listed: set[Admin] = set()  # with a list of event types
        self._both: set[ConsumerProxy] = set()  # with filters and a list of event types
        self._unbound: set[ConsumerProxy] = set()  # whose admin's filters do not count
        self._always: list[ConsumerProxy] | None = None  # None when it has to be made again
        self._admins: dict[Admin, None] = {}
        # Connected, with no filters or types of their own: what the admin lets pass goes to all.
        self._open: dict[Admin, dict[ConsumerProxy, None]] = {}
        # With filters under an admin that joins by OR.
        self._either: dict[Admin, dict[ConsumerProxy, None]] = {}
        self._fences: dict[Fence, _Fenced] = {}
        self._fenced: dict[ConsumerProxy, _Fenced] = {}

    def match(self, fields: Fields) -> Sequence[ConsumerProxy]:
        """Return all consumers whose rules the event passes, each once."""
        always = self._always
        if always is None:
            always = self._always = [p for admin in self._admins for p in self._free(admin)]
        matched: Sequence[Any] = self._index.match(fields) if self._indexed else ()
        if not matched:
            return always
        if self._filtered or self._listed or self._both or self._fenced:
            matched = self._joined(matched, fields)
        return [*always, *matched] if always else matched

    def _free(self, admin: Admin) -> Iterable[ConsumerProxy]:
        """Return the consumers that get everything."""
        return () if admin in self._filtered or admin in self._listed else self._open.get(admin, ())

    def _joined(self, matched: Sequence[_Key], fields: Fields) -> list[ConsumerProxy]:
        """Join matches by the admins' operators, and check event type lists and fences."""
        domain, type_ = fields.event_type
        admins = {key for key in matched if isinstance(key, Admin)}
        found: dict[ConsumerProxy, None] = {}
        for admin in admins:
            if admin.types.types and not admin.types.passes(domain, type_):
                continue
            if admin in self._filtered or admin in self._listed:
                found.update(self._open.get(admin, {}))
            if admin in self._filtered:
                either = self._either.get(admin, ())
                found.update((p, None) for p in either if p.types.passes(domain, type_))
        fences = {key for key in matched if isinstance(key, _Fenced)}
        proxies = (key for key in matched if isinstance(key, ConsumerProxy))
        for proxy in chain(proxies, *(one.open for one in fences)):
            if self._passes_with_admin(proxy, admins, domain, type_):
                found[proxy] = None
        if not self._fenced:
            return list(found)
        inside = self._fenced.get
        return [proxy for proxy in found if (one := inside(proxy)) is None or one in fences]

    def _passes_with_admin(
        self, proxy: ConsumerProxy, admins: set[Admin], domain: str, type_: str
    ) -> bool:
        admin = proxy.admin
        if proxy.types.types and not proxy.types.passes(domain, type_):
            return False
        if admin.types.types and not admin.types.passes(domain, type_):
            return False
        if admin not in self._filtered or proxy in self._unbound:
            return True
        if proxy.attached_filters and admin.operator is Operator.OR:
            return True
        return admin in admins

    def put_admin(self, admin: Admin, rule: Rule, options: PlanOptions) -> None:
        """Add an admin, or update what it asks for."""
        self.drop_admin(admin)
        self._admins[admin] = None
        asked = constraints_of(rule, options)
        if asked is not None:
            self._filtered.add(admin)
        if rule.types:
            self._listed.add(admin)
        self._put(admin, asked, admin.types)

    def drop_admin(self, admin: Admin) -> None:
        """Remove an admin."""
        self._always = None
        self._admins.pop(admin, None)
        self._filtered.discard(admin)
        self._listed.discard(admin)
        self._drop(admin)

    def put(self, proxy: ConsumerProxy, rule: Rule, options: PlanOptions) -> None:
        """Add a consumer, or update what it asks for."""
        self.drop(proxy)
        fenced = self._fence_in(proxy)
        admin = proxy.admin
        asked = constraints_of(rule, options)
        either = admin.operator is Operator.OR
        if either and not options.empty_group_is_neutral:
            one_is_empty = (asked is None) == (admin in self._filtered)
            if one_is_empty:  # and lets everything pass, whatever the other one says
                self._unbound.add(proxy)
                asked = ()
        if asked is None and not rule.types and fenced is not None:
            fenced.open[proxy] = None
            return
        if asked is None and not rule.types:
            self._open.setdefault(admin, {})[proxy] = None
            self._always = None
            return
        if asked is not None:
            if either:
                self._either.setdefault(admin, {})[proxy] = None
            if rule.types:
                self._both.add(proxy)
        self._put(proxy, asked, proxy.types)

    def drop(self, proxy: ConsumerProxy) -> None:
        """Remove a consumer."""
        if _take_out(self._open, proxy):
            self._always = None
        _take_out(self._either, proxy)
        self._both.discard(proxy)
        self._unbound.discard(proxy)
        self._let_out(proxy)
        self._drop(proxy)

    def _fence_in(self, proxy: ConsumerProxy) -> _Fenced | None:
        if not proxy.fence:
            return None
        found = self._fences.get(proxy.fence)
        if found is None:
            found = self._fences[proxy.fence] = _Fenced(proxy.fence)
            self._index.add(found, proxy.fence)
            self._indexed = True
        found.count += 1
        self._fenced[proxy] = found
        return found

    def _let_out(self, proxy: ConsumerProxy) -> None:
        found = self._fenced.pop(proxy, None)
        if found is None:
            return
        found.open.pop(proxy, None)
        found.count -= 1
        if not found.count:
            del self._fences[found.fence]
            self._drop(found)

    def _put(self, key: Admin | ConsumerProxy, asked: Asked, types: TypeList) -> None:
        if asked is None and types.types:
            asked = [constraint("", sorted(types.types))]
        if asked is not None:
            self._index.add(key, asked)
            self._indexed = True

    def _drop(self, key: _Key) -> None:
        if key in self._index:
            self._index.remove(key)
            self._indexed = bool(len(self._index))


def _take_out(groups: dict[Admin, dict[ConsumerProxy, None]], proxy: ConsumerProxy) -> bool:
    group = groups.get(proxy.admin)
    if group is None or proxy not in group:
        return False
    del group[proxy]
    if not group:
        del groups[proxy.admin]
    return True


NOTHING = constraint("FALSE")


def constraints_of(rule: Rule, options: PlanOptions) -> Asked:
    """Return what the filters of an object ask for together, joined by OR."""
    if not rule.filters:
        return None
    if options.empty_filter_passes and not all(rule.filters):
        return ()
    asked = [one for constraints in rule.filters for one in constraints]
    return asked or (NOTHING,)
