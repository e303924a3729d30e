"""Changes of a plan as plain data, ready for JSON, and back.

::

    {"format": 1, "version": 7, "whole": false, "options": OPTIONS,
     "admins": [{"side": "consumer", "admin": 0, "operator": "AND_OP", RULE}, …],
     "proxies": [{"side": "consumer", "proxy": 5, "admin": 0, RULE}, …],
     "removed_admins": [["consumer", 3], …], "removed_proxies": [4, …]}

RULE is what a rule has of these, CONSTRAINT a text and, unless it applies to all events, its
types::

    "filters": [[{CONSTRAINT}, …], …], "types": [["Telecom", "Alarm*"], …],
    "priority": MAPPING, "lifetime": MAPPING
    MAPPING: {"default": VALUE, "best_first": [{CONSTRAINT, "value": VALUE}, …]}
    CONSTRAINT: "text": "$zone == 3", "types": [["Telecom", "Alarm*"], …]

A VALUE is in typed JSON, so that a short stays a short. The lists are sorted: the same change
always gives the same data.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import asdict, fields
from typing import Final, TypeAlias, TypeVar

from tidings.errors import InvalidConstraint, InvalidUsage, TidingsError
from tidings.events.anyvalue import Value, infer
from tidings.events.codecs.json_types import near_miss, type_to_plain
from tidings.events.codecs.json_values import TYPE, value_from_plain
from tidings.events.fields import plain as plain_value
from tidings.events.texts import shortened
from tidings.filters.constraint import Constraint, EventTypePattern, constraint
from tidings.filters.limits import DEFAULT_LIMITS, ConstraintLimits
from tidings.filters.mapping import MappedConstraint
from tidings.filters.plan import (
    AdminRule,
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
Data: TypeAlias = dict[str, object]

FORMAT: Final = 1
"""The number of this form; data with a higher one is not read."""

SharedConstraints: TypeAlias = dict[tuple[str, Types], Constraint]
"""Constraints by their texts and event types."""


def change_to_plain(change: PlanChange) -> Data:
    """A change as plain data."""
    admins = sorted(change.admins.items(), key=lambda item: (item[0][0].value, item[0][1]))
    proxies = sorted(change.proxies.items())
    plain: Data = {"format": FORMAT, "version": change.version, "whole": change.whole}
    if change.options is not None:
        plain["options"] = asdict(change.options)
    plain["admins"] = [_admin_to_plain(rule) for _, rule in admins if rule is not None]
    plain["proxies"] = [_proxy_to_plain(rule) for _, rule in proxies if rule is not None]
    plain["removed_admins"] = [[side.value, id_] for (side, id_), rule in admins if rule is None]
    plain["removed_proxies"] = [id_ for id_, rule in proxies if rule is None]
    return plain


def _admin_to_plain(rule: AdminRule) -> Data:
    form: Data = {"side": rule.side.value, "admin": rule.admin, "operator": rule.operator.value}
    return _with_rule(form, rule.rule)


def _proxy_to_plain(rule: ProxyRule) -> Data:
    form: Data = {"side": rule.side.value, "proxy": rule.proxy, "admin": rule.admin}
    return _with_rule(form, rule.rule)


def _with_rule(form: Data, rule: Rule) -> Data:
    if rule.filters:
        form["filters"] = [[_constraint_to_plain(c) for c in each] for each in rule.filters]
    if rule.types:
        form["types"] = _types_to_plain(rule.types)
    if rule.priority is not None:
        form["priority"] = _mapping_to_plain(rule.priority)
    if rule.lifetime is not None:
        form["lifetime"] = _mapping_to_plain(rule.lifetime)
    return form


def _constraint_to_plain(given: Constraint) -> Data:
    if not given.event_types:
        return {"text": given.text}
    return {"text": given.text, "types": _types_to_plain(given.event_types)}


def _types_to_plain(types: Types) -> list[list[str]]:
    return [[pattern.domain, pattern.type] for pattern in types]


def _mapping_to_plain(rule: MappingRule) -> Data:
    mapped = [
        {**_constraint_to_plain(one.constraint), "value": _value_to_plain(one.value)}
        for one in rule.best_first
    ]
    return {"default": _value_to_plain(rule.default), "best_first": mapped}


def _value_to_plain(value: Value) -> object:
    # All values are integers; the writer of events gives types as ready text, not as data.
    if type(value) is int:
        return value
    return {TYPE: type_to_plain(infer(value)), "value": plain_value(value)}


def change_from_plain(
    data: object, limits: ConstraintLimits = DEFAULT_LIMITS, shared: SharedConstraints | None = None
) -> PlanChange:
    """A change from plain data, perhaps through JSON.

    Constraints with the same text and event types become one object; `shared` has those to use
    again, and gets new ones: to read many changes in a row, pass one dictionary.
    """
    reader = _Reader(limits, {} if shared is None else shared)
    try:
        return reader.change(data)
    except _Fault as fault:
        place = f"{fault.place}: " if fault.place else ""
        cause = fault.__cause__
        if isinstance(cause, InvalidConstraint):
            raise InvalidConstraint(
                f"{place}{cause.problem}", cause.text, cause.position, cause.hint
            ) from cause
        raise InvalidUsage(f"this is not a change of a plan: {place}{fault.problem}") from cause


class _Fault(Exception):
    """What is wrong, and where: places are named from the inside out."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.place = ""

    def inside(self, place: str) -> _Fault:
        joint = "." if self.place and not self.place.startswith("[") else ""
        self.place = f"{place}{joint}{self.place}"
        return self


