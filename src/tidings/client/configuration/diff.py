"""Differences between a service and a file, and the steps to remove them, as plain data.

The order of the steps guarantees: an event that both the old and the new configuration deliver
somewhere is delivered there throughout. So filters widen first and narrow last, and a subscription
has its filters before it receives events.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from tidings.api.properties import properties_out
from tidings.channel.properties import AdminProperties
from tidings.channel.qos import QoS, fixed_above, reliabilities
from tidings.channel.settings import Inheritance
from tidings.channel.vocabulary import Operator, Side
from tidings.client.configuration.matching import in_words_of
from tidings.client.configuration.model import (
    DEFAULT_ADMIN,
    PURPOSES,
    AdminPart,
    Configuration,
    Holder,
    ProxyPart,
    Spot,
)
from tidings.client.configuration.state import OWN, Found
from tidings.client.configuration.steps import (
    Action,
    AddParts,
    ArrangeParts,
    Attach,
    ChangeTypes,
    Detach,
    DropFilter,
    Keep,
    MakeAdmin,
    MakeChannel,
    MakeProxy,
    Plan,
    Remove,
    SetLimits,
    SetMapping,
    SetProperties,
    Step,
    Verb,
)
from tidings.errors import InvalidUsage
from tidings.events.codecs.json_text import write_json
from tidings.events.codecs.json_values import value_to_plain
from tidings.filters.constraint import Constraint, EventTypePattern
from tidings.filters.mapping import MappedConstraint

# Defaults that a plan does not list; a channel's reliabilities are always listed.
_STANDARD: Final = {name: QoS()[name] for name in QoS() if name not in reliabilities()}
_STANDARD_LIMITS: Final = dict(AdminProperties())


def plan(wanted: Configuration, found: Found, *, prune: bool = False) -> Plan:
    """Plan the steps that make a service match a file; `prune` deletes objects not in the file.

    Raises `InvalidUsage` listing everything that cannot be changed without losing events.
    """
    planning = _Planning(wanted, in_words_of(wanted, found))
    steps = [
        *planning.channels(),
        *planning.filters(),
        *planning.holders(),
    ]
    if planning.conflicts:
        raise InvalidUsage("\n".join(planning.conflicts))
    surplus = list(planning.surplus())
    if prune:
        return Plan((*steps, *(step for _, step in surplus)))
    return Plan(tuple(steps), tuple(what for what, _ in surplus))


class _Planning:
    def __init__(self, wanted: Configuration, found: Found) -> None:
        self._wanted = wanted
        self._found = found
        self._have = found.configuration
        self._there = dict(self._have.holders())
        self.conflicts: list[str] = []

    def channels(self) -> Iterator[Step]:
        """Create missing channels and change the properties of others."""
        for name, channel in self._wanted.channels.items():
            spot = Spot(name)
            there = self._have.channels.get(name)
            if there is None:
                details = (
                    *_values("qos", {}, _changed(_STANDARD, channel.qos)),
                    *_values("admin-properties", {}, _changed(_STANDARD_LIMITS, channel.limits)),
                )
                made = MakeChannel(spot, channel.qos, channel.limits)
                yield Step(Verb.CREATE, str(spot), details, (made,))
                continue
            actions: list[Action] = []
            if qos := _changed(there.qos, channel.qos):
                actions.append(SetProperties(spot, qos))
            if limits := _changed(there.limits, channel.limits):
                actions.append(SetLimits(spot, limits))
            if actions:
                details = (
                    *_values("qos", there.qos, qos),
                    *_values("admin-properties", there.limits, limits),
                )
                yield Step(Verb.CHANGE, str(spot), details, tuple(actions))

    def filters(self) -> Iterator[Step]:
        """Change the constraints of shared filters; missing filters are created when used."""
        for label, constraints in self._wanted.filters.items():
            have = self._have.filters.get(label, constraints)
            if have != constraints:
                details = tuple(_lists("constraints", _texts(have), _texts(constraints)))
                # Without constraints a filter passes everything.
                widened = not constraints
                yield _parts(f"filter {label}", label, details, widened=widened)
        for label, mapping in self._wanted.mappings.items():
            there = self._have.mappings.get(label, mapping)
            if there != mapping:
                details = tuple(_lists("mapped", _mapped(there.mapped), _mapped(mapping.mapped)))
                yield _parts(f"mapping {label}", label, details, mapping=True)

    def holders(self) -> Iterator[Step]:
        """Create or change admins and proxies."""
        for spot, holder in self._wanted.holders():
            there = self._there.get(spot)
            if there is None and isinstance(holder, AdminPart) and spot.admin == DEFAULT_ADMIN:
                # Its channel creates it with the channel's own properties.
                there = AdminPart(qos=self._wanted.channels[spot.channel].qos)
                fresh = True
            else:
                fresh = there is None
            if there is None:
                yield self._made(spot, holder)
            elif not self._conflicting(spot, holder, there):
                step = self._adjusted(spot, holder, there, fresh=fresh)
                if step is not None:
                    yield step

    def _made(self, spot: Spot, holder: Holder) -> Step:
        parent = _above(self._wanted, spot, holder)
        actions: list[Action] = []
        last: list[Action] = []
        details: list[str] = []
        if isinstance(holder, AdminPart):
            actions.append(MakeAdmin(spot, holder.operator))
            details.append(f"operator: {holder.operator.name.lower()}")
            if qos := _changed(parent, holder.qos):
                actions.append(SetProperties(spot, qos))
        else:
            qos = _changed(parent, holder.qos)
            admin = Spot(spot.channel, spot.side, holder.admin)
            actions.append(MakeProxy(spot, admin, holder, qos))
            details.append(f"{holder.style.value}, {holder.form.name.lower()}, {admin}")
            if spot.side is Side.CONSUMER:
                last.append(Keep(spot, holder))
        details += _values("qos", parent, qos)
        differing = _Differing(spot, holder, _nothing_like(holder), {})
        details += differing.details()
        return Step(
            Verb.CREATE,
            str(spot),
            tuple(details),
            (*actions, *differing.widening(), *differing.narrowing(), *last),
        )

    def _adjusted(self, spot: Spot, holder: Holder, there: Holder, *, fresh: bool) -> Step | None:
        differing = _Differing(spot, holder, there, self._found.attachments.get(spot, {}))
        qos = _changed(there.qos, holder.qos) if fresh else self._qos(spot, holder, there)
        first: list[Action] = [SetProperties(spot, qos)] if qos else []
        first += differing.widening()
        narrowing = tuple(differing.narrowing())
        idle = spot in self._found.idle
        if idle and isinstance(holder, ProxyPart):
            narrowing = (*narrowing, Keep(spot, holder))
        if not first and not narrowing:
            return None
        waiting = ("events wait for it from now on",) if idle else ()
        details = (*_values("qos", there.qos, qos), *differing.details(), *waiting)
        verb = Verb.CREATE if fresh else Verb.CHANGE
        if fresh:  # no events flow yet: its proxies are created later
            return Step(verb, str(spot), details, (*first, *narrowing))
        guarded = spot if differing.needs_guard(self._operator(spot, holder)) else None
        return Step(verb, str(spot), details, tuple(first), narrowing, guarded)

    def _qos(self, spot: Spot, holder: Holder, there: Holder) -> dict[str, int]:
        above, rules = _above(self._wanted, spot, holder), self._found.rules
        changed, own = _changed(there.qos, holder.qos), _changed(above, holder.qos)
        # Properties fixed by the channel follow it; the service refuses other values.
        fixed = fixed_above(QoS())
        qos = {n: v for n, v in holder.qos.items() if n in (own if n in fixed else changed)}
        if rules.inheritance is Inheritance.FOLLOWED:  # else it would follow the parent's change
            moved = _changed(_above(self._have, spot, there), above)
            qos |= {n: v for n, v in own.items() if n in moved}
        return qos

    def _operator(self, spot: Spot, holder: Holder) -> Operator:
        if isinstance(holder, AdminPart):
            return holder.operator
        assert spot.side is not None
        return self._wanted.channels[spot.channel].admins[spot.side][holder.admin].operator

    def _conflicting(self, spot: Spot, holder: Holder, there: Holder) -> bool:
        """Tell whether an object differs in something that cannot be changed."""
        before = len(self.conflicts)
        if isinstance(holder, AdminPart) and isinstance(there, AdminPart):
            pairs = [("operator", there.operator.name.lower(), holder.operator.name.lower())]
            advice = "make another admin for it"
        else:
            assert isinstance(holder, ProxyPart)
            assert isinstance(there, ProxyPart)
            pairs = [
                ("admin", there.admin, holder.admin),
                ("style", there.style.value, holder.style.value),
                ("form", there.form.name.lower(), holder.form.name.lower()),
            ]
            advice = "delete it first, with what waits for it, or use another name"
        self.conflicts += [
            f"{spot}: its {name} is {old} and cannot become {new}; {advice}"
            for name, old, new in pairs
            if old != new
        ]
        return len(self.conflicts) > before

    def surplus(self) -> Iterator[tuple[str, Step]]:
        """Yield objects missing from the file, with the steps to delete them, innermost first."""
        wanted = dict(self._wanted.holders())
        gone = [name for name in self._have.channels if name not in self._wanted.channels]
        spots = [
            spot
            for spot in self._there
            if spot not in wanted and spot.channel not in gone and spot.admin != DEFAULT_ADMIN
        ]
        for spot in [s for s in spots if s.proxy] + [s for s in spots if not s.proxy]:
            yield str(spot), Step(Verb.DELETE, str(spot), (), narrowing=(Remove(spot),))
        for name in gone:
            spot = Spot(name)
            yield str(spot), Step(Verb.DELETE, str(spot), (), narrowing=(Remove(spot),))
        for kind, ids, known in (
            ("filter", self._found.filters, self._wanted.filters),
            ("mapping", self._found.mappings, self._wanted.mappings),
        ):
            for label, id in ids.items():
                if label not in known and id not in self._found.lent:
                    what = f"{kind} {label}"
                    yield what, Step(Verb.DELETE, what, (), narrowing=(DropFilter(id),))


def _above(configuration: Configuration, spot: Spot, holder: Holder) -> Mapping[str, int]:
    channel = configuration.channels[spot.channel]
    if isinstance(holder, AdminPart):
        return channel.qos
    assert spot.side is not None
    return channel.admins[spot.side][holder.admin].qos


class _Differing:
    """Differences in the filters and event types of one object."""

    def __init__(
        self, spot: Spot, holder: Holder, there: Holder, attached: Mapping[str, Sequence[int]]
    ) -> None:
        self._spot = spot
        self._holder = holder
        self._there = there
        own = holder.constraints if holder.constraints != there.constraints else None
        new = tuple(label for label in holder.filters if label not in there.filters)
        old = [label for label in there.filters if label not in holder.filters]
        if there.constraints is not None and holder.constraints != there.constraints:
            old.append(OWN)
        ids = tuple(id for label in old for id in attached.get(label, ()))
        # Without filters everything passes.
        had = bool(there.filters) or there.constraints is not None
        has = bool(holder.filters) or holder.constraints is not None
        self._attach = Attach(spot, own, new) if own is not None or new else None
        self._detach = Detach(spot, ids) if ids else None
        self._had, self._has = had, has
        self._several = (len(ids) if had else len(new) + (own is not None)) > 1
        self._added = _missing(holder.types, there.types)
        self._removed = _missing(there.types, holder.types)

    def needs_guard(self, operator: Operator) -> bool:
        """Tell whether no order of the changes keeps the delivery guarantee.

        That is so where the first filters come or the last ones go: each of several filters would
        apply alone for a while, and under OR an object without filters leaves the decision to its
        parent or child.
        """
        return self._had is not self._has and (self._several or operator is Operator.OR)

    def widening(self) -> Iterator[Action]:
        """Yield actions that let more events through, or that do not affect it."""
        for purpose in PURPOSES:
            label = getattr(self._holder, purpose)
            if label != getattr(self._there, purpose):
                yield SetMapping(self._spot, purpose, label)
        if self._attach is not None and self._had:
            yield self._attach
        if self._detach is not None and not self._has:
            yield self._detach
        if self._there.types and not self._holder.types:
            yield ChangeTypes(self._spot, removed=self._removed)
        elif self._there.types and self._added:
            yield ChangeTypes(self._spot, added=self._added)

    def narrowing(self) -> Iterator[Action]:
        """Yield actions that let fewer events through."""
        if self._attach is not None and not self._had:
            yield self._attach
        if self._detach is not None and self._has:
            yield self._detach
        if self._holder.types and not self._there.types:
            yield ChangeTypes(self._spot, added=self._added)
        elif self._holder.types and self._removed:
            yield ChangeTypes(self._spot, removed=self._removed)

    def details(self) -> Iterator[str]:
        """Describe the differences."""
        there, holder = self._there, self._holder
        yield from _lists("types", _types(there.types), _types(holder.types))
        if there.constraints != holder.constraints:
            old, new = there.constraints, holder.constraints
            yield from _lists("constraints", _texts(old or ()), _texts(new or ()))
            if not old and not new:
                yield f"constraints: {'+' if new is not None else '-'} an empty filter"
        yield from _lists("filters", there.filters, holder.filters)
        for purpose in PURPOSES:
            old_label, new_label = getattr(there, purpose), getattr(holder, purpose)
            if old_label != new_label:
                yield f"{purpose}: {old_label or 'none'} → {new_label or 'none'}"


def _nothing_like(holder: Holder) -> Holder:
    """Return the same kind of object as just created, without filters or types."""
    if isinstance(holder, AdminPart):
        return AdminPart(qos=holder.qos, operator=holder.operator)
    return ProxyPart(qos=holder.qos, style=holder.style, form=holder.form, admin=holder.admin)


def _parts(
    what: str,
    label: str,
    details: tuple[str, ...],
    *,
    mapping: bool = False,
    widened: bool = False,
) -> Step:
    """Plan a filter's change; where the result is wider, all of it comes first."""
    adding, arranging = AddParts(label, mapping), ArrangeParts(label, mapping)
    if widened:
        return Step(Verb.CHANGE, what, details, (adding, arranging))
    return Step(Verb.CHANGE, what, details, (adding,), (arranging,))


