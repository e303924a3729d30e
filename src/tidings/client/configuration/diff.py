"""Differences between a service and a file, and the steps to remove them, as plain data.

The order of the steps guarantees: an event that both the old and the new configuration deliver
somewhere is delivered there throughout. So filters widen first and narrow last, and a subscription
has its filters before it receives events.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, TypeVar

from tidings.api.properties import properties_out
from tidings.channel import management as m
from tidings.channel.commands import Command
from tidings.channel.qos import QoS, fixed_above
from tidings.channel.settings import Inheritance
from tidings.channel.vocabulary import Operator, Place, Side
from tidings.client.configuration.gateways import (
    gateway_changes,
    gateway_conflicts,
    new_gateway,
)
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
from tidings.client.configuration.text import STANDARD, STANDARD_LIMITS
from tidings.client.configuration.trading import trader_changes, trader_surplus
from tidings.errors import InvalidUsage
from tidings.events.codecs.json_text import write_json
from tidings.events.codecs.json_values import value_to_plain
from tidings.federation.requests import DeleteGateway
from tidings.filters.constraint import Constraint, EventTypePattern
from tidings.filters.mapping import MappedConstraint


@dataclass(frozen=True, slots=True)
class Send:
    """Send a command about the object at a spot; `make` gets its place and `rest`."""

    spot: Spot
    make: Callable[..., Command]
    rest: tuple[Any, ...] = ()


def _set_limits(place: Place, limits: Mapping[str, int]) -> Command:
    return m.SetAdminProperties(place.channel, limits)


def _change_types(
    spot: Spot, added: Sequence[EventTypePattern] = (), removed: Sequence[EventTypePattern] = ()
) -> Send:
    change = m.SubscriptionChange if spot.side is Side.CONSUMER else m.OfferChange
    return Send(spot, change, (added, removed))


def _drop_filter(nowhere: None, id: int) -> Command:
    return m.DestroyFilter(id)


def _asked(request: Any) -> Send:  # noqa: ANN401 -- of any core
    """Return the action that sends a request as it is."""
    return Send(Spot(""), lambda nowhere, request: request, (request,))


def _destroy(place: Place) -> Command:
    if place.proxy is not None:
        return m.Disconnect(place.channel, place.proxy)
    if place.side is not None and place.admin is not None:
        return m.DestroyAdmin(place.channel, place.side, place.admin)
    return m.DestroyChannel(place.channel)


@dataclass(frozen=True, slots=True)
class MakeChannel:
    """Create a channel with these properties."""

    spot: Spot
    qos: Mapping[str, int]
    limits: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class MakeAdmin:
    """Create an admin."""

    spot: Spot
    operator: Operator


@dataclass(frozen=True, slots=True)
class MakeProxy:
    """Create a proxy under an admin; it receives no events yet."""

    spot: Spot
    admin: Spot
    part: ProxyPart
    qos: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Keep:
    """Start keeping a backlog for a new subscription."""

    spot: Spot
    part: ProxyPart


@dataclass(frozen=True, slots=True)
class Attach:
    """Attach a private filter with these constraints, if any, and shared filters by label."""

    spot: Spot
    own: tuple[Constraint, ...] | None = None
    filters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SetMapping:
    """Set an object's mapping filter; an empty label removes it."""

    spot: Spot
    purpose: str
    label: str


@dataclass(frozen=True, slots=True)
class ChangeParts:
    """Add missing constraints to a filter or mapping filter, or `arrange` exactly the wanted."""

    label: str
    mapping: bool
    arrange: bool


Action: TypeAlias = (
    Send | MakeChannel | MakeAdmin | MakeProxy | Keep | Attach | SetMapping | ChangeParts
)