_CHANGE = (
    *("format", "version", "whole", "admins", "proxies"),
    *("removed_admins", "removed_proxies"),
)
_RULE = ("filters", "types", "priority", "lifetime")
_OPTIONS = tuple(option.name for option in fields(PlanOptions))


class _Reader:
    def __init__(self, limits: ConstraintLimits, shared: SharedConstraints) -> None:
        self.limits = limits
        self.shared = shared

    def change(self, plain: object) -> PlanChange:
        format_ = plain.get("format") if isinstance(plain, dict) else None
        if type(format_) is int and format_ > FORMAT:
            raise _Fault(f"it has the format {format_}; this version reads up to {FORMAT}")
        data = _object(plain, _CHANGE, ("options",))
        if format_ != FORMAT:
            raise _Fault(f"{shortened(format_)} is not a format; it is {FORMAT}").inside("format")
        admins = _each(self._admin, data, "admins")
        proxies = _each(self._proxy, data, "proxies")
        gone_admins = _each(_admin_key, data, "removed_admins")
        gone_proxies = _each(_number, data, "removed_proxies")
        return PlanChange(
            _at(_number, data, "version"),
            _at(_boolean, data, "whole"),
            _at(_options, data, "options") if "options" in data else None,
            _once("admin", [((r.side, r.admin), r) for r in admins], gone_admins),
            _once("proxy", [(r.proxy, r) for r in proxies], gone_proxies),
        )

    def _admin(self, plain: object) -> AdminRule:
        data = _object(plain, ("side", "admin", "operator"), _RULE)
        return AdminRule(
            _at(_side, data, "side"),
            _at(_number, data, "admin"),
            _at(_operator, data, "operator"),
            self._rule(data),
        )

    def _proxy(self, plain: object) -> ProxyRule:
        data = _object(plain, ("side", "proxy", "admin"), _RULE)
        return ProxyRule(
            _at(_side, data, "side"),
            _at(_number, data, "proxy"),
            _at(_number, data, "admin"),
            self._rule(data),
        )

    def _rule(self, data: Data) -> Rule:
        return Rule(
            _each(self._filter, data, "filters") if "filters" in data else (),
            _each(_pattern, data, "types") if "types" in data else (),
            _at(self._mapping, data, "priority") if "priority" in data else None,
            _at(self._mapping, data, "lifetime") if "lifetime" in data else None,
        )

    def _filter(self, plain: object) -> tuple[Constraint, ...]:
        return _all(self._constraint, plain)

    def _constraint(self, plain: object) -> Constraint:
        return self._made(_object(plain, ("text",), ("types",)))

    def _made(self, data: Data) -> Constraint:
        text = _at(_text, data, "text")
        types = _each(_pattern, data, "types") if "types" in data else ()
        found = self.shared.get((text, types))
        if found is None:
            try:
                found = self.shared[text, types] = constraint(text, types, self.limits)
            except TidingsError as error:
                raise _Fault(str(error)).inside("text") from error
        return found

    def _mapping(self, plain: object) -> MappingRule:
        data = _object(plain, ("default", "best_first"), ())
        default = _at(_value, data, "default")
        best_first = _each(self._mapped, data, "best_first")
        try:
            return MappingRule(default, best_first)
        except TidingsError as error:
            raise _Fault(str(error)) from error

    def _mapped(self, plain: object) -> MappedConstraint:
        data = _object(plain, ("text", "value"), ("types",))
        return MappedConstraint(self._made(data), _at(_value, data, "value"))


