"""Changes of a plan as plain data, ready for JSON, and back.

::

    {"format": 1, "version": 7, "whole": false, "options": OPTIONS,
     "admins": [{"side": "consumer", "admin": 0, "operator": "AND_OP", RULE}, …],
     "proxies": [{"side": "consumer", "proxy": 5, "admin": 0, RULE, "fence": [{CONSTRAINT}, …]}, …],
     "removed_admins": [["consumer", 3], …], "removed_proxies": [4, …]}

RULE stands for those of these members that a rule has, CONSTRAINT for a text and, unless it applies
to all events, the event types it applies to::

    "filters": [[{CONSTRAINT}, …], …], "types": [["Telecom", "Alarm*"], …],
    "priority": MAPPING, "lifetime": MAPPING

    MAPPING: {"default": VALUE, "best_first": [{CONSTRAINT, "value": VALUE}, …]}
    CONSTRAINT: "text": "$zone == 3", "types": [["Telecom", "Alarm*"], …]

A VALUE is in typed JSON, so that a short stays a short. The lists are sorted: the same change
always gives the same data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, Final, TypeAlias, TypeVar

import msgspec

from tidings.errors import InvalidConstraint, InvalidUsage, TidingsError
from tidings.events.anyvalue import Value, infer
from tidings.events.codecs.json_types import type_to_plain
from tidings.events.codecs.json_values import TYPE, value_from_plain
from tidings.events.fields import plain as plain_value
from tidings.filters.constraint import Constraint, EventTypePattern, constraint
from tidings.filters.limits import DEFAULT_LIMITS, ConstraintLimits
from tidings.filters.mapping import MappedConstraint
from tidings.filters.plan import (
    AdminRule,
    Fence,
    MappingRule,
    Operator,
    PlanChange,
    PlanOptions,
    ProxyRule,
    Rule,
    Side,
)

T = TypeVar("T")
R = TypeVar("R")
Types: TypeAlias = tuple[EventTypePattern, ...]

FORMAT: Final = 1
"""The number of this form; data with a higher one is not read."""

SharedConstraints: TypeAlias = dict[tuple[str, Types], Constraint]
"""Constraints by their texts and event types."""

_Number: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
_TypePair: TypeAlias = tuple[str, str]


class _Form(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    pass


class _Constraint(_Form):
    text: str
    types: tuple[_TypePair, ...] = ()


class _Mapped(_Constraint, kw_only=True):
    value: Any


class _Mapping(_Form):
    default: Any
    best_first: tuple[_Mapped, ...]


class _Rule(_Form, kw_only=True):
    filters: tuple[tuple[_Constraint, ...], ...] = ()
    types: tuple[_TypePair, ...] = ()
    priority: _Mapping | None = None
    lifetime: _Mapping | None = None


class _Admin(_Rule):
    side: Side
    admin: _Number
    operator: Operator


class _Proxy(_Rule):
    side: Side
    proxy: _Number
    admin: _Number
    fence: tuple[_Constraint, ...] = ()


class _Change(_Form, kw_only=True):
    format: int
    version: _Number
    whole: bool
    options: PlanOptions | None = None
    admins: tuple[_Admin, ...]
    proxies: tuple[_Proxy, ...]
    removed_admins: tuple[tuple[Side, _Number], ...]
    removed_proxies: tuple[_Number, ...]


def change_to_plain(change: PlanChange) -> dict[str, object]:
    """A change as plain data."""
    admins = sorted(change.admins.items(), key=lambda item: (item[0][0].value, item[0][1]))
    proxies = sorted(change.proxies.items())
    form = _Change(
        format=FORMAT,
        version=change.version,
        whole=change.whole,
        options=change.options,
        admins=tuple(_Admin(r.side, r.admin, r.operator, **_parts(r.rule)) for _, r in admins if r),
        proxies=tuple(
            _Proxy(r.side, r.proxy, r.admin, _forms(r.fence), **_parts(r.rule))
            for _, r in proxies
            if r
        ),
        removed_admins=tuple(key for key, rule in admins if rule is None),
        removed_proxies=tuple(id_ for id_, rule in proxies if rule is None),
    )
    plain: dict[str, object] = msgspec.to_builtins(form)
    return plain


def _parts(rule: Rule) -> dict[str, Any]:
    return {
        "filters": tuple(map(_forms, rule.filters)),
        "types": _pairs(rule.types),
        "priority": rule.priority and _mapping(rule.priority),
        "lifetime": rule.lifetime and _mapping(rule.lifetime),
    }


def _forms(constraints: Iterable[Constraint]) -> tuple[_Constraint, ...]:
    return tuple(_Constraint(one.text, _pairs(one.event_types)) for one in constraints)


def _pairs(types: Types) -> tuple[_TypePair, ...]:
    return tuple((pattern.domain, pattern.type) for pattern in types)


def _mapping(rule: MappingRule) -> _Mapping:
    return _Mapping(
        _value(rule.default),
        tuple(
            _Mapped(
                one.constraint.text, _pairs(one.constraint.event_types), value=_value(one.value)
            )
            for one in rule.best_first
        ),
    )


def _value(value: Value) -> object:
    # All values are integers; the writer of events gives types as ready text, not as data.
    if type(value) is int:
        return value
    return {TYPE: type_to_plain(infer(value)), "value": plain_value(value)}


def change_from_plain(
    data: object, limits: ConstraintLimits = DEFAULT_LIMITS, shared: SharedConstraints | None = None
) -> PlanChange:
    """A change from plain data; constraints with the same text and types become one object.

    Pass one dictionary as `shared` to read many changes in a row: its constraints are used again.
    Raises InvalidConstraint or InvalidUsage, with the place.
    """
    format_ = data.get("format") if isinstance(data, dict) else None
    if type(format_) is int and format_ != FORMAT:
        raise _wrong("", f"it has the format {format_}; this version reads {FORMAT}")
    try:
        form = msgspec.convert(data, _Change)
    except msgspec.ValidationError as error:
        problem, _, place = str(error).partition(" - at `$")
        raise _wrong(place.strip(".`"), f"{problem[0].lower()}{problem[1:]}") from error
    return _Reader(limits, {} if shared is None else shared).change(form)


def _wrong(place: str, problem: str) -> InvalidUsage:
    where = f"{place}: " if place else ""
    return InvalidUsage(f"this is not a change of a plan: {where}{problem}")


class _Reader:
    """Makes rules of forms; places are named for errors only."""

    def __init__(self, limits: ConstraintLimits, shared: SharedConstraints) -> None:
        self.limits = limits
        self.shared = shared

    def change(self, form: _Change) -> PlanChange:
        admins = [
            ((one.side, one.admin), AdminRule(one.side, one.admin, one.operator, rule))
            for one, rule in self._rules(form.admins, "admins")
        ]
        proxies = [
            (one.proxy, ProxyRule(one.side, one.proxy, one.admin, rule, fence))
            for one, rule, fence in self._fenced(form.proxies)
        ]
        return PlanChange(
            form.version,
            form.whole,
            form.options,
            _once(
                admins, form.removed_admins, lambda key: f"admin {key[1]} of the {key[0].value}s"
            ),
            _once(proxies, form.removed_proxies, lambda key: f"proxy {key}"),
        )

    def _fenced(self, forms: Sequence[_Proxy]) -> Iterable[tuple[_Proxy, Rule, Fence]]:
        for at, (form, rule) in enumerate(self._rules(forms, "proxies")):
            yield form, rule, self._constraints(form.fence, f"proxies[{at}].fence")

    def _rules(self, forms: Sequence[_R], name: str) -> Iterable[tuple[_R, Rule]]:
        for at, form in enumerate(forms):
            yield form, self._rule(form, f"{name}[{at}]")

    def _rule(self, form: _Rule, place: str) -> Rule:
        return Rule(
            tuple(
                [
                    self._constraints(one, f"{place}.filters[{at}]")
                    for at, one in enumerate(form.filters)
                ]
            ),
            _patterns(form.types, place) if form.types else (),
            None if form.priority is None else self._mapping(form.priority, f"{place}.priority"),
            None if form.lifetime is None else self._mapping(form.lifetime, f"{place}.lifetime"),
        )

    def _constraints(self, forms: Sequence[_Constraint], place: str) -> tuple[Constraint, ...]:
        made: list[Constraint] = []
        for one in forms:
            found = None if one.types else self.shared.get((one.text, ()))
            made.append(found or self._constraint(one, f"{place}[{len(made)}]"))
        return tuple(made)

    def _constraint(self, form: _Constraint, place: str) -> Constraint:
        text, types = form.text, _patterns(form.types, place)
        found = self.shared.get((text, types))
        if found is None:
            try:
                found = self.shared[text, types] = constraint(text, types, self.limits)
            except InvalidConstraint as error:
                problem = f"{place}.text: {error.problem}"
                raise InvalidConstraint(problem, error.text, error.position, error.hint) from error
            except TidingsError as error:
                raise _wrong(f"{place}.text", str(error)) from error
        return found

    def _mapping(self, form: _Mapping, place: str) -> MappingRule:
        best_first = []
        for at, one in enumerate(form.best_first):
            where = f"{place}.best_first[{at}]"
            value = _read(value_from_plain, one.value, f"{where}.value")
            best_first.append(MappedConstraint(self._constraint(one, where), value))
        default = _read(value_from_plain, form.default, f"{place}.default")
        return _read(lambda mapped: MappingRule(default, mapped), tuple(best_first), place)


_R = TypeVar("_R", bound=_Rule)


def _patterns(pairs: Iterable[_TypePair], place: str) -> Types:
    return tuple(
        _read(lambda pair: EventTypePattern(*pair), pair, f"{place}.types[{at}]")
        for at, pair in enumerate(pairs)
    )


def _read(read: Callable[[T], R], data: T, place: str) -> R:
    try:
        return read(data)
    except TidingsError as error:
        raise _wrong(place, str(error)) from error


def _once(
    rules: Iterable[tuple[T, R]], removed: Iterable[T], name: Callable[[T], str]
) -> dict[T, R | None]:
    found: dict[T, R | None] = {}
    for key, rule in (*rules, *((key, None) for key in removed)):
        if key in found:
            raise _wrong("", f"the {name(key)} stands there twice")
        found[key] = rule
    return found