@dataclass(frozen=True, slots=True)
class Step:
    """One object that differs, and how to change it.

    Attributes:
        actions: Done first; none of them stops events that pass now.
        narrowing: Done after the `actions` of all steps.
        guarded: An object that passes everything while the plan runs, because no order of its own
            changes keeps the delivery guarantee.
    """

    verb: Literal["create", "change", "delete"]
    what: str
    details: tuple[str, ...]
    actions: tuple[Action, ...] = ()
    narrowing: tuple[Action, ...] = ()
    guarded: Spot | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps that make a service match a file; `kept` lists objects missing from the file."""

    steps: tuple[Step, ...]
    kept: tuple[str, ...] = ()


def plan(wanted: Configuration, found: Found, *, prune: bool = False) -> Plan:
    """Plan the steps that make a service match a file; `prune` deletes objects not in the file.

    Raises `InvalidUsage` listing everything that cannot be changed without losing events.
    """
    planning = _Planning(wanted, in_words_of(wanted, found))
    steps = [
        *planning.channels(), *planning.filters(), *planning.holders(), *planning.gateways(),
        *planning.trader(),
    ]  # fmt: skip
    if planning.conflicts:
        raise InvalidUsage("\n".join(planning.conflicts))
    surplus = planning.surplus()
    if prune:
        return Plan((*steps, *surplus))
    return Plan(tuple(steps), tuple(step.what for step in surplus))


def _step_of_trader(change: tuple[Any, str, tuple[str, ...], list[Any]]) -> Step:
    verb, what, details, asked = change
    return Step(verb, what, details, tuple(map(_asked, asked)))


class _Planning:
    def __init__(self, wanted: Configuration, found: Found) -> None:
        self._wanted = wanted
        self._found = found
        self._have = found.configuration
        self._there = self._have.holders
        self.conflicts: list[str] = []

    def channels(self) -> Iterator[Step]:
        """Create missing channels and change the properties of others."""
        for name, channel in self._wanted.channels.items():
            spot = Spot(name)
            there = self._have.channels.get(name)
            if there is None:
                details = (
                    *_values("qos", {}, _changed(STANDARD, channel.qos)),
                    *_values("admin-properties", {}, _changed(STANDARD_LIMITS, channel.limits)),
                )
                made = MakeChannel(spot, channel.qos, channel.limits)
                yield Step("create", str(spot), details, (made,))
                continue
            actions: list[Action] = []
            if qos := _changed(there.qos, channel.qos):
                actions.append(Send(spot, m.SetQoS, (qos,)))
            if limits := _changed(there.limits, channel.limits):
                actions.append(Send(spot, _set_limits, (limits,)))
            if actions:
                details = (
                    *_values("qos", there.qos, qos),
                    *_values("admin-properties", there.limits, limits),
                )
                yield Step("change", str(spot), details, tuple(actions))

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
        for spot, holder in self._wanted.holders.items():
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
        parent = self._wanted.above(spot).qos
        actions: list[Action] = []
        last: list[Action] = []
        details: list[str] = []
        if isinstance(holder, AdminPart):
            actions.append(MakeAdmin(spot, holder.operator))
            details.append(f"operator: {holder.operator.name.lower()}")
            if qos := _changed(parent, holder.qos):
                actions.append(Send(spot, m.SetQoS, (qos,)))
        else:
            qos = _changed(parent, holder.qos)
            admin = Spot(spot.channel, spot.side, holder.admin)
            actions.append(MakeProxy(spot, admin, holder, qos))
            details.append(f"{holder.style.value}, {holder.form.name.lower()}, {admin}")
            if spot.side is Side.CONSUMER:
                last.append(Keep(spot, holder))
        details += _values("qos", parent, qos)
        bare = replace(holder, types=(), constraints=None, filters=(), priority="", lifetime="")
        differing = _Differing(spot, holder, bare, {})
        details += differing.details()
        return Step(
            "create",
            str(spot),
            tuple(details),
            (*actions, *differing.widening(), *differing.narrowing(), *last),
        )

    def _adjusted(self, spot: Spot, holder: Holder, there: Holder, *, fresh: bool) -> Step | None:
        differing = _Differing(spot, holder, there, self._found.attachments.get(spot, {}))
        qos = _changed(there.qos, holder.qos) if fresh else self._qos(spot, holder, there)
        first: list[Action] = [Send(spot, m.SetQoS, (qos,))] if qos else []
        first += differing.widening()
        narrowing = tuple(differing.narrowing())
        idle = spot in self._found.idle
        if idle and isinstance(holder, ProxyPart):
            narrowing = (*narrowing, Keep(spot, holder))
        if not first and not narrowing:
            return None
        waiting = ("events wait for it from now on",) if idle else ()
        details = (*_values("qos", there.qos, qos), *differing.details(), *waiting)
        verb: Literal["create", "change"] = "create" if fresh else "change"
        if fresh:  # no events flow yet: its proxies are created later
            return Step(verb, str(spot), details, (*first, *narrowing))
        guarded = spot if differing.needs_guard(self._operator(spot, holder)) else None
        return Step(verb, str(spot), details, tuple(first), narrowing, guarded)

    def _qos(self, spot: Spot, holder: Holder, there: Holder) -> dict[str, int]:
        above, rules = self._wanted.above(spot).qos, self._found.rules
        changed, own = _changed(there.qos, holder.qos), _changed(above, holder.qos)
        # Properties fixed by the channel follow it; the service refuses other values.
        fixed = fixed_above(QoS())
        qos = {n: v for n, v in holder.qos.items() if n in (own if n in fixed else changed)}
        if rules.inheritance is Inheritance.FOLLOWED:  # else it would follow the parent's change
            moved = _changed(self._have.above(spot).qos, above)
            qos |= {n: v for n, v in own.items() if n in moved}
        return qos

    def _operator(self, spot: Spot, holder: Holder) -> Operator:
        if isinstance(holder, AdminPart):
            return holder.operator
        above = self._wanted.above(spot)
        assert isinstance(above, AdminPart)
        return above.operator

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

    def gateways(self) -> Iterator[Step]:
        """Create or change gateways."""
        for name, wanted in self._wanted.gateways.items():
            there = self._have.gateways.get(name)
            if there is None:
                details = tuple(f"{one.adapter}: {one.kind} {one.service}" for one in wanted.sides)
                yield Step(
                    "create", f"gateway {name}", details, tuple(map(_asked, new_gateway(wanted)))
                )
                continue
            self.conflicts += gateway_conflicts(there, wanted)
            if changes := list(gateway_changes(there, wanted)):
                details = tuple(words for words, _ in changes)
                actions = tuple(_asked(request) for _, request in changes)
                yield Step("change", f"gateway {name}", details, actions)

    def trader(self) -> Iterator[Step]:
        """Make the trader as the file says, if it says anything of it."""
        if self._wanted.trader is not None:
            changes = trader_changes(self._wanted.trader, self._found.trader, self.conflicts)
            yield from map(_step_of_trader, changes)

    def surplus(self) -> Iterator[Step]:
        """Yield steps that delete the objects missing from the file, innermost first."""
        if self._wanted.trader is not None:
            more = trader_surplus(self._wanted.trader, self._found.trader)
            yield from map(_step_of_trader, more)
        for name in self._have.gateways:
            if name not in self._wanted.gateways:
                yield Step("delete", f"gateway {name}", (), (_asked(DeleteGateway(name)),))
        wanted = self._wanted.holders
        gone = [Spot(name) for name in self._have.channels if name not in self._wanted.channels]
        spots = [
            spot
            for spot in self._there
            if spot not in wanted and Spot(spot.channel) not in gone and spot.admin != DEFAULT_ADMIN
        ]
        for spot in (*sorted(spots, key=lambda one: not one.proxy), *gone):
            yield Step("delete", str(spot), (), narrowing=(Send(spot, _destroy),))
        for kind, ids, known in (
            ("filter", self._found.filters, self._wanted.filters),
            ("mapping", self._found.mappings, self._wanted.mappings),
        ):
            for label, id in ids.items():
                if label not in known and id not in self._found.lent:
                    drop = Send(Spot(""), _drop_filter, (id,))
                    yield Step("delete", f"{kind} {label}", (), narrowing=(drop,))


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
        self._detach = [Send(spot, m.RemoveFilter, (id,)) for id in ids]
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
        if not self._has:
            yield from self._detach
        if self._there.types and not self._holder.types:
            yield _change_types(self._spot, removed=self._removed)
        elif self._there.types and self._added:
            yield _change_types(self._spot, added=self._added)

    def narrowing(self) -> Iterator[Action]:
        """Yield actions that let fewer events through."""
        if self._attach is not None and not self._had:
            yield self._attach
        if self._has:
            yield from self._detach
        if self._holder.types and not self._there.types:
            yield _change_types(self._spot, added=self._added)
        elif self._holder.types and self._removed:
            yield _change_types(self._spot, removed=self._removed)

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


def _parts(
    what: str, label: str, details: tuple[str, ...], *, mapping: bool = False, widened: bool = False
) -> Step:
    """Plan a filter's change; where the result is wider, all of it comes first."""
    adding, arranging = (ChangeParts(label, mapping, arrange) for arrange in (False, True))
    if widened:
        return Step("change", what, details, (adding, arranging))
    return Step("change", what, details, (adding,), (arranging,))


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
    return [
        f"{_text(one.constraint)}: {write_json(value_to_plain(one.value)).decode()}"
        for one in mapped
    ]


