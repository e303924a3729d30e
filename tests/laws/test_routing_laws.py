"""The laws of routing: whoever is asked names the same recipients, after any changes.

Asked are the router, the plan, the plan made elsewhere of its changes, the trail of a dry run, the
deliveries of a real push, and a plain reading of table 6.3 over the views of the objects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product
from random import Random

import pytest

from tests.laws.object_worlds import ROUTING, ObjectWorld, draw_item
from tidings.channel.channel import Channel
from tidings.channel.commands import Ack, DryRun, Push
from tidings.channel.effects import Deliver, Message
from tidings.channel.holders import Proxy
from tidings.channel.management import Connect, ObtainProxy
from tidings.channel.settings import Settings
from tidings.channel.trail import Trail
from tidings.channel.translation import entered
from tidings.channel.views import (
    AdminInfo,
    FilterInfo,
    ProxyInfo,
    advertisement,
    view_admin,
    view_channel,
    view_filter,
    view_proxy,
)
from tidings.channel.vocabulary import Item, Operator, Side, Style
from tidings.events.fields import Fields, fields_for
from tidings.filters.plan import PlanOptions

SEED = 91_000
WORLDS_EACH = 24
CHANGES = 60
OPTIONS = [PlanOptions(*both) for both in product((True, False), repeat=2)]

Row = tuple[Operator, bool | None, bool | None, bool]
"""A row of table 6.3: operator, what admin and proxy say (None for no filters), the answer."""


class Reading:
    """Table 6.3, read over the views of the objects: slow, and sharing nothing with the plan."""

    def __init__(self, world: ObjectWorld, options: PlanOptions) -> None:
        self.world = world
        self.options = options
        self.rows: Counter[Row] = Counter()
        self.lists: Counter[tuple[str, bool]] = Counter()
        self.fences: Counter[tuple[bool, bool]] = Counter()

    def group(self, filters: Mapping[int, int], fields: Fields) -> bool | None:
        """What the filters of one object say."""
        if not filters:
            return None
        found = [view_filter(self.world.factory.filters.find(id)) for id in filters.values()]
        for view in found:
            assert isinstance(view, FilterInfo)
            asked = view.constraints.values()
            if any(one.matches(fields) for one in asked):
                return True
            if not asked and self.options.empty_filter_passes:
                return True
        return False

    def in_lists(self, admin: AdminInfo, proxy: ProxyInfo, fields: Fields) -> bool:
        """Whether the event is in both subscription lists."""
        if proxy.side is Side.SUPPLIER:
            return True
        passed = True
        for who, types in (("admin", admin.types), ("proxy", proxy.types)):
            if types:
                found = any(one.matches(*fields.event_type) for one in types)
                self.lists[who, found] += 1
                passed = passed and found
        return passed

    def passes(self, proxy: Proxy, fields: Fields) -> bool:
        """Whether an event passes a proxy and its admin."""
        seen, above = view_proxy(proxy), view_admin(proxy.admin)
        listed = self.in_lists(above, seen, fields)
        shared, own = self.group(above.filters, fields), self.group(seen.filters, fields)
        said = [one for one in (shared, own) if one is not None]
        if above.operator is Operator.AND:
            answer = all(said)
        elif len(said) == 1 and not self.options.empty_group_is_neutral:
            answer = True
        else:
            answer = any(said) or not said
        self.rows[above.operator, shared, own, answer] += 1
        inside = not proxy.fence or any(one.matches(fields) for one in proxy.fence)
        if proxy.fence:
            self.fences[inside, listed and answer] += 1
        return inside and listed and answer

    def recipients(self, channel: Channel, fields: Fields) -> tuple[int, ...]:
        """All consumers an event passes."""
        proxies = [p for p in channel.proxies.values() if p.connected and p.side is Side.CONSUMER]
        return tuple(sorted(p.id for p in proxies if self.passes(p, fields)))


def everything_seen(world: ObjectWorld) -> list[object]:
    """All views of everything."""
    seen: list[object] = [view_filter(one) for one in world.factory.filters.filters.values()]
    for channel in world.factory.channels.values():
        seen += [view_channel(channel), advertisement(channel), channel.plan]
    seen += [view_admin(admin) for admin in world.admins()]
    return seen + [view_proxy(proxy) for proxy in world.proxies()]


def dry_run(world: ObjectWorld, channel: Channel, item: Item, supplier: Proxy | None) -> Trail:
    """What would become of an event; nothing is changed by that."""
    before = everything_seen(world)
    trail = world.do(DryRun(channel.id, item, None if supplier is None else supplier.id))
    assert world.effects == []
    assert everything_seen(world) == before
    assert isinstance(trail, Trail)
    return trail


def pushed(world: ObjectWorld, supplier: Proxy, item: Item) -> tuple[int, list[int]]:
    """An event's number, and the proxies to which it is handed."""
    [seq] = world.do(Push(supplier.channel.id, supplier.id, [item]))
    handed = [one.proxy for one in world.effects if isinstance(one, Deliver)]
    accepted = [one for one in world.effects if isinstance(one, Message)]
    assert len(accepted) == bool(handed)
    for message in accepted:
        assert message.plan == world.factory.channel(supplier.channel.id).plan.version
    for proxy in handed:
        world.do(Ack(supplier.channel.id, proxy, [seq]))
    return seq, handed


