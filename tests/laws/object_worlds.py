"""Factories that are changed at random, with everything that leaves them kept.

What is drawn is small and crowded: few event types, few fields, few values, so that filters of
all kinds let some events pass and stop others.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Final

from tidings.channel.commands import Command
from tidings.channel.effects import Effect, PlanChanged, TopologyChanged
from tidings.channel.factory import Answer, Factory
from tidings.channel.holders import Admin, Proxy
from tidings.channel.management import (
    AddConstraints,
    AddFilter,
    AddMapped,
    ClearFilter,
    Confine,
    Connect,
    CreateChannel,
    CreateFilter,
    CreateMapping,
    DestroyAdmin,
    DestroyChannel,
    DestroyFilter,
    Disconnect,
    ModifyConstraints,
    ModifyMapped,
    NewAdmin,
    ObtainProxy,
    ObtainTypes,
    OfferChange,
    RemoveAllFilters,
    RemoveFilter,
    Resume,
    SetAdminProperties,
    SetMapping,
    SetQoS,
    SubscriptionChange,
    Suspend,
)
from tidings.channel.property_errors import TIME_T
from tidings.channel.settings import DEFAULT_SETTINGS, Settings
from tidings.channel.vocabulary import Form, InfoMode, Item, Operator, Place, Side, Style
from tidings.errors import TidingsError
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.events.build import event
from tidings.filters.constraint import Constraint, EventTypePattern, constraint
from tidings.filters.mapping import MappedConstraint
from tidings.filters.plan import Plan
from tidings.filters.plan_form import SharedConstraints, change_from_plain, change_to_plain
from tidings.stores.payloads import stored_topology, topology_payload

ROUTING: Final[Mapping[str, int]] = {
    "new_admin": 4,
    "destroy_admin": 1,
    "obtain": 20,
    "disconnect": 4,
    "create_filter": 6,
    "add_filter": 32,
    "remove_filter": 8,
    "remove_all_filters": 3,
    "add_constraints": 5,
    "modify_constraints": 4,
    "clear_filter": 1,
    "destroy_filter": 1,
    "subscribe": 10,
    "confine": 8,
}
"""How often which kind of change comes, where only routing matters."""

EVERYTHING: Final[Mapping[str, int]] = {
    **ROUTING,
    "create_channel": 2,
    "destroy_channel": 1,
    "offer": 6,
    "obtain_types": 3,
    "create_mapping": 4,
    "add_mapped": 3,
    "modify_mapped": 2,
    "set_mapping": 6,
    "set_qos": 8,
    "set_admin": 2,
    "pause": 4,
}
"""The same for all that survives a restart."""

DOMAINS, TYPES = ("Traffic", "Telecom"), ("Speed", "Alarm")
PATTERNS: Final = (
    EventTypePattern("Traffic", "Speed"),
    EventTypePattern("Telecom", "Alarm"),
    EventTypePattern("T*", "Speed"),
    EventTypePattern("", "Alarm"),
    EventTypePattern("Traffic", "*"),
    EventTypePattern("*", "%ANY"),
    EventTypePattern("", "%ALL"),
)
TEXTS: Final = ("$a == 1", "$a > 0", "$b == 2 or $a == 3", "$b < 2", "exist $c", "$ > 3", "")
OPERATORS: Final = (Operator.AND, Operator.OR, Operator.OR)  # default admins are often AND
PERSISTENT: Final = {"ConnectionReliability": 1}


def draw_item(rng: Random) -> Item:
    """An event, or a bare value."""
    if rng.random() < 0.1:
        return Any(tc.SHORT, rng.randrange(6))
    data: dict[str, object] = {"a": rng.randrange(4), "b": rng.randrange(4)}
    if rng.random() < 0.3:
        data["c"] = True
    return event(rng.choice(DOMAINS), rng.choice(TYPES), "", data)


def through_json(change: object) -> object:
    """Plain data as it comes out of a file."""
    return json.loads(json.dumps(change))


class ObjectWorld:
    """A factory, and what has left it.

    Args:
        rng: Where everything is drawn from.
        weights: Which changes come, and how often.
        settings: How the standard is read.

    Attributes:
        factory: The factory.
        effects: What the last command led to.
        records: Every change of an object, in order.
        topology: The last state of every object, through the journal's form.
        plans: Each channel's plan, made of nothing but its changes.
    """

    def __init__(
        self, rng: Random, weights: Mapping[str, int], settings: Settings = DEFAULT_SETTINGS
    ) -> None:
        self.rng = rng
        self.factory = Factory(settings, spills=True)
        self.effects: list[Effect] = []
        self.records: list[TopologyChanged] = []
        self.topology: dict[tuple[int, str, str], Mapping[str, object]] = {}
        self.plans: dict[int, Plan] = {}
        self._shared: SharedConstraints = {}
        self._kinds, self._weights = list(weights), list(weights.values())
        self._texts = [constraint(text) for text in TEXTS]
        self.do(CreateChannel("0" * 32, {"ConnectionReliability": 1}, name="first"))

    def do(self, command: Command) -> Answer:
        """Carries a command out; its answer, which may be an error."""
        [answer], self.effects = self.factory.handle_many([command], 0)
        for effect in self.effects:
            if isinstance(effect, PlanChanged):
                data = through_json(change_to_plain(effect.change))
                change = change_from_plain(data, shared=self._shared)
                before = self.plans.get(effect.channel, Plan())
                self.plans[effect.channel] = before.apply(change)
            elif isinstance(effect, TopologyChanged):
                self._keep(effect)
        return answer

    def _keep(self, effect: TopologyChanged) -> None:
        self.records.append(effect)
        channel, kind, key, state = stored_topology(topology_payload(*effect))
        if state is None:
            self.topology.pop((channel, kind, key), None)
        else:
            self.topology[channel, kind, key] = state

    def change(self) -> str:
        """One change, of a kind that is drawn; the kind."""
        [kind] = self.rng.choices(self._kinds, self._weights)
        getattr(self, f"_{kind}")()
        return kind

    # What there is.

    def channel(self) -> int:
        """Some channel's id."""
        return self.rng.choice(list(self.factory.channels))

    def proxies(self, side: Side | None = None) -> list[Proxy]:
        """All proxies of all channels."""
        found = [p for c in self.factory.channels.values() for p in c.proxies.values()]
        return [proxy for proxy in found if side is None or proxy.side is side]

    def admins(self, side: Side | None = None) -> list[Admin]:
        """All admins of all channels."""
        found = [
            admin
            for channel in self.factory.channels.values()
            for admins in channel.admins.values()
            for admin in admins.values()
        ]
        return [admin for admin in found if side is None or admin.side is side]

    def _place(self, side: Side | None = None) -> Place:
        rng = self.rng
        proxies = self.proxies(side)
        if not proxies or rng.random() < 0.35:
            return rng.choice(self.admins(side)).place
        return rng.choice(proxies).place

    def _filter(self, kind: str = "filter") -> int:
        found = [id for id, hosted in self.factory.filters.filters.items() if hosted.kind == kind]
        return self.rng.choice(found) if found else 0

    def _constraint(self) -> Constraint:
        rng = self.rng
        if rng.random() < 0.7:
            return rng.choice(self._texts)
        return constraint(rng.choice(TEXTS), self._patterns())

    def _constraints(self) -> list[Constraint]:
        return [self._constraint() for _ in range(self.rng.choice((0, 1, 1, 1, 2)))]

    def _patterns(self) -> Sequence[EventTypePattern]:
        return self.rng.sample(PATTERNS, self.rng.choice((0, 1, 1, 2)))

    # Changes.

    def _create_channel(self) -> None:
        rng = self.rng
        qos = rng.choice(({}, PERSISTENT, {**PERSISTENT, "EventReliability": 1, "Priority": 4}))
        self.do(CreateChannel(f"{rng.getrandbits(128):032x}", qos, name=rng.choice(("", "other"))))

    def _destroy_channel(self) -> None:
        if len(self.factory.channels) > 1:
            self.do(DestroyChannel(self.channel()))

    def _new_admin(self) -> None:
        rng = self.rng
        if len(self.admins()) < 8:
            self.do(NewAdmin(self.channel(), rng.choice(tuple(Side)), rng.choice(OPERATORS)))

    def _destroy_admin(self) -> None:
        admin = self.rng.choice(self.admins())
        self.do(DestroyAdmin(admin.channel.id, admin.side, admin.id))

    def _obtain(self) -> None:
        rng = self.rng
        admin = rng.choice(self.admins(rng.choice((Side.SUPPLIER, Side.CONSUMER, Side.CONSUMER))))
        channel = admin.channel.id
        bare = rng.random() < 0.1
        qos = {} if bare else rng.choice(({}, {}, PERSISTENT, {"Priority": 3}))
        form = rng.choice((Form.ANY, Form.STRUCTURED))
        name = f"n{rng.randrange(9)}" if rng.random() < 0.2 else ""
        obtain = ObtainProxy(
            channel, admin.side, Style.PUSH, form, admin.id, qos, name, "somebody", bare,
            fence=self._fence() if rng.random() < 0.1 else (),
        )  # fmt: skip
        proxy = self.do(obtain)
        if not isinstance(proxy, TidingsError) and rng.random() < 0.9:
            self.do(Connect(channel, proxy, window=1_000_000, address=f"at {proxy}"))

    def _disconnect(self) -> None:
        if len(self.proxies()) > 3:
            proxy = self.rng.choice(self.proxies())
            self.do(Disconnect(proxy.channel.id, proxy.id))

    def _create_filter(self) -> None:
        self.do(CreateFilter(self._constraints(), owner="me", private=self.rng.random() < 0.5))

    def _add_filter(self) -> None:
        if self.rng.random() < 0.7:
            self._create_filter()
            self.do(AddFilter(self._place(), self.factory.filters.last_id))
        else:
            self.do(AddFilter(self._place(), self._filter()))

    def _remove_filter(self) -> None:
        holders: list[Admin | Proxy] = [*self.proxies(), *self.admins()]
        held = [holder for holder in holders if holder.attached_filters]
        if held:
            holder = self.rng.choice(held)
            self.do(RemoveFilter(holder.place, self.rng.choice(holder.attached_filters)[0]))

    def _remove_all_filters(self) -> None:
        self.do(RemoveAllFilters(self._place()))

    def _add_constraints(self) -> None:
        self.do(AddConstraints(self._filter(), self._constraints()))

    def _modify_constraints(self) -> None:
        id = self._filter()
        hosted = self.factory.filters.filters.get(id)
        if hosted is None:
            return
        known = list(hosted.filter.version.constraints)  # type: ignore[union-attr]
        chosen = self.rng.sample(known, min(2, len(known)))
        self.do(ModifyConstraints(id, chosen[1:], {i: self._constraint() for i in chosen[:1]}))

    def _clear_filter(self) -> None:
        self.do(ClearFilter(self._filter(self.rng.choice(("filter", "filter", "mapping")))))

    def _destroy_filter(self) -> None:
        self.do(DestroyFilter(self._filter(self.rng.choice(("filter", "mapping")))))

    def _subscribe(self) -> None:
        place = self._place(Side.CONSUMER)
        self.do(SubscriptionChange(place, self._patterns(), self._patterns()))

    def _confine(self) -> None:
        """The grants of an owner have changed: some of its proxies get another fence, or none."""
        channel = self.channel()
        ids = list(self.factory.channels[channel].proxies)
        some = self.rng.sample(ids, min(len(ids), self.rng.choice((1, 2, 3))))
        self.do(Confine(channel, some, self.rng.choice(((), self._fence()))))

    def _fence(self) -> Sequence[Constraint]:
        return [self._constraint() for _ in range(self.rng.choice((1, 1, 2)))]

    def _offer(self) -> None:
        self.do(OfferChange(self._place(Side.SUPPLIER), self._patterns(), self._patterns()))

    def _obtain_types(self) -> None:
        if self.proxies():
            proxy = self.rng.choice(self.proxies())
            self.do(ObtainTypes(proxy.channel.id, proxy.id, self.rng.choice(tuple(InfoMode))))

    def _mapped(self, type_: tc.TypeCode) -> list[MappedConstraint]:
        value = self.rng.randrange(100)
        return [MappedConstraint(one, Any(type_, value)) for one in self._constraints()]

    def _create_mapping(self) -> None:
        type_ = self.rng.choice((tc.SHORT, TIME_T, tc.ULONGLONG))
        private = self.rng.random() < 0.5
        self.do(CreateMapping(Any(type_, 5), self._mapped(type_), owner="me", private=private))

    def _mapping_type(self, id: int) -> tc.TypeCode:
        hosted = self.factory.filters.filters.get(id)
        return hosted.filter.value_type if hosted else tc.SHORT  # type: ignore[union-attr]

    def _add_mapped(self) -> None:
        id = self._filter("mapping")
        self.do(AddMapped(id, self._mapped(self._mapping_type(id))))

    def _modify_mapped(self) -> None:
        id = self._filter("mapping")
        if id:
            known = list(self.factory.filters.mapping(id).version.mapped)
            mapped = dict(zip(known, self._mapped(self._mapping_type(id)), strict=False))
            self.do(ModifyMapped(id, known[len(mapped) :][:1], mapped))

    def _set_mapping(self) -> None:
        chosen = self._filter("mapping") if self.rng.random() < 0.8 else None
        purpose = self.rng.choice(("priority", "lifetime"))
        self.do(SetMapping(self._place(Side.CONSUMER), purpose, chosen or None))

    def _set_qos(self) -> None:
        rng = self.rng
        place = Place(self.channel()) if rng.random() < 0.2 else self._place()
        qos = {"ConnectionReliability": rng.choice((0, 1, 1)), "Priority": rng.randrange(5)}
        self.do(SetQoS(place, {rng.choice(tuple(qos)): 1, "Timeout": rng.choice((0, 10**9))}))
        self.do(SetQoS(place, dict([rng.choice(tuple(qos.items()))])))

    def _set_admin(self) -> None:
        self.do(SetAdminProperties(self.channel(), {"MaxConsumers": self.rng.choice((0, 500))}))

    def _pause(self) -> None:
        if self.proxies():
            proxy = self.rng.choice(self.proxies())
            kind: Callable[[int, int], Command] = Resume if proxy.suspended else Suspend
            self.do(kind(proxy.channel.id, proxy.id))