def _changed(there: Mapping[str, int], wanted: Mapping[str, int]) -> dict[str, int]:
    return {name: value for name, value in wanted.items() if there.get(name) != value}


def _missing(
    wanted: Iterable[EventTypePattern], there: Iterable[EventTypePattern]
) -> tuple[EventTypePattern, ...]:
    known = set(there)
    return tuple(one for one in wanted if one not in known)


# Texts.


def _values(kind: str, there: Mapping[str, int], wanted: Mapping[str, int]) -> Iterator[str]:
    old, new = properties_out(there), properties_out(wanted)
    for name, value in new.items():
        before = f"{old[name]} → " if name in old else ""
        yield f"{kind}: {name}: {before}{value}"


def _lists(kind: str, there: Sequence[str], wanted: Sequence[str]) -> Iterator[str]:
    yield from (f"{kind}: - {one}" for one in there if one not in wanted)
    yield from (f"{kind}: + {one}" for one in wanted if one not in there)
    if there != wanted and sorted(there) == sorted(wanted):
        yield f"{kind}: in another order"


def _types(types: Iterable[EventTypePattern]) -> list[str]:
    return [f"{one.domain}::{one.type}" for one in types]


def _texts(constraints: Iterable[Constraint]) -> list[str]:
    return [_text(one) for one in constraints]


def _text(one: Constraint) -> str:
    of = f" of {', '.join(_types(one.event_types))}" if one.event_types else ""
    return f"{one.text or 'TRUE'}{of}"


def _mapped(mapped: Iterable[MappedConstraint]) -> list[str]:
    return [f"{_text(one.constraint)}: {_value(one)}" for one in mapped]


def _value(mapped: MappedConstraint) -> str:
    return write_json(value_to_plain(mapped.value)).decode()
