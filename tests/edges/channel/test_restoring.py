"""What was written down comes back, objects, rules and ids; what makes no sense is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.edges.channel.machine import Machine
from tests.laws.object_worlds import EVERYTHING, ObjectWorld, draw_item
from tidings.channel import management as m
from tidings.channel.effects import PlanChanged, TopologyChanged
from tidings.channel.factory import Factory
from tidings.channel.settings import DEFAULT_SETTINGS
from tidings.channel.translation import entered
from tidings.channel.views import advertisement, view_admin, view_channel, view_filter, view_proxy
from tidings.channel.vocabulary import Place, Side
from tidings.errors import StoreError
from tidings.events.fields import fields_for
from tidings.filters.constraint import constraint
from tidings.filters.plan import Plan, Purpose
from tidings.stores.payloads import stored_topology, topology_payload

SEEDS = st.integers(0, 2**32)
VECTORS = Path(__file__).parents[2] / "vectors"
PERSISTENT = {"ConnectionReliability": 1}


def grown(seed: int, changes: int = 60) -> ObjectWorld:
    """A factory after many changes."""
    world = ObjectWorld(Random(seed), EVERYTHING)
    for _ in range(changes):
        world.change()
    return world


def restored(topology: Mapping[tuple[int, str, str], Mapping[str, object]]) -> Factory:
    """A new factory with what was written down."""
    factory = Factory(spills=True)
    factory.restore(topology)
    return factory


def objects_of(factory: Factory) -> dict[object, object]:
    """All that survives a restart, as clients see it."""
    seen: dict[object, object] = {}
    for id, hosted in factory.filters.filters.items():
        if hosted.stored:
            survive = [h for h in hosted.holders if getattr(h, "durable", True)]
            if survive or not hosted.private:
                seen["filter", id] = replace(view_filter(hosted), holders=len(survive))
    for channel in factory.channels.values():
        # Nobody is attached to a proxy at first.
        lasting = [proxy for proxy in channel.proxies.values() if proxy.durable]
        kept = [replace(view_proxy(proxy), attached=False) for proxy in lasting]
        seen["channel", channel.id] = replace(
            view_channel(channel),
            suppliers=sum(proxy.side is Side.SUPPLIER for proxy in kept),
            consumers=sum(proxy.side is Side.CONSUMER for proxy in kept),
            plan=0,
        )
        seen["proxies", channel.id] = kept
        alive = {proxy.id for proxy in kept}
        for admins in channel.admins.values():
            for admin in admins.values():
                view = view_admin(admin)
                proxies = tuple(id for id in view.proxies if id in alive)
                seen["admin", channel.id, admin.side, admin.id] = replace(view, proxies=proxies)
        offers = advertisement(channel).offers
        kept_offers = {f"proxy {id}" for id in alive} | {f"admin {id}" for id in range(1_000)}
        seen["offers", channel.id] = {k: v for k, v in offers.items() if k in kept_offers}
    return seen


@settings(max_examples=60)
@given(SEEDS)
def test_what_survives_is_as_it_was_judges_as_before_and_gives_no_id_again(seed: int) -> None:
    world = grown(seed)
    again = restored(world.topology)
    assert objects_of(again) == objects_of(world.factory)
    assert again.last_channel >= world.factory.last_channel
    assert again.filters.last_id >= world.factory.filters.last_id
    items = [fields_for(entered(draw_item(world.rng), unwrap=True), 0) for _ in range(10)]
    for channel in world.factory.channels.values():
        other = again.channels[channel.id]
        assert other.last_proxy >= channel.last_proxy
        assert other.last_admin == channel.last_admin
        assert other.names == {p.name: p.id for p in other.proxies.values() if p.name}
        for proxy in other.proxies.values():
            before = channel.proxies[proxy.id]
            for name in ("own", "address", "notices", "reachable", "updates", "window", "bare"):
                assert getattr(proxy, name) == getattr(before, name), name
            for name in ("durable", "special", "judged", "defaults", "last_attachment"):
                same = getattr(proxy, name, None) == getattr(before, name, None)
                assert same or not proxy.connected, name
        for id in other.plan.proxies:
            for purpose in get_args(Purpose):
                assert other.plan.mapping(id, purpose) == channel.plan.mapping(id, purpose)
        for fields in items:
            for id in other.plan.proxies:
                assert other.plan.verdict(fields, id) == channel.plan.verdict(fields, id)
            found = {proxy.id for proxy in other.router.match(fields)}
            assert found == set(other.plan.judge(fields).recipients)


@settings(max_examples=30)
@given(SEEDS)
def test_every_record_keeps_its_form_and_a_journal_cut_anywhere_can_be_read(seed: int) -> None:
    kept: dict[tuple[int, str, str], Mapping[str, object]] = {}
    for number, effect in enumerate(grown(seed).records):
        assert stored_topology(topology_payload(*effect)) == tuple(effect)
        if effect.state is None:
            kept.pop(effect[:3], None)
        else:
            assert effect.state["version"] == 1
            kept[effect[:3]] = effect.state
        if number < 10 or number % 7 == seed % 7:
            for channel in restored(kept).channels.values():
                assert all(0 in channel.admins[side] for side in Side)


def test_objects_that_an_earlier_version_wrote_are_read_and_written_alike() -> None:
    stored = json.loads((VECTORS / "stores" / "objects.json").read_text(encoding="utf-8"))
    states = {(channel, kind, key): state for channel, kind, key, state in stored}
    assert {kind for _, kind, _ in states} == {
        "factory",
        "channel",
        "admin",
        "proxy",
        "filter",
        "mapping",
    }
    assert dict(restored(states).snapshot()) == states


def test_the_rules_get_a_version_above_all_before() -> None:
    world = grown(7)
    versions = {id: channel.plan.version for id, channel in world.factory.channels.items()}
    again = restored(world.topology)
    effects = [one for one in again.recovered(versions, 0) if isinstance(one, PlanChanged)]
    assert {one.channel: one.change.version for one in effects} == {
        id: version + 1 for id, version in versions.items()
    }
    for effect in effects:
        assert effect.change.whole
        assert Plan().apply(effect.change) == again.channels[effect.channel].plan
    assert again.handle_many([], 0) == ([], [])


def durable_machine() -> tuple[Machine, int]:
    """A machine whose objects are written down, and a consumer."""
    machine = Machine(spills=True, qos=PERSISTENT)
    return machine, machine.new_consumer()


def journal(machine: Machine) -> dict[tuple[int, str, str], Mapping[str, object]]:
    """The last state of everything that was written down."""
    last = {one[:3]: one.state for one in machine.everything if isinstance(one, TopologyChanged)}
    return {key: state for key, state in last.items() if state is not None}


def test_a_private_filter_whose_holder_is_lost_ends_and_its_record_too() -> None:
    machine, proxy = durable_machine()
    place = Place(machine.channel, proxy=proxy)
    filter, _ = machine.do(m.CreateFilter([constraint("$a == 1")], private=True))
    machine.do(m.AddFilter(place, filter))
    key = (0, "filter", str(filter))
    assert key in journal(machine)
    machine.do(m.SetQoS(place, {"ConnectionReliability": 0}))
    assert (machine.channel, "proxy", str(proxy)) not in journal(machine)
    again = restored(journal(machine))
    assert filter not in again.filters.filters
    assert TopologyChanged(*key, None) in again.recovered({}, 0)


def test_only_a_filter_that_nobody_holds_ends_some_time_after_the_restart() -> None:
    machine, proxy = durable_machine()
    held = machine.filtered(Place(machine.channel, proxy=proxy), "$a == 1")
    unheld, _ = machine.do(m.CreateFilter())
    again = restored(journal(machine))
    again.recovered({}, 5)
    assert list(again.filters.filters) == [held, unheld]
    again.filters.collect(5 + DEFAULT_SETTINGS.unused_filter_lifetime)
    assert list(again.filters.filters) == [held]


@pytest.mark.parametrize("kind", ["channel", "admin", "proxy", "filter", "factory"])
def test_a_newer_version_is_refused(kind: str) -> None:
    machine, _ = durable_machine()
    machine.do(m.CreateFilter())
    states = journal(machine)
    key = next(key for key in states if key[1] == kind)
    states[key] = {**states[key], "version": 2}
    with pytest.raises(StoreError, match=f"the {kind} {key[2]} was written in form 2; .* reads 1"):
        restored(states)


def test_what_belongs_to_nothing_is_passed_over_unless_a_default_admin_can_have_it() -> None:
    machine, proxy = durable_machine()
    states, key = journal(machine), (machine.channel, "proxy", str(proxy))
    text = f"the proxy {proxy} of channel 1 has no admin in the journal"
    assert Factory().restore({**states, key: {**states[key], "admin": 9}}) == [text]
    del states[machine.channel, "admin", "consumer/0"]
    channel = restored(states).channels[machine.channel]
    assert channel.proxies[proxy].admin is channel.admins[Side.CONSUMER][0]
    states = journal(machine)
    del states[machine.channel, "channel", str(machine.channel)]
    found = Factory().restore(states)
    assert "the admin consumer/0 belongs to channel 1, which is not in the journal" in found
    assert len(found) == 4


@settings(max_examples=60)
@given(SEEDS)
def test_a_state_in_pieces_is_refused_with_our_error(seed: int) -> None:
    world = grown(seed, 25)
    rng = world.rng
    key = rng.choice(list(world.topology))
    state = dict(world.topology[key])
    name = rng.choice(list(state))
    if rng.random() < 0.5:
        del state[name]
    else:
        state[name] = rng.choice((None, "nonsense", -5, [[1]]))
    with suppress(StoreError):  # or what is wrong there does not matter
        restored({**world.topology, key: state})
