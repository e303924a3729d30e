"""Forms, in which questions and answers go over the wire: all comes back as it was."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from tests.edges.api import view_strategies as views
from tests.edges.api.view_strategies import ids, names, numbers, over_the_wire, qos, types
from tests.laws.strategies import anys, boxes, events, stored_values, texts
from tidings import errors
from tidings.api import changes, objects
from tidings.api import filters as forms
from tidings.api.dead_letters import DeadLetter, DeadLetters
from tidings.api.items import item_from_plain
from tidings.api.model import Asked, EventType, pattern_in, pattern_out
from tidings.api.new_proxy import NewProxy
from tidings.api.plain import plain_item, plain_of
from tidings.api.properties import properties_in, properties_out
from tidings.api.pulling import PullForm
from tidings.api.trails import DryRunForm, TrailForm
from tidings.channel import management as m
from tidings.channel.commands import DryRun
from tidings.channel.effects import Cause
from tidings.channel.property_errors import Level, PropertyRange
from tidings.channel.qos import QOS_PROPERTIES, QoS
from tidings.channel.qos_check import changed
from tidings.channel.trail import Step, Trail
from tidings.channel.views import AdminInfo, Advertisement, DeadLetterInfo, MappingInfo
from tidings.channel.vocabulary import Item, Operator, Place, Side
from tidings.events.anyvalue import Value, same
from tidings.events.codecs.json_reading import value_from_plain
from tidings.events.structured import StructuredEvent
from tidings.filters.constraint import Constraint, EventTypePattern, constraint, event_type
from tidings.filters.mapping import MappedConstraint

_bounds = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1)
_maybe = st.none() | numbers
_steps = st.builds(
    Step, stage=st.sampled_from(["supplier", "channel", "consumer"]), proxy=views.maybe_id,
    reason=texts, priority=_maybe, expiry=_maybe, start=_maybe,
)  # fmt: skip
_causes = st.lists(st.builds(Cause, numbers, texts), max_size=3).map(tuple)
_letters = st.builds(DeadLetterInfo, ids, ids, ids, ids, numbers, numbers, _causes, events)
_offers = st.dictionaries(st.sampled_from(["proxy 3", "admin 0", ""]), types)
_wants = st.dictionaries(ids, types, max_size=3)
ANSWERS: list[tuple[Any, Any]] = [
    (st.builds(Advertisement, types, types, _offers, _wants), changes.AdvertisementForm),
    (types, changes.KnownTypes),
    (st.builds(Trail, ids, numbers, st.booleans(), views.some_ids,
               st.lists(_steps, max_size=3).map(tuple)), TrailForm),
    (st.lists(st.builds(PropertyRange, st.text("aé", max_size=3), _bounds, _bounds)).map(tuple),
     changes.Ranges),
]  # fmt: skip


@pytest.mark.parametrize(("infos", "form"), ANSWERS, ids=lambda one: getattr(one, "__name__", ""))
@given(data=st.data())
def test_answers_come_back_as_they_were(infos: Any, form: Any, data: st.DataObject) -> None:
    info = data.draw(infos)
    assert repr(over_the_wire(form.of(info)).info()) == repr(info)


@given(st.lists(_letters, max_size=2))
def test_dead_letters_come_back_as_they_were(letters: list[DeadLetterInfo]) -> None:
    answer = DeadLetters(dead_letters=[DeadLetter.of(one) for one in letters])
    assert [one.info() for one in over_the_wire(answer).dead_letters] == letters


@given(st.lists(views.admins, max_size=2))
def test_admins_come_back_as_they_were(infos: list[AdminInfo]) -> None:
    found = over_the_wire(objects.Admins(admins=[objects.Admin.of(one) for one in infos]))
    assert [one.info() for one in found.admins] == infos


@given(st.builds(m.CreateChannel, st.just("0" * 32), qos, views.admin_properties, names))
def test_a_new_channel_is_asked_for_as_it_was(command: m.CreateChannel) -> None:
    assert over_the_wire(objects.NewChannel.of(command)).to_command("0" * 32) == command


@given(st.builds(m.NewAdmin, ids, st.sampled_from(Side), st.sampled_from(Operator)))
def test_a_new_admin_is_asked_for_as_it_was(command: m.NewAdmin) -> None:
    assert over_the_wire(objects.NewAdmin.of(command)).to_command(command.channel) == command


def test_a_new_channel_is_persistent_unless_it_is_said_otherwise() -> None:
    both = {"EventReliability": 1, "ConnectionReliability": 1}
    assert objects.NewChannel().to_command("x").qos == both
    assert objects.NewChannel(persistent=False).to_command("x").qos == dict.fromkeys(both, 0)
    asked = objects.NewChannel(qos={"EventReliability": "BestEffort", "Colour": "red"})
    assert asked.to_command("x").qos == {**both, "EventReliability": 0, "Colour": "red"}


@given(st.builds(m.ObtainProxy, channel=ids, side=..., style=..., form=..., admin=ids, qos=qos,
                 name=names, bare=...))  # fmt: skip
def test_a_new_proxy_is_asked_for_as_it_was(command: m.ObtainProxy) -> None:
    found = over_the_wire(NewProxy.of(command))
    assert found.to_command(command.channel) == command
    assert found.to_filter() is None
    assert found.to_types(Place(1, proxy=2)) is None


def test_constraints_make_a_private_filter() -> None:
    asked = NewProxy.model_validate({"constraints": ["$a < 3", {"text": "$b", "types": ["A::*"]}]})
    wanted = (constraint("$a < 3"), constraint("$b", ["A::*"]))
    assert asked.to_filter() == m.CreateFilter(wanted, private=True)
    with pytest.raises(errors.InvalidConstraint):
        NewProxy(constraints=["$a <"]).to_filter()


def test_types_are_asked_for_by_a_consumer_and_offered_by_a_supplier() -> None:
    place = Place(1, proxy=2)
    types = (event_type("A::B"),)
    assert NewProxy(types=["A::B"]).to_types(place) == m.SubscriptionChange(place, types)
    supplier = NewProxy(side="supplier", types=["A::B"])
    assert supplier.to_types(place) == m.OfferChange(place, types)


@given(views.holder_places, types, types, st.sampled_from([m.OfferChange, m.SubscriptionChange]))
def test_changes_of_types_are_asked_for_as_they_were(
    place: Place, added: Any, removed: Any, kind: type[m.OfferChange]
) -> None:
    command = kind(place, added, removed)
    for side in Side:  # what a program says is not turned into something else
        assert over_the_wire(changes.TypesChange.of(command)).to_command(place, side) == command


@given(views.holder_places, ids)
def test_filters_are_attached_as_asked(place: Place, id: int) -> None:
    attach = over_the_wire(changes.AttachFilter(filter=id))
    assert attach.to_command(place) == m.AddFilter(place, id)
    for found in (id, None):
        form = over_the_wire(changes.SetMappingForm(filter=found))
        assert form.to_command(place, "priority") == m.SetMapping(place, "priority", found)


_FILTERS: TypeAdapter[forms.Filter | forms.Mapping] = TypeAdapter(forms.AnyFilter)


def _same_mapped(left: MappedConstraint, right: MappedConstraint) -> bool:
    return left.constraint == right.constraint and same(left.value, right.value)


@given(views.mappings)
def test_mapping_filters_come_back_as_they_were(info: MappingInfo) -> None:
    found = _FILTERS.validate_python(json.loads(_FILTERS.dump_json(forms.filter_of(info)))).info()
    assert isinstance(found, MappingInfo)
    assert same(found.default, info.default)  # type: ignore[arg-type]
    assert list(found.mapped) == list(info.mapped)
    assert all(_same_mapped(found.mapped[id], one) for id, one in info.mapped.items())
    rest = (found.id, found.version, found.holders, found.owner)
    assert rest == (info.id, info.version, info.holders, info.owner)


@given(st.lists(views.constraints, max_size=3), st.booleans())
def test_a_new_filter_is_asked_for_as_it_was(given_: list[Constraint], private: bool) -> None:
    command = m.CreateFilter(tuple(given_), "EXTENDED_TCL", private=private)
    assert over_the_wire(forms.NewFilter.of(command)).to_command() == command


@given(stored_values, st.lists(views.mapped, max_size=3))
def test_a_new_mapping_filter_is_asked_for_as_it_was(
    default: Any, given_: list[MappedConstraint]
) -> None:
    command = m.CreateMapping(default, tuple(given_), private=True)
    found = over_the_wire(forms.NewMapping.of(command)).to_command()
    assert same(found.default, default)
    assert all(map(_same_mapped, found.mapped, given_))
    assert (len(found.mapped), found.grammar, found.private) == (len(given_), "", True)


@given(st.lists(ids, max_size=3), st.dictionaries(ids, views.constraints, max_size=3))
def test_changes_come_back_as_they_were(delete: list[int], replace: dict[int, Constraint]) -> None:
    form = forms.ModifyConstraintsForm(
        delete=delete, replace={id: forms.ConstraintForm.of(one) for id, one in replace.items()}
    )
    command = over_the_wire(form).to_command(7)
    assert command == m.ModifyConstraints(7, tuple(delete), replace)


def test_the_place_of_a_fault_is_known() -> None:
    with pytest.raises(errors.InvalidConstraint) as caught:
        forms.to_constraints(["TRUE", forms.ConstraintForm(text="$a ==\n and")])
    assert (caught.value.line, caught.value.text) == (2, "$a ==\n and")
    with pytest.raises(errors.InvalidEventType):
        forms.to_constraints([forms.ConstraintForm(types=["a::%NONE"])])
    with pytest.raises(errors.InvalidEvent) as value:
        forms.to_mapped([forms.MappedForm(value={"$type": "short", "value": 70000})])
    assert value.value.where.startswith("value")
    with pytest.raises(errors.InvalidEvent) as default:
        forms.NewMapping(default={"$type": "shirt", "value": 1}).to_command()
    assert default.value.where == "default.$type"


_EVENT_TYPE: TypeAdapter[EventType] = TypeAdapter(EventType)


@given(views.patterns)
def test_patterns_come_back_as_they_were(pattern: EventTypePattern) -> None:
    text = _EVENT_TYPE.dump_json(pattern_out(pattern))
    assert pattern_in(_EVENT_TYPE.validate_python(json.loads(text))) == pattern


def test_a_list_that_is_too_long_is_not_looked_through() -> None:
    class Question(Asked):
        numbers: list[int]

    with pytest.raises(errors.LimitExceeded, match="'numbers' holds 1001 items"):
        Question.model_validate({"numbers": ["no number"] * 1001})


def test_what_is_no_item_says_where() -> None:
    with pytest.raises(errors.InvalidEvent) as caught:
        item_from_plain({"any": {"$type": "long", "value": "x"}})
    assert caught.value.where.startswith("any")
    deep: object = 1
    for _ in range(80):
        deep = [deep]
    for wrong in ({"any": deep}, {"any": 1, "domain": "x"}):
        with pytest.raises(errors.InvalidEvent):
            item_from_plain(wrong)


def test_a_typed_value_that_is_none_is_named() -> None:
    with pytest.raises(errors.InvalidEvent) as caught:
        properties_in({"Priority": {"$type": "shirt", "value": 3}})
    assert caught.value.where.startswith("Priority")


@given(stored_values)
def test_values_are_what_a_parser_returns(value: Value) -> None:
    plain = plain_of(value)
    assert repr(json.loads(json.dumps(plain))) == repr(plain)
    assert same(value_from_plain(plain), value)


@given(events)
def test_events_are_what_a_parser_returns(event: StructuredEvent) -> None:
    plain = plain_item(event)
    assert repr(json.loads(json.dumps(plain))) == repr(plain)
    assert item_from_plain(plain) == event


def _sent(properties: dict[str, Any]) -> dict[str, object]:
    return properties_in(json.loads(json.dumps(properties_out(properties))))


@given(qos | views.admin_properties)
def test_properties_come_back_as_they_were(properties: dict[str, int]) -> None:
    found = _sent(properties)
    assert found == properties
    assert [type(value) for value in found.values()] == [type(v) for v in properties.values()]


def _judged(properties: dict[str, Any]) -> list[tuple[str, errors.PropertyErrorCode]] | QoS:
    try:
        return changed(QoS(), Level.CHANNEL, None, properties)
    except errors.UnsupportedQoS as error:
        return [(one.name, one.code) for one in error.errors]


@given(
    st.dictionaries(
        st.sampled_from([*QOS_PROPERTIES, "Colour"]),
        st.one_of(anys, st.integers(), st.floats(), st.builds(object), st.just("\ud800")),
    )
)
def test_a_program_is_judged_alike_here_and_there(properties: dict[str, Any]) -> None:
    assert _judged(_sent(properties)) == _judged(properties)


_times = st.none() | st.integers(0, 366 * 86_400_000_000)


@given(st.integers(1, 1_000), _times, _times)
def test_times_come_back_to_the_microsecond(most: int, wait: int | None, lease: int | None) -> None:
    found = over_the_wire(PullForm.of(most, wait, lease))
    assert (found.most, found.lease_microseconds) == (most, lease)
    longest = 366 * 86_400
    assert found.wait_at_most(longest) == (longest * 1_000_000 if wait is None else wait)


def test_nobody_waits_longer_than_the_service_lets() -> None:
    assert PullForm(wait=None).wait_at_most(60) == 60_000_000
    assert PullForm(wait=90).wait_at_most(60) == 60_000_000
    assert PullForm(wait=0.5).wait_at_most(60) == 500_000
    assert PullForm().wait_at_most(60) == 0
    assert PullForm().lease_microseconds == 30_000_000


@given(events | boxes(), views.maybe_id)
def test_a_dry_run_is_asked_for_as_it_was(item: Item, publisher: int | None) -> None:
    found = over_the_wire(DryRunForm.of(DryRun(3, item, publisher))).to_command(3)
    assert found == DryRun(3, item, publisher)