def _object(plain: object, needed: Collection[str], optional: Collection[str]) -> Data:
    if not isinstance(plain, dict):
        raise _Fault(f"{shortened(plain)} is not an object with {', '.join(needed)}")
    for name in needed:
        if name not in plain:
            raise _Fault(f"{name!r} is missing")
    for name in plain:
        if name not in needed and name not in optional:
            hint = near_miss(str(name), [*needed, *optional])
            raise _Fault(f"{shortened(name)} does not belong here; {hint}")
    return plain


def _at(read: Callable[[object], T], data: Data, name: str) -> T:
    try:
        return read(data[name])
    except _Fault as fault:
        raise fault.inside(name) from fault.__cause__


def _each(read: Callable[[object], T], data: Data, name: str) -> tuple[T, ...]:
    try:
        return _all(read, data[name])
    except _Fault as fault:
        raise fault.inside(name) from fault.__cause__


def _all(read: Callable[[object], T], plain: object) -> tuple[T, ...]:
    if not isinstance(plain, list):
        raise _Fault(f"{shortened(plain)} is not a list")
    made: list[T] = []
    try:
        # A loop, and not a comprehension: where it stops is where the fault is.
        for one in plain:
            made.append(read(one))  # noqa: PERF401
    except _Fault as fault:
        raise fault.inside(f"[{len(made)}]") from fault.__cause__
    return tuple(made)


def _once(what: str, rules: Iterable[tuple[T, R]], removed: Iterable[T]) -> dict[T, R | None]:
    found: dict[T, R | None] = {}
    for key, rule in (*rules, *((key, None) for key in removed)):
        if key in found:
            raise _Fault(f"the {what} {_shown(key)} stands there twice")
        found[key] = rule
    return found


def _shown(key: object) -> str:
    match key:
        case (Side() as side, admin):
            return f"{admin} of the {side.value}s"
    return str(key)


def _number(plain: object) -> int:
    if type(plain) is not int or plain < 0:
        raise _Fault(f"{shortened(plain)} is not a number from 0 on")
    return plain


def _boolean(plain: object) -> bool:
    if not isinstance(plain, bool):
        raise _Fault(f"{shortened(plain)} is neither true nor false")
    return plain


def _text(plain: object) -> str:
    if not isinstance(plain, str):
        raise _Fault(f"{shortened(plain)} is not a text")
    return plain


def _value(plain: object) -> Value:
    try:
        return value_from_plain(plain)
    except TidingsError as error:
        raise _Fault(str(error)) from error


def _pattern(plain: object) -> EventTypePattern:
    match plain:
        case [str(domain), str(type_)]:
            try:
                return EventTypePattern(domain, type_)
            except TidingsError as error:
                raise _Fault(str(error)) from error
    raise _Fault(f'{shortened(plain)} is not an event type, which is ["domain", "type"]')


def _side(plain: object) -> Side:
    return _named(_SIDES, plain)


def _operator(plain: object) -> Operator:
    return _named(_OPERATORS, plain)


_SIDES: Final = {side.value: side for side in Side}
_OPERATORS: Final = {operator.value: operator for operator in Operator}


def _named(known: dict[str, T], plain: object) -> T:
    found = known.get(plain) if isinstance(plain, str) else None
    if found is None:
        raise _Fault(f"{shortened(plain)} is none of {', '.join(known)}")
    return found


def _admin_key(plain: object) -> tuple[Side, int]:
    match plain:
        case [side, admin]:
            return _side(side), _number(admin)
    raise _Fault(f'{shortened(plain)} is not an admin, which is ["consumer", 3]')


def _options(plain: object) -> PlanOptions:
    data = _object(plain, _OPTIONS, ())
    return PlanOptions(**{name: _at(_boolean, data, name) for name in data})