# Admins and filters have no names at the service. Admins match those of a file by their named
# proxies, then by content, then by position; filters by their constraints and holders.

_T = TypeVar("_T")


def in_words_of(wanted: Configuration, found: Found) -> Found:
    """Relabel a service's objects with the file's labels for the same things."""
    found = _renamed_admins(found, _admin_labels(wanted, found.configuration))
    have = found.configuration
    filters = _paired(
        wanted.filters,
        have.filters,
        _held_at(wanted, lambda one: one.filters),
        _held_at(have, lambda one: one.filters),
        lambda one, other: True,
    )
    mappings = _paired(
        wanted.mappings,
        have.mappings,
        _held_at(wanted, _mapping_labels),
        _held_at(have, _mapping_labels),
        # A mapping filter's default and its value type cannot be changed.
        lambda one, other: one.default == other.default,
    )
    return _renamed_filters(
        found,
        _all_labels(have.filters, filters, wanted.filters),
        _all_labels(have.mappings, mappings, wanted.mappings),
    )


def _mapping_labels(holder: Holder) -> tuple[str, ...]:
    return tuple(label for label in (holder.priority, holder.lifetime) if label)


def _all_labels(
    have: Collection[str], paired: Mapping[str, str], wanted: Collection[str]
) -> dict[str, str]:
    """Label everything; objects not in the file must not share a label with one in it."""
    return {
        label: paired.get(label, f"the service's {label}" if label in wanted else label)
        for label in have
    }


