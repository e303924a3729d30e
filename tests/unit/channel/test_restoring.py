"""What was written down comes back, objects, rules and ids; what makes no sense is refused."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property.object_worlds import EVERYTHING, ObjectWorld, draw_item
from tidings.channel.channel import Channel
from tidings.channel.effects import PlanChanged, TopologyChanged
from tidings.channel.factory import Factory
from tidings.channel.management import (
    AddFilter,
    Connect,
    CreateChannel,
    CreateFilter,
    DestroyAdmin,
    DestroyChannel,
    DestroyFilter,
    Disconnect,
    NewAdmin,
    ObtainProxy,
    SetQoS,
)
from tidings.channel.translation import entered
from tidings.channel.views import (
    ProxyInfo,
    advertisement,
    view_admin,
    view_channel,
    view_filter,
    view_proxy,
)
from tidings.channel.vocabulary import Place, Side, Style
from tidings.errors import StoreError
from tidings.events.fields import fields_for
from tidings.filters.constraint import constraint
from tidings.filters.plan import Plan

SEEDS = st.integers(0, 2**32)
PERSISTENT = {"ConnectionReliability": 1}
ORIGIN = "0" * 32


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


def durable(channel: Channel) -> list[ProxyInfo]:
    """The proxies that survive, as they will be seen: nobody is attached to them at first."""
    kept = [proxy for proxy in channel.proxies.values() if proxy.durable]
    return [replace(view_proxy(proxy), attached=False) for proxy in kept]


def objects_of(factory: Factory) -> dict[object, object]:
    """All that survives a restart, as clients see it."""
    seen: dict[object, object] = {}
    for id, hosted in factory.filters.filters.items():
        if hosted.stored:
            survive = [h for h in hosted.holders if getattr(h, "durable", True)]
            if survive or not hosted.private:
                seen["filter", id] = replace(view_filter(hosted), holders=len(survive))
    for channel in factory.channels.values():
        kept = durable(channel)
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
def test_what_survives_is_as_it_was(seed: int) -> None:
    world = grown(seed)
    again = restored(world.topology)
    assert objects_of(again) == objects_of(world.factory)
    for channel in world.factory.channels.values():
        other = again.channels[channel.id]
        names = {p.name: p.id for p in other.proxies.values() if p.name}
        assert other.names == names
        for proxy in other.proxies.values():
            before = channel.proxies[proxy.id]
            for name in ("own", "address", "notices", "reachable", "updates", "window", "bare"):
                assert getattr(proxy, name) == getattr(before, name), name
            for name in ("durable", "special", "judged", "defaults", "last_attachment"):
                assert getattr(proxy, name) == getattr(before, name) or not proxy.connected, name


@settings(max_examples=40)
@given(SEEDS)
def test_the_rules_judge_as_before(seed: int) -> None:
    world = grown(seed)
    again = restored(world.topology)
    for _ in range(10):
        fields = fields_for(entered(draw_item(world.rng), unwrap=True), 0)
        for channel in world.factory.channels.values():
            other = again.channels[channel.id]
            for id in other.plan.proxies:
                assert other.plan.verdict(fields, id) == channel.plan.verdict(fields, id)
                for purpose in ("priority", "lifetime"):
                    assert other.plan.mapping(id, purpose) == channel.plan.mapping(id, purpose)
            found = {proxy.id for proxy in other.router.match(fields)}
            assert found == set(other.plan.judge(fields).recipients)


@settings(max_examples=30)
@given(SEEDS)
def test_no_id_is_given_again(seed: int) -> None:
    world = grown(seed)
    again = restored(world.topology)
    assert again.last_channel >= world.factory.last_channel
    assert again.filters.last_id >= world.factory.filters.last_id
    for channel in world.factory.channels.values():
        other = again.channels[channel.id]
        assert other.last_proxy >= channel.last_proxy
        assert other.last_admin == channel.last_admin


@settings(max_examples=25)
@given(SEEDS)
def test_a_journal_that_was_cut_anywhere_can_be_read(seed: int) -> None:
    kept: dict[tuple[int, str, str], Mapping[str, object]] = {}
    for number, effect in enumerate(grown(seed).records):
        if effect.state is None:
            kept.pop(effect[:3], None)
        else:
            kept[effect[:3]] = effect.state
        if number < 10 or number % 7 == seed % 7:
            again = restored(kept)
            for channel in again.channels.values():
                assert all(0 in channel.admins[side] for side in Side)


def test_restoring_twice_changes_nothing_more() -> None:
    world = grown(5)
    again = restored(world.topology)
    topology = dict(world.topology)
    for effect in again.recovered({}, 0):
        if isinstance(effect, TopologyChanged):
            assert effect.state is None
            del topology[effect[:3]]
    third = restored(topology)
    assert objects_of(third) == objects_of(again)
    assert not [e for e in third.recovered({}, 0) if isinstance(e, TopologyChanged)]


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


def test_a_channel_that_other_records_name_is_not_made_again() -> None:
    factory = Factory()
    factory.restore({}, last_channel=6)
    assert factory.handle(CreateChannel(ORIGIN), 0)[0] == 7


class Journal:
    """A factory, and the last state of everything."""

    def __init__(self) -> None:
        self.factory = Factory(spills=True)
        self.states: dict[tuple[int, str, str], Mapping[str, object]] = {}
        self.channel = self.do(CreateChannel(ORIGIN, PERSISTENT))

    def do(self, command: object) -> int:
        answer, effects = self.factory.handle(command, 0)  # type: ignore[arg-type]
        for effect in effects:
            if isinstance(effect, TopologyChanged):
                if effect.state is None:
                    del self.states[effect[:3]]
                else:
                    self.states[effect[:3]] = effect.state
        id = answer[0] if isinstance(answer, tuple) else answer
        assert id is None or isinstance(id, int)
        return id or 0

    def consumer(self) -> int:
        proxy = self.do(ObtainProxy(self.channel, Side.CONSUMER, Style.PUSH))
        self.do(Connect(self.channel, proxy))
        return proxy


def test_ids_of_what_is_gone_stay_used() -> None:
    journal = Journal()
    channel = journal.channel
    admin = journal.do(NewAdmin(channel, Side.CONSUMER))
    journal.do(DestroyAdmin(channel, Side.CONSUMER, admin))
    proxy = journal.consumer()
    journal.do(Disconnect(channel, proxy))
    shared, private = journal.do(CreateFilter()), journal.do(CreateFilter(private=True))
    journal.do(DestroyFilter(shared))
    other = journal.do(CreateChannel(ORIGIN))
    journal.do(DestroyChannel(other))
    again = restored(journal.states)
    assert again.handle(NewAdmin(channel, Side.CONSUMER), 0)[0] == admin + 1
    assert again.handle(ObtainProxy(channel, Side.CONSUMER, Style.PUSH), 0)[0] > proxy
    assert again.handle(CreateFilter(), 0)[0][0] > private
    assert again.handle(CreateChannel(ORIGIN), 0)[0] == other + 1


def test_a_channel_whose_name_has_only_digits_is_still_read() -> None:
    """Such names were allowed; by its id it can be used and ended."""
    journal = Journal()
    key = (journal.channel, "channel", str(journal.channel))
    again = restored({**journal.states, key: {**journal.states[key], "name": "25"}})
    assert again.channels[journal.channel].name == "25"
    again.handle(DestroyChannel(journal.channel), 0)
    assert not again.channels


def test_objects_come_back_in_the_order_of_their_ids() -> None:
    journal = Journal()
    proxies = [journal.consumer() for _ in range(12)]
    for _ in range(11):
        journal.do(NewAdmin(journal.channel, Side.CONSUMER))
    channel = restored(journal.states).channels[journal.channel]
    assert list(channel.proxies) == proxies
    assert list(channel.admins[Side.CONSUMER]) == list(range(12))


def test_a_private_filter_whose_holder_is_lost_ends_and_its_record_too() -> None:
    journal = Journal()
    proxy = journal.consumer()
    place = Place(journal.channel, proxy=proxy)
    filter = journal.do(CreateFilter([constraint("$a == 1")], private=True))
    journal.do(AddFilter(place, filter))
    key = (0, "filter", str(filter))
    assert key in journal.states
    journal.do(SetQoS(place, {"ConnectionReliability": 0}))
    assert (journal.channel, "proxy", str(proxy)) not in journal.states
    again = restored(journal.states)
    assert filter not in again.filters.filters
    assert TopologyChanged(*key, None) in again.recovered({}, 0)


def test_a_default_admin_that_was_lost_begins_anew() -> None:
    journal = Journal()
    del journal.states[journal.channel, "admin", "consumer/0"]
    again = restored(journal.states)
    channel = again.channels[journal.channel]
    assert list(channel.admins[Side.CONSUMER]) == [0]
    made = [e for e in again.recovered({}, 0) if isinstance(e, TopologyChanged)]
    assert [effect.key for effect in made] == ["consumer/0"]
    assert (Side.CONSUMER, 0) in channel.plan.admins


def test_a_proxy_that_becomes_durable_brings_its_filters_first() -> None:
    factory = Factory(spills=True)
    channel, _ = factory.handle(CreateChannel(ORIGIN, PERSISTENT), 0)
    obtain = ObtainProxy(channel, Side.CONSUMER, Style.PUSH, qos={"ConnectionReliability": 0})
    place = Place(channel, proxy=factory.handle(obtain, 0)[0])
    (filter, _), _ = factory.handle(CreateFilter([constraint("FALSE")], private=True), 0)
    factory.handle(AddFilter(place, filter), 0)
    _, effects = factory.handle(SetQoS(place, PERSISTENT), 0)
    kinds = [effect.kind for effect in effects if isinstance(effect, TopologyChanged)]
    assert kinds == ["filter", "proxy"]


def test_a_proxy_ends_before_its_filters() -> None:
    journal = Journal()
    proxy = journal.consumer()
    filter = journal.do(CreateFilter([constraint("FALSE")], private=True))
    journal.do(AddFilter(Place(journal.channel, proxy=proxy), filter))
    _, effects = journal.factory.handle(Disconnect(journal.channel, proxy), 0)
    kinds = [effect.kind for effect in effects if isinstance(effect, TopologyChanged)]
    assert kinds == ["proxy", "filter"]


@pytest.mark.parametrize("kind", ["channel", "admin", "proxy", "filter", "factory"])
def test_a_newer_version_is_refused(kind: str) -> None:
    journal = Journal()
    journal.consumer()
    journal.do(CreateFilter())
    key = next(key for key in journal.states if key[1] == kind)
    journal.states[key] = {**journal.states[key], "version": 2}
    with pytest.raises(StoreError, match=f"the {kind} {key[2]} was written in form 2; .* reads 1"):
        restored(journal.states)


def test_a_proxy_whose_default_admin_was_lost_is_there_under_a_new_one() -> None:
    journal = Journal()
    proxy = journal.consumer()
    del journal.states[journal.channel, "admin", "consumer/0"]
    channel = restored(journal.states).channels[journal.channel]
    assert channel.proxies[proxy].admin is channel.admins[Side.CONSUMER][0]


def test_what_belongs_to_nothing_is_passed_over() -> None:
    journal = Journal()
    proxy = journal.consumer()
    states = dict(journal.states)
    key = journal.channel, "proxy", str(proxy)
    states[key] = {**states[key], "admin": 9}
    text = f"the proxy {proxy} of channel 1 has no admin in the journal"
    assert Factory().restore(states) == [text]
    states = dict(journal.states)
    del states[journal.channel, "channel", str(journal.channel)]
    found = Factory().restore(states)
    assert "the admin consumer/0 belongs to channel 1, which is not in the journal" in found
    assert len(found) == 3


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
