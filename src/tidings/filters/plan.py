"""The rules that judge an event, as one immutable value with a version.

A plan holds what the admins and proxies of a channel ask for: filters, lists of event types,
operators and mapping filters. Every change makes the next version, and a `PlanChange` that makes
the same version elsewhere. `Plan.judge` is the reference for an event's recipients; whatever is
faster must agree with it.

An event passes a proxy if it is inside the proxy's fence (what the grants of its owner allow), in
the list of its admin, in its own list, and passes the filters of both, joined by the admin's
operator:

=============  =============  ===========  ==========
admin filters  proxy filters  AND_OP       OR_OP
=============  =============  ===========  ==========
none           none           pass         pass
some           none           admin        admin
none           some           proxy        proxy
some           some           both         either
=============  =============  ===========  ==========
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from tidings.errors import InvalidMappingValue, InvalidUsage, ProxyNotFound
from tidings.events.anyvalue import Value
from tidings.events.fields import Fields, plain
from tidings.events.texts import shortened
from tidings.filters.constraint import Constraint, EventTypePattern
from tidings.filters.mapping import MappedConstraint
from tidings.filters.persistent_map import PersistentMap


class Side(Enum):
    """Where events come from, or where they go."""

    SUPPLIER = "supplier"
    CONSUMER = "consumer"


class Operator(Enum):
    """How an admin's filters and those of its proxies are joined."""

    AND = "AND_OP"
    OR = "OR_OP"


Purpose: TypeAlias = Literal["priority", "lifetime"]
"""What a mapping filter sets."""


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """How the standard is read where it is silent.

    Attributes:
        empty_filter_passes: Whether a filter without constraints passes every event.
        empty_group_is_neutral: Under OR, whether a side without filters leaves the decision to the
            other side; otherwise it passes every event.
        mapping_default_always: Whether a mapping filter's default overrides the event's own
            property.
    """

    empty_filter_passes: bool = True
    empty_group_is_neutral: bool = True
    mapping_default_always: bool = False


@dataclass(frozen=True, slots=True)
class MappingRule:
    """A mapping filter at one version; all values are integers.

    `default` is for events that match nothing and have no value of their own.
    """

    default: Value
    best_first: tuple[MappedConstraint, ...] = ()

    def __post_init__(self) -> None:
        for value in (self.default, *(mapped.value for mapped in self.best_first)):
            if type(plain(value)) is not int:
                raise InvalidMappingValue(
                    f"a priority or lifetime is mapped to an integer, not to {shortened(value)}"
                )

    def value(self, fields: Fields, own: int | None, options: PlanOptions) -> int:
        """The event's value for the consumer; `own` is that of the event itself, if any."""
        for mapped in self.best_first:
            if mapped.constraint.matches(fields):
                return _integer(mapped.value)
        if own is None or options.mapping_default_always:
            return _integer(self.default)
        return own


def _integer(value: Value) -> int:
    found = plain(value)
    assert isinstance(found, int)
    return found


@dataclass(frozen=True, slots=True)
class Rule:
    """What one admin or proxy asks for: the constraints of each filter, and a subscription list.

    Without `types` all types are meant; the mapping rules are for consumers.
    """

    filters: tuple[tuple[Constraint, ...], ...] = ()
    types: tuple[EventTypePattern, ...] = ()
    priority: MappingRule | None = None
    lifetime: MappingRule | None = None


EMPTY_RULE: Final = Rule()
"""Of an admin or proxy that asks for nothing: everything passes."""


@dataclass(frozen=True, slots=True)
class AdminRule:
    """The rule of an admin, and how it is joined with its proxies'."""

    side: Side
    admin: int
    operator: Operator = Operator.AND
    rule: Rule = EMPTY_RULE


Fence: TypeAlias = tuple[Constraint, ...]
"""What the owner of a proxy may see: events that match one of these; all if there are none."""


@dataclass(frozen=True, slots=True)
class ProxyRule:
    """The rule of a proxy, its admin, and the fence that nothing a client asks for widens."""

    side: Side
    proxy: int
    admin: int
    rule: Rule = EMPTY_RULE
    fence: Fence = ()


AdminKey: TypeAlias = tuple[Side, int]

_NOTHING: Final[Mapping[Any, None]] = MappingProxyType({})

# How much of a constraint or event type a verdict shows.
_SHOWN: Final = 120


@dataclass(frozen=True, slots=True)
class PlanChange:
    """What makes a version of a plan out of the one before or, if `whole`, out of any.

    No options means that they stay; a rule of None removes an admin or proxy.
    """

    version: int
    whole: bool = False
    options: PlanOptions | None = None
    admins: Mapping[AdminKey, AdminRule | None] = field(default_factory=dict)
    proxies: Mapping[int, ProxyRule | None] = field(default_factory=dict)


class Verdict(NamedTuple):
    """Whether an event passes one proxy, what decided, and why."""

    passed: bool
    stage: str
    detail: str


