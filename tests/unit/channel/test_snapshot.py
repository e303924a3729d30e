"""Objects as plain data: all of it fits the journal's form, and comes back."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property.object_worlds import EVERYTHING, ObjectWorld
from tests.unit.channel.machine import Machine
from tidings.channel.effects import TopologyChanged
from tidings.channel.management import CreateFilter, CreateMapping, SubscriptionChange
from tidings.channel.qos import TIME_T
from tidings.channel.snapshot import (
    admin_state,
    channel_state,
    constraint_from,
    filter_state,
    last_id_state,
    mapped_from,
    mapping_state,
    patterns_from,
    proxy_state,
    value_from,
)
from tidings.channel.vocabulary import Place, Side
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.events.boxes import Value
from tidings.filters.constraint import EventTypePattern, constraint
from tidings.filters.mapping import MappedConstraint
from tidings.stores.payloads import stored_topology, topology_payload

SPEED = EventTypePattern("Traffic", "Speed*")
ENUM = tc.enum("IDL:Colour:1.0", "Colour", ["red", "green"])


@settings(max_examples=30)
@given(st.integers(0, 2**32))
def test_every_record_comes_back_through_the_journals_form(seed: int) -> None:
    world = ObjectWorld(Random(seed), EVERYTHING)
    for _ in range(40):
        world.change()
        for effect in world.effects:
            if isinstance(effect, TopologyChanged):
                channel, kind, key, state = stored_topology(topology_payload(*effect))
                assert (channel, kind, key, state) == tuple(effect)
                assert state is None or state["version"] == 1


@pytest.mark.parametrize(
    "value",
    [5, Any(tc.SHORT, 5), Any(TIME_T, 2**64 - 1), Any(ENUM, "green"), 2.5, float("nan"), "text"],
    ids=repr,
)
def test_values_of_mapping_filters_keep_their_types(value: Value) -> None:
    machine = Machine()
    asked = MappedConstraint(constraint("$a == 1", [SPEED]), value)
    id, _ = machine.do(CreateMapping(value, [asked]))
    hosted = machine.factory.filters.find(id)
    _, _, _, state = stored_topology(topology_payload(0, "mapping", "1", mapping_state(hosted)))
    assert state is not None
    back = value_from(state["default"])
    [[_, text, types, mapped]] = state["mapped"]
    assert repr(back) == repr(value)
    assert repr(mapped_from(text, types, mapped).value) == repr(value)
    assert mapped_from(text, types, mapped).constraint == asked.constraint


def test_a_filter() -> None:
    machine = Machine()
    id, ids = machine.do(CreateFilter([constraint("$a == 1", [SPEED])], owner="me", private=True))
    state = filter_state(machine.factory.filters.find(id))
    assert state == {
        "version": 1,
        "id": id,
        "owner": "me",
        "private": True,
        "number": 2,
        "constraints": [[ids[0], "$a == 1", [["Traffic", "Speed*"]]]],
        "last": 1,
    }
    [[_, text, types]] = state["constraints"]
    assert constraint_from(text, types) == constraint("$a == 1", [SPEED])
    assert patterns_from(types) == (SPEED,)


def test_a_channel_reserves_ids() -> None:
    machine = Machine(spills=True)
    state = channel_state(machine.core_channel)
    assert state["last_proxy"] == machine.core_channel.proxies_reserved >= machine.supplier
    assert state["last_admin"] == {"supplier": 0, "consumer": 0}
    assert last_id_state(7) == {"version": 1, "last": 7}


def test_a_proxy_and_an_admin() -> None:
    machine = Machine(qos={"ConnectionReliability": 1})
    id = machine.new_consumer(window=9, Priority=3)
    place = Place(machine.channel, proxy=id)
    filter_id = machine.filtered(place, "TRUE")
    machine.do(SubscriptionChange(place, [SPEED]))
    state = proxy_state(machine.proxy(id))
    assert state["qos"] == dict(machine.proxy(id).qos)
    assert state["own"] == {"Priority": 3}
    assert (state["filters"], state["last_attachment"]) == ([[1, filter_id]], 1)
    assert state["types"] == [["Traffic", "Speed*"]]
    assert (state["connected"], state["window"], state["form"]) == (True, 9, 1)
    admin = admin_state(machine.core_channel.admins[Side.CONSUMER][0])
    assert (admin["side"], admin["id"], admin["operator"]) == ("consumer", 0, "AND_OP")