# Admins.


def _admin_labels(
    wanted: Configuration, have: Configuration
) -> dict[tuple[str, Side | None], dict[str, str]]:
    """Map the service's admin labels to the file's, for each channel and side."""
    ours, theirs = _by_side(wanted), _by_side(have)
    labels: dict[tuple[str, Side | None], dict[str, str]] = {}
    for place, there in theirs.items():
        here = ours.get(place, {})
        paired = _paired_admins(wanted, here, have, there)
        known = [spot.admin for spot in here if spot.admin]
        labels[place] = _all_labels([spot.admin for spot in there if spot.admin], paired, known)
    return labels


def _by_side(
    configuration: Configuration,
) -> dict[tuple[str, Side | None], dict[Spot, Holder]]:
    found: dict[tuple[str, Side | None], dict[Spot, Holder]] = {}
    for spot, holder in configuration.holders.items():
        found.setdefault((spot.channel, spot.side), {})[spot] = holder
    return found


def _paired_admins(
    wanted: Configuration,
    here: Mapping[Spot, Holder],
    have: Configuration,
    there: Mapping[Spot, Holder],
) -> dict[str, str]:
    ours = {spot.admin: one for spot, one in here.items() if isinstance(one, AdminPart)}
    theirs = {spot.admin: one for spot, one in there.items() if isinstance(one, AdminPart)}
    paired = {DEFAULT_ADMIN: DEFAULT_ADMIN}

    def pair(same: Callable[[str, str], bool]) -> None:
        for label in theirs:
            free = [one for one in ours if one not in paired.values()]
            fitting = next((one for one in free if same(one, label)), None)
            if label not in paired and fitting is not None:
                paired[label] = fitting

    proxies = {
        (proxy.admin, other.admin)
        for spot, proxy in here.items()
        if isinstance(proxy, ProxyPart) and isinstance(other := there.get(spot), ProxyPart)
    }
    pair(lambda one, label: (one, label) in proxies)
    pair(lambda one, label: _content(wanted, ours[one]) == _content(have, theirs[label]))
    pair(lambda one, label: ours[one].operator is theirs[label].operator)
    return paired