class Judgement(NamedTuple):
    """Whether an event enters the channel, and its consumer proxies in the order of their ids."""

    passed_supplier: bool
    recipients: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """The rules of a channel at one version; `Plan()` is the one before any change.

    An admin that is not in the plan asks for nothing, and joins with AND.
    """

    version: int = 0
    options: PlanOptions = field(default_factory=PlanOptions)
    admins: PersistentMap[AdminKey, AdminRule] = field(default_factory=PersistentMap)
    proxies: PersistentMap[int, ProxyRule] = field(default_factory=PersistentMap)

    def changed(
        self,
        admins: Mapping[AdminKey, AdminRule | None] = _NOTHING,
        proxies: Mapping[int, ProxyRule | None] = _NOTHING,
        options: PlanOptions | None = None,
    ) -> tuple[Plan, PlanChange]:
        """The next version, and what makes it out of this one.

        A rule of None removes an admin or proxy, present or not.
        """
        for key, admin in admins.items():
            if admin is not None and (admin.side, admin.admin) != key:
                raise InvalidUsage(f"the rule of admin {admin.admin} stands under {key}")
        for proxy_id, proxy in proxies.items():
            if proxy is not None and proxy.proxy != proxy_id:
                raise InvalidUsage(f"the rule of proxy {proxy.proxy} stands under {proxy_id}")
        change = PlanChange(self.version + 1, False, options, dict(admins), dict(proxies))
        return self.apply(change), change

    def apply(self, change: PlanChange) -> Plan:
        """The version that a change makes."""
        if change.whole:
            options = change.options or PlanOptions()
            return _from(Plan(options=options), change, options)
        if change.version != self.version + 1:
            raise InvalidUsage(
                f"the plan has version {self.version}, and the change makes {change.version} "
                f"out of {change.version - 1}"
            )
        return _from(self, change, change.options or self.options)

    def whole(self) -> PlanChange:
        """A change that makes this plan out of any other."""
        return PlanChange(self.version, True, self.options, self.admins, self.proxies)

    def verdict(self, fields: Fields, proxy: int) -> Verdict:
        """Whether an event passes one proxy of either side, and why."""
        return self._verdict(fields, self._proxy(proxy))

    def judge(self, fields: Fields, supplier: int | None = None) -> Judgement:
        """Judge an event by asking all consumers, one after the other.

        `supplier` is the proxy it came in through; None if no supplier's rules apply.
        """
        if supplier is not None:
            rule = self._proxy(supplier)
            if rule.side is not Side.SUPPLIER:
                raise InvalidUsage(f"proxy {supplier} is for a consumer; no event comes from it")
            if not self._verdict(fields, rule).passed:
                return Judgement(False, ())
        recipients = sorted(
            rule.proxy
            for rule in self.proxies.values()
            if rule.side is Side.CONSUMER and self._verdict(fields, rule).passed
        )
        return Judgement(True, tuple(recipients))

    def mapping(self, proxy: int, purpose: Purpose) -> MappingRule | None:
        """The mapping rule of a proxy: its own, else its admin's."""
        rule = self._proxy(proxy)
        own, shared = rule.rule, self._admin_of(rule).rule
        if purpose == "priority":
            return shared.priority if own.priority is None else own.priority
        return shared.lifetime if own.lifetime is None else own.lifetime

    def _proxy(self, proxy: int) -> ProxyRule:
        rule = self.proxies.get(proxy)
        if rule is None:
            raise ProxyNotFound(f"version {self.version} of the plan has no proxy {proxy}")
        return rule

    def _admin_of(self, proxy: ProxyRule) -> AdminRule:
        rule = self.admins.get((proxy.side, proxy.admin))
        return AdminRule(proxy.side, proxy.admin) if rule is None else rule

    def _verdict(self, fields: Fields, proxy: ProxyRule) -> Verdict:
        if proxy.fence and not any(one.matches(fields) for one in proxy.fence):
            return Verdict(False, "fence", "no grant of its owner allows it to see this event")
        admin = self._admin_of(proxy)
        domain, type_ = fields.event_type
        for who, types in (("admin", admin.rule.types), ("proxy", proxy.rule.types)):
            if types and not any(pattern.matches(domain, type_) for pattern in types):
                name = shortened(f"{domain}::{type_}", _SHOWN)
                detail = f"{name} fits none of the {who}'s {len(types)} event types"
                return Verdict(False, f"{who} list", detail)
        return _joined(fields, admin, proxy, self.options)


def _from(plan: Plan, change: PlanChange, options: PlanOptions) -> Plan:
    admins, proxies = plan.admins, plan.proxies
    return Plan(
        change.version,
        options,
        admins.changed(change.admins) if change.admins else admins,
        proxies.changed(change.proxies) if change.proxies else proxies,
    )


def _joined(fields: Fields, admin: AdminRule, proxy: ProxyRule, options: PlanOptions) -> Verdict:
    """The verdict of the filters of both: the table above."""
    is_or = admin.operator is Operator.OR
    shared, own = admin.rule.filters, proxy.rule.filters
    if not shared and not own:
        return Verdict(True, "no filters", "neither the admin nor the proxy has filters")
    if not shared or not own:
        who, filters, other = ("proxy", own, "admin") if own else ("admin", shared, "proxy")
        if is_or and not options.empty_group_is_neutral:
            return Verdict(True, "no filters", f"the {other} has none, and lets everything pass")
        return _asked(who, filters, fields, options)
    first = _asked("admin", shared, fields, options)
    # Under AND a refusal decides alone, under OR a match.
    if first.passed is is_or:
        return first
    second = _asked("proxy", own, fields, options)
    if second.passed is is_or:
        return second
    stage = "admin or proxy filters" if is_or else "admin and proxy filters"
    return Verdict(second.passed, stage, f"{first.detail}; {second.detail}")


def _asked(
    who: str, filters: tuple[tuple[Constraint, ...], ...], fields: Fields, options: PlanOptions
) -> Verdict:
    """The verdict of one side's filters: one of them must pass."""
    stage = f"{who} filters"
    for constraints in filters:
        if not constraints and options.empty_filter_passes:
            return Verdict(True, stage, f"a filter of the {who} has no constraints")
        for constraint in constraints:
            if constraint.matches(fields):
                text = shortened(constraint.text.strip() or "TRUE", _SHOWN)
                return Verdict(True, stage, f"{text} of the {who} matches")
    asked = sum(map(len, filters))
    return Verdict(False, stage, f"none of the {who}'s {asked} constraints matches")
