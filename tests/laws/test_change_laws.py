"""A notice comes back from its event; every change is told once, whatever happens in between."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.edges.changes.world import FACTS, World
from tests.laws.change_strategies import notices
from tests.laws.strategies import events, stored_values
from tidings.changes import requests as r
from tidings.changes.model import Notice, Transaction
from tidings.changes.notice_event import FILTERABLE, event_of, notice_of
from tidings.errors import BadInput, InvalidEvent, TidingsError
from tidings.events.anyvalue import Value, same
from tidings.events.codecs import json_codec
from tidings.events.structured import StructuredEvent, event_in_any
from tidings.trader import requests as t


@settings(max_examples=50)
@given(notices())
def test_a_notice_comes_back_from_its_event(notice: Notice) -> None:
    event = event_of(notice)
    for travelled in (
        event,
        json_codec.decode_event(json_codec.encode_event(event)),
        event_in_any(event.as_any()),
    ):
        assert travelled is not None
        assert event_of(notice_of(travelled)) == event


@settings(max_examples=40)
@given(notices())
def test_filters_see_the_service_before_the_change(notice: Notice) -> None:
    event, service = event_of(notice), notice.before or notice.after
    assert service is not None
    assert (event.domain, event.type) == ("ServiceChange", notice.kind.name)
    assert event.name == event.data["service_type"] == service.type.name
    assert event.data["object_ref"] == service.reference
    assert event.data.get("compatible") == notice.compatible
    for name, value in service.properties.items():
        assert name in FILTERABLE or same(event.data[name], value)


@settings(max_examples=50)
@given(notices(), st.data())
def test_an_event_that_is_no_notice_is_refused_as_such(notice: Notice, data: st.DataObject) -> None:
    body = event_of(notice).body
    assert isinstance(body, dict)
    broken: Value = {
        name: data.draw(stored_values) if data.draw(st.integers(0, 5)) == 0 else value
        for name, value in body.items()
    }
    if data.draw(st.integers(0, 5)) == 0:
        broken = data.draw(stored_values)
    try:
        notice_of(StructuredEvent("ServiceChange", notice.kind.name, "", {}, {}, broken))
    except BadInput as error:
        assert str(error)  # noqa: PT017 -- either answer is right; another error is not


@settings(max_examples=20)
@given(events.filter(lambda event: event.domain != "ServiceChange"))
def test_events_of_other_domains_are_no_notices(event: StructuredEvent) -> None:
    with pytest.raises(InvalidEvent, match="no notice"):
        notice_of(event)


# Changes become notices.

_OFFERS = 3
_VALUES = st.integers(0, 3)


@settings(max_examples=40)
@given(st.data())
def test_notices_tell_every_change_once(data: st.DataObject) -> None:
    """Whoever reads the channel knows the offers, also after floods and kills."""
    world = World(publishes=False)
    world.ask(t.AddServiceType("Printer"))
    world.ask(r.SetChangeSettings(coalesce_after=data.draw(st.integers(1, 3))))
    ids = [world.ask(t.ExportOffer("Printer", "corbaloc::192.0.2.9/p", {"a": 0}))
           for _ in range(_OFFERS)]  # fmt: skip
    changes = _OFFERS
    for step in data.draw(st.lists(st.integers(0, 9), max_size=40)):
        if step < 7:
            id = data.draw(st.sampled_from(ids))
            offer = world.ask(t.SeeOffer(id))
            given_ = data.draw(st.dictionaries(st.sampled_from("abcd"), _VALUES, max_size=2))
            gone = [one for one in "abcd" if one in offer.properties and one not in given_][:step]
            world.ask(t.ModifyOffer(id, gone, given_))
            changes += 1
        elif step < 9 and world.handed_out:
            killed = step == 8
            world.publish(tell=not killed)
            world = world.restarted() if killed else world
        else:
            world = world.restarted()
            world.pass_time(0)
    while world.ask(r.SeeChangeStatus()).pending:
        world.publish()
    told = world.published()
    assert [one.id for one in told] == [f"EV{n}" for n in range(1, len(told) + 1)]
    assert sum(one.changes for one in told) == changes
    known: dict[str, dict[str, Value]] = {}
    for notice in told:
        if notice.after is not None:
            known[notice.offer] = dict(notice.after.properties)
            continue
        assert notice.before is not None
        assert notice.before.properties == known[notice.offer]
        left = {k: v for k, v in known[notice.offer].items() if k not in notice.deleted}
        known[notice.offer] = left | dict(notice.modified)
    assert known == {one.id: one.properties for one in world.ask(t.SeeOffers())}


def test_a_flood_is_few_notices() -> None:
    world = World(publishes=False)
    world.ask(t.AddServiceType("Printer"))
    offer = world.ask(t.ExportOffer("Printer", "corbaloc::192.0.2.9/p", {"a": 0}))
    for number in range(500):
        world.ask(t.ModifyOffer(offer, (), {"a": number}))
    status = world.ask(r.SeeChangeStatus())
    assert (status.pending, status.coalesced) == (10, 491)
    world.publish()
    world.publish()
    assert [one.changes for one in world.published()] == [1] * 9 + [492]
    assert world.published()[-1].modified == {"a": 499}


@pytest.mark.parametrize("killed", [False, True])
def test_changes_go_into_a_notice_that_nobody_has_seen(killed: bool) -> None:
    world = World(publishes=False)
    world.ask(t.AddServiceType("Printer"))
    world.ask(r.SetChangeSettings(coalesce_after=1))
    offer = world.ask(t.ExportOffer("Printer", "corbaloc::192.0.2.9/p", {"a": 0, "b": 0}))
    world.publish()
    others = 200 if killed else 1
    for _ in range(others):  # the first of these is under way
        world.ask(t.ExportOffer("Printer", "corbaloc::192.0.2.9/q"))
    world.ask(t.ModifyOffer(offer, ("a",), {"b": 1}))
    if killed:  # the notices are in the channel, and nobody knows
        kept = dict(world.kept)
        while world.ask(r.SeeChangeStatus()).pending:
            world.publish()
        world.kept = kept
        world = world.restarted()
    world.ask(t.ModifyOffer(offer, ("b",), {"a": 2, "c": 3}))
    while world.ask(r.SeeChangeStatus()).pending:
        world.publish()
    told = [(one.deleted, one.modified, one.changes) for one in world.published()[1 + others :]]
    apart = [({"a": 0}, {"b": 1}, 1), ({"b": 1}, {"a": 2, "c": 3}, 1)]
    assert told == (apart if killed else [({"b": 0}, {"a": 2, "c": 3}, 2)])


@pytest.mark.parametrize("announced", [False, True])
def test_several_changes_are_a_transaction_or_nothing(announced: bool) -> None:
    world = World(publishes=False)
    world.ask(t.AddServiceType("Printer"))
    offer = world.ask(t.ExportOffer("Printer", "corbaloc::192.0.2.9/p", {"a": 0}))
    world.publish()
    change: Any
    wrong: Any
    if announced:
        world.subscriber()
        change = r.AnnounceChanges("evolver", FACTS[:3])
        wrong = r.AnnounceChanges("evolver", (*FACTS[:2], r.Announcement(FACTS[1].kind)))
    else:
        steps = (
            t.OfferStep(t.OfferAction.MODIFY, offer, properties={"a": 1}),
            t.OfferStep(t.OfferAction.REPLACE, offer, "Printer", "corbaloc::192.0.2.9/q"),
            t.OfferStep(t.OfferAction.EXPORT, "", "Printer", "corbaloc::192.0.2.9/r"),
        )
        change, wrong = t.ChangeOffers(steps), t.ChangeOffers((*steps, steps[0]))
    with pytest.raises(TidingsError, match=r"changes\[2\]|step 4 of 4"):
        world.ask(wrong)
    assert not world.ask(r.SeeChangeStatus()).pending
    world.ask(change)
    world.publish()
    told = [one.transaction for one in world.published()[1:]]
    assert told == [Transaction("T1", number, 3) for number in (1, 2, 3)]