def _content(inside: Configuration, admin: AdminPart) -> object:
    shared = [inside.filters[label] for label in admin.filters]
    return admin.operator, admin.types, admin.constraints, shared, dict(admin.qos)


# Filters.


def _held_at(
    configuration: Configuration, labels: Callable[[Holder], Collection[str]]
) -> dict[str, set[Spot]]:
    held: dict[str, set[Spot]] = {}
    for spot, holder in configuration.holders.items():
        for label in labels(holder):
            held.setdefault(label, set()).add(spot)
    return held


def _paired(
    wanted: Mapping[str, _T],
    have: Mapping[str, _T],
    wanted_at: Mapping[str, set[Spot]],
    have_at: Mapping[str, set[Spot]],
    possible: Callable[[_T, _T], bool],
) -> dict[str, str]:
    """Map the service's labels to the file's, best matches first."""
    likely: list[tuple[bool, int, int, str, str]] = []
    for label, content in wanted.items():
        for other, there in have.items():
            same = content == there
            common = len(wanted_at.get(label, set()) & have_at.get(other, set()))
            if (same or common) and possible(content, there):
                likely.append((not same, -common, len(likely), label, other))
    paired: dict[str, str] = {}
    taken: set[str] = set()
    for _, _, _, label, other in sorted(likely):
        if other not in paired and label not in taken:
            paired[other] = label
            taken.add(label)
    return paired


# Renaming.


def _renamed_admins(
    found: Found, labels: Mapping[tuple[str, Side | None], Mapping[str, str]]
) -> Found:
    def renamed(spot: Spot, admin: str) -> str:
        return labels[spot.channel, spot.side][admin]

    def moved(spot: Spot) -> Spot:
        return replace(spot, admin=renamed(spot, spot.admin)) if spot.admin else spot

    holders = {
        moved(spot): replace(one, admin=renamed(spot, one.admin))
        if isinstance(one, ProxyPart)
        else one
        for spot, one in found.configuration.holders.items()
    }
    return replace(
        found,
        configuration=replace(found.configuration, holders=holders),
        places={moved(spot): place for spot, place in found.places.items()},
        attachments={moved(spot): one for spot, one in found.attachments.items()},
    )


def _renamed_filters(
    found: Found, filters: Mapping[str, str], mappings: Mapping[str, str]
) -> Found:
    def renamed(holder: Holder) -> Holder:
        return replace(
            holder,
            filters=tuple(filters[label] for label in holder.filters),
            priority=mappings.get(holder.priority, ""),
            lifetime=mappings.get(holder.lifetime, ""),
        )

    have = found.configuration
    words = {OWN: OWN, **filters}
    return replace(
        found,
        configuration=replace(
            have,
            holders={spot: renamed(one) for spot, one in have.holders.items()},
            filters={filters[label]: one for label, one in have.filters.items()},
            mappings={mappings[label]: one for label, one in have.mappings.items()},
        ),
        attachments={
            spot: {words[label]: ids for label, ids in one.items()}
            for spot, one in found.attachments.items()
        },
        filters={filters[label]: id for label, id in found.filters.items()},
        mappings={mappings[label]: id for label, id in found.mappings.items()},
    )