def check_event(world: ObjectWorld, reading: Reading, channel: Channel) -> None:
    """One event, asked of everybody."""
    rng = world.rng
    item = draw_item(rng)
    fields = fields_for(entered(item, unwrap=True), 0)
    expected = reading.recipients(channel, fields)
    found = [proxy.id for proxy in channel.router.match(fields)]
    assert tuple(sorted(found)) == expected, "the router"
    assert channel.plan.judge(fields).recipients == expected, "the plan"
    for id in expected:  # suppliers are told at least what somebody gets
        wanted = channel.wants.owners().get(id, frozenset())
        assert any(one.matches(*fields.event_type) for one in wanted), "the union"
    assert dry_run(world, channel, item, None).recipients == expected, "the trail"
    suppliers = [p for p in channel.proxies.values() if p.connected and p.side is Side.SUPPLIER]
    if not suppliers:
        proxy = world.do(ObtainProxy(channel.id, Side.SUPPLIER, Style.PUSH))
        world.do(Connect(channel.id, proxy))
        suppliers = [channel.proxies[proxy]]
    supplier = rng.choice(suppliers)
    enters = reading.passes(supplier, fields)
    trail = dry_run(world, channel, item, supplier)
    seq, handed = pushed(world, supplier, item)
    assert (seq > 0) is trail.accepted is enters, "the supplier"
    assert channel.plan.judge(fields, supplier.id).passed_supplier is enters
    assert tuple(sorted(handed)) == trail.recipients == (expected if enters else ())


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_everybody_names_the_same_recipients(
    options: PlanOptions, record_property: Callable[[str, object], None]
) -> None:
    rows: Counter[Row] = Counter()
    lists: Counter[tuple[str, bool]] = Counter()
    fences: Counter[tuple[bool, bool]] = Counter()
    kinds: Counter[str] = Counter()
    settings = Settings(
        empty_filter_passes=options.empty_filter_passes,
        empty_group_is_neutral=options.empty_group_is_neutral,
    )
    for seed in range(SEED, SEED + WORLDS_EACH):
        operator = Operator.OR if seed % 2 else Operator.AND
        world = ObjectWorld(Random(seed), ROUTING, replace(settings, default_operator=operator))
        reading = Reading(world, options)
        for _ in range(CHANGES):
            kinds[world.change()] += 1
            for channel in world.factory.channels.values():
                assert world.plans[channel.id] == channel.plan, f"world {seed}"
                check_event(world, reading, channel)
        rows += reading.rows
        lists += reading.lists
        fences += reading.fences
    record_property("table", shown(rows))
    assert missing(rows, options) == []
    assert min(lists.values()) >= 50
    assert len(lists) == 4
    assert min(fences.values()) >= 50
    assert len(fences) == 4
    assert kinds.keys() == ROUTING.keys()


def missing(rows: Counter[Row], options: PlanOptions) -> list[Row]:
    """Rows of the table that were met too seldom to say anything."""
    seldom = []
    for operator in Operator:
        for shared in (None, True, False):
            for own in (None, True, False):
                said = [one for one in (shared, own) if one is not None]
                answer = all(said) if operator is Operator.AND else any(said) or not said
                if len(said) == 1 and operator is Operator.OR:
                    answer = answer or not options.empty_group_is_neutral
                row = (operator, shared, own, answer)
                if rows[row] < 50:
                    seldom.append(row)
    return seldom


def shown(rows: Counter[Row]) -> str:
    """How often each row of the table was met."""
    words = {None: "none", True: "passes", False: "stops"}
    lines = [
        f"{operator.value:7} admin {words[shared]:6} proxy {words[own]:6} {answer!s:5} {count:6}"
        for (operator, shared, own, answer), count in rows.items()
    ]
    return "\n".join(sorted(lines))
